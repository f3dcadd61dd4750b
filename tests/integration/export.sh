#!/usr/bin/env bash
# dcamp export of a real tree: what it writes is given to the real snmptrapd, which takes a
# notification with it, and to Nagios, Icinga and Prometheus where they are installed; a file that it
# keeps current follows the tree, and its root.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"

dcamp_=${DCAMP_BUILD:-$top/build}/dcamp

# export_ FORMAT ARGUMENT...: its exit status; the output, and what is said.
export_() {
    local login status=0
    read -r -a login <<<"$DCAMP_LAB_LOGIN"
    "$dcamp_" export "$1" "${login[@]}" "${@:2}" >"$work/out" 2>"$work/said" || status=$?
    echo "$status"
}

# exports DESCRIPTION FORMAT FILE: all is well, nothing is said, and it is in the file.
exports() {
    is "$1" "$(export_ "$2" "$DCAMP_LAB_ROOT") $(<"$work/said")" "0 "
    cp "$work/out" "$3"
}

has() {
    [[ -n $(type -P "$1") ]] || { report 0 "$2 # SKIP $1 is not installed" && return 1; }
}

start_lab --tree --nodes 2 --collectors 1
all=(node1 node2 node3 node4)
mapfile -t ports < <(sed -n 's/.*address="udp:127\.0\.0\.1:\([0-9]*\)".*/\1/p' "$DCAMP_LAB_TREE")
is "the tree has four nodes" "${#ports[@]}" 4

# -- snmptrapd -------------------------------------------------------------------------------
exports "snmptrapd" snmptrapd "$work/trapd.conf"
is "has a user for each engine" "$(grep -c '^createUser -e 0x[0-9a-f]* dcampTrap SHA-256 -l 0x[0-9a-f]\{64\} AES -l 0x[0-9a-f]\{32\}$' "$work/trapd.conf")" 4
is "and no passphrase" "$(grep -cF "$(sed -n 's/^auth //p' <(secrets_from "${snmp[@]}"))" "$work/trapd.conf")" 0
is "named by its node" "$(sed -n 's/^# \(node[0-9]\)$/\1/p' "$work/trapd.conf" | sort | paste -sd ' ')" "${all[*]}"
trap_port=$(free_port)
mkdir -p "$work/persist"
# As doc/nms.md has it: included by the file that is there.
printf '%s\n' 'authUser log,execute dcampTrap priv' 'outputOption n' "includeFile $work/trapd.conf" >"$work/snmptrapd.conf"
background env MIBS= SNMPCONFPATH="$work/persist" SNMP_PERSISTENT_DIR="$work/persist" \
    snmptrapd -f -n -Lf "$work/traps" -C -c "$work/snmptrapd.conf" "udp:127.0.0.1:$trap_port"
trapd=${jobs_started[-1]}
eventually "the real snmptrapd takes it" 10 grep -q 'NET-SNMP version' "$work/traps"
eventually "and listens" 10 owns_port "$trapd" "$trap_port"
secrets_from "${snmp[@]}" >"$work/secrets"
auth=$(sed -n 's/^auth //p' "$work/secrets") priv=$(sed -n 's/^priv //p' "$work/secrets")
conf=$(dirname "$DCAMP_LAB_TREE")/node4/snmpd.conf
echo "trapsess -v 3 -l authPriv -u dcampTrap -a SHA-256 -A $auth -x AES -X $priv udp:127.0.0.1:$trap_port" >>"$conf"
control restart-snmpd --node node4
eventually "and so a notification of a node" 15 grep -q '1\.3\.6\.1\.6\.3\.1\.1\.5\.1\|coldStart\|snmpTraps.1' "$work/traps"
eventually "the node is back and says its engine ID" 20 eval '[[ $(export_ snmptrapd "$DCAMP_LAB_ROOT") == 0 ]]'

is "into a file of its own it is the same" "$(export_ snmptrapd --output "$work/own.conf" "$DCAMP_LAB_ROOT") $(<"$work/said")" \
    "0 dcamp: $work/own.conf is written: 4 nodes of the tree of node1"
ok "each key is" cmp "$work/trapd.conf" "$work/own.conf"
is "which is for its owner only" "$(stat -c %a "$work/own.conf")" 600
is "and is not written again" "$(export_ snmptrapd --output "$work/own.conf" "$DCAMP_LAB_ROOT") $(<"$work/said")" "0 "

# -- Nagios ----------------------------------------------------------------------------------
exports "Nagios" nagios "$work/nodes.cfg"
is "has all nodes as hosts" "$(awk '$1 == "host_name" { print $2 }' "$work/nodes.cfg" | sort -u | paste -sd ' ')" "${all[*]}"
is "with their ports" "$(awk '$1 == "_DCAMP_PORT" { print $2 }' "$work/nodes.cfg" | sort)" "$(printf '%s\n' "${ports[@]}" | sort)"
is "and a look at the tree of those that collect" "$(grep -c 'check_dcamp!tree' "$work/nodes.cfg")" 2
# nagios_takes HOSTS: of nodes.cfg.
nagios_takes() {
    mkdir -p "$work/results" "$work/objects"
    cp "$top/conf/nagios/dcamp.cfg" "$work/nodes.cfg" "$work/objects/"
    cat "$top/tests/nms/operator.cfg" - >"$work/objects/site.cfg" <<'END'
define command {
    command_name note
    command_line /bin/true
}
END
    printf '%s\n' "cfg_dir=$work/objects" "check_result_path=$work/results" "log_file=$work/nagios.log" \
        "object_cache_file=$work/cache" "status_file=$work/status" "command_file=$work/cmd" \
        "temp_file=$work/temp" "lock_file=$work/lock" "temp_path=$work" "resource_file=$work/resource.cfg" \
        "nagios_user=$(id -un)" "nagios_group=$(id -gn)" >"$work/nagios.cfg"
    echo '$USER1$=/usr/lib/nagios/plugins' >"$work/resource.cfg"
    nagios4 -v "$work/nagios.cfg" >"$work/checked" || { cat "$work/checked"; return 1; }
    grep -q "Checked $1 hosts" "$work/checked"
}
! has nagios4 "the real Nagios takes it" || ok "the real Nagios takes it" nagios_takes 4

# -- Icinga ----------------------------------------------------------------------------------
exports "Icinga" icinga "$work/nodes.conf"
is "has all nodes as hosts, too" "$(sed -n 's/^object Host "\(.*\)" {$/\1/p' "$work/nodes.conf" | sort | paste -sd ' ')" "${all[*]}"
is "two of which collect" "$(grep -c 'dcamp_collector = true' "$work/nodes.conf")" 2
icinga_takes() {
    mkdir -p "$work/icinga"
    sed '/^object Host/,/^}/d' "$top/conf/icinga2/example.conf" >"$work/rules.conf"
    printf '%s\n' 'const PluginDir = "/usr/lib/nagios/plugins"' 'include <itl>' 'include <plugins>' "include \"$top/conf/icinga2/dcamp.conf\"" \
        "include \"$work/rules.conf\"" "include \"$work/nodes.conf\"" >"$work/icinga2.conf"
    ICINGA2_USER=$(id -un) ICINGA2_GROUP=$(id -gn) icinga2 daemon -C -DDataDir="$work/icinga" -DCacheDir="$work/icinga" -DSpoolDir="$work/icinga" \
        -DConfigDir="$work" -DLogDir="$work/icinga" -DInitRunDir="$work/icinga" -c "$work/icinga2.conf" >"$work/checked" 2>&1
    local status=$?
    cat "$work/checked"
    [[ $status -eq 0 ]] && grep -q 'Instantiated 4 Hosts' "$work/checked"
}
! has icinga2 "the real Icinga takes it" || ok "the real Icinga takes it" icinga_takes

# -- Prometheus ------------------------------------------------------------------------------
exports "Prometheus" prometheus "$work/nodes.json"
is "has each node once, and those that collect for what is below them" "$(python3 -c 'import json, sys
for of in json.load(sys.stdin):
    for target in of["targets"]:
        print(target.split(":")[1], of["labels"]["__param_module"], of["labels"]["dcamp_node"])' <"$work/nodes.json" |
    awk '{ print $2, $3 }' | sort | paste -sd ' ')" \
    "$(printf 'dcamp %s\n' "${all[@]}" | paste -sd ' ') dcamp_tree node1 dcamp_tree node2"
prometheus_takes() {
    cat >"$work/prometheus.yml" <<EOF2
scrape_configs:
  - job_name: dcamp
    metrics_path: /snmp
    file_sd_configs: [{files: ['$work/nodes.json']}]
EOF2
    promtool check config "$work/prometheus.yml"
}
! has promtool "the real Prometheus takes it" || ok "the real Prometheus takes it" prometheus_takes

# -- What cannot be --------------------------------------------------------------------------
is "it has a form of its own" "$(export_ nagios --json "$DCAMP_LAB_ROOT") $(<"$work/said")" \
    "2 dcamp: export has forms of its own: neither --json nor --tsv"
is "of a node that is not the root there is nothing" "$(export_ prometheus "$DCAMP_LAB_NODE_1") $(wc -c <"$work/out")" "2 0"
is "nor without an address" "$(export_ nagios) $(<"$work/said")" "2 dcamp: export nagios: expected ADDRESS (dcamp --help)"
is "nor of a system that is not known" "$(export_ cacti "$DCAMP_LAB_ROOT") $(<"$work/said")" \
    '2 dcamp: export cacti: no such subcommand; there is export nagios, export icinga, export prometheus, export snmptrapd or export zabbix (dcamp --help)'
is "a file that is none is not replaced" "$(export_ nagios --output "$work" "$DCAMP_LAB_ROOT") $(<"$work/said")" \
    "2 dcamp: $work: it is there, and is no regular file"

# -- A file that is kept current -------------------------------------------------------------
start_lab --tree --nodes 1 --standbys 1
read -r -a login <<<"$DCAMP_LAB_LOGIN"
watched=$work/watched.cfg
"$dcamp_" export nagios "${login[@]}" -t 2 --watch=500ms --output "$watched" --run "cat $watched >>$work/ran" "$DCAMP_LAB_ROOT" \
    </dev/null >"$work/out" 2>"$work/watch.said" &
watcher=$!
jobs_started+=("$watcher")

# watched_hosts: in the order of the file.
watched_hosts() {
    awk '$1 == "host_name" && !seen[$2]++ { print $2 }' "$watched" | paste -sd ' '
}

# watches HOSTS
watches() {
    [[ $(watched_hosts) == "$1" ]]
}

# ran_for_each: the command, for each change that was told.
ran_for_each() {
    [[ -s $work/ran && $(grep -c '^# Made by' "$work/ran") -eq $(grep -c ' is written: ' "$work/watch.said") ]]
}

# is_root_there NODE: by the file.
is_root_there() {
    grep -A 3 '^# root$' "$watched" | grep -q "host_name $1\$"
}

eventually "a file is kept current: the nodes as they are" 20 watches "node1 node2 node3"
eventually "a command is run when it has changed" 10 ran_for_each
sed '/<node name="node3"/d' "$DCAMP_LAB_TREE" >"$work/smaller.xml"
root=$DCAMP_LAB_ROOT
ok "the tree gets another document" "$dcamp_" config push "${login[@]}" --config "$work/smaller.xml" "$root"
eventually "a node that has left is out" 20 watches "node1 node2"
ok "and another one" "$dcamp_" config push "${login[@]}" --config "$DCAMP_LAB_TREE" "$root"
eventually "a node comes" 20 watches "node1 node2 node3"
cp "$watched" "$work/objects/nodes.cfg" 2>/dev/null && cp "$watched" "$work/nodes.cfg"
! has nagios4 "the real Nagios takes it" || ok "the real Nagios takes it" nagios_takes 3
ok "the root is node1" is_root_there node1
control kill-dcampd --node node1 --signal KILL
eventually "the root is another one: it is followed" 60 is_root_there node2
ok "that is told" grep -q '^dcamp: the root of the tree is node2 now, in term [0-9]*$' "$work/watch.said"
ok "with all nodes" watches "node1 node2 node3"
eventually "the command has run for each change" 10 ran_for_each
cp "$work/watch.said" "$work/mark"
control kill-dcampd --node node2 --signal KILL
control kill-dcampd --node node3 --signal KILL
eventually "nobody answers for the tree any more" 30 eval '! cmp "$work/mark" "$work/watch.said"'
ok "the file stays" watches "node1 node2 node3"
ok "it goes on" kill -0 "$watcher"
status=0
kill -TERM "$watcher"
wait "$watcher" || status=$?
is "until a signal ends it" "$status" 143
is "nothing else was written" "$(<"$work/out")$(find "$work" -name 'watched.cfg.*')" ""
finish
