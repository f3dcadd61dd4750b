# shellcheck shell=bash
# The collector beside others that poll by SNMP: prometheus-snmp-exporter and the plugin snmp of
# collectd read the same values of the same nodes every second, one after the other, while nobody
# else does. For the benchmark collect, which has common.sh.

work=${work:?} build=${build:?} lab=${lab:?} csv=${csv:?} cpus=("${cpus[@]:?}")
collectd=${collectd:?} collectd_plugins=${collectd_plugins:?}
declare -A peer_us=() peer_node_us=() # CPU time per value: of who polls, of the nodes
peer_nodes=5
peer_times=20 # so many children of the poller is each node: it has 100
peer_sensors=50
peer_seconds=8
poll_rate=500 # polls of one node in a second
declare -A peer_titles=([exporter]=snmp_exporter [collectd]=collectd)

exporter=$(type -P prometheus-snmp-exporter || echo /usr/bin/prometheus-snmp-exporter)
generator=$(type -P prometheus-snmp-generator || echo /usr/bin/prometheus-snmp-generator)

# -- The nodes -------------------------------------------------------------------------------

# Sensors of the machine as a whole, two of each metric, so that there are enough everywhere; their
# values fit into dcampValueMilli, which is what the others read.
peer_configuration() {
    echo '<dcamp version="1"><node name=""/><sensors>'
    "$build/dcampd" --list-metrics | awk -F ' *[|] *' -v sensors="$peer_sensors" '
        $2 ~ /^`(cpu|load|tcp|kernel)\./ && $2 !~ /uptime/ && $5 ~ /machine/ {
            gsub("`", "", $2)
            for (i = 1; i <= 2 && n < sensors; i++) {
                n++
                printf "<sensor name=\"%s.%d\" metric=\"%s\" calculation=\"%s\" " \
                    "instances=\"total\" interval=\"1s\" window=\"none\"/>\n", $2, i, $2,
                    $4 == "counter" ? "rate" : "basic"
            }
        }'
    echo '</sensors></dcamp>'
}

# Of 20 sensors, two move by more than their deadband: a tenth.
few_configuration() {
    local i metric
    echo '<dcamp version="1"><node name=""/>'
    echo '<filters><filter name="moved" deadband="0.5"/></filters><sensors>'
    for ((i = 1; i <= 20; i++)); do
        metric=mem.total
        ((i > 2)) || metric=kernel.uptime
        echo "<sensor name=\"sensor.$i\" metric=\"$metric\" interval=\"1s\" window=\"none\"" \
            "filter=\"moved\"/>"
    done
    echo '</sensors></dcamp>'
}

# start_leaves NAME NODES TIMES: with the configuration from standard input. Sets leaf_targets, the
# ports of all, so many times; leaf_pids, snmpd and dcampd of each; leaf_auth and leaf_priv.
start_leaves() {
    local i words address ports=()
    cat >"$work/$1.xml"
    start_lab "$1" --nodes "$2" --config "$work/$1.xml"
    for ((i = 1; i <= $2; i++)); do
        let_collectd_in "$i"
    done
    eval "$("$lab" env --dir "$DCAMP_LAB_DIR")"
    # shellcheck disable=SC2153 # of the lab
    read -r -a words <<<"$DCAMP_LAB_SNMP"
    leaf_auth=${words[8]} leaf_priv=${words[12]} leaf_mibs=${words[14]}
    leaf_pids=() leaf_targets=()
    for ((i = 1; i <= $2; i++)); do
        address=DCAMP_LAB_NODE_$i
        ports+=("${!address##*:}")
        for address in "DCAMP_LAB_PID_SNMPD_$i" "DCAMP_LAB_PID_DCAMPD_$i"; do
            leaf_pids+=("${!address}")
            taskset -a -c -p "${cpus[0]}" "${!address}" >/dev/null
        done
    done
    for ((i = 0; i < $3; i++)); do
        leaf_targets+=("${ports[@]}")
    done
}

# collectd knows SHA-1 only; it reads what the user of the lab may read. The lab leaves the file as
# it is when it starts snmpd again.
let_collectd_in() {
    local agentx=DCAMP_LAB_AGENTX_$1 words
    read -r -a words <<<"$DCAMP_LAB_SNMP"
    agentx=${!agentx#unix:}
    {
        echo "createUser collectd SHA \"${words[8]}\" AES \"${words[12]}\""
        echo 'group dcampPoll usm collectd'
    } >>"${agentx%/*}/snmpd.conf"
    "$lab" restart-snmpd --dir "$DCAMP_LAB_DIR" --node "$1"
}

# start_relay: takes the place of a single node, and counts what passes.
start_relay() {
    : >"$work/relay.count"
    background "$work/relay.log" "$build/tests/bench/relay" "${leaf_targets[0]}" "$work/relay.count"
    relay_pid=$pid
    wait_for grep -q . "$work/relay.count"
    read -r "leaf_targets[0]" _ <"$work/relay.count"
}

# -- Who polls -------------------------------------------------------------------------------
# poll_by_NAME starts one, with its processes in managers; NAME_count prints how many values it has
# had up to now.

# poll_by_dcamp SERIES [ATTRIBUTES [OBJECTS]]: how many series a node has; of the children; the
# configuration of the objects that devices are asked for.
poll_by_dcamp() {
    local i
    (umask 077 && printf 'auth %s\npriv %s\n' "$leaf_auth" "$leaf_priv" >"$work/leaves.secret")
    {
        echo '<dcamp version="1"><node name=""/><alarms rate="1000" per="1s"/>'
        echo '<sensors><sensor name="load.1" metric="load.1" interval="10s"/></sensors><credentials>'
        echo "<credential name=\"leaves\" user=\"lab\" secrets=\"$work/leaves.secret\"/>"
        echo "</credentials>${3:-}<children>"
        for i in "${!leaf_targets[@]}"; do
            echo "<child name=\"leaf$i\" address=\"udp:127.0.0.1:${leaf_targets[i]}\"" \
                "credential=\"leaves\" period=\"${peer_period:-1s}\" ${2:-}/>"
        done
        echo '</children></dcamp>'
    } >"$work/dcamp.xml"
    start_lab "lab$((runs++))" --config "$work/dcamp.xml"
    wait_for all_known $((${#leaf_targets[@]} * $1))
    collector_processes
    managers=("${processes[@]}")
}

# A block has the new values of all sensors.
dcamp_count() {
    echo $(($(sum dcampChildBlocks) * peer_sensors))
}

stop_dcamp() {
    "$lab" stop --dir "$DCAMP_LAB_DIR"
}

# Of the first node, as of all: the column of the values, and all of its cells.
find_cells() {
    leaf_column=$(oid dcampValueMilli)
    mapfile -t leaf_cells < <(snmp snmpbulkwalk 1 -On -Oq "$leaf_column" |
        sed 's/^\.//; s/ .*//')
    [[ ${#leaf_cells[@]} -eq $peer_sensors ]] || die "only ${#leaf_cells[@]} values of $peer_sensors"
}

# cells FORMAT: the numeric names of the values of a node, each in a format.
cells() {
    # shellcheck disable=SC2059
    printf "$1" "${leaf_cells[@]}"
}

# What the generator of the exporter makes of the MIB.
exporter_configuration() {
    local module walk
    echo 'modules:'
    for module in walk get; do
        walk=dcampValueMilli
        [[ $module == walk ]] || walk=$(cells '%s, ')
        cat <<END
  $module:
    walk: [${walk%, }]
    version: 3
    max_repetitions: $peer_sensors
    auth:
      username: lab
      security_level: authPriv
      password: $leaf_auth
      auth_protocol: SHA256
      priv_protocol: AES
      priv_password: $leaf_priv
END
    done
}

# poll_by_exporter MODULE
poll_by_exporter() {
    mkdir -p "$work/exporter"
    exporter_configuration >"$work/exporter/generator.yml"
    (cd "$work/exporter" && MIBDIRS=$leaf_mibs MIBS=DCAMP-MIB "$generator" generate -o snmp.yml) \
        >"$work/generator.log" 2>&1 || die "no module: $(tail -n 1 "$work/generator.log")"
    exporter_port=$((20000 + RANDOM % 10000))
    background "$work/exporter.log" "$exporter" --config.file="$work/exporter/snmp.yml" \
        --web.listen-address="127.0.0.1:$exporter_port"
    managers=("$pid")
    wait_for curl -sf "http://127.0.0.1:$exporter_port/"
    : >"$work/scraped.all"
    scrape "$1" &
    scraper_pid=$!
    started+=("$scraper_pid")
}

# scrape MODULE: every node, every second, as Prometheus would.
scrape() {
    local i due left
    for i in "${!leaf_targets[@]}"; do
        echo "url = http://127.0.0.1:$exporter_port/snmp?module=$1&target=127.0.0.1:${leaf_targets[i]}"
        echo "output = $work/scraped/$i"
    done >"$work/scrape"
    due=$(date +%s%N)
    while :; do
        curl -s -Z --create-dirs -K "$work/scrape" 2>/dev/null || true
        cat "$work"/scraped/* >>"$work/scraped.all"
        due=$((due + 1000000000))
        left=$((due - $(date +%s%N)))
        ((left <= 0)) || sleep "$(calculate "$left / 1e9")"
    done
}

exporter_count() {
    grep -c '^dcampValueMilli' "$work/scraped.all" || true
}

stop_exporter() {
    end "$scraper_pid" "${managers[0]}"
}

# One walk of the table, or one GET of all cells, each second.
collectd_configuration() {
    local i
    cat <<END
TypesDB "$work/cells.db"
PostCacheChain "written"
<Chain "written">
    <Rule "one">
        <Match "regex">
            Host "^leaf0$"
        </Match>
        Target "write"
    </Rule>
    Target "stop"
</Chain>
<Plugin snmp>
    <Data "walk">
        Type "gauge"
        Table true
        TypeInstanceOID ""
        Values "$leaf_column"
    </Data>
    <Data "get">
        Type "cells"
        Table false
        Values $(cells '".%s" ')
    </Data>
END
    for i in "${!leaf_targets[@]}"; do
        cat <<END
    <Host "leaf$i">
        Address "127.0.0.1:${leaf_targets[i]}"
        Version 3
        SecurityLevel "authPriv"
        Username "collectd"
        AuthProtocol "SHA"
        AuthPassphrase "$leaf_auth"
        PrivacyProtocol "AES"
        PrivacyPassphrase "$leaf_priv"
        BulkSize $peer_sensors
        Collect "$1"
    </Host>
END
    done
    echo '</Plugin>'
}

# poll_by_collectd walk|get
poll_by_collectd() {
    rm -rf "$csv"
    cells '%s\n' | awk '{ line = line (NR > 1 ? ", " : "") "v" NR ":GAUGE:U:U" }
        END { print "cells " line }' >"$work/cells.db"
    collectd_configuration "$1" >"$work/snmp.conf"
    start_collectd match_regex snmp <"$work/snmp.conf"
    managers=("$pid")
}

# Only what the first child has is written, so that it does not matter. A line of a file begins with
# the time, and has a value or, of the type cells, all of them.
collectd_count() {
    find "$csv" -type f -exec cat {} + 2>/dev/null |
        awk -F , -v children="${#leaf_targets[@]}" '$1 != "epoch" { n += NF - 1 }
            END { print n * children }'
}

stop_collectd() {
    end "${managers[0]}"
}

# end PID...: and waits for them.
end() {
    local pid left=()
    for pid in "$@"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    for pid in "${started[@]}"; do
        [[ " $* " == *" $pid "* ]] || left+=("$pid")
    done
    started=("${left[@]}")
}

# -- Figures ---------------------------------------------------------------------------------

# The CPU time in nanoseconds of processes; the threads of collectd that only write to disk, for
# the count of values, are left out.
polling_ns() {
    local pid task
    for pid in "$@"; do
        for task in "/proc/$pid/task"/*; do
            [[ $(<"$task/comm") == writer* ]] || cat "$task/schedstat"
        done
    done | awk '{ sum += $1 } END { printf "%.0f", sum }'
}

# That of what answers in the nodes: snmpd, and dcampd without its first thread, which samples and
# makes the report blocks, whoever asks.
serving_ns() {
    local pid task
    for pid in "${leaf_pids[@]}"; do
        for task in "/proc/$pid/task"/*; do
            [[ $(<"$task/comm") == dcampd && ${task##*/} == "$pid" ]] || cat "$task/schedstat"
        done
    done | awk '{ sum += $1 } END { printf "%.0f", sum }'
}

# peer_measure COUNT: while the managers poll: values per second in values; CPU time of the
# managers per second in managers_ns, of the nodes in nodes_ns.
peer_measure() {
    local begin seconds nodes own had
    had=$($1)
    nodes=$(serving_ns) own=$(polling_ns "${managers[@]}")
    begin=$(date +%s%N)
    sleep "$peer_seconds"
    managers_ns=$(polling_ns "${managers[@]}") nodes_ns=$(serving_ns)
    seconds=$(calculate "($(date +%s%N) - $begin) / 1e9" %.6f)
    values=$(calculate "($($1) - $had) / $seconds")
    managers_ns=$(calculate "($managers_ns - $own) / $seconds" %.0f)
    nodes_ns=$(calculate "($nodes_ns - $nodes) / $seconds" %.0f)
}

no_values() {
    echo 0
}

has_values() {
    (($($1) > 0))
}

# peer TITLE COUNT: a row of the table, of the managers that poll now.
peer() {
    for pid in "${managers[@]}"; do
        taskset -a -c -p "${cpus[-1]}" "$pid" >/dev/null
    done
    wait_for has_values "$2"
    sleep 3
    peer_measure "$2"
    [[ $(calculate "0 < $values" %d) -eq 1 ]] || die "$1: no values"
    peer_us[$1]=$(calculate "$managers_ns / 1e3 / $values" %.2f)
    peer_node_us[$1]=$(calculate "($nodes_ns - $idle_ns) / 1e3 / $values" %.2f)
    row "$1" "$(calculate "$values" %.0f)" \
        "${peer_us[$1]} us" "$(calculate "${peer_us[$1]} / ${peer_us[dCAMP]}" %.1f)" \
        "${peer_node_us[$1]} us" "$(calculate "${peer_node_us[$1]} / ${peer_node_us[dCAMP]}" %.1f)"
}

# installed exporter|collectd
installed() {
    case $1 in
    exporter) [[ -x $exporter && -x $generator ]] ;;
    collectd) [[ -x $collectd && -e $collectd_plugins/snmp.so ]] ;;
    esac
}

# What the nodes take for nobody's questions, each poller in turn, and what one poll takes.
compare_peers() {
    local name how
    start_leaves leaves "$peer_nodes" "$peer_times" < <(peer_configuration)
    find_cells
    table 'who polls' 'values/s' 'CPU per value' 'of dCAMP' 'CPU of the nodes per value' 'of dCAMP'
    managers=()
    sleep 2
    peer_measure no_values
    idle_ns=$nodes_ns
    poll_by_dcamp "$peer_sensors"
    peer dCAMP dcamp_count
    stop_dcamp
    for name in exporter collectd; do
        for how in walk get; do
            if ! installed "$name"; then
                row "${peer_titles[$name]}, $how" 'not installed' '' '' '' ''
                continue
            fi
            "poll_by_$name" "$how"
            peer "${peer_titles[$name]}, $how" "${name}_count"
            "stop_$name"
        done
    done
}

# What the node takes for each poll while it is polled so often, in us.
node_us_per_poll() {
    local polls
    sleep 5
    polls=$(sum dcampChildPolls)
    peer_measure no_values
    polls=$(calculate "($(sum dcampChildPolls) - $polls) / $peer_seconds")
    calculate "($nodes_ns - $idle_ns) / 1e3 / $polls" %.1f
}

# What a poll takes of a node that is polled so often that its caches stay warm: poll_us; and what it
# takes if snmpd need not ask dcampd, for sysUpTime alone: bare_us. The speed of the machine changes from
# minute to minute, so both are measured one right after the other, seven times, for the ratios of such
# pairs differ. The pair whose ratio is the middle one is taken; poll_ratio is that ratio.
# shellcheck disable=SC2034 # collect prints them
measure_poll_cpu() {
    local round pairs=()
    start_leaves one 1 "$poll_rate" < <(peer_configuration)
    managers=()
    sleep 2
    peer_measure no_values
    idle_ns=$nodes_ns
    for round in 1 2 3 4 5 6 7; do
        poll_by_dcamp "$peer_sensors"
        poll_us=$(node_us_per_poll)
        stop_dcamp
        poll_by_dcamp 1 'kind="snmp"' \
            '<objects><object name="up" oid="1.3.6.1.2.1.1.3" type="scalar"/></objects>'
        bare_us=$(node_us_per_poll)
        stop_dcamp
        pairs[round]="$(calculate "$poll_us / $bare_us") $poll_us $bare_us"
    done
    read -r poll_ratio poll_us bare_us < <(printf '%s\n' "${pairs[@]}" | sort -n | sed -n 4p)
}

# The octets of one poll both ways: the payload of UDP, without the headers of UDP and IP.
# Sets poll_octets and poll_packets.
# shellcheck disable=SC2034 # collect prints them
measure_poll() {
    local polls before after
    start_leaves few 1 1 < <(few_configuration)
    start_relay
    poll_by_dcamp 20
    sleep 3
    before=$(<"$work/relay.count") polls=$(sum dcampChildPolls)
    sleep "$peer_seconds"
    after=$(<"$work/relay.count") polls=$(($(sum dcampChildPolls) - polls))
    read -r poll_octets poll_packets < <(echo "$before $after" | awk -v polls="$polls" '
        { printf "%.1f %.2f\n", ($8 + $10 - $3 - $5) / polls, ($7 + $9 - $2 - $4) / polls }')
    stop_dcamp
    end "$relay_pid"
}
