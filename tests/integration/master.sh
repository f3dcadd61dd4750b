#!/usr/bin/env bash
# Masters of all kinds against the real dcampd: one that sends every sequence of phases of a SET,
# one that sends random and wrong packets beside what a well-behaved one asks, and one that makes
# very many rows.
#
# master.sh [--seconds N [--seed N]]: how long the second one goes on; ten minutes of it are make
# hostile-master.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
build=${DCAMP_BUILD:-$top/build}
seconds=5
seed=$RANDOM
while [[ $# -gt 1 ]]; do
    case $1 in
    --seconds) seconds=$2 ;;
    --seed) seed=$2 ;;
    *) break ;;
    esac
    shift 2
done

make_root "$work/root"
mkdir "$work/state"
cat >"$work/dcamp.xml" <<END
<dcamp version="1">
  <node name="node1"/>
  <agentx socket="unix:$work/agentx" ping="1s"/>
  <state directory="$work/state"/>
  <sensors><sensor name="load" metric="load.1"/></sensors>
  <filters><filter name="modified"/><filter name="client"/></filters>
  <thresholds><threshold name="high" sensor="load" operator="gt" limit="5"/></thresholds>
</dcamp>
END

# play TEST ARGUMENT...: a dcampd of its own, and the master; its lines are in $said.
play() {
    local test=$1 pid status=0
    shift
    rm -rf "$work/agentx" "$work/state/"*
    "$build/dcampd" -f -c "$work/dcamp.xml" --root "$work/root" >"$work/log" 2>&1 &
    pid=$!
    jobs_started=("$pid")
    within 10 grep -q 'raised node1:high:total' "$work/log" || true
    said=$("$build/tests/master/master" "$test" "$work/agentx" "$pid" "$@") || status=$?
    kill "$pid" 2>/dev/null || true
    wait "$pid" || ended=$?
    jobs_started=()
    return "$status"
}

ended=0
status=0
play sequences 6 || status=1
report "$status" "a SET in every sequence of up to six phases" "$said"
is "dcampd ends as it should" "$ended" 0

status=0
play hostile "$seconds" "$seed" || status=1
# shellcheck disable=SC2001 # the beginning of each line
sed 's/^/# /' <<<"$said"
report "$status" "the well-behaved master is served beside a hostile one" "$said"
is "dcampd ends as it should after that" "$ended" 0

# number PATTERN: the number in $said that the pattern has in parentheses.
number() {
    local n
    n=$(sed -nE "s/(.*[^0-9])?$1.*/\\2/p" <<<"$said")
    echo "${n:-0}"
}
settled=$(number 'time ([0-9]+),')
ok "the hostile one was there" test "$(number '([0-9]+) hostile')" -gt 1000
# AddressSanitizer keeps what was freed, to find who still uses it.
if ! grep -q libasan <(ldd "$DCAMP_BUILD/dcampd"); then
    ok "its memory does not grow" test "$(number 'end ([0-9]+)')" -lt $((settled * 3 / 2 + 1))
fi
# Time of the CPU: how long an answer takes tells how busy the machine is, too. A packet of the hostile one
# has up to 40 variables, and a few have a thousand.
get=$(number 'client ([0-9]+)') packet=$(number 'packet ([0-9]+)')
ok "a packet of the hostile one costs no more than 10 answers" test "$packet" -lt $((get * 10))

status=0
play rows 4000 threshold || status=1
read -r _ rows few many _ <<<"$said"
echo "# a SET with few thresholds: ${few:-} microseconds, with ${rows:-}: ${many:-}"
report "$status" "4000 thresholds are made" "$said"
ok "a SET does not take longer the more rows there are" test "${many:-1000000}" -lt $((${few:-0} * 10))
finish
