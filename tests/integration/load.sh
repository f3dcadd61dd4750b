#!/usr/bin/env bash
# load.sh: dcamp load against a real server: what it counts is what the server got, its figures agree with ab, a
# stall of a second is where it has to be, and servers and programs that do their worst are counted by what
# they did.
# shellcheck disable=SC2016 # what eval and programs get is expanded there
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
work=$(mktemp -d "${DCAMP_TEST_DIR:-/tmp}/dcamp-test.XXXXXX")
export LC_ALL=C.UTF-8 DCAMP_APPS=$work/apps
mkdir "$DCAMP_APPS"
# shellcheck source=assert.sh
. "$top/tests/integration/assert.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"

server=
tests=()
clean_up() {
    [[ -z $server ]] || kill -CONT "$server" 2>/dev/null || true
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    [[ ${#tests[@]} -eq 0 ]] || kill "${tests[@]}" 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# load ARGUMENT...: dcamp load; what it prints is in out, its errors in err, its status in status.
load() {
    status=0
    "$build/dcamp" load "$@" >"$work/out" 2>"$work/err" || status=$?
    out=$(<"$work/out") err=$(<"$work/err")
}

# of FILE EXPRESSION: of the object in its last line, which is r.
of() {
    tail -n 1 "$1" | python3 -c 'import json, sys; r = json.loads(sys.stdin.read()); print(eval(sys.argv[1]))' "$2"
}

# result DESCRIPTION EXPRESSION EXPECTED: of the last load --json.
result() {
    is "$1" "$(of "$work/out" "$2" 2>&1)" "$3"
}

read -r http_port line_port shut_port <<<"$(free_ports 3 | tr '\n' ' ')"
"$top/tests/integration/load-server" "$http_port" "$line_port" "$work/log" 2>"$work/server.err" &
server=$!
within 20 grep -q ready "$work/log" || {
    cat "$work/server.err"
    exit 1
}
http=http://127.0.0.1:$http_port lines=127.0.0.1:$line_port

# requests PATTERN: how many of them the server has got since the last time.
seen=1
requests() {
    local n
    n=$(tail -n "+$((seen + 1))" "$work/log" | grep -c -- "$1" || true)
    seen=$(wc -l <"$work/log")
    echo "$n"
}

# -- Expressions -----------------------------------------------------------------------------
load --check 'loop(list(random(once(), loop(3, 10)), once()), 1000, 50)'
is "an expression is counted" "$status $out" "0 2000 to 4000, 3000 on average"
load --check 'loop(1000)'
is "without chance it is a number" "$status $out" "0 1000"
load --check --json 'loop(1000000000000000000)'
result "a large one, as JSON" "r['least'], r['most'], r['mean']" "(1000000000000000000, 1000000000000000000, 1e+18)"
load --check $'list(once(),\n  onec())'
is "an error has line, column and what was expected" "$status $out$err" \
    '2 dcamp-load: line 2, column 3: expected once(, list(, random( or loop(, found "onec"'
load --check "$(printf 'list(%.0s' {1..20000})"
is "deep ones end" "$status $err" "2 dcamp-load: line 1, column 1281: more than 256 expressions are in each other"
load $'list(once(a),\n once(b))' --operation a --nothing
is "each name needs an action" "$status $err" \
    "2 dcamp-load: line 2, column 7: there is no action for b: expected --operation b and its action"
load 'once()'
is "there is something to do" "$status" 2
load 'once()' 'once()' --nothing
is "one expression" "$status" 2

# -- What is done ----------------------------------------------------------------------------
load 'loop(list(once(), once(search)), 50)' --workers 4 --json --url "$http/wait/0" \
    --operation search --url "$http/wait/0/{worker}/{sequence}?q={data}" --data <(printf 'a b\n\xc3\xa4&x=1\n')
result "each worker goes the whole way" "r['operations'], r['errors'], r['interrupted']" "(400, 0, False)"
result "names are counted by themselves" "[(e['name'], e['operations']) for e in r['each']]" \
    "[('once', 200), ('search', 200)]"
is "the server has got no more and no less" "$(requests '^GET /wait/0')" 400
is "data are encoded" "$(grep -oE 'q=(a%20b|%C3%A4%26x%3D1)' "$work/log" | sort -u | tr '\n' ' ')" "q=%C3%A4%26x%3D1 q=a%20b "
is "each operation has its number" "$(sed -n 's,^GET /wait/0/[0-3]/\([0-9]*\)?.*,\1,p' "$work/log" | sort -u | wc -l)" 200

load 'loop(20)' --json --url "$http/wait/0" --method PUT --header 'X-Y: z' --body 'n={sequence}' --workers 2
result "bodies are sent" "r['operations'], r['errors']" "(40, 0)"
is "as they were filled in" "$(requests '^PUT /wait/0 n=[0-9]*$')" 40
load 'loop(100)' --json --connect "$lines" --line 'wait 0 {worker} {data}' --data-program 'seq 1 150' --workers 2
result "lines are sent until the data end" "r['operations'], r['errors']" "(150, 0)"
is "each line of data once" "$(tail -n 150 "$work/log" | sed -n 's/^LINE wait 0 [01] //p' | sort -n | tr '\n' ' ')" "$(seq -s ' ' 1 150) "
is "that they ended is said" "$err" "dcamp-load: there were no more test data: seq 1 150"
requests . >/dev/null
load 'loop(30)' --json --connect "$lines" --line 'wait 0' --no-answer --workers 3
result "lines without an answer" "r['operations'], r['errors']" "(90, 0)"

load 'loop(10)' --json --workers 2 --data <(printf '%s\n' '$(x); "y" *' z) \
    --program "sh -c 'echo \"\$DCAMP_SEQUENCE/\$DCAMP_WORKER/\$DCAMP_DATA/\$1\" >>$work/programs' sh {data}"
result "programs are run" "r['operations'], r['errors']" "(20, 0)"
is "data are nothing to a shell" "$(cut -d / -f 3- "$work/programs" | sort | uniq -c | sed 's/^ *//')" \
    $'10 $(x); "y" */$(x); "y" *\n10 z/z'
is "each is one operation" "$(cut -d / -f 1 "$work/programs" | sort -n | tr '\n' ' ')" "$(seq -s ' ' 1 20) "

object=$build/tests/integration/load-object.so
load 'loop(25)' --json --workers 4 --object "$object" --data <(echo "write $work/calls")
result "functions are called" "r['operations'], r['errors']" "(100, 0)"
is "once for each operation" "$(cut -d ' ' -f 1 "$work/calls" | sort -n | tr '\n' ' ')" "$(seq -s ' ' 1 100) "
is "each worker has one process and its own variables" "$(sort -k 2,2n -k 3,3n "$work/calls" |
    awk -v worker=none '$2 != worker { worker = $2; n = 0; process = $4 } $3 != ++n || $4 != process { bad++ }
        { of[$2 " " $4] = 1 } END { for (one in of) several++; print several, bad + 0 }')" "4 0"
load 'loop(200)' --json --rate 400 --workers 200 --object "$object:slow"
result "functions that wait hold nobody up" "r['operations'], r['errors'], r['seconds'] < 200 * 0.02, r['min'] >= 0.02" \
    "(200, 0, True, True)"
load 'loop(2)' --json --object "$object:endless"
result "a text without an end has one, and is shown" "r['failures']['status']['example'].split('returned ')[1]" \
    "$(python3 -c "print(('1: ' + 511 * 'x')[:511 - len('$object:endless: returned ')])")"
is "what a function prints is thrown away" "$(grep -c 'not to be seen' <<<"$out$err")" 0

# -- Schedules -------------------------------------------------------------------------------
load 'loop(10, 30)' --nothing --json
result "pauses take their time, the last one, too, does nothing" "r['operations'], 0.27 <= r['seconds']" "(10, True)"
load 'loop(200)' --nothing --rate 1000 --json
result "a rate is kept" "r['operations'], 0.199 <= r['seconds']" "(200, True)"
load 'loop(1000000000000000000)' --nothing --rate 1000 --poisson --duration 300ms --json
result "a duration ends it" "0 < r['operations'] < 1000 and r['seconds'] < 60" True
load 'loop(random(once(a), once(b)), 1000)' --operation a --nothing --operation b --nothing --seed 7 --json
first=$(of "$work/out" "[e['operations'] for e in r['each']]")
load 'loop(random(once(a), once(b)), 1000)' --operation a --nothing --operation b --nothing --seed 7 --json
result "the same seed is the same way" "[e['operations'] for e in r['each']]" "$first"

# -- Beside ab: the server waits 20 ms, of which the machine may add a part ----------------------
# One after the other: what the machine does while one of them runs, the other does not see. So both run again
# where they differ.
load 'loop(100)' --url "$http/wait/20" --workers 8 --json
if type -P ab >/dev/null; then
    for _ in {1..5}; do
        ab -q -k -n 800 -c 8 "$http/wait/20" >"$work/ab"
        ab_p50=$(awk '$1 == "50%" { print $2 / 1000 }' "$work/ab")
        ab_rate=$(awk '/^Requests per second/ { print $4 }' "$work/ab")
        like_ab="(abs(r['p50'] - $ab_p50) <= $ab_p50 / 5, abs(r['throughput'] - $ab_rate) <= $ab_rate / 5)"
        [[ $(of "$work/out" "$like_ab") != "(True, True)" ]] || break
        load 'loop(100)' --url "$http/wait/20" --workers 8 --json
    done
    result "median and throughput are those of ab, within a fifth" "$like_ab" "(True, True)"
else
    echo "# there is no ab (package apache2-utils)"
fi
result "no response is shorter than the server waits" "0.02 <= r['min'] <= r['p50'] <= r['p99'] <= r['max']" True

# -- A stall of a second, seen by arrivals, of which most wait for a worker, and by a worker that waits --
"$build/dcamp-load" 'loop(2000)' --url "$http/wait/0" --rate 400 --workers 20 --json >"$work/open" &
tests=("$!")
"$build/dcamp-load" 'loop(1000, 5)' --url "$http/wait/0" --json >"$work/closed" &
tests+=("$!")
within 30 grep -q second "$work/open"
within 30 grep -q second "$work/closed"
kill -STOP "$server"
sleep 1
kill -CONT "$server"
for pid in "${tests[@]}"; do
    wait "$pid"
done
tests=()
is "nothing is lost in a stall" "$(of "$work/open" "r['operations'], r['errors']") $(of "$work/closed" "r['operations'], r['errors']")" "(2000, 0) (1000, 0)"
ok "a stall is in the 99th percentile of arrivals" test "$(of "$work/open" "r['p99'] >= 0.8")" = True
ok "and in their mean" test "$(of "$work/open" "r['mean'] >= 0.08")" = True
ok "one worker sees it once" test "$(of "$work/closed" "r['max'] >= 0.9")" = True
ok "and its 99th percentile hides it" test "$(of "$work/closed" "r['p99'] < 0.4")" = True
requests . >/dev/null

# -- Those that do their worst ---------------------------------------------------------------
# bad DESCRIPTION KIND ARGUMENT...: two operations, both of which fail so.
bad() {
    local description=$1 kind=$2 timeout=30s
    shift 2
    [[ $kind != timeout ]] || timeout=300ms
    load 'loop(2)' --timeout "$timeout" --json "$@"
    result "$description" "r['operations'], r['errors'], {k: v['count'] for k, v in r['failures'].items()}" "(2, 2, {'$kind': 2})"
}
bad "a server that hangs" timeout --url "$http/hang"
result "for as long as the timeout" "0.3 <= r['min']" True
bad "one that answers octet by octet" timeout --url "$http/drip"
bad "one that hangs up" closed --url "$http/close"
bad "one that hangs up in the midst" closed --url "$http/cut"
requests . >/dev/null
load 'loop(4)' --json --url "$http/first/{sequence}" --body x
result "one that hangs up at the second request of a connection" \
    "r['operations'], r['errors'], r['failures']['closed']['example'].endswith(': the connection was closed before an answer')" \
    "(4, 2, True)"
is "gets none of them twice" "$(requests '^POST /first/')" 4
load 'loop(4, 200)' --json --url "$http/leave/{sequence}" --body x
result "one that hangs up between requests has failed at none" "r['operations'], r['errors']" "(4, 0)"
is "and gets each once, too" "$(requests '^POST /leave/')" 4
bad "one that talks nonsense" protocol --url "$http/nonsense"
bad "one that says it fails" status --url "$http/status/503"
bad "one that is not there" connect --url "http://127.0.0.1:$shut_port/"
bad "lines: one that hangs" timeout --connect "$lines" --line hang
bad "lines: one that answers octet by octet" timeout --connect "$lines" --line drip --timeout 150ms
bad "lines: one that hangs up" closed --connect "$lines" --line close
bad "lines: one that hangs up in the midst" closed --connect "$lines" --line cut
bad "lines: one that is not there" connect --connect "127.0.0.1:$shut_port" --line x
bad "lines: no such socket" connect --connect "unix:$work/none" --line x
bad "lines: two for one" protocol --connect "$lines" --line nonsense
bad "programs: exit status" status --program false
status=0
(trap '' CHLD && exec "$build/dcamp" load 'loop(2)' --program false --json) >"$work/out" || status=$?
result "also where the ends of children are ignored" "$status, r['operations'], r['errors']" "(0, 2, 2)"
bad "programs: signal" signal --program "sh -c 'kill -9 \$\$'"
bad "programs: no end" timeout --program "sh -c 'sleep 1000; true'"
load 'loop(2)' --program "$work/none" --json
is "programs that are not there are one error" "$status $out$err" \
    "1 dcamp-load: operation once: $work/none: there is no such program"
bad "functions: a number other than 0" status --object "$object" --data <(echo fail)
result "with what they say" "r['failures']['status']['example'].endswith('.so: returned -7: as it was told')" True
bad "functions: a crash" signal --object "$object" --data <(echo crash) --timeout 30s
bad "functions: an end of the process" closed --object "$object" --data <(echo exit) --timeout 30s
bad "functions: no end" timeout --object "$object" --data <(echo block)
result "for as long as the timeout, too" "0.3 <= r['min'] and 'the function has not returned' in r['failures']['timeout']['example']" True
load 'loop(6)' --timeout 3s --json --object "$object" --data <(printf '%s\n' crash ok block ok exit ok)
result "and those behind them are done" "r['operations'], r['errors']" "(6, 3)"
load 'loop(1)' --json --object "$object" --data <(head -c 70000 /dev/zero | tr '\0' x; echo)
result "functions: data beyond all bounds" "r['failures']['start']['example'].split(': ')[1]" "its data are longer than 65535 octets"
load 'loop(2)' --object "$work/none.so"
is "objects that are not there are one error" "$status $out$err" \
    "1 dcamp-load: operation once: $work/none.so: No such file or directory"
load 'loop(2)' --object "$object:none"
is "so are functions" "$status $out$err" \
    "1 dcamp-load: operation once: $object:none: undefined symbol: none"
head -c 4096 /dev/zero | tr '\0' x >"$work/text"
load 'loop(2)' --object "$work/text"
is "and what is no object" "$status $out$err" \
    "1 dcamp-load: operation once: $work/text: invalid ELF header"
LOAD_OBJECT_CRASHES=1 load 'loop(2)' --object "$object"
is "and one that crashes when it is loaded" "$status $out$err" \
    "1 dcamp-load: operation once: $object: loading it ended its process by signal 6"
load 'loop(2)' --url 'ftp://127.0.0.1/'
is "URLs of other kinds, too" "$status $err" "1 dcamp-load: operation once: expected http:// or https://"
load 'loop(2)' --url "$http/wait/0" --data "$work/none"
is "and data" "$status $err" "1 dcamp-load: $work/none: No such file or directory"
load 'once()' --url "$http/wait/0" --connect "$lines" --line x
is "two actions of one name" "$status" 2

# -- A ramp ----------------------------------------------------------------------------------
load 'loop(1000000)' --url "$http/wait/20" --ramp 500ms --most 4 --json
result "a ramp grows to the most" "[s['level'] for s in r['ramp']['stages']], r['ramp']['end']" \
    "([1.0, 2.0, 3.0, 4.0], 'the load may not grow any more')"
load 'loop(1000000)' --url "$http/wait/20" --ramp 300ms --limit p99=10ms --json
result "or to a percentile" "len(r['ramp']['stages']), r['ramp']['end']" "(1, 'the percentile is beyond its limit')"
load 'loop(1000000)' --connect "$lines" --line 'wait 50' --rate 20 --workers 2 --ramp 1s --json
result "or until throughput does not grow" "r['ramp']['end']" "throughput does not grow any more"

load 'loop(1000000)' --url "$http/wait/20" --ramp 1s --duration 200ms --json
result "a test that ends sooner says so" "r['ramp']['end'], r['ramp']['best']" \
    "('the test was at its end before a limit was found', None)"
for most in '--workers 5 --most 4' '--most 2.5' '--rate 10 --most 9'; do
    # shellcheck disable=SC2086 # several words
    load 'loop(1)' --url "$http/wait/20" --ramp 1s $most
    ok "no ramp: $most" test "$status:${err:0:27}" = "2:dcamp-load: --most: expecte"
done

# -- Nobody reads it any more ----------------------------------------------------------------------
began=$SECONDS status=0
"$build/dcamp-load" 'loop(1000000)' --url "$http/wait/20" --duration 60s --json 2>"$work/unread" |
    head -n 1 >"$work/first" || status=$?
ok "one line was read" grep -q '^{"second":' "$work/first"
is "and it broke off" "$status $(<"$work/unread")" \
    "1 dcamp-load: broken off: what is printed cannot be written: Broken pipe"
ok "at once" test "$((SECONDS - began))" -lt 30

# -- Interrupted, and seen meanwhile ---------------------------------------------------------------
sensors() {
    python3 -B "$top/tests/integration/segment.py" "$DCAMP_APPS"/*
}
# sensed PATTERN: a line of them is that.
sensed() {
    grep -qE -- "$1" <<<"$(sensors)"
}
"$build/dcamp" load 'loop(1000000)' --url "$http/wait/20" --rate 200 --json >"$work/out" &
tests=("$!")
eventually "operations are sensors while it runs" 20 sensed '^load.operations once counter [1-9]'
ok "steps have the name of the operation" sensed '^once - step [1-9]'
ok "no errors were counted" sensed '^load.errors once counter 0$'
within 30 grep -q second "$work/out"
status=0
kill -INT "${tests[0]}"
wait "${tests[0]}" || status=$?
tests=()
is "interrupted, it ends with the status for that" "$status" 130
result "what was measured is kept and marked" "r['interrupted'] and r['operations'] > 0 and r['errors'] == 0 and r['p50'] >= 0.02" True
result "what was under way is told" "r['unfinished'] > 0" True

# -- A run around it: by a dcamp that writes down what it is asked ----------------------------------
mkdir "$work/bin"
ln "$build/dcamp-load" "$work/bin/dcamp-load" 2>/dev/null || cp "$build/dcamp-load" "$work/bin/dcamp-load"
printf '#!/bin/sh\necho "$@" >>%q\n[ ! -e %q ]\n' "$work/asked" "$work/refuse" >"$work/bin/dcamp"
chmod +x "$work/bin/dcamp"
"$work/bin/dcamp-load" 'loop(3)' --nothing --run night-7 >/dev/null
is "a run is begun and ended" "$(<"$work/asked")" $'run start night-7\nrun stop night-7'
: >"$work/refuse"
: >"$work/asked"
status=0
"$work/bin/dcamp-load" 'loop(3)' --nothing --run night-7 >"$work/out" 2>"$work/err" || status=$?
is "without it there is no load" "$status $(<"$work/asked") $(<"$work/out")" "1 run start night-7 "

: >"$work/asked"
status=0
"$work/bin/dcamp-load" 'loop(3)' --url htp://127.0.0.1/ --run night-8 >"$work/out" 2>"$work/err" || status=$?
is "and without an action that can be done no run" "$status $(<"$work/asked") $(<"$work/err")" \
    "1  dcamp-load: operation once: Unsupported URL scheme"

# Who presses Ctrl-C once more, while the run is stopped, does not end what stops it. It is in a process group of
# its own here, as a terminal has it.
cat >"$work/bin/dcamp" <<END
#!/bin/sh
[ "\$2" = stop ] || exit 0
kill -INT 0
echo "\$@" >>"$work/stopped"
[ ! -e "$work/stays" ]
END
stopped_by_terminal() {
    status=0
    : >"$work/out"
    setsid env --default-signal=INT "$work/bin/dcamp-load" 'loop(1000000, 10)' --nothing --json --run night-9 \
        >"$work/out" 2>"$work/err" &
    tests=("$!")
    within 30 grep -q second "$work/out"
    kill -INT "${tests[0]}"
    wait "${tests[0]}" || status=$?
    tests=()
}
stopped_by_terminal
is "a second Ctrl-C does not keep the run open" "$status $(cat "$work/stopped" 2>&1) $(<"$work/err")" \
    "130 run stop --interrupted night-9 "
: >"$work/stays"
stopped_by_terminal
is "a run that stays open is told, whatever else is" "$status $(<"$work/err")" \
    "130 dcamp-load: night-9: the run was not stopped"

# -- Signals ---------------------------------------------------------------------------------
# interrupted SIGNAL...: sends them to the test that runs, and waits for its end.
interrupted() {
    local signal
    status=0
    for signal; do
        kill "-$signal" "${tests[0]}"
    done
    wait "${tests[0]}" || status=$?
    tests=()
}
"$build/dcamp-load" 'loop(100)' --nothing --json >"$work/out" \
    --data-program "sh -c 'echo begun >$work/begun; exec sleep 1000'" &
tests=("$!")
within 30 grep -q begun "$work/begun"
interrupted INT
is "a test that waits for data can be interrupted" "$status" 130
result "and is marked" "r['interrupted'], r['operations']" "(True, 0)"
(
    trap '' HUP
    exec "$build/dcamp-load" 'loop(1000000, 10)' --nothing --json >"$work/hup"
) &
tests=("$!")
within 30 grep -q second "$work/hup"
interrupted HUP INT
is "an ignored hangup is ignored" "$status" 130

# Chance finds next to nothing to do, in 10^18 rounds.
spin="loop($(printf 'random(loop(0),%.0s' {1..60})once()$(printf ')%.0s' {1..60}),1000000000000000000)"
for how in "--workers 3" "--rate 100"; do
    status=0
    # shellcheck disable=SC2086 # words
    timeout -k 20 60 "$build/dcamp-load" "$spin" --nothing $how --duration 100ms --json >"$work/out" || status=$?
    is "a way on which nothing comes ends by a duration, $how" "$status $(of "$work/out" "r['operations']" 2>&1)" "0 0"
    : >"$work/out"
    # shellcheck disable=SC2086
    timeout -k 20 60 "$build/dcamp-load" "$spin" --nothing $how --json >"$work/out" &
    tests=("$!")
    within 30 grep -q second "$work/out" || true
    interrupted INT
    is "and by a signal, $how" "$status" 130
done
result "what was not counted to its end is a lower bound" "r['overdue_is_least']" True
load 'loop(1000000000000)' --rate 10000000 --workers 1 --program 'sleep 8' --duration 7s
ok "and told to be one" grep -qx 'overdue    at least 50000000, which no worker was free for' "$work/out"

# -- What ends, and what is counted then -----------------------------------------------------------
"$build/dcamp-load" 'loop(loop(1), 10, 3600000)' --nothing --rate 1 --duration 300ms --json >"$work/out" &
tests=("$!")
gone() {
    ! kill -0 "${tests[0]}" 2>/dev/null
}
eventually "a duration does not wait for the end of a pause" 20 gone
kill -INT "${tests[0]}" 2>/dev/null || true
wait "${tests[0]}" || true
tests=()
result "nor for an operation behind it" "r['operations'], r['overdue']" "(1, 0)"
load 'loop(1000000)' --url "$http/hang" --rate 200 --workers 2 --duration 300ms --timeout 1s --json
result "what was due and never begun is counted" "r['operations'] + r['overdue'], r['operations'] <= 2" "(60, True)"
load 'loop(1000000)' --url "$http/hang" --rate 200 --workers 2 --duration 300ms --timeout 1s
ok "and told" grep -qE '^overdue    5[89], which no worker was free for$' "$work/out"

# Each worker does all of its operations at once and then pauses. The second one is begun with the second stage: what
# the first one has done before is in the row of the second, too, unless the machine stood still for a while.
for _ in {1..3}; do
    load 'list(loop(40), loop(1, 2000))' --nothing --ramp 600ms --json
    row=$(head -n 1 "$work/out")
    [[ $row != *'"operations":82,'* ]] || break
done
is "a row of a second has what the stages before had" "$(of <(echo "$row") "r['operations']")" 82
load 'loop(20)' --nothing --ramp 60s --json
result "a stage that was cut is not the best" "r['ramp']['stages'][0]['cut'], r['ramp']['best']" "(True, None)"

# -- Command lines -----------------------------------------------------------------------------
load 'loop(10)' --nothing --operation serch --url "$http/wait/0"
is "an action that nothing does is told" "$status $err" \
    "2 dcamp-load: --operation serch: the expression has no once(serch)"
load 'once(a)' --operation a --nothing --url "$http/wait/0"
is "one without a name, too" "$status $err" \
    "2 dcamp-load: an action without --operation: the expression has no once(), loop(N) or loop(N,PAUSE)"
load 'once()' --url "$http/?{data}"
is "and data that there are not" "$status $err" \
    "2 dcamp-load: {data} needs --data or --data-program (dcamp-load --help)"

load 'loop(-5)' --nothing
is "how often is expected, too" "$status $err" \
    '2 dcamp-load: line 1, column 6: expected how often, from 0 to 10^18, or once(, list(, random( or loop(, found "-5"'

# -- Test data -------------------------------------------------------------------------------
load 'loop(4)' --workers 2 --timeout 300ms --url "$http/wait/0" --json \
    --data-program "sh -c 'for i in 1 2 3 4 5 6 7 8; do echo x; sleep 0.4; done'"
result "slow data do not make answers late" "r['operations'], r['errors'], r['max'] < 0.3" "(8, 0, True)"
load 'loop(3, 100)' --nothing --json --data-program "sh -c 'echo; echo; echo; exec sleep 1000'"
result "pauses need no data" "r['operations'], r['errors']" "(3, 0)"
load 'loop(10)' --nothing --json --data-program "sh -c 'echo a; exit 3'"
is "data that fail are told" "$status $err" "1 dcamp-load: there were no more test data: sh -c 'echo a; exit 3'
dcamp-load: broken off: test data: sh -c 'echo a; exit 3': exit status 3"
result "and their test is broken off" "r['operations'], 'exit status 3' in r['broken_off']" "(1, True)"
requests . >/dev/null
load 'loop(2)' --url "$http/wait/0/{data}/x" --data <(echo ..)
is "dots in data are no way up" "$(requests '^GET /wait/0/\.\./x ')" 2
mkfifo "$work/fifo"
"$build/dcamp-load" 'loop(10)' --nothing --data "$work/fifo" 2>"$work/err" &
tests=("$!")
ends() {
    grep -qx dcamp-load "/proc/${tests[0]}/comm" && kill -TERM "${tests[0]}"
    gone
}
eventually "a test that reads a file that nobody writes can be ended" 20 ends
kill -KILL "${tests[0]}" 2>/dev/null || true
wait "${tests[0]}" || true
tests=()

# -- Sockets ---------------------------------------------------------------------------------
# One client after the other, and a backlog of one.
python3 - "$work/narrow" <<'END' &
import socket, sys, time
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(1)
while True:
    client, _ = server.accept()
    time.sleep(0.01)
    client.sendall(client.recv(100))
    client.close()
END
tests=("$!")
within 30 test -S "$work/narrow"
load 'once()' --workers 20 --connect "unix:$work/narrow" --line x --json
result "a full backlog is waited for" "r['operations'], r['errors']" "(20, 0)"
kill -STOP "${tests[0]}"
load 'once()' --workers 6 --connect "unix:$work/narrow" --line x --timeout 300ms --json
result "not longer than the timeout" "r['operations'], {k: v['count'] for k, v in r['failures'].items()}" "(6, {'timeout': 6})"
kill "${tests[0]}"
kill -CONT "${tests[0]}"
wait "${tests[0]}" || true
tests=()
load 'loop(4)' --workers 2 --connect "localhost:$line_port" --line 'wait 0' --json
result "each address of a host is tried" "r['operations'], r['errors']" "(8, 0)"
load 'once()' --url "http://127.0.0.1:$shut_port/" --json
result "a refusal is one by name" "r['failures']['connect']['example'].endswith(': Connection refused')" True
status=0
(ulimit -n 64 && exec "$build/dcamp-load" 'once()' --workers 20 --connect "$lines" --line 'wait 0') >"$work/out" 2>"$work/err" || status=$?
is "workers that have too few descriptors are told" "$status $(<"$work/err")" \
    "0 dcamp-load: 20 workers at once need more than the 64 files that may be open here: operations may fail for that (ulimit -Hn)"

finish
