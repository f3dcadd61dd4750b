#!/usr/bin/env bash
# treechaos.sh [--seconds N]: every second a process of some node of a tree is killed (-9): snmpd,
# dcampd, its director, its poller; meanwhile thresholds are SET and documents are pushed. Then
# accounts are settled: one root, everybody up, polled and working by one tree document as a whole,
# no SET lost that was answered, and no term that went back.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=nodes.sh
. "$(dirname "$0")/nodes.sh"

seconds=10
[[ ${1:-} != --seconds ]] || seconds=$2
of_options=(-t 1 -r 1)

# all_say OBJECT: the different answers of all nodes, one a line; "nothing" for none.
all_say() {
    local name
    for name in "${names[@]}"; do
        of "$name" "$1" || echo nothing
    done | sort -u
}

# -- Those who change things -----------------------------------------------------------------

# A line "NODE ROW" for each threshold whose SET was answered; no row has a name for the second time.
set_thresholds() {
    local n=0 name
    while :; do
        n=$((n + 1)) name=${names[RANDOM % ${#names[@]}]}
        node=${addresses[$name]} snmp=("${snmp_once[@]}")
        ! threshold "chaos$n" Sensor=cpu.busy Operator=gt Limit=99.$((n % 100)) Severity=info >/dev/null 2>&1 ||
            echo "$name chaos$n"
        sleep 0.2
    done >"$work/answered"
}

# A line "NODE KIND TERM" now and then; the order of lines is that of time.
watch_terms() {
    local name
    while :; do
        for name in "${names[@]}"; do
            of "$name" dcampDocumentTerm.share dcampDocumentTerm.tree | sed "s/^/$name /" || true
        done
        sleep 0.5
    done >"$work/terms"
}

# The tree document with one sensor more, which has another name each time.
next_document() {
    sed -i -e '/<sensor name="pushed\./d' \
        -e "0,/<sensors>/s|<sensors>|&\n<sensor name=\"pushed.$1\" metric=\"load.1\" interval=\"1s\"/>|" \
        "$DCAMP_LAB_TREE"
}

push_documents() {
    local n=0 root
    while :; do
        sleep $((RANDOM % 8 + 4))
        n=$((n + 1))
        next_document $n
        for root in $(roots); do
            ! dcamp config push --config "$DCAMP_LAB_TREE" "${addresses[$root]}" || echo "$n"
        done
    done >"$work/pushed"
}

# -- The kills -------------------------------------------------------------------------------

# child_pid NUMBER WORD: of the process that dcampd has started with that option.
child_pid() {
    local pid
    pid=$(daemon_pid dcampd "$1") || return 1
    pgrep -P "$pid" -f -- "$2" | head -n 1
}

# again NUMBER VERB: a daemon that was killed is started after a second or two.
again() {
    sleep 1.$((RANDOM % 9))
    "$lab" "$2" --dir "$lab_dir" --node "node$1" >>"$work/again" 2>&1 || true
    rm -f "$work/busy.$1"
}

restarts=()
start_again() {
    touch "$work/busy.$1"
    again "$1" "$2" &
    restarts+=($!)
}

# Fails where there was nothing to kill: many nodes have no director and no poller.
kill_one() {
    local i=$((RANDOM % ${#names[@]} + 1)) what pid
    [[ ! -e $work/busy.$i ]] || return 1
    case $((RANDOM % 4)) in
    0) what=snmpd pid=$(daemon_pid snmpd "$i") ;;
    1) what=dcampd pid=$(daemon_pid dcampd "$i") ;;
    2) what=director pid=$(child_pid "$i" --director) ;;
    3) what=poller pid=$(child_pid "$i" --poller) ;;
    esac || return 1
    [[ -n $pid ]] && kill -KILL "$pid" 2>/dev/null || return 1
    echo "$what" >>"$work/killed"
    case $what in
    snmpd) start_again "$i" restart-snmpd ;;
    dcampd) start_again "$i" start-dcampd ;;
    esac
}

# -- The accounts ----------------------------------------------------------------------------

# With a tree, a lab knows nodes by their names. run_daemon WHAT NUMBER VERB: one that does not run is started, and then fails.
run_daemon() {
    ! daemon_pid "$1" "$2" >/dev/null || return 0
    "$lab" "$3" --dir "$lab_dir" --node "node$2" >>"$work/again" 2>&1 || true
    return 1
}

# A daemon may have been killed while it was waited for.
all_there() {
    local i there=0
    for ((i = 1; i <= ${#names[@]}; i++)); do
        run_daemon snmpd "$i" restart-snmpd || there=1
        run_daemon dcampd "$i" start-dcampd || there=1
    done
    return "$there"
}

all_up() {
    one_root && up "$root" ${#names[@]}
}

# Whose order is not by what is in force.
unfinished() {
    local name
    for name in "${names[@]}"; do
        [[ $(of "$name" dcampDocumentDigest.share) == "$(of "$name" dcampDocumentInForce.share)" &&
            $(of "$name" dcampDocumentState.share) == inForce ]] || echo "$name"
    done
}

# The sensors of each node, beside those of the tree document; only what differs.
mixed() {
    local name node
    sed -n 's/.*<sensor [^>]*\bname="\([^"]*\)".*/\1/p' "$DCAMP_LAB_TREE" | sort -u >"$work/wanted"
    for name in "${names[@]}"; do
        node=${addresses[$name]}
        walk dcampSensorMetric | sed 's/^[^"]*"\([^"]*\)".*/\1/' | sort | diff "$work/wanted" - |
            sed -n "s/^[<>]/$name &/p"
    done
}

# Rows that were answered, are not there, and were not said to be replaced.
lost_rows() {
    local name node row
    for name in "${names[@]}"; do
        node=${addresses[$name]}
        walk dcampThresholdSensor | sed 's/^[^"]*"\([^"]*\)".*/\1/' >"$work/rows"
        sed -n 's/.*threshold "\(chaos[0-9]*\)": another share is in force.*/\1/p' \
            "$lab_dir/$name/dcampd.log" >>"$work/rows"
        while read -r row; do
            grep -qx "$row" "$work/rows" || echo "$name $row"
        done < <(sed -n "s/^$name //p" "$work/answered")
    done
}

# Deviations are the rows that were SET and are there, and nothing else.
wrong_deviations() {
    local name node there
    for name in "${names[@]}"; do
        node=${addresses[$name]}
        there=$(walk dcampThresholdSensor | grep -c '"chaos' || true)
        [[ $(of "$name" dcampTreeDeviations.0) == "$there" ]] || echo "$name"
    done
}

lower_terms() {
    awk 'NF == 3 && ($2 < share[$1] || $3 < tree[$1]) { print } { share[$1] = $2; tree[$1] = $3 }' "$work/terms"
}

bad_words() {
    grep -EHi 'assert|corrupt|sanitizer|runtime error|damaged' "$lab_dir"/node*/dcampd.log || true
}

# -- The run ---------------------------------------------------------------------------------

make_root "$work/root"
start_lab --tree --nodes 8 --collectors 2 --standbys 1 --root "$work/root"
find_nodes
is "there are twelve nodes" "${#addresses[@]}" 12
snmp_once=("${snmp[@]}" -t 4 -r 0)
: >"$work/killed"
next_document 0
set_thresholds &
jobs_started+=($!)
watch_terms &
jobs_started+=($!)
push_documents &
jobs_started+=($!)
for ((n = 0; n < seconds; n++)); do
    sleep 1
    for ((try = 0; try < 20; try++)); do
        ! kill_one || break
    done
done
for pid in "${restarts[@]}"; do
    wait "$pid" || true
done
end_background
eventually "all daemons run" 60 all_there
eventually "there is one root" 60 one_root
eventually "it has all nodes" 90 all_up
eventually "everybody is polled by its parent" 30 all_polled
eventually "all have one tree document" 30 eval '[[ $(all_say dcampTreeDigest.0 | wc -l) -eq 1 ]]'
is "of one serial" "$(all_say dcampTreeSerial.0 | wc -l)" 1
is "and each has its share" "$(unfinished)" ""
is "SETs that were answered and lost" "$(lost_rows)" ""
is "nodes whose deviations are others than what was SET" "$(wrong_deviations)" ""
is "terms that went back" "$(lower_terms)" ""
is "words that no log should have" "$(bad_words)" ""
next_document last
ok "another document is pushed" dcamp config push --config "$DCAMP_LAB_TREE" "${addresses[$root]}"
eventually "and all nodes are up by it" 60 all_up
eventually "by all of it, and nothing else" 30 eval '[[ -z $(mixed) ]]'
echo "# $(sort "$work/killed" | uniq -c | tr -s ' \n' ' ')killed; $(wc -l <"$work/answered") SETs and" \
    "$(wc -l <"$work/pushed") pushes answered; root $root, in term $(of "$root" dcampTreeRootTerm.0)"
ok "there was something to lose" test "$(wc -l <"$work/answered")" -gt "$((seconds / 4))" \
    -a "$(wc -l <"$work/killed")" -gt "$((seconds / 4))"
ok "the tree is stopped" dcamp stop "${addresses[$root]}"
eventually "all are base nodes again" 30 all_base
finish
