#!/usr/bin/env bash
# rotatelost.sh [--every]: nodes are killed while dcamp key rotate gives a tree other keys, of SHA-512
# and AES-256: a collector whose children another one takes over, and the root, whose place a standby
# takes. Whether the command was held meanwhile and goes on, or was killed, too, and is run again: all
# that live are polled and have the new keys, the lost one comes back with its old ones and gets the new
# ones by the next run, and then nobody has the old ones. With --every, either of both in either way,
# after no, one and two nodes.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=rotation.sh
. "$(dirname "$0")/rotation.sh"

# A node that was killed says nothing, and is not waited for.
of_options=(-t 1 -r 1)

# lose NAME: its daemons are killed, and it is none of names any more, until find_again.
lose() {
    local name living=()
    kill -KILL "$(daemon_pid dcampd "${1#node}")" "$(daemon_pid snmpd "${1#node}")"
    for name in "${names[@]}"; do
        [[ $name == "$1" ]] || living+=("$name")
    done
    names=("${living[@]}")
}
find_again() {
    "$lab" restart-snmpd --dir "$lab_dir" --node "$1"
    "$lab" start-dcampd --dir "$lab_dir" --node "$1"
    names+=("$1")
}

# has_begun NUMBER: so many nodes have the new keys; 0: the first one has those of the user that polls.
has_begun() {
    if [[ $1 -eq 0 ]]; then
        [[ $(with dcampPoll "$new") -ge 1 ]]
    else
        [[ $(with dcampAdmin "$new") -ge $1 ]]
    fi
}

# The collector of a leaf that has new keys: leaves are the first to get them.
find_collector() {
    local i
    for ((i = total; i > 0; i--)); do
        ! knows "node$i" dcampPoll "$new" || break
    done
    of "node$i" dcampNodeParent.0
}

# Blocks of those that are polled, which no parent has got.
lost_blocks() {
    children dcampChildLostBlocks | awk '{ sum += $3 } END { print sum + 0 }'
}

# round KIND NUMBER WAY: the keys of old become those of new. After so many nodes a collector or the root
# is lost, and the command goes on, or is run again.
round() {
    local kind=$1 way=$3 lost=$root has=$old left=1 status=0 timeout=2 command
    echo "# the $kind is lost after $2 nodes; the command $way"
    sed -i "s|<access secrets=\"[^\"]*\"\( next-secrets=\"[^\"]*\"\)*|<access secrets=\"$old\" next-secrets=\"$new\"|" \
        "$DCAMP_LAB_TREE"
    ok "the document says which passphrases are to come" exits 0 "$total of $total nodes work by the document" push "$old"
    # It waits longer where it need not end: the time for which it is held, to be looked at, counts, too.
    [[ $way == "goes on" ]] || timeout=10
    "$dcamp_" key rotate -t "$timeout" -U dcampAdmin -a "$auth" -x "$priv" --secrets "$old" --new-secrets "$new" \
        "${addresses[$root]}" >"$work/out" 2>"$work/said" &
    command=$!
    jobs_started+=("$command")
    eventually "it has begun" 20 goes_on "$command" has_begun "$2"
    if [[ $way != "goes on" ]]; then
        kill -KILL "$command" || sed 's,^,# ,' "$work/said"
        wait "$command" 2>/dev/null || true
    fi
    ok "and is not at its end" test "$(with dcampAdmin "$new")" -lt "$total"
    if [[ $kind == collector ]]; then
        lost=$(find_collector)
        ok "$lost is a collector" test "$lost" != "$root"
    fi
    # It may have had its turn. Whether it did, a run that begins now cannot know.
    ! knows "$lost" dcampAdmin "$new" || has=$new
    [[ $way == "is run again" || $has == "$old" ]] || left=0
    lose "$lost"
    [[ $kind != root ]] || eventually "another root takes over from $lost" 20 one_root
    eventually "all but $lost are polled" 30 all_polled
    if [[ $way == "goes on" ]]; then
        # Longer than it gives a parent, which it asks once more then.
        sleep 8
        kill -CONT "$command"
        wait "$command" || status=$?
        ok "it goes on to the others" exits $left "^$((total - left)) of $total nodes" eval "(exit $status)"
    else
        ok "the next run goes on to the others" exits 1 "^$((total - 1)) of $total nodes" \
            rotate -t 2 "${addresses[$root]}"
    fi
    [[ $left -eq 0 ]] || ok "and not to $lost" grep -q "^$lost  *not new" "$work/out"
    ok "all others have the new keys" all knows "$new"
    eventually "and are polled" 20 all_polled
    is "no block is lost" "$(lost_blocks)" 0
    find_again "$lost"
    ok "$lost comes back with the keys that it had" knows "$lost" dcampAdmin "$has"
    eventually "the tree has it again" 30 up "$root" "$total"
    eventually "and polls it" 20 all_polled
    ok "another run changes it, too" exits 0 "^$total of $total nodes have the new keys" rotate "${addresses[$root]}"
    ok "all have the new keys" all knows "$new"
    ok "and the old ones no more" all refuses "$old"
    [[ $kind != root ]] ||
        ok "who asks $lost as before is told that it is not the root any more" exits 0 \
            "$lost is not the root of its tree, which is $root" rotate "${addresses[$lost]}"
}

# exchange: what was new is old, and the next round has others.
exchange() {
    local before=$old
    old=$new new=$before
}

start_rotation_lab SHA-512 AES-256 2
if [[ ${1:-} == --every ]]; then
    # After more of them it is at its end before it can be held.
    for ((number = 0; number < total - 3; number++)); do
        for way in "goes on" "is run again"; do
            for kind in collector root; do
                round $kind $number "$way"
                exchange
            done
        done
    done
else
    round collector 0 "goes on"
    exchange
    round root 1 "is run again"
fi

remember_polls
eventually "everybody is polled on" 20 polled_on
ok "no passphrase is in a log" not grep -rqF -e 'of the next year' "$lab_dir" --include=dcampd.log
finish
