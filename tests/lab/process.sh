# shellcheck shell=bash
# Processes and ports of a lab, for the script lab, which sets dir and has die.
#
# A process is recorded as "PID START", START from /proc/PID/stat, so that nobody else's process
# that got the same PID is ever signalled.

dir=${dir:-}
ended=()
reserved=() # ports that were chosen for somebody who does not have them yet: nobody else gets them

# Finds the start time of process $1, in started; fails when there is none or it is a zombie. Of a
# process that is killed, the first thread may have ended while others still do, with the files and
# locks of them all. Nothing here is run by another process: a large lab asks thousands of times.
start_time() {
    local stat='' threads
    started=
    { IFS= read -r -d '' stat <"/proc/$1/stat" || [[ -n $stat ]]; } 2>/dev/null || return 1
    read -r -a stat <<<"${stat##*) }"
    threads=("/proc/$1/task/"*)
    [[ ${stat[0]} != [ZX] || ${#threads[@]} -gt 1 ]] && started=${stat[19]}
}

# Finds the PID of the recorded process $1, in pid; fails when it is not running.
find_process() {
    local start started
    { read -r pid start <"$dir/pid/$1"; } 2>/dev/null || return 1
    start_time "$pid" && [[ $started == "$start" ]]
}

# Prints it.
pid_of() {
    local pid
    find_process "$1" && echo "$pid"
}

# spawn NAME LOG COMMAND...: starts a daemon away from this terminal and records it.
spawn() {
    local name=$1 log=$2 started
    shift 2
    setsid "$@" </dev/null >>"$log" 2>&1 &
    start_time "$!" || started=gone
    echo "$! $started" >"$dir/pid/$name"
}

# signal_process NAME SIGNAL: a stopped process must go on to die of it.
signal_process() {
    local pid
    find_process "$1" || return 0
    kill -s "$2" "$pid" 2>/dev/null || return 0
    kill -s CONT "$pid" 2>/dev/null || true
}

# Waits until process $1 is gone, at most $2 tenths of a second.
wait_gone() {
    local i pid
    for ((i = 0; i < $2; i++)); do
        find_process "$1" || return 0
        sleep 0.1
    done
    ! find_process "$1"
}

# end_processes SIGNAL NAME...: all at once, then by force.
end_processes() {
    local signal=$1 name record
    shift
    for name in "$@"; do
        signal_process "$name" "$signal"
    done
    for name in "$@"; do
        if ! wait_gone "$name" 100; then
            echo "lab: $name does not end, killing it" >&2
            signal_process "$name" KILL
            wait_gone "$name" 50 || die "$name (pid $(pid_of "$name")) cannot be killed"
        fi
        [[ -e $dir/pid/$name ]] || continue
        read -r record <"$dir/pid/$name" || true
        ended+=("$record")
    done
    rm -f "${@/#/$dir/pid/}"
}

# Some init processes are slow to collect the dead; who looks at once would still find them.
wait_collected() {
    local i record
    for record in "${ended[@]}"; do
        for ((i = 0; i < 20; i++)); do
            [[ -n $record && -e /proc/${record% *} ]] || break
            sleep 0.1
        done
    done
}

# -- Ports -----------------------------------------------------------------------------------

# Prints the inodes of the UDP sockets bound to port $1.
udp_inodes() {
    awk -v port="$(printf ':%04X' "$1")" 'substr($2, length($2) - 4) == port { print $10 }' \
        /proc/net/udp /proc/net/udp6 2>/dev/null || true
}

# free_ports N: so many ports below the ephemeral ones that nobody has at the moment, by UDP or TCP, all
# different.
free_ports() {
    local i
    # Chance is bash's: what the awks of this world make of a seed differs little from seed to seed at
    # first, and tests that run side by side would all take the same ports.
    for ((i = 0; i < 8 * $1 + 64; i++)); do
        echo "$((20000 + SRANDOM % 12000))"
    done | awk -v n="$1" -v reserved="${reserved[*]}" '
        BEGIN {
            split(reserved, ports)
            for (i in ports)
                taken[sprintf("%04X", ports[i])] = 1
        }
        NF > 1 { taken[substr($2, length($2) - 3)] = 1 }
        NF == 1 && n > 0 {
            hex = sprintf("%04X", $1)
            if (!(hex in taken)) {
                taken[hex] = 1
                print $1
                n--
            }
        }
        END { exit n > 0 }' /proc/net/udp /proc/net/tcp "$([[ -e /proc/net/udp6 ]] && echo /proc/net/udp6 || echo /dev/null)" \
        "$([[ -e /proc/net/tcp6 ]] && echo /proc/net/tcp6 || echo /dev/null)" - ||
        die "there is no port left between 20000 and 32000"
}
free_port() {
    free_ports 1
}

# owns_port PID PORT
owns_port() {
    local inode
    for inode in $(udp_inodes "$2"); do
        find "/proc/$1/fd" -lname "socket:\[$inode\]" -print -quit 2>/dev/null |
            grep -q . && return 0
    done
    return 1
}

# wait_port NAME PORT: until the daemon has its port; fails when it ends first.
wait_port() {
    local pid i
    for ((i = 0; i < 400; i++)); do
        find_process "$1" || return 1
        owns_port "$pid" "$2" && return 0
        sleep 0.05
    done
    return 1
}

# -- Many of them ----------------------------------------------------------------------------

# failing COMMAND ID...: runs the command for each, a few at the same time, and prints those for which
# it fails.
failing() (
    local command=$1 id n=0
    shift
    for id in "$@"; do
        { "$command" "$id" || echo "$id"; } &
        ((++n % 8)) || wait
    done
    wait
)
