# shellcheck shell=bash
# The simulator of children, for tests and benchmarks that have a directory $work: started, told
# commands, and known to the configuration of a collector.

work=${work:?}
sim_program=${DCAMP_BUILD:?}/tests/sim/dcamp-sim
sim_log=$work/sim.log
sim_pid='' sim_port=''
mkfifo "$work/sim.commands"
exec {sim_control}<>"$work/sim.commands" # held open, so that writing never waits for a reader

# sim_start [OPTION...]: at a port that is free. Its PID is in sim_pid, for the caller to end.
sim_start() {
    local attempt i
    for ((attempt = 0; attempt < 5; attempt++)); do
        sim_port=$((10000 + RANDOM % 10000))
        : >"$sim_log"
        "$sim_program" --port "$sim_port" --ready "$@" <&"$sim_control" >"$sim_log" 2>&1 &
        sim_pid=$!
        for ((i = 0; i < 300; i++)); do
            ! grep -q '^ready' "$sim_log" || return 0
            kill -0 "$sim_pid" 2>/dev/null || break
            sleep 0.1
        done
        kill "$sim_pid" 2>/dev/null || true
        wait "$sim_pid" || true
    done
    echo "the simulator does not start: $(cat "$sim_log")" >&2
    return 1
}

# sim_tell COMMAND: prints the reply, and what came before it.
sim_tell() {
    local lines i
    lines=$(wc -l <"$sim_log")
    echo "$1" >&"$sim_control"
    for ((i = 0; i < 1000; i++)); do
        if tail -n "+$((lines + 1))" "$sim_log" | grep -qE '^(ok|error): '; then
            tail -n "+$((lines + 1))" "$sim_log"
            return
        fi
        kill -0 "$sim_pid" 2>/dev/null || break
        sleep 0.01
    done
    echo "no reply to $1" >&2
    return 1
}

# sim_do COMMAND: it must be a good one.
sim_do() {
    sim_tell "$1" | grep -q '^ok: '
}

sim_stop() {
    echo quit >&"$sim_control"
    wait "$sim_pid"
}

# sim_credential: the element of a configuration. Its secrets are in a file of their own.
sim_credential() {
    (umask 077 && printf 'auth auth-secret-sim\npriv priv-secret-sim\n' >"$work/sim.secret")
    echo "<credential name=\"sim\" user=\"dcamp\" secrets=\"$work/sim.secret\"/>"
}

# sim_children FIRST LAST PERIOD: their elements; sim7 is the child 7.
sim_children() {
    awk -v first="$1" -v last="$2" -v period="$3" -v port="$sim_port" 'BEGIN {
        for (n = first; n <= last; n++)
            printf "<child name=\"sim%d\" address=\"udp:127.%d.%d.%d:%d\" credential=\"sim\" " \
                "period=\"%s\"/>\n", n, 1 + int(n / 65536), int(n / 256) % 256, n % 256, port, period
    }'
}
