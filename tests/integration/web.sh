#!/usr/bin/env bash
# web.sh: dcamp-web on a history that grows meanwhile: what its REST interface answers, who may ask, and
# what it says of a history that is not there, is broken, or of another user.
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
work=$(mktemp -d "${DCAMP_TEST_DIR:-/tmp}/dcamp-test.XXXXXX")
export LC_ALL=C.UTF-8
# shellcheck source=assert.sh
. "$top/tests/integration/assert.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"

python=$(PATH=/usr/bin:$PATH type -P python3)
maker=
server=
clean_up() {
    local pid
    for pid in $maker $server; do
        kill "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap clean_up EXIT

# says DESCRIPTION GLOB: what was answered last
says() {
    # shellcheck disable=SC2053 # it is a glob
    is "$1" "$([[ $(<"$work/answer") == $2 ]] || head -c 300 "$work/answer")" ""
}

# serve OPTION...: starts dcamp-web on a port that is free; url is where it listens.
serve() {
    : >"$work/log" # what the one before has said must not be taken for it
    "$build/dcamp-web" --directory "$work/history" --page "$top/web/page" --listen 127.0.0.1:0 "$@" 2>"$work/log" &
    server=$!
    within 20 grep -q 'http://' "$work/log"
    url=$(sed -n 's/.*\(http:[^ ]*[0-9]\): .*/\1/p' "$work/log")
}

# stop DESCRIPTION: it ends when it is told, with status 0.
stop() {
    local status=0
    kill -TERM "$server"
    wait "$server" || status=$?
    server=
    is "$1" "$status" 0
}

# status PATH [CURL OPTION...]: of HTTP
status() {
    curl -s -o "$work/answer" -w '%{http_code}' "${@:2}" "$url$1"
}

# usage DESCRIPTION TEXT OPTION...: it does not start, with status 2, and says TEXT.
usage() {
    local status=0
    "$build/dcamp-web" --directory "$work" --page "$top/web/page" "${@:3}" >"$work/answer" 2>&1 || status=$?
    is "$1: status" "$status" 2
    says "$1: what it says" "$2"
}

# The keys of the page, without a browser: - again and again asks for no time before 1970.
if type -P node >/dev/null; then
    is "the range ends at 1970" "$(node "$top/tests/web/keys.js" "$top/web/page/dcamp.js" 2>&1)" "from=1"
else
    echo "# node is missing: the keys of the page are not tried without a browser"
fi

mkdir "$work/history"
"$build/tests/web/maker" "$work/history" 30 180 --live >"$work/live" &
maker=$!
within 60 grep -q live "$work/live"

serve
"$python" -B "$top/tests/web/rest.py" "$url" "$build/dcamp" "$work/history" >"$work/rest" || echo "not ok rest.py ended with status $?" >>"$work/rest"
while read -r line; do
    case $line in
    "ok "*) report 0 "${line#* - }" ;;
    "not ok "*) report 1 "${line#* - }" ;;
    *) echo "$line" ;;
    esac
done <"$work/rest"
stop "it ends when it is told, while somebody follows"

echo 'token abc123' >"$work/token"
chmod 600 "$work/token"
serve --token "$work/token" --host monitor.example
is "without the token" "$(status /api/v1/nodes)" 401
is "with another token" "$(status /api/v1/nodes -H 'Authorization: Bearer abc124')" 401
is "with the token" "$(status /api/v1/nodes -H 'Authorization: Bearer abc123')" 200
is "the page itself has no data" "$(status /)" 200
is "under the name that was given" "$(status / -H 'Host: monitor.example')" 200
is "under another name" "$(status / -H 'Host: other.example')" 421
stop "it ends when it is told"

serve --user-header X-Remote-User
is "a proxy that names nobody" "$(status /api/v1/nodes)" 401
is "a proxy that names somebody" "$(status /api/v1/nodes -H 'X-Remote-User: ann')" 200
stop "it ends when it is told, once more"

serve --listen 0.0.0.0:0 --token "$work/token"
url=http://127.0.0.1:${url##*:}
is "one address has not all connections" "$("$python" - "${url##*:}" 2>&1 <<'END'
import http.client, select, socket, sys
port = int(sys.argv[1])
greedy = [socket.create_connection(('127.0.0.1', port), 10) for _ in range(300)]
def ask(address):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=10, source_address=(address, 0))
    try:
        connection.request('GET', '/api/v1/nodes', headers={'Authorization': 'Bearer abc123'})
        return connection.getresponse().status
    except OSError:
        return 'none'
other, same = ask('127.0.0.2'), ask('127.0.0.1')
closed = len(select.select(greedy, [], [], 0)[0])
print(f'another: {other}, the same: {same}, closed: {closed}')
END
)" "another: 200, the same: none, closed: 236"
stop "it ends when it is told, with connections that say nothing"

kill "$maker"
wait "$maker" || true
maker=
mv "$work/history" "$work/elsewhere"
serve
is "no history yet" "$(status /api/v1/nodes)" 503
says "what is wrong is said" "*history: No such file or directory*"
mv "$work/elsewhere" "$work/history"
# shellcheck disable=SC2016 # within expands it
is "once it is there" "$(within 70 eval '[[ $(status /api/v1/nodes) == 200 ]]' && echo 200)" 200
stop "it ends when it is told, with a history"
rm -f "$work"/history/*.db-*

# warns PATH PARAMETERS: of an answer which lacks what is in an old file that is damaged.
warns() {
    is "$1 of the files that can be read" "$(status "/api/v1/$1?$2")" 200
    says "$1 warns of the one that cannot" '*"warning":"not all of the history could be read: history-2020-01.db: no file of a history"*'
    is "$1 is as the document says" "$("$python" - "$top/web/page/openapi.json" "$1" "$work/answer" 2>&1 <<'END'
import json, jsonschema, sys
document = json.load(open(sys.argv[1]))
schema = document['paths']['/api/v1/' + sys.argv[2]]['get']['responses']['200']['content']['application/json']['schema']
jsonschema.validate(json.load(open(sys.argv[3])), dict(schema, components=document['components']))
END
    )" ""
}

head -c 4096 /dev/zero | tr '\0' x >"$work/history/history-2020-01.db"
long_ago=2020-01-05T00:00:00Z
serve
warns series node=node4
says "the series are there" '*"sensor":"mem.used"*'
warns values "node=node4&sensor=mem.used&instance=total&points=100&from=$long_ago"
says "the values are there" '*"p50":*'
warns analysis "node=node4&sensor=mem.used&instance=total&from=$long_ago"
warns alarms "from=$long_ago"
says "the alarms are there" '*"threshold":"disk-busy"*'
warns changes "at=$long_ago"
is "a spreadsheet has no place for a warning" "$(status "/api/v1/values.csv?node=node4&sensor=mem.used&instance=total&points=100&from=$long_ago")" 503
says "and gets what is wrong" "*history-2020-01.db*"
is "what is not found may be in the other file" "$(status "/api/v1/values?sensor=nothing&from=$long_ago")" 503
is "what does not need that file has no warning" "$(status '/api/v1/values?node=node4&sensor=mem.used&instance=total')" 200
is "none" "$(grep -c warning "$work/answer")" 0
stop "it ends when it is told, with a file that is damaged"
rm "$work/history/history-2020-01.db"
head -c 4096 /dev/urandom | dd of="$(echo "$work"/history/history-*.db)" bs=4096 conv=notrunc status=none
serve
is "a broken file" "$(status '/api/v1/values?sensor=cpu.busy&instance=total')" 503
says "which one is said" "*history-*.db*"
stop "it ends when it is told, at last"

usage "an address that others can reach" "*needs --token or --user-header*" --listen 0.0.0.0:0
usage "a token that others can read" "*others than its owner*" --token /etc/passwd
usage "an option that there is not" "*unrecognized option*" --nonsense
usage "an argument" "*expected no argument: x*" x
finish
