#!/usr/bin/env bash
# readme.sh: README does not rot: what its section "Using it" types works, and the session of its
# section "A tree" is what the commands print, here those of a tree of three nodes in a lab. On
# machines of their own, with everything before that: tests/packages/newcomer-tree.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=book.sh
. "$top/tests/integration/book.sh"

dcamp_=${DCAMP_BUILD:-$top/build}/dcamp
declare -A where=()

# What README types, for the nodes of the lab.
dcamp() {
    local words=("$@") i
    for i in "${!words[@]}"; do
        words[i]=${where[${words[i]}]:-${words[i]}}
    done
    "$dcamp_" "${words[@]}"
}

# -- Using it --------------------------------------------------------------------------------
start_lab
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
where[localhost]=$DCAMP_LAB_NODE_1
block "$top/README" 'dcampThresholdLimit."cpu-busy"' |
    sed -e "s|snmpset -m DCAMP-MIB localhost|snmpset $DCAMP_LAB_SNMP -m DCAMP-MIB $DCAMP_LAB_NODE_1|" \
        -e "s|^dcamp [a-z]*|& -U lab --secrets $work/secrets|" >"$work/using"
is "three commands" "$(wc -l <"$work/using")" 3
mapfile -t lines <"$work/using"
for line in "${lines[@]}"; do
    ok "$line" works "$line"
done
is "the limit is changed" "$(get 'dcampThresholdLimit."cpu-busy"')" 90
is "the rule is made" "$(get dcampThreshold{Sensor,Operator,Limit,Duration}.\"hot\" | paste -sd ' ')" \
    "cpu.busy gt 90 60000"

# -- A tree ----------------------------------------------------------------------------------
start_lab --tree --nodes 2
where=([r1]=$DCAMP_LAB_ROOT [web1]=$DCAMP_LAB_NODE_1 [web2]=$DCAMP_LAB_NODE_2)

silent() {
    # shellcheck disable=SC2154,SC2086 # login is set by README, several words
    not dcamp config show -t 2 $login "$1"
}

# The only thing that is done there: its snmpd is stopped.
ssh() {
    [[ $* == "web2 systemctl stop snmpd" ]] || return 1
    kill "$DCAMP_LAB_PID_SNMPD_2"
    within 10 silent web2
}

n=$(session "$top/README" 'dcamp tree .login' "$work")
for ((i = 1; i <= n; i++)); do
    command=$(<"$work/$i.command")
    eval "${command//\/etc\/dcamp\/site.secret/$lab_dir\/site.secret}" >"$work/said" 2>&1 || true
    # The machine of the lab is this one, of which dcamp doctor has more to say than of another.
    [[ $command != "dcamp doctor "* ]] || sed -i "$(($(wc -l <"$work/$i.shown") + 1)),\$d" "$work/said"
    is "$command" "$(shape "$command" <"$work/said")" "$(shape "$command" <"$work/$i.shown")"
done
is "both are shown" "$(cat "$work"/*.command | grep -oE '^dcamp (tree|doctor)' | sort | paste -sd ,)" \
    "dcamp doctor,dcamp tree"
finish
