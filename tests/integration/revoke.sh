#!/usr/bin/env bash
# revoke.sh: dcamp key revoke shuts a node out of its tree: nobody polls it, it gets no orders, and the
# tree says why; after a restart and by another root, too; and only a document that says so lets it in.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=nodes.sh
. "$(dirname "$0")/nodes.sh"

is_out() {
    [[ $(of "$1" 'dcampTreeState."node7"') == refused &&
        $(of "$1" 'dcampTreeError."node7"') == "its keys are revoked by the tree document" ]]
}
has_no_child() {
    ! of "$1" 'dcampChildState."node7"' >/dev/null
}
nobody_polls_it() {
    local name
    for name in "${names[@]}"; do
        has_no_child "$name" || return 1
    done
}

start_lab --tree --nodes 3 --collectors 2 --standbys 1
total=7
find_nodes
is "there are so many nodes" "${#addresses[@]}" $total
r1=${addresses[node1]}
cp "$DCAMP_LAB_TREE" "$work/before.xml"
eventually "node7 has a parent that polls it" 20 is_polled node7
eventually "and so has the standby" 20 is_polled node2

# -- What is refused -------------------------------------------------------------------------
sed 's|period="[^"]*"|period="2s"|' "$DCAMP_LAB_TREE" >"$work/other.xml"
ok "a file that is another document" exits 2 "is not the document that the tree works by" \
    dcamp key revoke --config "$work/other.xml" "$r1" node7
ok "a node that is none of the tree" exits 2 "the tree has no node node99" \
    dcamp key revoke --config "$DCAMP_LAB_TREE" "$r1" node99
ok "a candidate" exits 4 "is a candidate, which has the passphrases of all nodes" \
    dcamp key revoke --config "$DCAMP_LAB_TREE" "$r1" node2
ok "the file is as it was" cmp "$DCAMP_LAB_TREE" "$work/before.xml"
ok "and all nodes are up" up node1 $total

# -- Out -------------------------------------------------------------------------------------
mode=$(stat -c %a "$DCAMP_LAB_TREE")
ln -s "$DCAMP_LAB_TREE" "$work/link.xml"
ok "a node is shut out" exits 0 "^node7 is shut out" dcamp key revoke --config "$work/link.xml" "$r1" node7
ok "a link to the document stays one" test -L "$work/link.xml"
ok "the document says so" grep -q '<keys engine="[0-9a-f]*" node="node7"/>' "$DCAMP_LAB_TREE"
is "and is as readable as before" "$(stat -c %a "$DCAMP_LAB_TREE")" "$mode"
eventually "the tree says so, and why" 10 is_out node1
eventually "nobody has its keys" 10 nobody_polls_it
ok "all others are up" up node1 $((total - 1))
ok "the same again is refused" exits 2 "has that engine already|no parent says which" \
    dcamp key revoke --config "$DCAMP_LAB_TREE" "$r1" node7

# -- It stays out ----------------------------------------------------------------------------
ok "a document of before does not let it in" exits 4 'node "node7", are revoked, and it does not say so' \
    dcamp config push --config "$work/before.xml" "$r1"
# A root that is slow to start again finds that the other candidate has taken over, which is right, too.
root_again() {
    one_root && up "$root" $((total - 1))
}
control kill-dcampd --node node1 --signal KILL
control start-dcampd --node node1
eventually "a root is there after kill -9" 30 root_again
eventually "and keeps it out" 10 is_out "$root"
ok "nobody polls it" nobody_polls_it
before=$root
other=node2
[[ $before == node1 ]] || other=node1
control kill-dcampd --node "$before" --signal KILL
eventually "another root takes over" 15 eval '[[ $(of "$other" dcampTreeIsRoot.0) == true ]]'
eventually "which keeps it out" 20 is_out "$other"
eventually "and has all others" 20 up "$other" $((total - 2))
ok "nobody polls it" nobody_polls_it
other_address=${addresses[$other]}
ok "nor does that root take the document of before" exits 4 'are revoked, and it does not say so' \
    dcamp config push --config "$work/before.xml" "$other_address"
control start-dcampd --node "$before"
eventually "all others are up" 20 up "$other" $((total - 1))

# -- In again --------------------------------------------------------------------------------
sed -i 's|node="node7"/>|node="node7" back="yes"/>|' "$DCAMP_LAB_TREE"
grep -q 'back="yes"' "$DCAMP_LAB_TREE"
ok "a document that says so lets it in" exits 0 "$total of $total nodes work by the document" \
    dcamp config push --config "$DCAMP_LAB_TREE" "$other_address"
eventually "it is polled again" 20 is_polled node7
ok "then later ones need not say so" exits 0 "$total of $total nodes work by the document" \
    dcamp config push --config "$work/before.xml" "$other_address"
finish
