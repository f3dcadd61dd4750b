#!/usr/bin/env bash
# The include rules of subagent/README: a stage includes base/, metric/ and its neighbours on the
# left; Net-SNMP's headers stay in agent/, collect/ and cli/, libxml2's in config/; no OID is typed
# in C. Plugins ask through cli/. trapd-handlers/ includes base/ and the generated MIB only.
set -euo pipefail
cd "${srcdir:-$(dirname "$0")/../..}"

declare -A allowed=(
    [base]="base"
    [metric]="base metric"
    [sample]="base metric sample"
    [calculate]="base metric calculate"
    [filter]="base metric calculate filter"
    [aggregate]="base calculate aggregate"
    [collect]="base metric report collect dcamp_mib.h agent"
    [report]="base metric calculate report"
    [threshold]="base metric filter threshold"
    [alarm]="base metric report threshold alarm"
    [config]="base metric calculate aggregate filter report threshold alarm config"
    [cli]="base collect cli agent dcamp_mib.h"
    [trapd-handlers]="base agent dcamp_mib.h trapd-handlers"
    [plugins]="base collect cli plugins"
    [core]="base metric sample calculate aggregate collect filter report threshold alarm config core dcampd.h"
    [agent]="base metric calculate report threshold alarm config core agent dcampd.h dcamp_mib.h"
    [.]="base metric sample collect report alarm config core agent dcampd.h"
)

status=0
complain() {
    echo "$1"
    status=1
}

# found OPTION... PATTERN: FILE:LINE:TEXT in all rooms; the name of a file begins with its room.
found() {
    grep -rn "$@" --include='*.[ch]' subagent plugins trapd-handlers | sed 's|^subagent/||; /^[^/]*:/s|^|./|'
}

while IFS=: read -r file line included; do
    room=$(dirname "$file")
    target=${included%%/*}
    [[ -n ${allowed[$room]:-} ]] || { complain "$file: no rule for the room $room"; continue; }
    [[ " ${allowed[$room]} " == *" $target "* ]] ||
        complain "$file:$line: $room must not include $included (allowed: ${allowed[$room]})"
done < <(found -oP '^\s*#\s*include "\K[^"]+')

while IFS=: read -r file line _; do
    [[ $file =~ ^(agent|collect|cli)/ ]] ||
        complain "$file:$line: Net-SNMP belongs in agent/, collect/ and cli/"
done < <(found '#include <net-snmp')

while IFS=: read -r file line _; do
    [[ $file == config/* ]] || complain "$file:$line: libxml2 belongs in config/"
done < <(found '#include <libxml')

while IFS= read -r text; do
    complain "$text: an OID is typed in C; it comes from the MIB"
done < <(found -E '1, *3, *6, *1|\.?1\.3\.6\.1')

[[ $status -eq 0 ]] && echo "includes: ok"
exit $status
