#!/usr/bin/env bash
# Programs that publish metrics over HTTP are sources like all else: every type of number, exactly, also
# where the program begins anew; and what hangs, sends without end, is slow for ever, is broken or goes
# away has no values itself, and costs nobody else any.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"
# shellcheck source=exposer.sh
. "$top/tests/integration/exposer.sh"

hostile=(hang gigabyte oneline slow slowlines headers cut chunks html busy redirect nothing binary ended close)

# What a proxy of the environment would be asked is nobody.
export http_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 all_proxy=http://127.0.0.1:1

# -- The programs ----------------------------------------------------------------------------

config() { # [ENDPOINT...]
    local name
    cat <<END
<dcamp version="1">
  <node name="x"/>
  <endpoints>
    <endpoint name="good" url="http://localhost:$port/text/good" interval="1s"/>
    <endpoint name="open" url="http://127.0.0.1:$port/open/open" interval="1s"/>
    <endpoint name="socket" url="http://localhost/untyped/good" socket="$work/say/socket" interval="1s"/>
    $(for name in "$@"; do
        echo "<endpoint name=\"$name\" url=\"http://127.0.0.1:$port/$name/good\" interval=\"1s\" timeout=\"900ms\"/>"
    done)
  </endpoints>
  <sensors>
    <sensor name="up" metric="endpoint.up" interval="500ms"/>
    <sensor name="time" metric="endpoint.time" interval="1s"/>
    <sensor name="octets" metric="endpoint.octets" interval="1s"/>
    <sensor name="answers" metric="endpoint.answers" interval="500ms"/>
    <sensor name="failures" metric="endpoint.failures" interval="500ms"/>
    <sensor name="faults" metric="endpoint.faults" interval="1s"/>
    <sensor name="series" metric="endpoint.series" interval="1s"/>
    <sensor name="left" metric="endpoint.left" interval="1s"/>
    <sensor name="beyond" metric="endpoint.beyond" interval="1s"/>
    <sensor name="count" metric="endpoint.count" instances="!*:unseen* *" interval="500ms"/>
    <sensor name="rate" metric="endpoint.count" instances="good:orders_total*" calculation="rate" interval="500ms"/>
    <sensor name="value" metric="endpoint.value" instances="!*:unseen* *" interval="500ms"/>
    <sensor name="sum" metric="endpoint.sum" interval="500ms"/>
    <sensor name="wait" metric="endpoint.sum" calculation="average" interval="700ms" window="1d"/>
    <sensor name="load.1" metric="load.1" interval="1s"/>
  </sensors>
</dcamp>
END
}

good() { # ORDERS
    say good <<END
# HELP orders_total What was ordered.
# TYPE orders_total counter
orders_total{by="card",at="web"} $1
# TYPE busy_seconds_total counter
busy_seconds_total 12.375
# TYPE queue gauge
queue -2.5
# TYPE unseen gauge
unseen{n="1"} 1
unseen{n="2"} 1
# TYPE took_seconds summary
took_seconds{quantile="0.5"} 0.25
took_seconds_sum 40
took_seconds_count 8
plain 7
END
}

# open COUNT0.011 COUNT0.012 SUM CREATED [ORDERS]: a histogram with buckets that are narrow enough.
open() {
    say open <<END
# TYPE wait_seconds histogram
# UNIT wait_seconds seconds
wait_seconds_bucket{le="0.01"} 0
wait_seconds_bucket{le="0.011"} $1
wait_seconds_bucket{le="0.012"} $2
wait_seconds_bucket{le="+Inf"} $2
wait_seconds_count $2
wait_seconds_sum $3
wait_seconds_created $4
# TYPE coarse histogram
coarse_bucket{le="1.0"} $1
coarse_bucket{le="+Inf"} $2
coarse_count $2
coarse_sum $3
# TYPE orders counter
orders_total ${5:-5}
orders_created $4
# TYPE build info
build_info{version="1"} 1
# TYPE mode stateset
mode{mode="up"} 1
mode{mode="down"} 0
# EOF
END
}

port=$(free_ports 1)
mkdir -p "$work/say"
serve "$work/say" "$port" "$work/say/socket"
good 100
open 10 20 0.22 1000

# -- The configuration -----------------------------------------------------------------------

check() { # URL [ATTRIBUTES]
    printf '<dcamp version="1"><endpoints>\n<endpoint name="a" url="%s" %s/></endpoints></dcamp>\n' \
        "$1" "${2:-}" >"$work/check.xml"
    "$DCAMP_BUILD/dcampd" --check-config --config "$work/check.xml" 2>&1
}
DCAMP_BUILD=${DCAMP_BUILD:-$top/build}

for url in http://192.0.2.1/metrics http://example.org/ http://localhost.example.org/ http://0.0.0.0/ \
    http://127.0.0.1@192.0.2.1/ 'https://[::2]/' 'http://[::ffff:127.0.0.1]/'; do
    ok "another machine is refused: $url" grep -q \
        'check.xml:2: endpoint "a": url does not name this machine: the host must be localhost' \
        <<<"$(check "$url")"
done
ok "another scheme is refused" grep -q 'check.xml:2: .*url' <<<"$(check ftp://localhost/)"
ok "a wait that is longer than the interval is refused" grep -q \
    'check.xml:2: endpoint "a": timeout is longer than interval' \
    <<<"$(check http://localhost/ 'interval="2s" timeout="3s"')"
ok "loopback addresses are taken" check 'https://[::1]:9999/a?b=c&amp;d' 'ca="/etc/ssl/certs/ca.pem"'

# -- Every number ----------------------------------------------------------------------------

config >"$work/endpoints.xml"
start_lab --config "$work/endpoints.xml"
has up good 1
has count good:orders_total:at=web,by=card 100
has rate good:orders_total:at=web,by=card 0
has count good:busy_seconds_total 12.375
has value good:queue -2.5
has value good:plain 7
has value good:took_seconds:quantile=0.5 0.25
has count good:took_seconds 8
has sum good:took_seconds 40
has series good 6
is "what no sensor selects is not there" "$(walk dcampValueText | grep -c unseen || true)" 0
is "the unit is that of the name" "$(snmpget -OQv "${snmp[@]}" "$node" \
    'DCAMP-MIB::dcampValueUnit."sum"."good:took_seconds"')" s
has octets good "$(stat -c %s "$work/say/good")"
has count open:orders_total 5
has count open:wait_seconds 20
has count open:wait_seconds_bucket:le=0.011 10
has sum open:wait_seconds 0.22
has value open:mode:mode=up 1
has value open:build_info:version=1 1
has value socket:queue -2.5
has faults good 0
ok "nobody failed" logged ".*no values" 0

# -- Events ----------------------------------------------------------------------------------

# 100 values in (0.01, 0.011], 300 in (0.011, 0.012], with the sum that they would have.
open 110 420 "$(awk 'BEGIN { print 0.22 + 100 * 0.0105 + 300 * 0.0115 }')" 1000
eventually "each event is in the window" 15 value_is WindowSamples wait open:wait_seconds 400
is "the mean is exact" "$(value Mean wait open:wait_seconds)" 0.01125
ok "percentiles are those of the buckets" awk -v p="$(value P50 wait open:wait_seconds)" \
    'BEGIN { exit !(p >= 0.011 * 0.99 && p <= 0.012 * 1.01) }'
eventually "a histogram with wide buckets is named" 15 logged "open: open:coarse: values between 0 and 1 .*" 1
ok "its events are in no window" not exists 'dcampValueMean."wait"."open:coarse"'
has count open:coarse 420
has count open:coarse_bucket:le=1 110

# -- Programs that begin anew ------------------------------------------------------------------

# It says when it began: what it has counted came since.
open 3 5 0.05 "$(date +%s.%N)" 2
has count open:orders_total 7
has count open:wait_seconds 425
eventually "so are its events" 15 value_is WindowSamples wait open:wait_seconds 405

# It does not: a counter that falls has a gap, and goes on from there; a rate is never below 0.
good 40
asked_since=$(asked /text/good)
asked_twice() {
    [[ $(asked /text/good) -ge $((asked_since + 2)) ]]
}
eventually "it is asked twice: the first answer has been taken then" 20 asked_twice
has count good:orders_total:at=web,by=card 100
good 45
has count good:orders_total:at=web,by=card 105
no_rate_is_negative() {
    walk dcampValueMin | awk '/"rate"/ { n++; if ($2 < 0) bad++ } END { exit n == 0 || bad > 0 }'
}
ok "no rate is below 0" no_rate_is_negative

# -- Programs that go away, and come back --------------------------------------------------------

kill "$server"
wait "$server" 2>/dev/null || true
has up good 0
eventually "its sensors have no values" 15 value_is State count good:orders_total:at=web,by=card unavailable
eventually "that is told once" 15 logged "good: .*its sensors have no values until it answers" 1
ok "and why" logged "good: .*Connection refused.*" 1
failures=$(value Text failures good)
eventually "it is asked on" 15 not value_is Text failures good "$failures"
ok "in one line" logged "good: .*its sensors have no values until it answers" 1
rm "$work/say/socket"
serve "$work/say" "$port" "$work/say/socket"
has up good 1
has count good:orders_total:at=web,by=card 105
ok "it is told when it is over" logged "good: .*it answers again, after [0-9]+ s" 1

# -- Programs that do their worst ------------------------------------------------------------------

rss() {
    awk '/^VmRSS/ { print $2 }' "/proc/$DCAMP_LAB_PID_DCAMPD_1/status"
}
before=$(rss)
config "${hostile[@]}" >"$work/hostile.xml"
cp "$work/hostile.xml" "$DCAMP_LAB_CONFIG_1"
kill -s HUP "$DCAMP_LAB_PID_DCAMPD_1"
for name in "${hostile[@]}"; do
    eventually "$name: it is not up" 30 value_is Text up "$name" 0
    eventually "$name: why is told" 15 logged "$name: .*its sensors have no values until it answers" 1
done
grep -oE 'endpoint: [a-z]+: .*' "$DCAMP_LAB_LOG_1" | sed 's/^/# /'
answers=$(value Text answers good)
more() {
    [[ $(as_number value Text answers good) -ge $((answers + 5)) ]]
}
eventually "the good one is read on" 30 more
is "and has its values" "$(value Text count good:orders_total:at=web,by=card)" 105
is "none of them has any" "$(walk dcampValueText | grep -cE '"(count|value)"."(hang|gigabyte|slow|cut|chunks|ended|html)' || true)" 0
ok "no redirection is followed" test "$(asked /text/good)" -gt 0
after=$(rss)
ok "they cost less than 40 MiB" test $((after - before)) -lt 40960
echo "# $before KiB before, $after KiB with them"
one_line_each() {
    awk '/its sensors have no values/ && n[$4]++ { bad++ } END { exit bad > 0 }' "$DCAMP_LAB_LOG_1"
}
ok "each has one line" one_line_each

# A text with wrong lines: the others count.
say broken <<END
# TYPE broken_total counter
broken_total{n="1"} 3
broken_total{n="2"
broken_total{n="3"} x
broken_total{n="4"} 4
END
sed "s|/text/good\"|/text/broken\"|" "$work/endpoints.xml" >"$DCAMP_LAB_CONFIG_1"
kill -s HUP "$DCAMP_LAB_PID_DCAMPD_1"
has count good:broken_total:n=1 3
has count good:broken_total:n=4 4
eventually "the first wrong line is named" 15 logged "good: line 3: .*; of its answer, 2 lines are left out" 1
ok "what its url said before is gone" not exists 'dcampValueText."count"."good:orders_total:at=web,by=card"'

# -- Reload -----------------------------------------------------------------------------------

gone() {
    ! walk dcampValueText | grep -qE "\"($1)[:\"]"
}
grep -v '"open"' "$work/endpoints.xml" >"$DCAMP_LAB_CONFIG_1"
kill -s HUP "$DCAMP_LAB_PID_DCAMPD_1"
eventually "an endpoint that is removed is gone, with its series" 15 gone 'open|hang|gigabyte'
has count good:orders_total:at=web,by=card 45
sed 's|name="good"|series="4" &|' "$work/endpoints.xml" >"$DCAMP_LAB_CONFIG_1"
kill -s HUP "$DCAMP_LAB_PID_DCAMPD_1"
has series good 4
has left good 3
eventually "that is told" 15 logged "good: 3 samples are left out.*" 1

# An answer with more series than are read of one: they are counted apart, whatever sensors select.
cp "$work/endpoints.xml" "$DCAMP_LAB_CONFIG_1"
kill -s HUP "$DCAMP_LAB_PID_DCAMPD_1"
has left good 0
seq 10002 | awk '{ print "unseen{n=\"" $1 "\"} 1" } END { print "seen 7" }' | say good
has beyond good 3
has left good 0
eventually "that is told" 15 logged "good: 3 samples are not read: its answer has more than 10000 series or 2000 families" 1
ok "it is no wrong line" logged "good: line .*" 1
good 45
has beyond good 0
eventually "and when it is over" 15 logged "good: all of its answer is read again" 1
finish
