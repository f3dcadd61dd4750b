#!/usr/bin/env bash
# Runs of a web server whose requests have steps, as a node measures and its history keeps them: where one step
# waits longer the runs differ, and the step is named; equal ones are alike. DCAMP_COMPARE_ROUNDS: so often
# each (1); DCAMP_COMPARE_SECONDS: so long each run (15); DCAMP_COMPARE_SLOWER: so many percent longer
# (50, beyond what other tests at the same time do to a run; with 5, as make compare has it, nothing else may
# run), of which less than a half is alike.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

build=${DCAMP_BUILD:-$top/build}
rounds=${DCAMP_COMPARE_ROUNDS:-1}
seconds=${DCAMP_COMPARE_SECONDS:-15}
slower=${DCAMP_COMPARE_SLOWER:-50}
limit=$((slower * 2 / 5))
export TZ=UTC

cat >"$work/nodes.xml" <<'END'
<dcamp version="1"><node/><sensors>
  <sensor name="cpu" metric="cpu.busy" calculation="percent" interval="500ms"/>
  <sensor name="switches" metric="kernel.switches" calculation="rate" interval="500ms"/>
  <sensor name="memory" metric="mem.free" interval="500ms"/>
  <sensor name="executed" metric="app.records" interval="500ms"/>
  <sensor name="requests" metric="app.count" calculation="rate" interval="500ms"/>
  <sensor name="time" metric="app.time" calculation="average" interval="500ms"/>
  <sensor name="processes" metric="app.processes" interval="500ms"/>
</sensors><sinks><sink name="history" kind="sqlite"/></sinks></dcamp>
END

start_lab --config "$work/nodes.xml" --history
export XDG_STATE_HOME=$work/state

dcamp() {
    "$build/dcamp" "$@" 2>&1
}

# -- The server and what asks it --------------------------------------------------------------

DCAMP_APPS=$DCAMP_LAB_APPS_1 PYTHONPATH=$top/libdcamp/python PYTHONDONTWRITEBYTECODE=1 \
    "$top/tests/integration/slowed-server" 60 40 "$slower" >"$work/port" &
jobs_started+=($!)
eventually "the web server listens" 20 test -s "$work/port"
server=http://127.0.0.1:$(<"$work/port")

# How many microseconds later than it wanted to something wakes up in the mean, for so many seconds: what the
# machine adds to each step.
cat >"$work/late" <<'END'
import sys, time
until, late, n = time.monotonic() + float(sys.argv[1]), 0, 0
while (now := time.monotonic()) < until:
    time.sleep(0.04)
    late, n = late + time.monotonic() - now - 0.04, n + 1
print(round(1e6 * late / n))
END

# one_run NAME PATH [OPTION...]: a run in which the server is asked for that path, all the time. How late
# something else was meanwhile is in $late.
one_run() {
    local name=$1 path=$2 answered
    shift 2
    "$top/tests/integration/closed-load" "$server$path" 3 $((seconds + 600)) >"$work/answered" &
    local load=$!
    jobs_started+=("$load")
    sleep 1
    dcamp run start --directory "$DCAMP_LAB_HISTORY" "$@" "$name" || return
    late=$(python3 "$work/late" "$seconds")
    dcamp run stop "$name" || return
    kill "$load" && wait "$load" || return
    answered=$(<"$work/answered")
    [[ $answered -gt $((seconds * 3)) ]]
}

# run_of NAME PATH [OPTION...]: one of a quiet machine. Where it adds to a step of 40 ms half of what is alike
# still, runs differ in truth, by what is not to be compared: then another one.
run_of() {
    local attempt
    for ((attempt = 1; ; attempt++)); do
        one_run "$@" || return
        ((late >= 200 * limit && attempt < 5)) || return 0
        dcamp run delete "$1" || return
    done
}

# compared STATUS A B: how two runs compare.
compared() {
    local code=0
    local page=$work/${2##*/}-${3##*/}
    dcamp compare --limit "$limit" --json --html "$page.html" "$2" "$3" >"$page.json" || code=$?
    [[ $code -eq $1 ]] && return
    dcamp compare --limit "$limit" "$2" "$3" || true
    return 1
}

names() {
    sed -n 's|.*<h1>\(.*\)</h1>.*|\1|p' "$work/$1.html"
}

# The node says where its history is; what is started can be listed and removed.
(umask 077 && secrets_from "${snmp[@]}" >"$work/secrets")
ok "a run of the history of a node" dcamp run start -U lab --secrets "$work/secrets" --address "$node" other
is "goes on" "$(dcamp run list | awk '{ print $1, $NF }')" "other started"
is "is no run to be compared" "$(dcamp compare other other || echo $?)" \
    $'dcamp: other: the run is not stopped: dcamp run stop\n2'
echo "a letter" >"$work/letter.run"
is "what is no run is not removed" "$(dcamp run delete "$work/letter.run" || echo $?)" \
    "dcamp: $work/letter.run: no file of a run"$'\n2'
ok "it is there still" test -s "$work/letter.run"
ok "is removed" dcamp run delete other
is "there is none then" "$(dcamp run list)" ""

ok "a load before all" "$top/tests/integration/closed-load" "$server/" 3 3
ok "the first run" run_of base / --tag build=41
for ((round = 1; round <= rounds; round++)); do
    ok "an equal run ($round)" run_of "equal$round" /
    ok "is alike ($round)" compared 0 base "equal$round"
    ok "a run with a slower step ($round)" run_of "slow$round" /slow --tag "build=4$round"
    ok "is slower ($round)" compared 1 base "slow$round"
    ok "the page names the step first ($round)" grep -q '^Slower: step [^ ]*:query ' <<<"$(names "base-slow$round")"
    ok "the other way round it is not ($round)" compared 0 "slow$round" base
done

# changed NAME SQL: a copy of the first run, with other data.
changed() {
    cp "$XDG_STATE_HOME/dcamp/runs/base.run" "$work/$1.run"
    python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2])' \
        "$work/$1.run" "$2"
}

conclusion() {
    dcamp compare "$@" | sed -n 3p
}

ok "two executions of each step" changed few "DELETE FROM points; DELETE FROM minute;
    DELETE FROM record WHERE rowid NOT IN (SELECT rowid FROM record GROUP BY series)
        AND rowid NOT IN (SELECT max(rowid) FROM record GROUP BY series)"
ok "say nothing of another" compared 2 "$work/few.run" "$work/few.run"
is "which is said" "$(conclusion "$work/few.run" "$work/few.run")" \
    "Not known: too few values of any response time or throughput"
ok "a run in which all fails" changed failing "UPDATE record SET result = 1"
ok "is not alike" compared 1 base "$work/failing.run"
ok "which is said" grep -q '^Alike: .*; but 100.0 % of .* failed instead of 0 %$' \
    <<<"$(conclusion base "$work/failing.run")"
finish
