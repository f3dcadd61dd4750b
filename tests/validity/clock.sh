# shellcheck shell=bash
# The clock, in milliseconds since 1970.

now_ms() {
    echo $((${EPOCHREALTIME/./} / 1000))
}

sleep_until() {
    local left=$(($1 - $(now_ms)))
    ((left <= 0)) || sleep "$((left / 1000)).$(printf '%03d' $((left % 1000)))"
}
