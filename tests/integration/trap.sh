#!/usr/bin/env bash
# dcamp-trap behind a real snmptrapd: the notifications of a lab node and those of strangers, in
# every output format, to files, a FIFO, programs and an HTTP server.
# shellcheck source=trap-common.sh
. "$(dirname "$0")/trap-common.sh"

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
        eventually "snmptrapd $options: a trap is handled" 10 lines "$file" 21
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

both_told() {
    [[ $(requests '[request["path"]]' | sort -u | tr '\n' ' ') == "/api/v2/alerts /v1/actions/delay-notification /v1/actions/process-check-result /v1/actions/remove-acknowledgement " ]]
}

# icinga_told STATES
icinga_told() {
    [[ $(requests '[body["exit_status"]] if "exit_status" in body else []' | tr '\n' ' ') == "$1" ]]
}

sent_again() {
    [[ $(requests '[a["endsAt"] for a in body] if isinstance(body, list) else []' | wc -l) -ge 3 ]]
}

names_itself() {
    [[ $(get dcampNodeName.0) == node1 ]]
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
    within 20 names_itself
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
    within 20 test -p "$work/stream"
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
        '^\[[0-9]*\] PROCESS_SERVICE_CHECK_RESULT;node1;dcamp busy;2;CRITICAL - .*|alarms=1;;;0 critical=1;' 1
    eventually "raise: Zabbix's file" 10 matches "$file" 'value=OID: DCAMP-MIB::dcampAlarmRaised$' 1
    eventually "raise: the program ran" 10 matches "$work/runs" '^raised node1:busy:.* critical an argument ' 1
    eventually "raise: a mail went out" 10 matches "$work/mails" '^Subject: \[dCAMP\] critical: ' 1
    eventually "raise: Icinga and Alertmanager are told" 10 both_told
    eventually "Alertmanager is told again while it goes on" 10 sent_again
    set_load "$work/root" 10
    eventually "clear: Nagios is told" 20 matches "$work/commands" \
        '^\[[0-9]*\] PROCESS_SERVICE_CHECK_RESULT;node1;dcamp busy;0;OK - .*|alarms=0;;;0 critical=0;' 1
    eventually "clear: the program ran" 10 matches "$work/runs" '^clear node1:busy:.* clear an argument ' 1
    eventually "clear: a mail went out" 10 matches "$work/mails" '^Subject: \[dCAMP\] clear: ' 1
    eventually "clear: Zabbix's file" 10 matches "$file" 'value=OID: DCAMP-MIB::dcampAlarmCleared$' 1
    eventually "clear: Icinga is told" 10 icinga_told "2 0 "
    sleep 2
    check_every_target
    kill "$alerts_pid"
    wait "$alerts_pid" || true
    end_receiver
}

check_every_target() {
    is "Nagios: its commands" "$(cut -d ' ' -f 2 "$work/commands" | cut -d ';' -f 1 | tr '\n' ' ')" \
        "REMOVE_SVC_ACKNOWLEDGEMENT DELAY_SVC_NOTIFICATION PROCESS_SERVICE_CHECK_RESULT PROCESS_SERVICE_CHECK_RESULT "
    ok "Zabbix: two traps" matches "$file" ' ZBXTRAP ' 2
    is "mail: receiver and sender" "$(grep -c -x -e '-i -f dcamp@example.org -- ops@example.org' "$work/mails")" 2
    ok "Icinga: states" icinga_told "2 0 "
    is "Icinga: whom" "$(requests '[str(body["filter_vars"])] if "exit_status" in body else []' | sort -u)" \
        "{'h': 'node1', 's': 'dcamp busy'}"
    is "Icinga: as whom" "$(requests '[request["authorization"]] if "exit_status" in body else []' | sort -u)" \
        "Basic $(printf dcamp:secret | base64)"
    is "Alertmanager: labels" "$(requests '[sorted(a["labels"]) for a in body] if isinstance(body, list) else []' | sort -u)" \
        "['alertname', 'job', 'key', 'node', 'resource', 'sensor', 'severity', 'site']"
    is "Alertmanager: one alert, whatever happens to it" \
        "$(requests '[sorted(a["labels"].values()) for a in body] if isinstance(body, list) else []' | sort -u | wc -l)" 1
    is "nothing was missed, refused or lost" \
        "$(for name in missing malformed refused lost; do status s.zabbix "$name"; done | tr '\n' ' ')" "0 0 0 0 "
}

# -- Strangers -------------------------------------------------------------------------------

strangers() {
    local before nasty field
    nasty=$'x\n[1] PROCESS_SERVICE_CHECK_RESULT;h;s;0;x\r\nBcc: e@example.org\n\n1 ZBXTRAP 1.2.3.4\n'
    # shellcheck disable=SC2016 # nothing is to be expanded
    nasty+=$'DCAMP-TRAP 1 5 x\n.1.3.6.1.6.3.1.1.4.1.0 .1.3.6.1.4.1.32473.1.0.2\n"`touch '"$work/pwned"'`$(touch '"$work/pwned)"$'|;\\n\''
    : >"$work/commands" ; : >"$work/mails" ; : >"$work/runs"
    rm -rf "$file" "$work/s."*
    mkfifo "$work/stream2"
    background "$trap_" zabbix --stream="$work/stream2" --spool "$work/s.stream" --trap-file "$work/stream.traps"
    local stream_pid=$!
    receiver -Lf "$work/stream2" < <(handlers)
    for field in message key sensor value limit word node rule instance; do
        case $field in
        message) send 1 "message=$nasty" ;;
        *) send 1 "key=node1:r:$field" "$field=${nasty:0:20}" ;;
        esac
    done
    snmptrap -v2c -c public -m '' -M "$work/trapd" "127.0.0.1:$port" '' .1.3.6.1.6.3.1.1.5.3 .1.3.6.1.2.1.2.2.1.1.2 i 2
    snmptrap -v2c -c public -m '' -M "$work/trapd" "127.0.0.1:$port" '' "$arc.0.1" "$column.2.5" s key
    send 1 key=node1:last:total rule=last
    eventually "strangers: what comes after them is taken" 20 matches "$work/commands" ';dcamp last;2;' 1
    eventually "strangers: in the stream, too" 5 matches "$work/stream.traps" 'node1:last:total' 1
    eventually "strangers: and the program ran" 20 matches "$work/runs" 'node1:last:total' 1
    # "word" is dcampAlarmSeverityText, of at most 8 octets: what is longer is no notification.
    before=$(status s.zabbix received)
    is "strangers: so many are whole" "$before $(status s.stream received)" "9 9"
    is "strangers: foreign and broken ones are counted" \
        "$(status s.stream foreign) $(status s.stream malformed) $(status s.zabbix malformed)" "1 2 2"
    ok "Nagios: three lines each" lines "$work/commands" 27
    ok "Nagios: four separators each before the performance data" \
        matches "$work/commands" '^[^;]* PROCESS_SERVICE_CHECK_RESULT;\([^;|]*;\)\{3\}[^;|]*|[^|]*$' 9
    ok "Zabbix: one mark each" matches "$file" ZBXTRAP 9
    ok "Zabbix: by the stream the same" matches "$work/stream.traps" ZBXTRAP 9
    ok "mail: no header was added" not grep -q '^Bcc' "$work/mails"
    ok "programs: nothing else ran" not test -e "$work/pwned"
    kill "$stream_pid"
    wait "$stream_pid" || true
    end_receiver
}

formats
every_target
strangers
finish
