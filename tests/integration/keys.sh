#!/usr/bin/env bash
# keys.sh: a collector that has no passphrase, only the keys of its children, each localized to one
# engine. It polls them and takes what they push; a wrong key and another engine are told apart; and
# no key is ever shown.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# localize PASSPHRASE ENGINE: RFC 3414, sections A.2 and 2.6, with the hash of RFC 7860.
localize() {
    python3 - "$@" <<'END'
import hashlib, sys

phrase, engine = sys.argv[1].encode(), bytes.fromhex(sys.argv[2])
megabyte = (phrase * (2**20 // len(phrase) + 1))[:2**20]
ku = hashlib.sha256(megabyte).digest()
print(hashlib.sha256(ku + engine + ku).hexdigest())
END
}

# of_child COLUMN NODE
of_child() {
    at collector1 get "dcampChild$1.\"node$2\""
}

error_has() {
    [[ $(of_child Error "$1") == *"$2"* ]]
}

state_is() {
    [[ $(of_child State "$1") == "$2" ]]
}

# keyed NAME ADDRESS ENGINE AUTH PRIV: a child with keys.
keyed() {
    echo "<child name=\"$1\" address=\"$2\" credential=\"tree\" period=\"1s\" engine=\"$3\""
    echo "auth-key=\"$4\" priv-key=\"$5\"/>"
}

# write_config CHILD...: of the collector.
write_config() {
    cat >"$work/collector.xml" <<END
<dcamp version="1"><node name="collector1"/>
<agentx socket="$DCAMP_LAB_AGENTX_COLLECTOR_1"/><state directory="$DCAMP_LAB_STATE_COLLECTOR_1"/>
<collect listen="$DCAMP_LAB_PUSH_COLLECTOR1"/>
<sensors><sensor name="kernel.uptime" metric="kernel.uptime" interval="1s"/></sensors>
<credentials><credential name="tree" user="collector"/></credentials>
<children>$*</children></dcamp>
END
}

use_config() {
    write_config "$@"
    cat "$work/collector.xml" >"$DCAMP_LAB_CONFIG_COLLECTOR_1"
    kill -HUP "$DCAMP_LAB_PID_DCAMPD_COLLECTOR_1"
}

checks() {
    "${DCAMP_BUILD:-$top/build}/dcampd" --check-config -c "$work/collector.xml" 2>&1
}

# refuses PATTERN CHILD: what --check-config says of it, and that it does not show a key.
refuses() {
    local pattern=$1 output
    shift
    write_config "$@"
    ! output=$(checks) || return 1
    echo "$output"
    [[ $output =~ $pattern && $output != *"$auth1"* && $output != *"$priv1"* ]]
}

cat >"$work/leaf.xml" <<'END'
<dcamp version="1"><node/>
<sensors><sensor name="kernel.uptime" metric="kernel.uptime" interval="1s" report="push"/></sensors>
</dcamp>
END
start_lab --nodes 2 --collectors 1 --config "$work/leaf.xml" --push 10

# The passphrases of the user that the lab's collector polls with, which from now on has no file.
secret=$lab_dir/collector1/children.secret
auth=$(sed -n 's/^auth //p' "$secret") priv=$(sed -n 's/^priv //p' "$secret")
rm "$secret"
auth1=$(localize "$auth" "$DCAMP_LAB_ENGINE_1") priv1=$(localize "$priv" "$DCAMP_LAB_ENGINE_1")
auth2=$(localize "$auth" "$DCAMP_LAB_ENGINE_2") priv2=$(localize "$priv" "$DCAMP_LAB_ENGINE_2")
one=$(keyed node1 "$DCAMP_LAB_NODE_1" "$DCAMP_LAB_ENGINE_1" "$auth1" "$priv1")
two=$(keyed node2 "$DCAMP_LAB_NODE_2" "$DCAMP_LAB_ENGINE_2" "${auth2^^}" "$priv2")

# -- Before it runs ----------------------------------------------------------------------------

write_config "$one$two"
ok "--check-config: keys instead of secrets" checks
ok "a child without keys needs secrets" refuses \
    'child "node1": credential="tree" has no secrets, and the child has no keys' \
    "<child name=\"node1\" address=\"$DCAMP_LAB_NODE_1\" credential=\"tree\"/>"
ok "a key with a digit too few" refuses 'child "node1": auth-key is not a localized key' \
    "$(keyed node1 "$DCAMP_LAB_NODE_1" "$DCAMP_LAB_ENGINE_1" "${auth1}0" "$priv1")"
ok "a key that is too short" refuses 'child "node1": auth-key does not have 64 digits' \
    "$(keyed node1 "$DCAMP_LAB_NODE_1" "$DCAMP_LAB_ENGINE_1" "${auth1:2}" "$priv1")"
ok "two of the three" refuses 'engine, auth-key and priv-key belong together' \
    "<child name=\"node1\" address=\"$DCAMP_LAB_NODE_1\" credential=\"tree\" auth-key=\"$auth1\"
     priv-key=\"$priv1\"/>"

ok "one of the next keys" refuses 'next-auth-key and next-priv-key belong together' \
    "${one%/>} next-auth-key=\"$auth2\"/>"

# -- While it runs -----------------------------------------------------------------------------

# The lab has polled both by a passphrase: what is up may still be so by that.
polled_since() {
    state_is "$1" up && [[ $(as_number of_child Polls "$1") -ge $2 ]]
}
reloads() {
    grep -c 'config: .*: reloaded' "$DCAMP_LAB_LOG_COLLECTOR_1" || true
}
reloaded_since() {
    [[ $(reloads) -gt $1 ]]
}
before=$(reloads)
use_config "$one$two"
eventually "the collector has keys only" 10 reloaded_since "$before"
polls1=$(of_child Polls 1) polls2=$(of_child Polls 2)
eventually "the first node is polled" 10 polled_since 1 $((polls1 + 3))
eventually "the second one, too" 10 polled_since 2 $((polls2 + 3))
ok "the collector shows what they measure" at collector1 exists \
    'dcampChildValueText."node1"."kernel.uptime"."total"'
pushed1=$(of_child Pushed 1) pushed2=$(of_child Pushed 2)
pushes() {
    [[ $(as_number of_child Pushed 1) -gt $((pushed1 + 2)) && $(as_number of_child Pushed 2) -gt $((pushed2 + 2)) ]]
}
eventually "it takes what they push" 10 pushes

# While keys are changed the child has those of now or the next ones, here the next ones.
both=$(keyed node1 "$DCAMP_LAB_NODE_1" "$DCAMP_LAB_ENGINE_1" "$auth2" "$priv2")
both="${both%/>} next-auth-key=\"$auth1\" next-priv-key=\"$priv1\"/>"
missed=$(of_child Missed 1) before=$(reloads)
use_config "$both$two"
eventually "the collector has two keys of a child" 10 reloaded_since "$before"
polls1=$(of_child Polls 1) pushed1=$(of_child Pushed 1) pushed2=$(of_child Pushed 2)
eventually "it polls by those that are right" 10 polled_since 1 $((polls1 + 3))
eventually "and takes what is pushed by them" 10 pushes
is "no poll was missed" "$(of_child Missed 1)" "$missed"

# Other keys for the same engine.
lost=$(of_child LostBlocks 1) polls=$(of_child Polls 1)
use_config "$(keyed node1 "$DCAMP_LAB_NODE_1" "$DCAMP_LAB_ENGINE_1" "$auth2" "$priv1")$two"
eventually "a wrong authentication key is complained of as a wrong passphrase is" 10 error_has 1 \
    "wrongDigests: the authentication passphrase is not its own"
eventually "its state says so" 10 state_is 1 wrongKey
use_config "$(keyed node1 "$DCAMP_LAB_NODE_1" "$DCAMP_LAB_ENGINE_1" "$auth1" "$priv2")$two"
eventually "a wrong privacy key, too" 20 error_has 1 "is the privacy passphrase its own?"
use_config "$one$two"
eventually "with its own keys it goes on" 20 state_is 1 up
is "from where it was: no block is lost" "$(of_child LostBlocks 1)" "$lost"
ok "and the counts go on" test "$(of_child Polls 1)" -gt "$polls"

# The keys of the other node, which another engine ID belongs to.
use_config "$(keyed node1 "$DCAMP_LAB_NODE_1" "$DCAMP_LAB_ENGINE_2" "$auth2" "$priv2")"
eventually "keys for another engine: which one is there" 10 error_has 1 \
    "its keys are for another engine ID, not for $DCAMP_LAB_ENGINE_1"
use_config "$one$two"
eventually "the right keys again" 20 state_is 1 up

# -- What is shown -----------------------------------------------------------------------------

control kill-dcampd --node collector1
control start-dcampd --node collector1
eventually "it is polled after a restart" 10 state_is 1 up
at collector1 walk dcampMIB >"$work/walked"
shown() {
    grep -iE "$auth1|$priv1|$auth2|$priv2|$auth|$priv" "$@"
}
not_shown() {
    ! shown "$@"
}
ok "no key is in a log" not_shown "$lab_dir"/{collector1,node1,node2,root}/dcampd.log
ok "no key is in a table" not_shown "$work/walked"
ok "the collector has logged something" test -s "$DCAMP_LAB_LOG_COLLECTOR_1"
finish
