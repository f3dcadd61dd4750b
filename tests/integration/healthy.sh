# shellcheck shell=bash
# Healthy children beside somebody hostile: whether they are late, and what their collector takes
# meanwhile.

healthy_of='' healthy_extra=() healthy_names=() healthy_looks=0 healthy_late=0 healthy_most=()
healthy_pids=() healthy_first=() healthy_cpu=0 healthy_began=0

# The collector and its poller and receiver, if there are any.
healthy_processes() {
    local core=$1
    echo "$core"
    pgrep -P "$core" || true
}

rss_of() {
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"
}

# Of several processes together, in 1/100 s.
cpu_of() {
    local pid sum=0 stat
    for pid in "$@"; do
        read -r -a stat <<<"$(sed 's/.*) //' "/proc/$pid/stat")"
        sum=$((sum + stat[11] + stat[12]))
    done
    echo "$sum"
}

healthy_counter() {
    local name sum=0
    for name in "${healthy_names[@]}"; do
        sum=$((sum + $(at "$healthy_of" get "dcampChild$1.\"$name\"")))
    done
    echo "$sum"
}

# healthy_begin COLLECTOR CHILD...: other processes whose memory counts are in healthy_extra.
healthy_begin() {
    local i name
    healthy_of=$1
    healthy_names=("${@:2}")
    for name in "${healthy_names[@]}"; do
        eventually "$name is up" 10 healthy_is_up_at "$healthy_of" "$name"
    done
    mapfile -t healthy_pids < <(healthy_processes "$(pid_of dcampd "$healthy_of")")
    healthy_pids+=("${healthy_extra[@]}")
    for i in "${!healthy_pids[@]}"; do
        healthy_first[i]=$(rss_of "${healthy_pids[i]}")
        healthy_most[i]=${healthy_first[i]}
    done
    healthy_cpu=$(cpu_of "${healthy_pids[@]}")
    healthy_began=${EPOCHREALTIME/./}
    healthy_missed=$(healthy_counter Missed)
    healthy_polls=$(healthy_counter Polls)
}

# healthy_is_up_at COLLECTOR CHILD
healthy_is_up_at() {
    [[ $(at "$1" get "dcampChildState.\"$2\"") == up ]]
}

# healthy_watch SECONDS: looks several times a second.
healthy_watch() {
    local until=$((${EPOCHREALTIME/./} + $1 * 1000000)) name i now
    while ((${EPOCHREALTIME/./} < until)); do
        for name in "${healthy_names[@]}"; do
            healthy_looks=$((healthy_looks + 1))
            healthy_is_up_at "$healthy_of" "$name" || {
                healthy_late=$((healthy_late + 1))
                echo "# $name is $(at "$healthy_of" get "dcampChildState.\"$name\"" || true)"
            }
        done
        for i in "${!healthy_pids[@]}"; do
            now=$(rss_of "${healthy_pids[i]}")
            ((now <= healthy_most[i])) || healthy_most[i]=$now
        done
        sleep 0.2
    done
}

# healthy_end KB: no process has grown by more than that.
healthy_end() {
    local i pid passed cpu
    passed=$((${EPOCHREALTIME/./} - healthy_began))
    cpu=$(($(cpu_of "${healthy_pids[@]}") - healthy_cpu))
    echo "# $((passed / 1000000)) s: $healthy_looks looks at the states," \
        "$(($(healthy_counter Polls) - healthy_polls)) polls of healthy children;" \
        "CPU of the collector and its processes: $((cpu * 1000000 / passed)) %"
    ok "the healthy children were looked at" test "$healthy_looks" -ge 10
    is "they were never late" "$healthy_late" 0
    is "not one of their polls brought nothing" "$(healthy_counter Missed)" "$healthy_missed"
    for i in "${!healthy_pids[@]}"; do
        pid=${healthy_pids[i]}
        echo "# $(<"/proc/$pid/comm"): from ${healthy_first[i]} kB to ${healthy_most[i]} kB at most"
        ok "process $pid is still the same" test -e "/proc/$pid"
        if grep -q libasan "/proc/$pid/maps"; then
            report 0 "its memory # SKIP this build keeps what is freed"
        else
            ok "its memory stays within the bound" \
                test $((healthy_most[i] - healthy_first[i])) -le "$1"
        fi
    done
}
