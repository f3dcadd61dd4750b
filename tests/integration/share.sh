#!/usr/bin/env bash
# share.sh: a node is told what it is to do: a share that comes in parts is in force when its SET is
# answered, through kill -9 and reload; orders of an older root, and shares that are wrong, are
# refused with their reason and change nothing; without a share the node works by its file again.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

start_lab
log=$lab_dir/node1/dcampd.log
state=$lab_dir/node1/state/state.xml

# share ROLE PARENT LEVEL GROUP ELEMENTS: the text of a share.
share() {
    printf '<dcamp version="1">\n<assignment role="%s" parent="%s" level="%s" group="%s" root="r1" %s' \
        "$1" "$2" "$3" "$4" "serial=\"5\" tree=\"$(printf 'ab%.0s' {1..32})\" reason=\"as planned\"/>"
    printf '\n%s\n</dcamp>\n' "$5"
}

# packed: the text of the standard input as dcampDocumentPart has it, in hexadecimal.
packed() {
    python3 -c 'import sys, zlib; print(zlib.compress(sys.stdin.buffer.read(), 9).hex())'
}

digest_of() {
    python3 -c 'import hashlib, sys
print(hashlib.sha256(bytes.fromhex(sys.argv[1])).hexdigest())' "$1"
}

# order TERM EPOCH ROOT HEX [OFFSET [LENGTH [DIGEST]]]: a part of a packed share, or all of it; with
# no HEX: that there is to be no share. $kind: of which document.
kind=share
order() {
    local hex=$4 offset=${5:-0} n=${6:-$((${#4} / 2))} digest=${7:-} words
    [[ -n $digest || -z $hex ]] || digest=$(digest_of "$hex")
    words=("dcampDocumentTerm.$kind" u "$1" "dcampDocumentEpoch.$kind" u "$2"
        "dcampDocumentRoot.$kind" s "$3" "dcampDocumentDigest.$kind" x "$digest"
        "dcampDocumentLength.$kind" u $((${#hex} / 2)))
    [[ -z $hex ]] || words+=("dcampDocumentOffset.$kind" u "$offset"
        "dcampDocumentPart.$kind" x "${hex:offset*2:n*2}")
    set_ "${words[@]}" >/dev/null
}

# in_force: in lower-case hexadecimal, without blanks.
in_force() {
    snmpget -OqvUx "${snmp[@]}" "$node" "DCAMP-MIB::dcampDocumentInForce.$kind" |
        tr -d '" \n' | tr A-F a-f
}

place() {
    get dcampNode{Role,Level,Parent,Group}.0 | paste -sd ' '
}

# everything: what an order that is refused must not change.
everything() {
    place
    in_force
    get "dcampDocument"{Term,Epoch,Root,Digest,State,Error}".$kind" dcampNodeConfigDigest.0
    walk dcampSensorMetric
}

# refused REASON TERM EPOCH ROOT HEX ...: whether it is, for that reason, and changes nothing.
refused() {
    local reason=$1 before
    before=$(everything)
    shift
    ! order "$@" 2>"$work/said" && grep -q 'Reason: inconsistentValue' "$work/said" &&
        [[ $(get dcampSelfSetError.0) == *"$reason"* && $(everything) == "$before" ]]
}

is_state() {
    [[ $(get dcampDocumentState.share 2>/dev/null) == "$1" ]]
}

sensors() {
    walk dcampSensorMetric | sed 's/.*"\(.*\)".*/\1/' | paste -sd ' '
}

base=$(place)
file=$(sensors)
is "at first there is none" "$(get dcampDocumentState.{share,tree} | paste -sd ' ')" "none none"
is "why the role is what it is can be read" "$(get dcampTreeReason.0)" \
    "there is no share: the node works by its configuration file"

# -- A share in parts ------------------------------------------------------------------------
first=$(share metric c1 2 web '<sensors><sensor name="one" metric="load.1"/>
    <sensor name="two" metric="mem.free"/></sensors>' | packed)
size=$((${#first} / 2))
for ((at = 0; at + 100 < size; at += 100)); do
    ok "a part at $at" order 3 1 r1 "$first" "$at" 100
    is "they are here" "$(get dcampDocumentOffset.share dcampDocumentState.share | paste -sd ' ')" \
        "$((at + 100)) partial"
done
is "it is not in force yet" "$(place)/$(in_force)" "$base/"
ok "the last part" order 3 1 r1 "$first" "$at"
is "with its answer it is in force" "$(get dcampDocumentState.share)" inForce
is "its digest is" "$(in_force)" "$(digest_of "$first")"
is "role, level, parent and group are those of the share" "$(place)" "metric 2 c1 web"
is "so are the sensors, and those of the file are gone" "$(sensors)" "one two"
is "the tree document that it was made of" "$(get dcampTreeSerial.0)" 5
is "the reason" "$(get dcampTreeReason.0)" "as planned"
ok "the log says it" grep -q 'info tree: place below c1: as planned' "$log"
ok "it is on disk" grep -q '<document kind="share" term="3" epoch="1" root="r1"' "$state"
eventually "its sensors have values" 5 exists 'dcampValueText."one"."total"'

# -- What is refused -------------------------------------------------------------------------
other=$(share metric c2 2 web '<sensors><sensor name="three" metric="load.5"/></sensors>' | packed)
ok "a lower term" refused 'the order has term 2, but "r1" is root in term 3' 2 9 r2 "$other"
ok "the same term of another root" \
    refused 'the order is of "r2" in term 3, but "r1" is root in it' 3 9 r2 "$other"
ok "another document in the same epoch" \
    refused 'epoch 1 of "r1" in term 3 has ordered another document' 3 1 r1 "$other"
ok "a part where there is none before it" \
    refused 'the part begins at 10, but only 0 octets are here' 3 2 r1 "$other" 10
ok "a wrong digest" refused 'its SHA-256 is not the one that was ordered' 3 2 r1 "$other" 0 \
    $((${#other} / 2)) "$(digest_of "$first$first")"
ok "an order without its root" not set_ dcampDocumentTerm.share u 4 dcampDocumentEpoch.share u 1 \
    dcampDocumentDigest.share x '' dcampDocumentLength.share u 0
is "and why" "$(get dcampSelfSetError.0 | sed 's/.*: //')" \
    "dcampDocumentRoot is missing; an order has term, epoch, root, digest and length in one PDU, and a part its offset"
ok "an order and a bad row in one PDU: neither is done" not set_ dcampDocumentTerm.share u 9 \
    dcampDocumentEpoch.share u 1 dcampDocumentRoot.share s r9 dcampDocumentDigest.share x '' \
    dcampDocumentLength.share u 0 'dcampFilterGate."none"' i gt
is "it is still in force" "$(place) $(get dcampDocumentTerm.share)" "metric 2 c1 web 3"

# bad ELEMENTS REASON: a share that comes whole and is wrong is answered with noError and refused.
epoch=2
bad() {
    local before hex
    before="$(place) $(sensors) $(in_force)"
    hex=$(share metric c1 2 web "$1" | packed)
    epoch=$((epoch + 1))
    ok "a bad share is taken: $1" order 3 "$epoch" r1 "$hex"
    is "and refused" "$(get dcampDocumentState.share)" refused
    is "for its reason" "$(get dcampDocumentError.share)" "$2"
    is "and changes nothing" "$(place) $(sensors) $(in_force)" "$before"
    ok "and one line of the log says it" \
        grep -qF "the share of \"r1\" in term 3, epoch $epoch is refused: $2" "$log"
}
bad '<sensors><sensor name="x" metric="no.such"/></sensors>' \
    'share:3: sensor "x": metric="no.such" is not a metric; write for example "cpu.busy"'
bad '<node name="mine"/>' "share:3: dcamp: a share has no node: settings are those of the node's own file; remove it"
bad '<sensors>' 'share:4: not well-formed XML: Opening and ending tag mismatch: sensors line 3 and dcamp'
epoch=$((epoch + 1))
ok "what is no zlib is taken" order 3 $epoch r1 0102030405
is "and refused" "$(get dcampDocumentError.share)" \
    "share: it cannot be unpacked; it must be what compress2 of zlib makes"
epoch=$((epoch + 1))
ok "what is in force needs no parts" set_ dcampDocumentTerm.share u 3 dcampDocumentEpoch.share u \
    $epoch dcampDocumentRoot.share s r1 dcampDocumentDigest.share x "$(digest_of "$first")" \
    dcampDocumentLength.share u $size
is "and nothing is refused any more" \
    "$(get dcampDocument{State,Error}.share | paste -sd ' ')" "inForce "

# -- Deviations ------------------------------------------------------------------------------
ok "a row is made" set_ 'dcampSensorMetric."mine"' s load.15 'dcampSensorRowStatus."mine"' i createAndGo
ok "another one is changed" set_ 'dcampSensorInterval."one"' u 7000
ok "a threshold is made, and made local by the same SET" set_ 'dcampThresholdSensor."hot"' s one \
    'dcampThresholdOperator."hot"' i gt 'dcampThresholdLimit."hot"' s 77 \
    'dcampThresholdRowStatus."hot"' i createAndGo 'dcampDeviationLocal.threshold."hot"' i true
is "they are counted" "$(get dcampTreeDeviations.0)" 3
# deviations: "KIND NAME WHAT LOCAL" of each of them.
deviations() {
    paste -d ' ' <(walk dcampDeviationWhat | sed -n 's/^[^.]*\.\([a-z]*\)\."\(.*\)" \(.*\)/\1 \2 \3/p') \
        <(walk dcampDeviationLocal | sed -n 's/.*" //p') | paste -sd ,
}
is "and shown" "$(deviations)" \
    "sensor one changed false,sensor mine added false,threshold hot added true"
ok "what the share says cannot be local" not set_ 'dcampDeviationLocal.sensor."two"' i true
is "and why" "$(get dcampSelfSetError.0 | sed 's/.*Name: //')" \
    "only a row that a SET has made or changed can be local; this one is as the share or the file says"

# -- kill -9 and reload ----------------------------------------------------------------------
control kill-dcampd --signal KILL
control start-dcampd
is_placed() {
    [[ $(place 2>/dev/null) == "$1" ]]
}
eventually "after kill -9 it works by the same share at once" 5 is_placed "metric 2 c1 web"
is "with the sensors of the share and what was SET" "$(sensors)" "one two mine"
is "the order is known" \
    "$(get dcampDocument{Term,Epoch,Root,State}.share | paste -sd ' ')" "3 $epoch r1 inForce"
is "deviations, too" "$(deviations)" \
    "sensor one changed false,sensor mine added false,threshold hot added true"
kill -HUP "$(pid_of dcampd 1)"
eventually "a reload" 5 grep -q 'config: .*: reloaded' "$log"
is "keeps the share" "$(place)/$(sensors)" "metric 2 c1 web/one two mine"
is "and what was SET" "$(get 'dcampSensorInterval."one"')" 7000

# -- Another root, and the end ---------------------------------------------------------------
ok "a root of a higher term" order 4 1 r2 "$other"
is "is obeyed" "$(place)/$(sensors)" "metric 2 c2 web/three"
is "what was SET is gone, but for what is local" \
    "$(deviations)/$(get dcampTreeDeviations.0 'dcampThresholdLimit."hot"' | paste -sd ' ')" \
    "threshold hot added true/1 77"
is "which says that it does not work with this share" "$(get 'dcampDeviationError.threshold."hot"')" \
    'sensor="one" is not a sensor of this node; add it or name another'
control kill-dcampd --signal KILL
control start-dcampd
eventually "after another kill -9" 5 is_placed "metric 2 c2 web"
is "it is there with its value" "$(deviations)/$(get 'dcampThresholdLimit."hot"')" "threshold hot added true/77"
ok "until it is not local any more" set_ 'dcampDeviationLocal.threshold."hot"' i false
third=$(share metric c2 2 web '<sensors><sensor name="three" metric="load.15"/></sensors>' | packed)
ok "and there is another share" order 4 2 r2 "$third"
is "which replaces it" "$(deviations)/$(get dcampTreeDeviations.0)/$(sensors)" "/0/three"
ok "the old root is not obeyed any more" \
    refused 'the order has term 3, but "r2" is root in term 4' 3 99 r1 "$first"
ok "no share" order 4 3 r2 ""
is "the node is as before" "$(place)/$(sensors)" "$base/$file"
is "the order is known" "$(get dcampDocument{Term,State}.share | paste -sd ' ')" "4 none"
ok "and it is in the log" grep -q 'info tree: no place: "r2" has ended the share in term 4' "$log"
ok "the fence stays" refused 'the order has term 3, but "r2" is root in term 4' 3 99 r1 "$first"

# -- kill -9 at any moment -------------------------------------------------------------------
# pusher EPOCH: orders one share after the other; the last epoch whose SET was answered is in a file.
first_digest=$(digest_of "$first")
other_digest=$(digest_of "$other")
pusher() {
    local e
    for ((e = $1; e < 10000; e++)); do
        if ((e % 2)); then
            order 5 "$e" r3 "$first" 0 "$size" "$first_digest"
        else
            order 5 "$e" r3 "$other" 0 $((${#other} / 2)) "$other_digest"
        fi
        echo "$e" >"$work/answered"
    done
}
answered() {
    [[ $(<"$work/answered") -ge $1 ]]
}
# whole: whether place, sensors and order fit together, and are no older than what was answered.
whole() {
    local epoch_now is
    epoch_now=$(get dcampDocumentEpoch.share)
    is="$(place)/$(sensors)/$((epoch_now % 2))"
    [[ $is == "metric 2 c1 web/one two/1" || $is == "metric 2 c2 web/three/0" ]] || {
        echo "$is"
        return 1
    }
    [[ $epoch_now -ge $(<"$work/answered") ]]
}
ok "a share" order 5 1 r3 "$first"
echo 1 >"$work/answered"
for pause in 0.03 0.08; do
    epoch=$(get dcampDocumentEpoch.share)
    background pusher $((epoch + 1))
    eventually "some orders are answered" 5 answered $((epoch + 2))
    sleep $pause
    control kill-dcampd --signal KILL
    # The pusher ends by itself, for its next SET fails; ended from here it would leave one on its way,
    # which the next dcampd might be asked in the midst of what is looked at below.
    wait "${jobs_started[@]}" || true
    jobs_started=()
    control start-dcampd
    eventually "a node that was killed in the midst of more starts" 5 is_state inForce
    ok "with the old share or the new one" whole
done
ok "no share any more" order 6 1 r3 ""
is "the file's rows are back" "$(place)/$(sensors)" "$base/$file"

# -- The tree document -----------------------------------------------------------------------
kind=tree
tree=$(printf '%s' '<tree version="1"><access secrets="/etc/dcamp/site.secret"/><candidates>
<candidate node="n1"/></candidates><nodes><node name="n1" address="udp:127.0.0.1:1"/></nodes></tree>' |
    packed)
ok "a tree document" order 1 1 n1 "$tree"
is "is in force" "$(get dcampDocument{State,Error}.tree | paste -sd ' ')" "inForce "
ok "a bad one" order 1 2 n1 "$(printf '<tree version="1"><nodes/></tree>' | packed)"
is "is refused" "$(get dcampDocumentState.tree)" refused
is "and leaves the other one" "$(in_force)" "$(digest_of "$tree")"
ok "its end" order 1 3 n1 ""
is "is an order like others" "$(get dcampDocumentState.tree)/$(in_force)" none/
finish
