#!/usr/bin/env bash
# dcamp-trap and targets that are down, slow, full or confused; what it says, and its exit status.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=trap-common.sh
. "$(dirname "$0")/trap-common.sh"

# -- Targets that are down, slow, full or confused -------------------------------------------

stream_conf() {
    "$trap_" --print-snmptrapd-conf
}

start_alerts() {
    background_to "$work/alerts.log" "$trap_" alertmanager --stream="$work/stream" \
        --spool "$work/s.down" --url "http://127.0.0.1:$web_port" --timeout 500ms --resend 1h
    alerts_pid=$!
}

background_to() {
    local log=$1
    shift
    "$@" </dev/null >/dev/null 2>>"$log" &
    jobs_started+=($!)
}

sequences() {
    requests '[a["annotations"]["sequence"] for a in body] if request["status"] == 200 else []' | tr '\n' ' '
}

waiting() {
    [[ $(status s.down received) -eq $1 ]]
}

down() {
    local i first=0 expected=
    : >"$work/alerts.log"
    rm -f "$web/requests"
    kill "$web_pid"
    wait "$web_pid" 2>/dev/null || true
    start_alerts
    within 20 test -p "$work/stream" # or snmptrapd would make a file of that name
    receiver -Lf "$work/stream" < <(stream_conf)
    for ((i = 0; i < 20; i++)); do
        send 1 "key=node1:r:$i"
        expected+="$sequence "
    done
    eventually "down: they wait" 10 waiting 20
    eventually "down: one line says so" 5 matches "$work/alerts.log" 'what comes in waits' 1
    kill -KILL "$alerts_pid"
    wait "$alerts_pid" 2>/dev/null || true
    answer 500 broken
    start_web "$web_port"
    start_alerts
    eventually "killed and started again: it tries at once" 10 grep -q 'HTTP status 500: broken' "$work/alerts.log"
    send 1 "key=node1:r:after"
    expected+="$sequence "
    send 1 "key=node1:r:after" "sequence=$sequence"
    sequence=$((sequence - 1))
    eventually "a duplicate is left out" 5 eval '[[ $(status s.down duplicate) -eq 1 ]]'
    answer slow
    eventually "slow: it says so" 20 grep -qi 'timed out' "$work/alerts.log"
    answer 200
    eventually "back: they arrive" 70 eval '[[ $(status s.down delivered) -eq 21 ]]'
    is "back: all, in order, once, after kill -9" "$(sequences)" "$expected"
    is "none is missing" "$(status s.down missing)" 0
    sequence=$((sequence + 3))
    send 1 "key=node1:r:gap"
    eventually "a gap is told" 5 grep -q "sequence $((sequence - 3)) to $((sequence - 1)) did not come" "$work/alerts.log"
    is "and counted" "$(status s.down missing)" 3
    kill "$alerts_pid"
    first=0
    wait "$alerts_pid" || first=$?
    is "TERM ends it with 0" "$first" 0
    end_receiver
}

# one TARGET...: hands a trap to a process of its own; what it says is in $work/said.
one() {
    local code=0
    "$trap_" "$@" <"$work/trap" 2>"$work/said" || code=$?
    return "$code"
}

# next_trap: another trap for one.
next_trap() {
    sequence=$((sequence + 1))
    cat >"$work/trap" <<END
host
UDP: [127.0.0.1]:4000->[127.0.0.1]:162
.1.3.6.1.2.1.1.3.0 0:0:15:37.64
.1.3.6.1.6.3.1.1.4.1.0 $arc.0.1
$column.2.5 "node1:r:$sequence"
$column.3.5 "node1"
$column.4.5 "s"
$column.5.5 "1"
$column.6.5 "> 0"
$column.7.5 "critical"
$column.8.5 4
$column.9.5 $sequence
$column.10.5 "07 EA 0B 15 15 04 01 00 2B 00 00 "
$column.11.5 0
$column.12.5 "it is so"
$column.14.5 "r"
$column.13.5 "$sequence"
$column.18.5 1
END
}

# says PATTERN: in one line, the last command did.
says() {
    lines "$work/said" 1 && grep -q -e "$1" "$work/said"
}

# code EXPECTED DESCRIPTION TEXT COMMAND...: its exit status, and one line with the text.
code() {
    local expected=$1 description=$2 pattern=$3 got=0
    shift 3
    "$@" || got=$?
    is "$description: exit status" "$got" "$expected"
    ok "$description: one line says why" says "$pattern"
}

# fill FIFO: somebody has it open; until nothing more fits.
fill() {
    python3 -c 'import os, sys
fifo = os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)
try:
    while True: os.write(fifo, bytes(4096))
except BlockingIOError: pass' "$1"
}

full() {
    local spool=$work/s.full commands=$work/full.cmd
    mkfifo "$commands"
    next_trap
    code 0 "Nagios is down" "nobody reads it" one nagios --spool "$spool" --command-file "$commands"
    next_trap
    ok "the next one does not try at once" one nagios --spool "$spool" --command-file "$commands"
    ok "and says nothing" not test -s "$work/said"
    exec 9<>"$commands"
    fill "$commands"
    code 4 "the FIFO is full" "full for 200 ms" one nagios --spool "$spool" --command-file "$commands" --timeout 200ms --flush
    exec 9>&-
    is "nothing is lost" "$(status s.full received) $(status s.full delivered) $(status s.full lost)" "2 0 0"
    exec 9<>"$commands" # before anything is sent, however late cat begins
    cat <&9 >"$work/full.out" &
    jobs_started+=($!)
    exec 9>&-
    ok "what waited is delivered" one nagios --spool "$spool" --command-file "$commands" --service %i --flush
    eventually "in order" 5 eval '[[ $(tr -d "\0" <"$work/full.out" | grep -a PROCESS_SERVICE | cut -d ";" -f 3 | tr "\n" " ") == "$((sequence - 1)) $sequence " ]]'
    no_room
    refused
}

# What a target will never take is left out, and what comes after it is not held up.
refused() {
    rm -f "$web/requests"
    answer '404 {"error":404,"status":"No objects found."}'
    next_trap
    code 0 "no such service in Icinga" "No objects found.*it is left out" \
        one icinga --spool "$work/s.refused" --url "http://127.0.0.1:$web_port"
    answer '200 {"results":[{"code":200}]}'
    next_trap
    ok "the next one goes" one icinga --spool "$work/s.refused" --url "http://127.0.0.1:$web_port"
    is "refused and delivered" "$(status s.refused refused) $(status s.refused delivered)" "1 1"
    answer '200 <html>'
    next_trap
    code 0 "nonsense" "answers nonsense: <html>" one icinga --spool "$work/s.refused" --url "http://127.0.0.1:$web_port"
    answer '401 {}'
    code 4 "not allowed" "HTTP status 401" one icinga --spool "$work/s.refused" --url "http://127.0.0.1:$web_port" --flush
    answer '404 {"error":404,"status":"No objects found.","diagnostic_information":"Error: Missing permission: actions/process-check-result"}'
    code 4 "no permission in Icinga is none yet" "Missing permission.*what comes in waits" one icinga --spool "$work/s.refused" --url "http://127.0.0.1:$web_port" --flush
    answer '200 {"results":[{"code":200}]}'
    ok "allowed again" one icinga --spool "$work/s.refused" --url "http://127.0.0.1:$web_port" --flush
    printf '#!/bin/bash\nexit 75\n' >"$work/tempfail"
    printf '#!/bin/bash\nsleep 60\n' >"$work/hangs"
    chmod 755 "$work/tempfail" "$work/hangs"
    code 0 "a mailer that is busy" "exit status 75" one mail --spool "$work/s.busy" --sendmail "$work/tempfail" a@example.org
    severity_changes
    next_trap
    inherits
    ends_in_flood
    nowhere
    code 0 "a program that hangs" "killed after 300 ms" one exec --spool "$work/s.hangs" --timeout 300ms -- "$work/hangs"
}

# change SEVERITY WORD EVENT: the next trap, of one and the same alarm.
change() {
    next_trap
    sed -i "s/:r:$sequence/:r:same/; s/8\.5 4/8.5 $1/; s/\"critical\"/\"$2\"/; s/^\(.*4\.1\.0 .*\)1$/\1$3/" "$work/trap"
    one alertmanager --spool "$work/s.change" --url "http://127.0.0.1:$web_port"
}

# An alarm that changes its severity is another alert, and the one before ends, even if the
# request has to be made twice.
severity_changes() {
    rm -f "$web/requests"
    answer 200
    change 3 warning 1
    answer 500
    change 4 critical 1
    answer 200
    one alertmanager --spool "$work/s.change" --url "http://127.0.0.1:$web_port" --flush
    change 1 clear 2
    is "an alarm that changes its severity" "$(requests '[a["labels"]["severity"] +
        (" fires" if a["endsAt"] > time.strftime("%Y-%m-%dT%H", time.gmtime(time.time() + 3600 * 12)) else " ends")
        for a in body] if request["status"] == 200 else []' | paste -sd ,)" \
        "warning fires,warning ends,critical fires,critical ends"
}

broken_trap() {
    printf 'h\na\n' >"$work/trap"
    one zabbix --spool "$work/s.room" --trap-file "$work/limited"
}

# Who only looks makes no spool, nor files in that of another user.
nobodys() {
    local action
    for action in status flush; do
        code 3 "--$action without a spool" "none: No such file" one exec --spool "$work/none" "--$action" /bin/true
    done
    ok "none is made" not test -e "$work/none"
    if [[ $(id -u) -eq 0 ]]; then
        mkdir "$work/other"
        chown 65534 "$work/other"
        code 3 "--flush as another user" "belongs to user 65534" one exec --spool "$work/other" --flush /bin/true
        is "nothing is left in it" "$(ls "$work/other")" ""
    fi
}

# A program is given the notification, and not the stream of all.
inherits() {
    printf '#!/bin/bash\nls -l /proc/$$/fd >%s\n' "$work/files" >"$work/lists"
    chmod 755 "$work/lists"
    {
        echo "DCAMP-TRAP 1 1795295045 UDP: [127.0.0.1]:4000->[127.0.0.1]:162"
        sed -n '3,$p' "$work/trap" | while read -r name value; do
            [[ $value != \"* || $name == *.10.5 ]] || value="\"$(printf %s "${value//\"/}" | od -An -v -tx1 | tr -d '\n') \""
            echo "$name ${value/\" /\"}"
        done
        echo
    } >"$work/record"
    ok "a program behind a stream" eval 'cat "$work/record" | "$trap_" exec --spool "$work/s.inherits" --stream "$work/lists" 2>/dev/null'
    is "it does not inherit the stream" "$(grep -c '^lr-x.*pipe:' "$work/files")" 0
}

# Neither the spool nor the target takes it: that is said once, however often it is tried.
nowhere() {
    ok "a spool" "$trap_" exec --spool "$work/s.nowhere" --stream /bin/true <"$work/record"
    sed 's/^\(.*9\.5\) .*/\1 4711/' "$work/record" >"$work/another"
    (cat "$work/another"; sleep 4) |
        (ulimit -f 0; "$trap_" zabbix --spool "$work/s.nowhere" --trap-file /dev/null/y --stream 2>&1 || true) |
        cat >"$work/said"
    is "neither spooled nor delivered: said once" "$(grep -c /dev/null/y "$work/said")" 1
    ok "and that it is lost" grep -q "1 notifications are lost" "$work/said"
}

# Who never stops writing does not keep it from ending.
ends_in_flood() {
    local flood pid
    mkfifo "$work/flood"
    python3 -c 'import os, sys
records = open(sys.argv[1], "rb").read() * 200
while True: os.write(1, records)' "$work/record" >"$work/flood" 2>/dev/null &
    flood=$!
    "$trap_" zabbix --spool "$work/s.flood" --trap-file "$work/flood.traps" --stream <"$work/flood" 2>/dev/null &
    pid=$!
    jobs_started+=("$flood" "$pid")
    within 10 test -s "$work/flood.traps" || true
    kill "$pid"
    ok "TERM ends it while the stream goes on" within 20 not kill -0 "$pid"
    kill "$flood" "$pid" 2>/dev/null || true
}

# A file that may not grow is a disk that is full.
no_room() {
    local file=$work/limited
    head -c $((300 * 1024 - 100)) /dev/zero >"$file"
    "$trap_" zabbix --spool "$work/s.room" --trap-file "$file.0" <"$work/trap"
    next_trap
    code 0 "no room for the target" "no room\|too large" eval "(ulimit -f 300; one zabbix --spool $work/s.room --trap-file $file)"
    is "no room: nothing half is written" "$(stat -c %s "$file")" $((300 * 1024 - 100))
    ok "room again" one zabbix --spool "$work/s.room" --trap-file "$file" --flush
    ok "room again: it is there, whole" eval 'tail -c 2000 "$file" | tr -d "\0" | grep -q "r:$sequence"'
    local segments=("$work"/s.room/*.json)
    printf '{"event":0,' >>"${segments[-1]}"
    ok "a line that a crash has cut is left out" timeout 10 "$trap_" zabbix --spool "$work/s.room" --trap-file "$file" --flush
    code 1 "a broken trap" "there is no snmpTrapOID" broken_trap
    next_trap
    code 0 "a spool that cannot be" "spool /dev/null/x: Not a directory" one zabbix --spool /dev/null/x --trap-file "$file"
    ok "a spool that cannot be: it is delivered all the same" eval 'tail -c 2000 "$file" | tr -d "\0" | grep -q "r:$sequence"'
    ok "neither spool nor target: it is lost" eval '! one zabbix --spool /dev/null/x --trap-file /dev/null/y && grep -q "lost" "$work/said"'
    nobodys
    next_trap
    ok "a spool for one that is full" one exec --spool "$work/s.kept" /bin/true
    next_trap
    flock "$work/s.kept/deliver" sleep 1 &
    within 5 not flock -n "$work/s.kept/deliver" true || true
    ok "a full spool, and another one delivers: it waits" eval '(ulimit -f 0; "$trap_" exec --spool "$work/s.kept" /bin/true <"$work/trap" 2>/dev/null)'
    code 3 "a stream without a spool" "spool /dev/null/x: Not a directory" one zabbix --spool /dev/null/x --stream
    chmod 644 "$work/credentials"
    code 3 "credentials that others can read" "others than its owner have access to it" \
        one icinga --spool "$work/s.room" --url http://127.0.0.1:1 --credentials "$work/credentials"
    code 3 "a program that is not there" "/nonexistent: No such file" one exec --spool "$work/s.room" -- /nonexistent
    is "usage" "$("$trap_" nagios --no-such 2>&1 >/dev/null | wc -l) $("$trap_" nonsense 2>/dev/null || echo $?)" "2 2"
}

start_web
printf 'user dcamp\npassword secret\n' >"$work/credentials"
down
full
finish
