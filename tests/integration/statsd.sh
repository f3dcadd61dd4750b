#!/usr/bin/env bash
# statsd.sh: dcamp-statsd, and what it publishes of datagrams: over both addresses of loopback, in a flood,
# of names without end, by applications; when a process of one dies, and when it is told to end.
# shellcheck disable=SC2016 # what eval gets is expanded there
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
work=$(mktemp -d "${DCAMP_TEST_DIR:-/tmp}/dcamp-test.XXXXXX")
export LC_ALL=C.UTF-8 DCAMP_APPS=$work/apps
# shellcheck source=assert.sh
. "$top/tests/integration/assert.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"

daemon=
clean_up() {
    [[ -z $daemon ]] || kill "$daemon" 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# sensors: what is in the segments.
sensors() {
    python3 -B "$top/tests/integration/segment.py" "$DCAMP_APPS"/*
}

# sensor NAME INSTANCE: the words of it, with blanks between.
sensor() {
    sensors | sed -n "s/^$1 $2 [a-z]* //p"
}

# has NAME INSTANCE WORDS
has() {
    [[ $(sensor "$1" "$2") == "$3" ]]
}

# start OPTION...: the daemon, on the ports that are in ports.
start() {
    rm -rf "$DCAMP_APPS"
    mkdir "$DCAMP_APPS"
    "$build/dcamp-statsd" "$@" 2>"$work/log" &
    daemon=$!
    within 20 eval '[[ $(sensors) == *"statsd.lost - counter"* ]]' || {
        cat "$work/log"
        exit 1
    }
}

# stop DESCRIPTION: it ends when it is told, with status 0.
stop() {
    local status=0
    kill -TERM "$daemon"
    wait "$daemon" || status=$?
    daemon=
    is "$1" "$status" 0
}

# send HOST TEXT: one datagram.
send() {
    python3 -c 'import socket, sys
host, port, text = sys.argv[1:]
with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as out:
    out.sendto(text.encode(), (host, int(port)))' "$1" "$port" "$2"
}

port=$(free_ports 1)

# -- Lines -----------------------------------------------------------------------------------
has_six=no
listen=(--listen "127.0.0.1:$port")
if grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 2>/dev/null; then
    has_six=yes
    listen+=(--listen "[::1]:$port")
fi

start "${listen[@]}"
echo "orders:2|c" >"/dev/udp/127.0.0.1/$port"
send 127.0.0.1 $'orders:3|c|#shop:a,kind:tea\npayment:250|ms|@0.5\r\nqueue:7|g\n\nqueue:-2|g\nsize:-3:5|h\nusers:9|s\nnonsense'
[[ $has_six == no ]] || send ::1 "orders:4|c"
eventually "a counter" 20 has orders - "$([[ $has_six == yes ]] && echo 6 || echo 2)"
eventually "with tags" 20 has orders kind:tea,shop:a 3
is "a timer" "$(sensor payment -)" "2 500000000 2"
is "a gauge" "$(sensor queue -)" 5
is "a histogram" "$(sensor size -)" "2 2 0 2"
is "what is not counted is" "$(sensor statsd.lines unsupported) $(sensor statsd.lines malformed)" "1 1"
is "the name of the application" "$(sensors | sed -n "1s/ [0-9]*$//p")" "open statsd"
ok "another one cannot have the address" eval '! "$build/dcamp-statsd" "${listen[@]}" 2>"$work/said" && grep -q "127.0.0.1 port $port: Address already in use" "$work/said"'

# -- A flood ---------------------------------------------------------------------------------

# More than a thousand times as many names as it may have, and more datagrams than it can take: each that was
# sent was taken or is known to be lost.
resident() {
    awk '/^VmRSS/ { print $2 }' "/proc/$daemon/status"
}
# unqueued: packets of the whole machine that came to no socket, for its processors had too many waiting.
unqueued() {
    local n=0 dropped _
    while read -r _ dropped _; do
        n=$((n + 16#$dropped))
    done </proc/net/softnet_stat
    echo "$n"
}
before=$(($(sensor statsd.datagrams -) + $(sensor statsd.lost -)))
unqueued_before=$(unqueued)
resident_before=$(resident)
python3 - "$port" 60000 <<'END'
import socket
import sys

out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.connect(("127.0.0.1", int(sys.argv[1])))
for i in range(int(sys.argv[2])):
    out.send(b"flood:1|c\nflood%d:1|c|#%d\nother.%d:1|ms|@0.01\n" % (i, i, i) + b"x" * (i % 1000))
END
accounted() {
    send 127.0.0.1 "flood.over:1|c"
    sent=$((sent + 1))
    missing=$((before + sent - $(sensor statsd.datagrams -) - $(sensor statsd.lost -)))
    ((missing >= 0 && missing <= $(unqueued) - unqueued_before))
}
sent=60000
eventually "all datagrams are accounted for" 60 accounted
ok "it has as many sensors as it may" test "$(sensors | wc -l)" -le $((1 + 500 + 9))
ok "what is beyond them is counted" test "$(sensor statsd.lines crowded)" -gt 1000
# Sanitizers keep what is freed.
[[ $(sed -n 's/^SANITIZE_FLAGS = //p' "$build/Makefile") != '' ]] ||
    ok "and takes no memory: $resident_before KB before, $(resident) KB after" test "$(resident)" -le $((resident_before + 8192))
echo "# of 60000 datagrams $(sensor statsd.lost -) were lost"
stop "the daemon ends when it is told"
is "and says so in its file" "$(sensors | sed -n "1s/ [0-9]*$//p")" "closed statsd"

# -- Applications ----------------------------------------------------------------------------

# files_of APPLICATION: its segments that are open.
files_of() {
    local file said
    for file in "$DCAMP_APPS"/*; do
        said=$(python3 -B "$top/tests/integration/segment.py" "$file")
        [[ $said != "open $1 "* ]] || echo "$file"
    done
}
# of APPLICATION SENSOR [INSTANCE]: the words of that sensor.
of() {
    local file
    for file in $(files_of "$1"); do
        python3 -B "$top/tests/integration/segment.py" "$file" | sed -n "s/^$2 ${3:--} [a-z]* //p"
    done
}
counts() {
    [[ $(of "$1" "$2") == "$3" ]]
}

start "${listen[@]}" --by-prefix --applications 2 --name other --sensors 20
send 127.0.0.1 $'shop.orders:1|c\nshop.orders:2|c\ncook.soup.hot:3|c\nplain:4|c\nthird.x:5|c\nbad.x:y|c'
eventually "the first part of a name is the application" 20 counts shop orders 3
eventually "another is another" 20 counts cook soup.hot 3
eventually "without one, it is that of --name" 20 counts other plain 4
eventually "and of those that would be too many" 20 counts other third.x 5
is "lines that make no sense make none" "$(files_of bad)" ""
is "they are counted" "$(of other statsd.lines malformed)" 1
is "there are three processes" "$(find "$DCAMP_APPS" -type f | wc -l)" 3
child=$(basename "$(files_of shop)")
kill -KILL "${child%%.*}"
revived() {
    send 127.0.0.1 "shop.orders:1|c"
    [[ $(of shop orders) -ge 1 ]]
}
rm "$DCAMP_APPS/$child"
eventually "a process that has died is there again" 30 revived
eventually "what could not be told is known to be lost" 20 eval 'send 127.0.0.1 x:1\|c; [[ $(of other statsd.lost) -ge 1 ]]'
stop "they end when they are told"
eventually "all of them" 20 eval '[[ $(sensors) != *"open "* ]]'

# -- What is wrong ---------------------------------------------------------------------------

fails() {
    local expected=$1 pattern=$2 code=0
    shift 2
    timeout -k 1 60 "$@" >"$work/out" 2>"$work/said" </dev/null || code=$?
    # shellcheck disable=SC2053 # a pattern
    [[ $code -eq $expected && $(<"$work/said") == $pattern && $(wc -l <"$work/said") -eq 1 && ! -s $work/out ]] || {
        echo "status $code: $(<"$work/said")"
        return 1
    }
}
ok "a directory that there is not" fails 3 "*nothing can be published: a file in /nonexistent cannot be created: No such file*" \
    env DCAMP_APPS=/nonexistent "$build/dcamp-statsd" --listen "127.0.0.1:$port"
ok "an address that is none of this machine" fails 3 "*192.0.2.1 port 8125: Cannot assign requested address" \
    "$build/dcamp-statsd" --listen 192.0.2.1
ok "a standard input that is no socket" fails 3 "*standard input is no socket of datagrams" "$build/dcamp-statsd" --stdin
ok "an option that is none" eval '! "$build/dcamp-statsd" --nonsense 2>"$work/said" && grep -q "unrecognized option .--nonsense" "$work/said"'
ok "its help is what the manual has" eval '
    for option in $("$build/dcamp-statsd" --help | grep -oE -- "--[a-z-]+" | sort -u); do
        grep -q -- "Fl Fl ${option#--}" "$top/doc/man/dcamp-statsd.8" || exit 1
    done'
finish
