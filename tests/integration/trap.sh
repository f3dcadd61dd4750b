#!/usr/bin/env bash
# dcamp-trap behind a real snmptrapd: the notifications of a lab node and those of strangers, in
# every output format, to files, a FIFO, programs and an HTTP server, which are there or are not.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
[[ -n $(type -P python3) ]] || { echo "1..0 # SKIP python3 is not installed"; rm -rf "$work"; trap - EXIT; exit 77; }

build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
trap_=$build/dcamp-trap
mibs=$build/generated/mibs:$top/mibs/base
arc=.1.3.6.1.4.1.32473.1
column=$arc.1.10.1.1
sequence=100

# -- Traps and their receiver ----------------------------------------------------------------

free_udp_port() {
    local port
    while :; do
        port=$((20000 + (RANDOM << 15 | RANDOM) % 12000))
        grep -qi "$(printf ':%04X ' "$port")" /proc/net/udp || break
    done
    echo "$port"
}

# receiver [OPTION...] <CONFIGURATION: a snmptrapd that takes v2c traps and those of the lab.
receiver() {
    local own=$work/trapd
    mkdir -p "$own/persist/cert_indexes"
    port=${receiver_port:-$(free_udp_port)}
    { echo "authCommunity log,execute public"; cat "$work/users" 2>/dev/null || true; cat; } \
        >"$own/snmptrapd.conf"
    env MIBS= MIBDIRS="$own" SNMPCONFPATH="$own" SNMP_PERSISTENT_DIR="$own/persist" \
        snmptrapd -f -n -C -c "$own/snmptrapd.conf" "$@" "udp:127.0.0.1:$port" \
        </dev/null >"$work/trapd.log" 2>&1 &
    receiver_pid=$!
    jobs_started+=("$receiver_pid")
    within 5 grep -qi "$(printf ':%04X ' "$port")" /proc/net/udp || echo "# no snmptrapd: $(cat "$work/trapd.log")"
}

end_receiver() {
    kill "$receiver_pid"
    wait "$receiver_pid" 2>/dev/null || true
}

# send EVENT [FIELD=TEXT...]: a trap of node1, the next in its sequence.
send() {
    local event=$1 field
    local -A text=([key]=node1:burner:total [node]=node1 [sensor]=niced [value]=55.2 [limit]='> 20'
        [word]=critical [severity]=4 [message]='niced is 55.2: somebody burns')
    shift
    [[ $event -ne 2 ]] || text[word]=clear text[severity]=1
    for field; do
        text[${field%%=*}]=${field#*=}
    done
    sequence=$((sequence + 1))
    snmptrap -v2c -c public -m '' -M "$work/trapd" "127.0.0.1:$port" '' "$arc.0.$event" \
        "$column.2.5" s "${text[key]}" "$column.3.5" s "${text[node]}" \
        "$column.4.5" s "${text[sensor]}" "$column.5.5" s "${text[value]}" \
        "$column.6.5" s "${text[limit]}" "$column.7.5" s "${text[word]}" \
        "$column.8.5" i "${text[severity]}" "$column.9.5" u "${text[sequence]:-$sequence}" \
        "$column.10.5" x 07EA0B15150401002B0000 "$column.11.5" u 0 \
        "$column.12.5" s "${text[message]}" .1.3.6.1.6.3.18.1.3.0 a 192.0.2.7
}

# lines FILE NUMBER: whether it has so many.
lines() {
    [[ -e $1 && $(wc -l <"$1") -eq $2 ]]
}

# matches FILE PATTERN NUMBER: on how many lines the pattern is.
matches() {
    [[ $(grep -c -e "$2" "$1" 2>/dev/null) -eq $3 ]]
}

# status SPOOL NAME: a count.
status() {
    "$trap_" zabbix --spool "$work/$1" --status | awk -v name="$2" '$1 == name { print $2 }'
}

# -- Output options --------------------------------------------------------------------------

file=$work/zabbix.traps
formats() {
    local options expected='' got
    for options in "-On" "-OQ" "-Oq" "-Onx" "-OnT" "-OU" "-Ob" "-Oe" "-Ot" \
        "-m DCAMP-MIB:SNMP-COMMUNITY-MIB" "-m DCAMP-MIB -On" "-m DCAMP-MIB -OQs" "-m DCAMP-MIB -Of" \
        "-m DCAMP-MIB -Ou" "-m DCAMP-MIB -OX" "-m DCAMP-MIB -Oe" "-m DCAMP-MIB -Ox" \
        "-m SNMPv2-SMI" "-m SNMPv2-SMI -OS"; do
        rm -rf "$file" "$work/formats"
        # shellcheck disable=SC2086 # several options
        receiver -M "$mibs" $options <<END
traphandle default $trap_ zabbix --spool $work/formats --trap-file $file --date now
END
        send 1 sequence=7 limit='= 20' message='a "quoted" \ text, Grün'
        within 5 lines "$file" 17 || true
        end_receiver
        got=$(sed 's/127\.0\.0\.1\]:[0-9]*/PEER/g' "$file" 2>/dev/null || true)
        [[ -n $expected ]] || expected=$got
        is "snmptrapd $options: the same trap" "$got" "$expected"
    done
    is "its key" "$(sed -n 's/.*dcampAlarmKey.5 .*value=//p' <<<"$expected")" 'STRING: "node1:burner:total"'
    is "its message" "$(sed -n 's/.*dcampAlarmMessage.5 .*value=//p' <<<"$expected")" \
        'STRING: "a "quoted" \ text, Grün"'
    is "its limit" "$(sed -n 's/.*dcampAlarmThresholdText.5 .*value=//p' <<<"$expected")" 'STRING: "= 20"'
}

# -- Every target, of a real node ------------------------------------------------------------

web=$work/web
mkdir -p "$web"
answer() {
    echo "$*" >"$web/answer"
}

start_web() {
    rm -f "$web/port"
    background "$top/tests/integration/http-recorder" "$web" "$@"
    web_pid=$!
    within 5 test -s "$web/port"
    web_port=$(<"$web/port")
}

# requests FILTER: of Python, over the requests.
requests() {
    python3 -c 'import json, sys
for line in open(sys.argv[1]):
    request = json.loads(line)
    body = json.loads(request["body"])
    for value in eval(sys.argv[2]):
        print(value)' "$web/requests" "$1"
}

both_told() {
    [[ $(requests '[request["path"]]' | sort -u | tr '\n' ' ') == "/api/v2/alerts /v1/actions/process-check-result " ]]
}

# The node's snmpd sends to our receiver, too: its engine ID and user are those of the lab.
notify_us() {
    local conf=$lab_dir/node1/snmpd.conf engine session
    engine=$(sed -n 's/^exactEngineID //p' "$conf")
    session=$(sed -n 's/^\(trapsess .* udp:127\.0\.0\.1:\).*/\1/p' "$conf")
    receiver_port=$(free_udp_port)
    echo "$session$receiver_port" >>"$conf"
    {
        sed -n "s/^createUser /createUser -e $engine /p" "$conf"
        echo "authUser log,execute lab priv"
    } >"$work/users"
    control restart-snmpd
    within 20 get dcampNodeName.0
}

write_programs() {
    cat >"$work/sendmail" <<END
#!/bin/bash
{ printf '%s\n' "\$*"; cat; echo ==; } >>"$work/mails"
END
    cat >"$work/program" <<END
#!/bin/bash
printf '%s\n' "\$DCAMP_STATE \$DCAMP_KEY \$DCAMP_SEVERITY \$1 \$DCAMP_MESSAGE" >>"$work/runs"
END
    chmod 755 "$work/sendmail" "$work/program"
    printf 'user dcamp\npassword secret\n' >"$work/credentials"
    chmod 600 "$work/credentials"
}

# Each target by traphandle, and Alertmanager by the stream in the same snmptrapd.
handlers() {
    local handle="traphandle default $trap_"
    "$trap_" --print-snmptrapd-conf
    cat <<END
$handle nagios --spool $work/s.nagios --command-file $work/nagios.cmd
$handle zabbix --spool $work/s.zabbix --trap-file $file
$handle icinga --spool $work/s.icinga --url http://127.0.0.1:$web_port/ --credentials $work/credentials
$handle mail --spool $work/s.mail --sendmail $work/sendmail --from dcamp@example.org ops@example.org
$handle exec --spool $work/s.exec -- $work/program "an argument"
END
}

every_target() {
    answer '200 {"results":[{"code":200,"status":"ok"}]}'
    start_web
    write_programs
    mkfifo "$work/nagios.cmd"
    cat <>"$work/nagios.cmd" >"$work/commands" &
    jobs_started+=($!)
    rm -f "$file"
    background "$trap_" alertmanager --stream="$work/stream" --spool "$work/s.alerts" \
        --url "http://127.0.0.1:$web_port" --resend 1s --label site=lab
    alerts_pid=$!
    within 5 test -p "$work/stream"
    make_root "$work/root"
    start_lab --root "$work/root"
    notify_us
    receiver -Lf "$work/stream" < <(handlers)
    set_ 'dcampSensorMetric."load"' s load.1 'dcampSensorInterval."load"' u 200 \
        'dcampSensorRowStatus."load"' i createAndGo >/dev/null
    threshold busy Sensor=load Operator=gt Limit=50 Clear=40 Severity=critical >/dev/null
    sleep 1
    set_load "$work/root" 90
    eventually "raise: Nagios is told" 20 matches "$work/commands" \
        '^\[[0-9]*\] PROCESS_SERVICE_CHECK_RESULT;node1;dcamp busy;2;CRITICAL - .*|.load.=90$' 1
    eventually "raise: Zabbix's file" 10 matches "$file" 'value=OID: DCAMP-MIB::dcampAlarmRaised$' 1
    eventually "raise: the program ran" 10 matches "$work/runs" '^raised node1:busy:.* critical an argument ' 1
    eventually "raise: a mail went out" 10 matches "$work/mails" '^Subject: \[dCAMP\] critical: ' 1
    eventually "raise: Icinga and Alertmanager are told" 10 both_told
    set_load "$work/root" 10
    eventually "clear: Nagios is told" 20 matches "$work/commands" \
        '^\[[0-9]*\] PROCESS_SERVICE_CHECK_RESULT;node1;dcamp busy;0;OK - .*|.load.=10$' 1
    eventually "clear: the program ran" 10 matches "$work/runs" '^clear node1:busy:.* clear an argument ' 1
    eventually "clear: a mail went out" 10 matches "$work/mails" '^Subject: \[dCAMP\] clear: ' 1
    sleep 2
    check_every_target
    kill "$alerts_pid"
    wait "$alerts_pid" || true
    end_receiver
}

check_every_target() {
    ok "Nagios: two commands" lines "$work/commands" 2
    ok "Zabbix: two traps" matches "$file" ' ZBXTRAP ' 2
    is "mail: receiver and sender" "$(grep -c -x -e '-i -f dcamp@example.org -- ops@example.org' "$work/mails")" 2
    is "Icinga: states" "$(requests '[body["exit_status"]] if "exit_status" in body else []' | tr '\n' ' ')" "2 0 "
    is "Icinga: whom" "$(requests '[str(body["filter_vars"])] if "exit_status" in body else []' | sort -u)" \
        "{'h': 'node1', 's': 'dcamp busy'}"
    is "Icinga: as whom" "$(requests '[request["authorization"]] if "exit_status" in body else []' | sort -u)" \
        "Basic $(printf dcamp:secret | base64)"
    is "Alertmanager: labels" "$(requests '[sorted(a["labels"]) for a in body] if isinstance(body, list) else []' | sort -u)" \
        "['alertname', 'job', 'key', 'node', 'resource', 'sensor', 'severity', 'site']"
    is "Alertmanager: one alert, whatever happens to it" \
        "$(requests '[sorted(a["labels"].values()) for a in body] if isinstance(body, list) else []' | sort -u | wc -l)" 1
    ok "Alertmanager: sent again while it goes on" \
        test "$(requests '[a["endsAt"] for a in body] if isinstance(body, list) else []' | wc -l)" -ge 3
    is "nothing was missed, refused or lost" \
        "$(for name in missing malformed refused lost; do status s.zabbix "$name"; done | tr '\n' ' ')" "0 0 0 0 "
}

# -- Strangers -------------------------------------------------------------------------------

strangers() {
    local before nasty field
    nasty=$'x\n[1] PROCESS_SERVICE_CHECK_RESULT;h;s;0;x\r\nBcc: e@example.org\n\n1 ZBXTRAP 1.2.3.4\n'
    nasty+=$'DCAMP-TRAP 1 5 x\n.1.3.6.1.6.3.1.1.4.1.0 .1.3.6.1.4.1.32473.1.0.2\n"`touch '"$work/pwned"'`$(touch '"$work/pwned)"$'|;\\n\''
    : >"$work/commands" ; : >"$work/mails" ; : >"$work/runs"
    rm -rf "$file" "$work/s."*
    mkfifo "$work/stream2"
    background "$trap_" zabbix --stream="$work/stream2" --spool "$work/s.stream" --trap-file "$work/stream.traps"
    local stream_pid=$!
    receiver -Lf "$work/stream2" < <(handlers)
    for field in message key sensor value limit word node; do
        case $field in
        message) send 1 "message=$nasty" ;;
        *) send 1 "key=node1:r:$field" "$field=${nasty:0:20}" ;;
        esac
    done
    snmptrap -v2c -c public -m '' -M "$work/trapd" "127.0.0.1:$port" '' .1.3.6.1.6.3.1.1.5.3 .1.3.6.1.2.1.2.2.1.1.2 i 2
    snmptrap -v2c -c public -m '' -M "$work/trapd" "127.0.0.1:$port" '' "$arc.0.1" "$column.2.5" s key
    send 1 key=node1:last:total
    eventually "strangers: what comes after them is taken" 20 matches "$work/commands" ';dcamp last;2;' 1
    eventually "strangers: in the stream, too" 5 matches "$work/stream.traps" 'node1:last:total' 1
    eventually "strangers: and the program ran" 20 matches "$work/runs" 'node1:last:total' 1
    # "word" is dcampAlarmSeverityText, of at most 8 octets: what is longer is no notification.
    before=$(status s.zabbix received)
    is "strangers: so many are whole" "$before $(status s.stream received)" "7 7"
    is "strangers: foreign and broken ones are counted" \
        "$(status s.stream foreign) $(status s.stream malformed) $(status s.zabbix malformed)" "1 2 2"
    ok "Nagios: one line each" lines "$work/commands" 7
    ok "Nagios: four separators each" matches "$work/commands" '^\([^;]*;\)\{4\}[^;]*$' 7
    ok "Zabbix: one mark each" matches "$file" ZBXTRAP 7
    ok "Zabbix: by the stream the same" matches "$work/stream.traps" ZBXTRAP 7
    ok "mail: no header was added" not grep -q '^Bcc' "$work/mails"
    ok "programs: nothing else ran" not test -e "$work/pwned"
    kill "$stream_pid"
    wait "$stream_pid" || true
    end_receiver
}

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
    receiver -Lf "$work/stream" < <(stream_conf)
    for ((i = 0; i < 20; i++)); do
        send 1 "key=node1:r:$i"
        expected+="$sequence "
    done
    eventually "down: they wait" 10 waiting 20
    eventually "down: one line says so" 5 matches "$work/alerts.log" 'what comes in waits in the spool' 1
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

full() {
    local spool=$work/s.full commands=$work/full.cmd i
    mkfifo "$commands"
    next_trap
    code 0 "Nagios is down" "nobody reads it" one nagios --spool "$spool" --command-file "$commands"
    next_trap
    ok "the next one does not try at once" one nagios --spool "$spool" --command-file "$commands"
    ok "and says nothing" not test -s "$work/said"
    exec 9<>"$commands"
    for ((i = 0; i < 20; i++)); do
        head -c 4096 /dev/zero >&9 &
    done
    sleep 0.5
    kill "$(jobs -p | tail -n 1)" 2>/dev/null || true
    code 4 "the FIFO is full" "full for 200 ms" one nagios --spool "$spool" --command-file "$commands" --timeout 200ms --flush
    exec 9>&-
    wait_writers
    is "nothing is lost" "$(status s.full received) $(status s.full delivered) $(status s.full lost)" "2 0 0"
    cat <>"$commands" >"$work/full.out" &
    jobs_started+=($!)
    ok "what waited is delivered" one nagios --spool "$spool" --command-file "$commands" --service %i --flush
    eventually "in order" 5 eval '[[ $(tr -d "\0" <"$work/full.out" | cut -d ";" -f 3 | tr "\n" " ") == "$((sequence - 1)) $sequence " ]]'
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
    answer '200 {"results":[{"code":200}]}'
    ok "allowed again" one icinga --spool "$work/s.refused" --url "http://127.0.0.1:$web_port" --flush
    printf '#!/bin/bash\nexit 75\n' >"$work/tempfail"
    printf '#!/bin/bash\nsleep 60\n' >"$work/hangs"
    chmod 755 "$work/tempfail" "$work/hangs"
    code 0 "a mailer that is busy" "exit status 75" one mail --spool "$work/s.busy" --sendmail "$work/tempfail" a@example.org
    code 0 "a program that hangs" "killed after 300 ms" one exec --spool "$work/s.hangs" --timeout 300ms -- "$work/hangs"
}

wait_writers() {
    local pid
    for pid in $(jobs -p); do
        [[ " ${jobs_started[*]} " == *" $pid "* ]] || { kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; } || true
    done
}

broken_trap() {
    printf 'h\na\n' >"$work/trap"
    one zabbix --spool "$work/s.room" --trap-file "$work/limited"
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
    code 1 "a broken trap" "there is no snmpTrapOID" broken_trap
    next_trap
    code 0 "a spool that cannot be" "spool /dev/null/x: Not a directory" one zabbix --spool /dev/null/x --trap-file "$file"
    ok "a spool that cannot be: it is delivered all the same" eval 'tail -c 2000 "$file" | tr -d "\0" | grep -q "r:$sequence"'
    ok "neither spool nor target: it is lost" eval '! one zabbix --spool /dev/null/x --trap-file /dev/null/y && grep -q "lost" "$work/said"'
    code 3 "a stream without a spool" "spool /dev/null/x: Not a directory" one zabbix --spool /dev/null/x --stream
    chmod 644 "$work/credentials"
    code 3 "credentials that others can read" "others than its owner may read it" \
        one icinga --spool "$work/s.room" --url http://127.0.0.1:1 --credentials "$work/credentials"
    code 3 "a program that is not there" "/nonexistent: No such file" one exec --spool "$work/s.room" -- /nonexistent
    is "usage" "$("$trap_" nagios --no-such 2>&1 >/dev/null | wc -l) $("$trap_" nonsense 2>/dev/null || echo $?)" "2 2"
}

formats
every_target
strangers
down
full
finish
