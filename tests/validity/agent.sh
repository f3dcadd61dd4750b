# shellcheck shell=bash disable=SC2154 # set by run, validity.sh and loads.sh
# The same interval seen by another snmpd, which knows nothing of dCAMP: its own UCD-SNMP-MIB,
# HOST-RESOURCES-MIB and IF-MIB, by number, for Debian ships no MIB files.

ucd=.1.3.6.1.4.1.2021
hr=.1.3.6.1.2.1.25
if_x=.1.3.6.1.2.1.31.1.1.1
caches=.1.3.6.1.4.1.8072.1.5.3.1.2.1.3.6.1.2.1 # nsCacheTimeout of what is in mib-2
agent_port=''
agent_oids=()
agent_rows=() # of each: what, kind, factor, room, metric, instance

# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"

start_agent() {
    local attempt secret agent_pid
    mkdir -p "$work/agent/persist/cert_indexes"
    secret=$(od -An -N 12 -tx1 /dev/urandom | tr -d ' \n')
    agent=(-v3 -l authPriv -u other -a SHA-256 -A "$secret" -x AES -X "$secret")
    for ((attempt = 0; attempt < 5; attempt++)); do
        agent_port=$(free_port)
        {
            echo "agentAddress udp:127.0.0.1:$agent_port"
            echo "createUser other SHA-256 \"$secret\" AES \"$secret\""
            echo "rwuser other priv"
            echo "dontLogTCPWrappersConnects yes"
        } >"$work/agent/snmpd.conf"
        env MIBS= SNMPCONFPATH="$work/agent" SNMP_PERSISTENT_DIR="$work/agent/persist" \
            snmpd -f -LF e "$work/agent/log" -C -c "$work/agent/snmpd.conf" </dev/null >/dev/null 2>&1 &
        agent_pid=$!
        jobs_started+=("$agent_pid")
        within 5 owns_port "$agent_pid" "$agent_port" && within 5 agent_get .1.3.6.1.2.1.1.3.0 && return 0
    done
    unusable "the other snmpd does not start: $(tail -n 3 "$work/agent/log")"
}

agent_get() {
    MIBS='' snmpget -t 5 -OqvUe "${agent[@]}" "127.0.0.1:$agent_port" "$@"
}

# index_of OID NAME: the last number of the instance that has this name.
index_of() {
    MIBS='' snmpbulkwalk -t 5 -OqnU "${agent[@]}" "127.0.0.1:$agent_port" "$1" |
        awk -v name="$2" '{ oid = $1; sub(/^[^ ]+ /, ""); gsub(/"/, "") } $0 == name { sub(/.*\./, "", oid); print oid; exit }'
}

# ask OID WHAT KIND FACTOR ROOM METRIC INSTANCE: FACTOR times theirs is ours.
ask() {
    agent_oids+=("$1")
    shift
    local IFS=$'\t'
    agent_rows+=("$*")
}

agent_cells() {
    local field oid what ours index room pages=262144 megabyte=1048576
    for field in 50:User:user 51:Nice:nice 52:System:system 53:Idle:idle 54:Wait:iowait 61:SoftIRQ:softirq 64:Steal:steal; do
        IFS=: read -r oid what ours <<<"$field"
        ask $ucd.11."$oid".0 "ssCpuRaw$what" count 0.01 0.01 "cpu.$ours" total
    done
    ask $ucd.11.59.0 ssRawInterrupts count 1 0 kernel.interrupts total
    ask $ucd.11.60.0 ssRawContexts count 1 0 kernel.switches total
    ask $ucd.11.57.0 ssIORawSent count 512 1024 vm.paged.out total
    ask $ucd.11.58.0 ssIORawReceived count 512 1024 vm.paged.in total
    room=$(calculate "0.002 * 1024 * $(agent_get $ucd.4.5.0)")
    ask $ucd.4.5.0 memTotalReal level 1024 0 mem.total total
    ask $ucd.4.6.0 memAvailReal level 1024 "$room" mem.free total
    ask $ucd.4.27.0 memSysAvail level 1024 "$room" mem.available total
    ask $ucd.4.14.0 memBuffer level 1024 4194304 mem.buffers total
    ask $ucd.4.3.0 memTotalSwap level 1024 0 swap.total total
    ask $ucd.4.4.0 memAvailSwap level 1024 4194304 swap.free total
    # It takes them from sysinfo(2) and rounds to two digits; /proc/loadavg adds 10/2048 and cuts
    # (kernel/sched/loadavg.c get_avenrun): the last digit may be another.
    for field in 1:1 2:5 3:15; do
        ask $ucd.10.1.3.${field%:*} "laLoad.${field%:*}" level 1 0.0101 load.${field#*:} total
    done
    index=$(index_of $hr.2.3.1.3 /)
    if [[ -n $index ]]; then
        oid=$(agent_get $hr.2.3.1.4."$index")
        ask $hr.2.3.1.5."$index" "hrStorageSize of /" level "$oid" 0 fs.size /
        ask $hr.2.3.1.6."$index" "hrStorageUsed of /" level "$oid" "$((64 * megabyte))" fs.used /
    fi
    ask $hr.5.1.1.1."$mix_pid" hrSWRunPerfCPU count 0.01 0.01 proc.cpu "$program/$mix_pid"
    ask $hr.5.1.1.2."$mix_pid" hrSWRunPerfMem level 1024 $pages proc.rss "$program/$mix_pid"
    agent_network
    agent_disk
    # So that they look often.
    for field in 2.2 25.4.2; do
        MIBS='' snmpset "${agent[@]}" "127.0.0.1:$agent_port" $caches.$field i 1 >/dev/null
    done
}

agent_network() {
    local end=lo index field oid what ours
    [[ $have_network == no ]] || end=${net}a
    index=$(<"/sys/class/net/$end/ifindex")
    for field in 6:ifHCInOctets:rx.bytes 7:ifHCInUcastPkts:rx.packets 10:ifHCOutOctets:tx.bytes 11:ifHCOutUcastPkts:tx.packets; do
        IFS=: read -r oid what ours <<<"$field"
        ask $if_x."$oid"."$index" "$what ${end/$net*/veth}" count 1 0 "net.$ours" "$end"
    done
}

agent_disk() {
    local index field oid what ours
    [[ -n $disk ]] || return 0
    index=$(index_of $ucd.13.15.1.1.2 "${disk#/dev/}")
    [[ -n $index ]] || return 0
    for field in 5:diskIOReads:reads 6:diskIOWrites:writes 12:diskIONReadX:read.bytes 13:diskIONWrittenX:write.bytes; do
        IFS=: read -r oid what ours <<<"$field"
        ask $ucd.13.15.1.1."$oid"."$index" "$what" count 1 0 "disk.$ours" "${disk#/dev/}"
    done
    ask $ucd.13.15.1.1.14."$index" diskIOBusyTime count 0.001 0 disk.busy "${disk#/dev/}"
}

# ask_dcampd: a line, as below.
ask_dcampd() {
    local begun values
    begun=$(now_ms)
    values=$(get "${objects[@]}" | tr '\n ' '\t_')
    echo "dcampd $begun $(now_ms) $values"
}

# ask_agent NAME: dcampd and the other in turns, so long that each of its caches is read anew, and
# dcampd once more when its sensors have seen what the other has seen last. A line is who, when it
# began and ended, and the values.
ask_agent() {
    local until=$(($(now_ms) + 5500)) begun values
    {
        while (($(now_ms) < until)); do
            ask_dcampd
            begun=$(now_ms)
            values=$(agent_get "${agent_oids[@]}" | tr -d '"' | tr '\n ' '\t_')
            echo "other $begun $(now_ms) $values"
            sleep 0.05
        done
        sleep 0.25
        ask_dcampd
    } >"$work/$1"
}

# The other looked between its last answer with the old value and its first with a new one. dcampd's
# sensors did so before when their values were read before the former, and after when 250 ms, more
# than twice their interval, have passed since the latter. A counter that did not move in all that
# time, and a level, is what dcampd had at any time of it.
compare_agent() {
    local what cell theirs low high room
    printf '%s\n' "${cells[@]}" >"$work/cells"
    printf '%s\n' "${agent_rows[@]}" >"$work/asked"
    awk -v wrap=4294967296 '
        FILENAME ~ /cells$/ { cell[$0] = FNR + 3; next }
        FILENAME ~ /asked$/ { asked[++n] = $0; next }
        FNR == 1 { when++ }
        $1 == "dcampd" { m[when]++; d[when, m[when]] = $0; next }
        { o[when, m[when]] = $0; begun[when, m[when]] = $2; end[when, m[when]] = $3 }
        function field(line, i,    parts) {
            split(line, parts, /[ \t]/)
            return parts[i]
        }
        # The index of the answer of w that is new, 0 for none; old is that of the one before it. An
        # answer without the row is none: snmpd is filling its table.
        function edge(w, i,    k, v, last) {
            old = 0
            for (k = 1; k < m[w]; k++) {
                v = field(o[w, k], i)
                if (v !~ /^[0-9.]+$/)
                    continue
                if (old && v != last)
                    return k
                last = v
                old = k
            }
            return 0
        }
        function look(w, i, c,    k, later) {
            k = edge(w, i)
            theirs[w] = field(o[w, k ? k : old], i)
            before[w] = field(d[w, k ? old : 1], c)
            later = k ? k + 1 : m[w]
            while (later < m[w] && field(d[w, later], 2) < end[w, k] + 250)
                later++
            after[w] = field(d[w, later], c)
        }
        function count(i, c, a,    off) {
            look(1, i, c)
            look(2, i, c)
            off = theirs[2] - theirs[1]
            if (off < 0) # a Counter32
                off += wrap
            print_row(a, theirs[1] == "" || theirs[2] == "" ? "none" : a[3] * off, before[2] - after[1], after[2] - before[1])
        }
        function level(i, c, a,    k, v, low, high) {
            for (k = 1; k <= m[2]; k++) {
                v = field(d[2, k], c) + 0
                low = k == 1 || v < low ? v : low
                high = k == 1 || v > high ? v : high
            }
            v = field(o[2, m[2] - 1], i)
            print_row(a, v ~ /^[0-9.]+$/ ? a[3] * v : "none", low, high)
        }
        function print_row(a, v, low, high) {
            printf "%s: %s\t%s %s\t%s\t%.15g\t%.15g\t%s\n", a[1], a[5], a[5], a[6], v == "none" ? v : sprintf("%.15g", v), low, high, a[4]
        }
        END {
            for (j = 1; j <= n; j++) {
                split(asked[j], a, "\t")
                c = cell[a[5] " " a[6]]
                if (a[2] == "count")
                    count(j + 3, c, a)
                else
                    level(j + 3, c, a)
            }
        }' "$work"/{cells,asked,agent.begin,agent.end} >"$work/compared"
    values Unit q. >"$work/units"
    while IFS=$'\t' read -r what cell theirs low high room; do
        row_between "snmpd $what" "$(value units "${cell% *}" "${cell##* }")" "$theirs" "$low" "$high" "$room"
    done <"$work/compared"
}
