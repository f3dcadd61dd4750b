# shellcheck shell=bash
# What the tests of endpoints share: programs that publish over HTTP, and what dcampd knows of them. Of
# common.sh.
# shellcheck disable=SC2154 # top and work are of that

python=$(PATH=/usr/bin:$PATH type -P python3)

# Sets server, its process.
serve() { # DIR PORT [SOCKET [TLSPORT:PEM...]]
    mkdir -p "$1"
    rm -f "$1/ready"
    "$python" "$top/tests/integration/http-exposer" "$@" </dev/null >/dev/null 2>&1 &
    server=$!
    jobs_started+=("$server")
    within 20 test -s "$1/ready" || echo "Bail out! no server"
}

# say NAME: stdin becomes what the program of $work/say says from now on.
say() {
    cat >"$work/say/new"
    mv "$work/say/new" "$work/say/$1"
}

# page PATH [PORT]: what the program itself says of who asked it.
page() {
    "$python" -c 'import sys, urllib.request as u
print(u.build_opener(u.ProxyHandler({})).open(sys.argv[1], timeout=20).read().decode())' \
        "http://127.0.0.1:${2:-$port}/$1"
}

# How often a path was asked for.
asked() {
    page log | awk -v path="$1" '$1 == path { n = $2 } END { print n + 0 }'
}

# -- What dcampd knows of them ----------------------------------------------------------------

value() { # COLUMN SENSOR INSTANCE
    get "dcampValue$1.\"$2\".\"$3\"" 2>/dev/null || true
}

value_is() { # COLUMN SENSOR INSTANCE EXPECTED
    [[ $(value "$1" "$2" "$3") == "$4" ]]
}

has() { # SENSOR INSTANCE EXPECTED
    eventually "$1 of $2 is $3" 15 value_is Text "$1" "$2" "$3"
}

log_lines() { # PATTERN
    grep -cE -- "endpoint: $1" "$DCAMP_LAB_LOG_1" || true
}

logged() { # PATTERN NUMBER
    [[ $(log_lines "$1") -eq $2 ]]
}
