#!/usr/bin/env bash
# The definitions of conf/librenms against a real snmpd: what LibreNMS does with each to discover
# sensors, by the same programs with the same options. LibreNMS itself is no package of Debian.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

python3 -c 'import yaml' 2>/dev/null || skip "Python or its yaml is missing (package python3-yaml)"
definitions=$nms_top/conf/librenms/os_discovery.yaml

# Each definition in a line: what is walked, the options, the object with the value, the number that
# is polled later, the text for people. LibreNMS has these options where a definition has none.
sensors() {
    python3 - "$definitions" <<'END'
import sys, yaml
with open(sys.argv[1], encoding='utf-8') as file:
    classes = yaml.safe_load(file)['modules']['sensors']
for kind in classes.values():
    for one in kind['data']:
        print(one['oid'], one.get('snmp_flags', '-OteQUSa'), one.get('value', one['oid']),
              one['num_oid'], one['descr'], sep='\t')
END
}

# walk_as FLAGS OID
walk_as() {
    snmpbulkwalk "$1" -Ih "${snmp[@]}" "$node" "$2" >"$work/walk"
}

# discovered OBJECT: its indexes in the walk, as LibreNMS takes them: what is behind the first point.
discovered() {
    sed -n "s/^$1\.\([^=]*\) = .*/\1/p" "$work/walk"
}

# polled FLAGS OID OBJECT INDEX NUMBER: whether the number gives what a walk does, under its own name:
# LibreNMS knows an answer by that.
polled() {
    local found
    walk_as "$1" "$2"
    found=$(awk -v name="$3.$4" -F ' = ' '$1 == name { print $2 }' "$work/walk")
    [[ -n $found && $(snmpget -OUQnte "${snmp[@]}" "$node" "$5" 2>&1) == "$5 = $found" ]]
}

start_tree
node=$DCAMP_LAB_COLLECTOR_1
threshold hot Sensor=mem.used.percent Operator=gt Limit=0 "Description=größer als nichts" >/dev/null
while IFS=$'\t' read -r oid flags object number text; do
    ok "$object: a walk" walk_as "$flags" "$oid"
    mapfile -t indexes < <(discovered "$object")
    ok "$object: there are some" [ ${#indexes[@]} -gt 0 ]
    while read -r name; do
        is "$object: each has a $name" "$(discovered "$name" | wc -l)" ${#indexes[@]}
    done < <(grep -o 'DCAMP-MIB::[A-Za-z]*' <<<"$text")
    for index in "${indexes[@]}"; do
        # The memory of the daemon may be another one meanwhile.
        eventually "$object, $index: what is polled is what was discovered" 3 \
            polled "$flags" "$oid" "$object" "$index" "${number/"{{ \$index }}"/$index}"
    done
done < <(sensors)
finish
