# shellcheck shell=bash
# Processes and ports of a lab, for the script lab, which sets dir and has die.
#
# A process is recorded as "PID START", START from /proc/PID/stat, so that nobody else's process
# that got the same PID is ever signalled.

dir=${dir:-}
ended=()

# Prints the start time of process $1; fails when there is none or it is a zombie. Of a process that is
# killed, the first thread may have ended while others still do, with the files and locks of them all.
start_time() {
    local stat threads
    { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
    read -r -a stat <<<"${stat##*) }"
    threads=("/proc/$1/task/"*)
    [[ ${stat[0]} != [ZX] || ${#threads[@]} -gt 1 ]] && echo "${stat[19]}"
}

# Prints the PID of the recorded process $1; fails when it is not running.
pid_of() {
    local pid start
    read -r pid start 2>/dev/null <"$dir/pid/$1" || return 1
    [[ $(start_time "$pid") == "$start" ]] && echo "$pid"
}

# spawn NAME LOG COMMAND...: starts a daemon away from this terminal and records it.
spawn() {
    local name=$1 log=$2 pid
    shift 2
    setsid "$@" </dev/null >>"$log" 2>&1 &
    pid=$!
    echo "$pid $(start_time "$pid" || echo gone)" >"$dir/pid/$name"
}

# signal_process NAME SIGNAL: a stopped process must go on to die of it.
signal_process() {
    local pid
    pid=$(pid_of "$1") || return 0
    kill -s "$2" "$pid" 2>/dev/null || return 0
    kill -s CONT "$pid" 2>/dev/null || true
}

# Waits until process $1 is gone, at most $2 tenths of a second.
wait_gone() {
    local i
    for ((i = 0; i < $2; i++)); do
        pid_of "$1" >/dev/null || return 0
        sleep 0.1
    done
    ! pid_of "$1" >/dev/null
}

# end_processes SIGNAL NAME...: all at once, then by force.
end_processes() {
    local signal=$1 name
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
        [[ ! -e $dir/pid/$name ]] || ended+=("$(<"$dir/pid/$name")")
        rm -f "$dir/pid/$name"
    done
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

# A port below the ephemeral ones that nobody has at the moment.
free_port() {
    local port
    while :; do
        port=$((20000 + (RANDOM << 15 | RANDOM) % 12000))
        [[ -z $(udp_inodes "$port") ]] && break
    done
    echo "$port"
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
    for ((i = 0; i < 200; i++)); do
        pid=$(pid_of "$1") || return 1
        owns_port "$pid" "$2" && return 0
        sleep 0.05
    done
    return 1
}
