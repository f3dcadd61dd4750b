# shellcheck shell=bash
# What tests of dcamp key rotate share, beside nodes.sh: who has which keys, and who is polled.
#
# The files are in memory. snmpd waits for the disk after each line of what it keeps, some twenty for its
# users, and answers nobody meanwhile: where something else keeps the disk busy, polls are missed.
: "${DCAMP_TEST_DIR:=/dev/shm}"
# shellcheck source=nodes.sh
. "$(dirname "${BASH_SOURCE[0]}")/nodes.sh"

# start_rotation_lab AUTH PRIV NODES: a tree with two collectors, a standby and so many nodes below, whose
# users have these protocols, with node1 as its root; and two files of passphrases, of which it has the
# old ones. As dcamp init leaves it, only the file of snmpd itself has the users of dCAMP: those of a file
# that is read at each start would have their passphrases again.
start_rotation_lab() {
    local run name restarts=()
    auth=$1 priv=$2 root=node1
    start_lab --tree --nodes "$3" --collectors 2 --standbys 1 --authproto "$1" --privproto "$2" --no-promote
    find_nodes
    total=${#names[@]}
    is "there are so many nodes" "$total" $(($3 + 4))
    run=${DCAMP_LAB_AGENTX_BASE_1#unix:}
    run=${run%/*/*}
    sed -i '/^createUser dcamp/d' "$run"/node*/snmpd.conf
    for name in "${names[@]}"; do
        "$lab" restart-snmpd --dir "$lab_dir" --node "$name" &
        restarts+=($!)
    done
    wait "${restarts[@]}"
    eventually "all are base nodes" 20 all_base
    ok "node1 becomes the root" exits 0 "$total of $total nodes work by the document" \
        dcamp promote --config "$DCAMP_LAB_TREE" "${addresses[node1]}"
    old=$lab_dir/site.secret new=$lab_dir/next.secret
    (umask 077 && printf 'auth of the next year\npriv of the next year, too\n' >"$new")
    eventually "everybody is polled" 20 all_polled
}

# as COMMAND...: dcamp as somebody else; what it writes is where exits looks.
as() {
    "$dcamp_" "$@" >"$work/out" 2>"$work/said"
}

rotate() {
    as key rotate -U dcampAdmin -a "$auth" -x "$priv" --secrets "$old" --new-secrets "$new" "$@"
}

# push FILE: the document, by these passphrases.
push() {
    as config push --config "$DCAMP_LAB_TREE" -U dcampAdmin -a "$auth" -x "$priv" --secrets "$1" \
        "${addresses[$root]}"
}

# ask NAME USER FILE: what it is told who asks by these passphrases. What it may not read, it is told,
# too, if they are right.
ask() {
    snmpget -v 3 -l authPriv -u "$2" -a "$auth" -A "$(sed -n 's/^auth //p' "$3")" -x "$priv" \
        -X "$(sed -n 's/^priv //p' "$3")" -t 5 -r 1 -m '' "${addresses[$1]}" .1.3.6.1.2.1.1.3.0 2>&1 || true
}
knows() {
    ! ask "$@" | grep -qE 'Authentication failure|Unknown user|Timeout|decryption'
}
refuses() {
    ask "$@" | grep -q 'Authentication failure'
}

# all COMMAND...: whether it is so for each node and user.
all() {
    local name user
    for name in "${names[@]}"; do
        for user in dcampPoll dcampAdmin dcampTrap; do
            "$1" "$name" "$user" "${@:2}" || { echo "$name, $user: not so" && return 1; }
        done
    done
}

# How many nodes have a user with these passphrases.
with() {
    local name n=0
    for name in "${names[@]}"; do
        ! knows "$name" "$1" "$2" || n=$((n + 1))
    done
    echo "$n"
}

# goes_on PID COMMAND...: the process goes on for a tenth of a second, and is held while COMMAND tells whether that
# was far enough: however long that takes, it is not at its end meanwhile.
goes_on() {
    kill -CONT "$1"
    sleep 0.1
    kill -STOP "$1"
    "${@:2}"
}

# children OBJECT...: "CHILD PARENT VALUE..." of every node that has a parent.
children() {
    local name parent object
    for name in "${names[@]}"; do
        parent=$(of "$name" dcampNodeParent.0) || continue
        [[ -n $parent ]] || continue
        echo "$name $parent" "$(for object in "$@"; do of "$parent" "$object.\"$name\""; done | tr '\n' ' ')"
    done | sort
}
remember_polls() {
    children dcampChildPolls >"$work/polls"
}
# polled_on: whether each parent has polled each child three times more; of a child that has got another
# parent since then, that is counted anew.
polled_on() {
    children dcampChildPolls >"$work/polls.now"
    cmp -s <(cut -d ' ' -f 1,2 "$work/polls") <(cut -d ' ' -f 1,2 "$work/polls.now") ||
        cp "$work/polls.now" "$work/polls"
    join "$work/polls" "$work/polls.now" |
        awk -v all=$((total - 1)) '$5 >= $3 + 3 { n++ } END { exit n != all }'
}
