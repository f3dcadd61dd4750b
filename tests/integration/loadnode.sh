#!/usr/bin/env bash
# dcamp load beside a real node: it asks its snmpd by SNMPv3, good and bad; its dcampd reads the results as sensors,
# and the steps with their sequences; and dcamp run keeps a test as a run of its history, which compares with
# another one.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=stepping.sh
. "$top/tests/integration/stepping.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"

build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
export TZ=UTC XDG_STATE_HOME=$work/state

{
    echo '<dcamp version="1"><node/><sensors>'
    echo '<sensor name="load.1" metric="load.1" interval="1s"/>'
    for row in "records app.records basic" "count app.count basic" "time app.time average" \
        "orders app.sequences basic" "failed app.sequence.failed basic"; do
        read -r name metric calculation <<<"$row"
        echo "<sensor name=\"$name\" metric=\"$metric\" calculation=\"$calculation\" interval=\"500ms\" window=\"24h\"/>"
    done
    echo '</sensors><sinks><sink name="history" kind="sqlite"/></sinks></dcamp>'
} >"$work/nodes.xml"

start_lab --config "$work/nodes.xml" --history
export DCAMP_APPS=$DCAMP_LAB_APPS_1

# load ARGUMENT...: dcamp load --json; what it prints is in the file out, its errors in err, its status in status.
load() {
    status=0
    "$build/dcamp" load --json "$@" >"$work/out" 2>"$work/err" || status=$?
    err=$(<"$work/err")
}

# result DESCRIPTION EXPRESSION EXPECTED: of the last line of it, which is r.
result() {
    is "$1" "$(tail -n 1 "$work/out" |
        python3 -c 'import json, sys; r = json.loads(sys.stdin.read()); print(eval(sys.argv[1]))' "$2" 2>&1)" "$3"
}

# -- Requests by SNMP --------------------------------------------------------------------------
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
as=(-U lab --secrets "$work/secrets")
auth=$(sed -n 's/^auth //p' "$work/secrets") priv=$(sed -n 's/^priv //p' "$work/secrets")

# oid OBJECT: in numbers.
oid() {
    # shellcheck disable=SC2154 # set by common.sh
    snmptranslate -M "$lab_dir/mibs" -m DCAMP-MIB:SNMPv2-MIB -On "$1"
}
name=$(oid DCAMP-MIB::dcampNodeName.0) table=$(oid DCAMP-MIB::dcampSensorTable) uptime=$(oid SNMPv2-MIB::sysUpTime.0)

load 'loop(50)' --snmp "$node $name $uptime" "${as[@]}" --workers 4
result "GET is answered" "r['operations'], r['errors']" "(200, 0)"
load 'loop(list(once(next), once(bulk)), 20)' "${as[@]}" --workers 2 \
    --operation next --snmp "$node $table" --get-next --operation bulk --snmp "$node $table" --get-bulk 20
result "so are GETNEXT and GETBULK" "[(e['name'], e['operations'], e['errors']) for e in r['each']]" \
    "[('next', 40, 0), ('bulk', 40, 0)]"
load 'loop(20)' "${as[@]}" --snmp "$node {data}" --data <(printf '%s\n' "$name" "$uptime" "${name%.*}.7" nonsense)
result "identifiers come from data" "r['operations'], {k: v['count'] for k, v in r['failures'].items()}" \
    "(20, {'status': 5, 'start': 5})"
instance=${name%.*}.7
result "what is not there is told" "r['failures']['status']['example'].split(': ', 1)[1]" "noSuchInstance: ${instance#.}"
result "and what is none" "r['failures']['start']['example']" "nonsense: expected an object identifier in numbers"
SNMPCONFPATH=$work/conf
mkdir "$work/conf"
printf '%s\n' "defSecurityName lab" "defAuthPassphrase $auth" "defPrivPassphrase $priv" >"$work/conf/snmp.conf"
load 'loop(5)' --snmp "$node $name"
result "snmp.conf has the user" "r['operations'], r['errors']" "(5, 0)"
SNMPCONFPATH=$work/client

# bad DESCRIPTION KIND PATTERN ARGUMENT...: two operations, both of which fail so.
bad() {
    local description=$1 kind=$2 pattern=$3
    shift 3
    load 'loop(2)' "$@"
    result "$description" "r['operations'], {k: v['count'] for k, v in r['failures'].items()}" "(2, {'$kind': 2})"
    ok "and says so" grep -qF -- "$pattern" "$work/out"
}
bad "a user that is not there" login unknownUserNames --snmp "$node $name" "${as[@]}" -U nobody
bad "a wrong authentication passphrase" login wrongDigests --snmp "$node $name" -U lab -A wrongwrong -X "$priv"
bad "a wrong privacy passphrase" timeout "silent, but there: is the privacy passphrase its own?" \
    --snmp "$node $name" -U lab -A "$auth" -X wrongwrong --timeout 2s
bad "an agent that is not there" connect "Connection refused" --snmp "127.0.0.1:$(free_ports 1) $name" "${as[@]}"
kill -STOP "$DCAMP_LAB_PID_SNMPD_1"
bad "an agent that hangs" timeout "not done within 0.300 s" --snmp "$node $name" "${as[@]}" --timeout 300ms
result "for as long as the timeout" "0.3 <= r['min']" True
kill -CONT "$DCAMP_LAB_PID_SNMPD_1"
kill -STOP "$DCAMP_LAB_PID_DCAMPD_1"
load 'once()' --snmp "$node $name" "${as[@]}"
kill -CONT "$DCAMP_LAB_PID_DCAMPD_1"
result "an error status is an error" "r['errors'], r['failures']['status']['example'].split(': ')[1]" \
    "(1, '(genError) A general failure occured')"
load 'once()' --snmp "$node 1.3.x" "${as[@]}"
is "what is no object identifier is one error" "$status $err" \
    "1 dcamp-load: operation once: 1.3.x: expected an object identifier in numbers"
load 'once()' --snmp "none.invalid $name" "${as[@]}"
ok "so is a host that is not there" grep -q '^1 dcamp-load: operation once: none.invalid: .' <<<"$status $err"
load 'once()' --snmp "$node $name"
is "and a user that is missing" "$status $err" \
    "2 dcamp-load: -U is missing (or defSecurityName in snmp.conf) (dcamp-load --help)"
load 'once()' --snmp "$node $name" -U lab --secrets "$work/none"
ok "and secrets that are" grep -q "^2 dcamp-load: .*$work/none" <<<"$status $err"
load 'once()' --nothing -U lab
is "and a user for nothing" "$status" 2
load 'once()' --snmp "$node $name" "${as[@]}" --get-next --get-bulk 3
is "and two kinds of request" "$status" 2

"$build/dcamp" load --json 'loop(1000000)' --rate 50 --timeout 500ms --snmp "$node $name" "${as[@]}" >"$work/going" &
tests=$!
jobs_started+=("$tests")
answered() { # so many lines, the last of which is of a second without an error
    [[ $(wc -l <"$work/going") -gt $1 ]] && tail -n 1 "$work/going" | grep -q '"operations":[1-9][0-9]*,"errors":0'
}
eventually "a test goes on" 20 answered 0
control restart-snmpd --node 1
eventually "and goes on with an agent that was started again" 40 answered "$(wc -l <"$work/going")"
kill -INT "$tests"
wait "$tests" || true

# -- Results as sensors, steps with their sequences ----------------------------------------------
object=$build/tests/integration/load-object.so
load 'loop(40, 50)' --application tests --object "$object" --data <(printf '%s\n' ok ok ok fail)
result "a test is done" "r['operations'], r['errors']" "(40, 10)"
eventually "its operations are a sensor" 20 value_is 1 Raw count tests:load.operations:once 40
is "its errors are" "$(value 1 Raw count tests:load.errors:once)" 10
is "its response times are" "$(value 1 Raw count tests:load.response:once)" 40
ok "with their times" value_between 1 Max time tests:load.response:once 0.0000001 1
eventually "each execution of its step is read" 20 value_is 1 Raw records tests:once 40
# Those of other applications are in the blocks, too: the last one is of this one.
executed() {
    at 1 read_blocks | "$reader" | awk '$1 == "record" { of[$2] = of[$2] " " $6 ":" $7; last = $2 } END { print of[last] }' |
        xargs -n 1 | sort -n | xargs
}
is "with its sequence and its result" "$(executed)" \
    "$(seq 1 40 | awk '{ print $1 ":" ($1 % 4 ? 0 : 4) }' | xargs)"
eventually "they are as many sequences" 60 value_is 1 Raw orders tests 40
is "of which so many have failed" "$(value 1 Raw failed tests)" 10

# -- Runs ------------------------------------------------------------------------------------
for run in one two; do
    load 'loop(100, 20)' --application tests --object "$object:slow" --run "$run" --directory "$DCAMP_LAB_HISTORY" --tag "build=$run"
    is "a test is a run ($run)" "$status $err" "0 "
done
is "dcamp run has them, and their tags" "$("$build/dcamp" run list --json |
    python3 -c 'import json, sys; [print(r["name"], r["state"], r["tags"]["build"]) for r in map(json.loads, sys.stdin)]')" \
    $'one stopped one\ntwo stopped two'
status=0
"$build/dcamp" compare --all --json one two >"$work/compared" || status=$?
ok "they can be compared" test "$status" -le 1
is "by the step of the operation" "$(python3 -c 'import json, sys
for r in map(json.loads, open(sys.argv[1])):
    if r["kind"] == "step" and r["instance"].endswith("/tests:once") and r["statistic"] == "p50":
        print(r["a"] >= 0.02, r["b"] >= 0.02)' "$work/compared")" "True True"
"$build/dcamp" load --json 'loop(1000000, 20)' --object "$object:slow" --run broken --directory "$DCAMP_LAB_HISTORY" \
    >"$work/broken" 2>"$work/err" &
tests=$!
jobs_started+=("$tests")
within 30 grep -q second "$work/broken"
kill -INT "$tests"
status=0
wait "$tests" || status=$?
is "one that is interrupted says so" "$status" 130
is "its run, too" "$("$build/dcamp" run list --json | grep broken | grep -o '"state":"[a-z]*"')" '"state":"interrupted"'
load 'once()' --nothing --run one --directory "$DCAMP_LAB_HISTORY"
is "without a run there is no load" "$status $(wc -c <"$work/out")" "1 0"
ok "and it is said why" grep -q '^dcamp: ' "$work/err"
load 'once()' --nothing --directory "$DCAMP_LAB_HISTORY"
is "options of a run need one" "$status" 2
finish
