#!/usr/bin/env bash
# rotate.sh: dcamp key rotate gives all users of a tree other keys while it works: no poll is missed and
# no block is lost, killed in the middle it goes on where it was, snmpd keeps the keys over a restart and
# over kill -9, and where parents do not know the new keys, it takes back what it did.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=rotation.sh
. "$(dirname "$0")/rotation.sh"

# -- A tree --------------------------------------------------------------------------------------
start_rotation_lab SHA-256 AES 3

# -- Before --------------------------------------------------------------------------------------
(umask 077 && printf '%s\npriv of the next year, too\n' "$(sed -n '/^auth /p' "$old")" >"$work/half.secret")
ok "an authentication passphrase that stays is refused" exits 2 \
    'the new authentication passphrase is the old one' \
    as key rotate -U dcampAdmin --secrets "$old" --new-secrets "$work/half.secret" "${addresses[node1]}"
ok "other protocols than users have are named as what may be wrong" exits 4 \
    'other protocols: give them by -a and -x' \
    as key rotate -U dcampAdmin -a SHA-512 --secrets "$old" --new-secrets "$new" "${addresses[node1]}"
ok "who may not SET does not begin" exits 1 'snmpd does not let dcampPoll change keys' \
    as key rotate -U dcampPoll --secrets "$old" --new-secrets "$new" "${addresses[node1]}" dcampTrap
is "nobody has the new keys" "$(with dcampPoll "$new") $(with dcampAdmin "$new") $(with dcampTrap "$new")" "0 0 0"
ok "where parents do not know them, it stops and says so" exits 4 'next-secrets before keys are changed' \
    rotate "${addresses[node1]}"
ok "and all have their old keys" all knows "$old"
eventually "and are polled" 20 all_polled

# -- Parents know both ---------------------------------------------------------------------------
sed -i "s|<access |&next-secrets=\"$new\" |" "$DCAMP_LAB_TREE"
ok "the document says which passphrases are to come" exits 0 "$total of $total nodes work by the document" push "$old"
eventually "everybody is polled as before" 20 all_polled
before=$(children dcampChildMissed dcampChildLostBlocks)

# -- Killed in the middle ------------------------------------------------------------------------
"$dcamp_" key rotate -U dcampAdmin -t 10 --secrets "$old" --new-secrets "$new" "${addresses[node1]}" \
    >"$work/killed" 2>&1 &
rotation=$!
has_begun() {
    [[ $(with dcampAdmin "$new") -ge 1 ]]
}
eventually "the first node has new keys" 20 goes_on "$rotation" has_begun
kill -KILL "$rotation"
wait "$rotation" 2>/dev/null || true
some=$(with dcampAdmin "$new")
ok "it was killed in the middle: $some of $total have the new keys" test "$some" -gt 0 -a "$some" -lt "$total"
remember_polls
eventually "in between everybody is polled on" 20 polled_on
is "no poll was missed, and no block lost" "$(children dcampChildMissed dcampChildLostBlocks)" "$before"
ok "the director has all nodes" up node1 "$total"

# -- To the end ----------------------------------------------------------------------------------
ok "the second run goes on" exits 0 "^$total of $total nodes have the new keys" rotate "${addresses[node1]}"
ok "and says what is left to do" grep -q 'take next-secrets out' "$work/out"
ok "all users of all nodes have the new keys" all knows "$new"
ok "and the old ones no more" all refuses "$old"
remember_polls
eventually "everybody is polled on" 20 polled_on
is "no poll was missed, and no block lost, from the first to the last" \
    "$(children dcampChildMissed dcampChildLostBlocks)" "$before"
ok "the director has all nodes by the new keys" up node1 "$total"
ok "a third run finds nothing to do" exits 0 '' rotate --tsv "${addresses[node1]}"
is "at any node" "$(grep -c '	new already	' "$work/out")" "$total"

# -- snmpd keeps them ----------------------------------------------------------------------------
control restart-snmpd --node node7 --signal KILL
control restart-snmpd --node node6
eventually "after kill -9 snmpd has the new keys" 10 knows node7 dcampAdmin "$new"
ok "of all users" eval 'knows node7 dcampPoll "$new" && knows node7 dcampTrap "$new"'
ok "and not the old ones" refuses node7 dcampAdmin "$old"
ok "so has one that was restarted" eval 'knows node6 dcampAdmin "$new" && knows node6 dcampPoll "$new"'
eventually "both are polled" 20 all_polled

# -- The end -------------------------------------------------------------------------------------
sed -i "s|next-secrets=\"[^\"]*\" ||; s|secrets=\"$old\"|secrets=\"$new\"|" "$DCAMP_LAB_TREE"
ok "the document with the new passphrases alone" exits 0 "$total of $total nodes work by the document" push "$new"
remember_polls
eventually "everybody is polled by them" 20 polled_on
ok "no passphrase and no key is in a log" not grep -rqF -e 'of the next year' "$lab_dir" --include=dcampd.log

# -- One node ------------------------------------------------------------------------------------
printf 'auth of the last year\npriv of the last year, too\n' >"$work/last.secret"
chmod 600 "$work/last.secret"
leaf=${addresses[node7]}
ok "of a node that is no root only its own keys are changed, here of one user" exits 0 '^1 of 1 nodes' \
    as key rotate -U dcampAdmin --secrets "$new" --new-secrets "$work/last.secret" "$leaf" dcampTrap
ok "those of the others stay" eval \
    'knows node7 dcampTrap "$work/last.secret" && knows node7 dcampPoll "$new" && knows node7 dcampAdmin "$new"'
finish
