#!/usr/bin/env bash
# Real programs with real exporters as endpoints: Redis and nginx under load. What dcampd has counted is
# what they have counted themselves, and a rate is that of their own numbers.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

need redis-server redis-server
need redis-benchmark redis-tools
need prometheus-redis-exporter prometheus-redis-exporter
need nginx nginx-light
need prometheus-nginx-exporter prometheus-nginx-exporter
need ab apache2-utils
need curl curl

# -- The programs ----------------------------------------------------------------------------

start_redis() {
    redis_port=$(free_tcp_port)
    start redis redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --appendonly no \
        --dir "$work"
    within 20 tcp_open "$redis_port" || die "Redis does not start: $(<"$work/redis.log")"
    redis_exporter=$(free_tcp_port)
    start redis_exporter prometheus-redis-exporter -redis.addr "redis://127.0.0.1:$redis_port" \
        -web.listen-address "127.0.0.1:$redis_exporter"
    within 20 tcp_open "$redis_exporter" || die "its exporter: $(<"$work/redis_exporter.log")"
}

start_nginx() {
    nginx_port=$(free_tcp_port)
    mkdir -p "$work/nginx"
    cat >"$work/nginx/nginx.conf" <<END
daemon off;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
events {}
http {
    access_log off;
    client_body_temp_path $work/nginx/body;
    proxy_temp_path $work/nginx/proxy;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    server {
        listen 127.0.0.1:$nginx_port;
        location /status { stub_status; }
        location / { return 200 "here\n"; }
    }
}
END
    start nginx nginx -e "$work/nginx/error.log" -p "$work/nginx" -c "$work/nginx/nginx.conf"
    within 20 tcp_open "$nginx_port" || die "nginx does not start: $(<"$work/nginx.log")"
    nginx_exporter=$(free_tcp_port)
    start nginx_exporter prometheus-nginx-exporter \
        -nginx.scrape-uri "http://127.0.0.1:$nginx_port/status" \
        -web.listen-address "127.0.0.1:$nginx_exporter"
    within 20 tcp_open "$nginx_exporter" || die "its exporter: $(<"$work/nginx_exporter.log")"
}

# What Redis says of a command itself.
redis_calls() {
    redis-cli -p "$redis_port" info commandstats | sed -n "s/^cmdstat_$1:calls=\([0-9]*\),.*/\1/p"
}

nginx_requests() {
    curl -sf "http://127.0.0.1:$nginx_port/status" | awk 'NR == 3 { print $3 }'
}

# -- What dcampd knows of them ----------------------------------------------------------------

value() { # COLUMN SENSOR INSTANCE
    get "dcampValue$1.\"$2\".\"$3\"" 2>/dev/null || true
}

value_is() { # COLUMN SENSOR INSTANCE EXPECTED
    [[ $(value "$1" "$2" "$3") == "$4" ]]
}

counts_sets() {
    local calls
    calls=$(redis_calls set)
    [[ -n $calls ]] && value_is Text count redis:redis_commands_total:cmd=set "$calls"
}

start_redis
start_nginx
cat >"$work/exporters.xml" <<END
<dcamp version="1">
  <node name="x"/>
  <endpoints>
    <endpoint name="redis" url="http://127.0.0.1:$redis_exporter/metrics" interval="1s"/>
    <endpoint name="nginx" url="http://localhost:$nginx_exporter/metrics" interval="1s"/>
  </endpoints>
  <sensors>
    <sensor name="up" metric="endpoint.up" interval="1s"/>
    <sensor name="answers" metric="endpoint.answers" interval="1s"/>
    <sensor name="count" metric="endpoint.count" interval="1s"/>
    <sensor name="value" metric="endpoint.value" interval="1s"/>
    <sensor name="sets" metric="endpoint.count" instances="redis:redis_commands_total:cmd=set" calculation="rate" interval="1s" window="1d"/>
    <sensor name="load.1" metric="load.1" interval="1s"/>
  </sensors>
</dcamp>
END
redis-cli -p "$redis_port" set key value >/dev/null
start_nms_lab --config "$work/exporters.xml"
for name in redis nginx; do
    eventually "$name answers" 30 value_is Text up "$name" 1
done
eventually "Redis has counted one command" 30 counts_sets

# -- Under load ------------------------------------------------------------------------------

eventually "a rate is there" 30 value_is State sets redis:redis_commands_total:cmd=set valid
for _ in 1 2 3 4 5; do
    redis-benchmark -p "$redis_port" -t set -n 20000 -q >/dev/null
done
eventually "each command of the load is counted, as Redis counts it" 30 counts_sets
eventually "and the rate is 0 again" 30 value_is Text sets redis:redis_commands_total:cmd=set 0
calls=$(($(redis_calls set) - 1))
is "the load was what it should be" "$calls" 100000
samples=$(value WindowSamples sets redis:redis_commands_total:cmd=set)
mean=$(value Mean sets redis:redis_commands_total:cmd=set)
# An answer comes each second; of one that a machine without time to give has left out, the rate is that
# of two seconds.
ok "rates times seconds are the calls: $mean/s in $samples s, $calls" awk -v n="$samples" -v m="$mean" \
    -v calls="$calls" 'BEGIN { d = n * m / calls; exit !(d > 0.7 && d < 1.15) }'
is "gauges are there" "$(value Text value redis:redis_up)" 1

before=$(value Text count nginx:nginx_http_requests_total)
ab -q -n 3000 -c 4 "http://127.0.0.1:$nginx_port/" >/dev/null
has_all() {
    local now own
    own=$(nginx_requests)
    now=$(value Text count nginx:nginx_http_requests_total)
    # The exporter and this test ask, too: once a second each.
    [[ $now -ge $((before + 3000)) && $now -le $own && $((own - now)) -lt 30 ]]
}
eventually "each request to nginx is counted, as nginx counts it" 30 has_all

# -- One of them goes away ----------------------------------------------------------------------

end redis
eventually "the exporter says that Redis is gone" 30 value_is Text value redis:redis_up 0
end redis_exporter
eventually "without its exporter it is not up" 30 value_is Text up redis 0
answers=$(value Text answers nginx)
eventually "nginx is asked on" 30 not value_is Text answers nginx "$answers"
is "and has its values" "$(value State count nginx:nginx_http_requests_total)" valid
finish
