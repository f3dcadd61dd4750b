#!/usr/bin/env bash
# Programs call their instances as they like: with what others split text at, and with characters that
# nobody should print. At the collector each of these series has its values, and so have all others of
# the node.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

driver=$(realpath "${DCAMP_BUILD:-$top/build}")/tests/integration/applications-driver
user=$(id -un)
names=('GET|HEAD' 'a;b' "it's" $'line\xe2\x80\xa8end' $'\xc3\xa4\xf0\x9f\x98\x80' plain)

config() {
    cat <<END
<dcamp version="1">
  <node name="x"/>
  <sensors>
    <sensor name="calls" metric="app.count" instances="*:calls:*" interval="500ms"/>
    <sensor name="load.1" metric="load.1" interval="500ms"/>
  </sensors>
</dcamp>
END
}

# text_of SENSOR INSTANCE: at the collector. In the name of an object, a quote cannot stand in quotes:
# the instance is numbers.
text_of() {
    local instance
    instance=$(printf %s "$2" | od -An -v -tu1 | tr -s ' \n' '.')
    at collector1 get "dcampChildValueText.\"node1\".\"$1\".$(printf %s "$2" | wc -c)${instance%.}"
}

text_is() { # SENSOR INSTANCE EXPECTED
    [[ $(text_of "$1" "$2" 2>/dev/null) == "$3" ]]
}

config >"$work/leaf.xml"
start_lab --nodes 1 --collectors 1 --config "$work/leaf.xml"
mkfifo "$work/in" "$work/out"
DCAMP_APPS=$DCAMP_LAB_APPS_1 "$driver" shop <"$work/in" >"$work/out" 2>"$work/error" &
jobs_started+=("$!")
exec {to}>"$work/in" {from}<"$work/out"
for ((i = 0; i < ${#names[@]}; i++)); do
    echo "call ${names[i]} $((i + 1))" >&"$to"
    read -r -t 60 -u "$from" _
done
is "the program may call them so" "$(cat "$work/error")" ""
for ((i = 0; i < ${#names[@]}; i++)); do
    eventually "the collector has ${names[i]}" 30 \
        text_is calls "$user/shop:calls:${names[i]}" $((i + 1))
done
ok "and what has nothing to do with them" test -n "$(text_of load.1 total)"
is "the node is up" "$(at collector1 get 'dcampChildState."node1"')" up
is "nothing that it said was bad" "$(at collector1 get 'dcampChildBadBlocks."node1"')" 0
finish
