#!/usr/bin/env bash
# Endpoints that want a user and a password or a token, and those of https: who is told what, that nobody
# else is, not even by way of a redirection, a proxy or the log; and one clear reason for each
# certificate and each file that is not good.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"
# shellcheck source=exposer.sh
. "$top/tests/integration/exposer.sh"
DCAMP_BUILD=${DCAMP_BUILD:-$top/build}
if [[ -z $(type -P openssl) ]]; then
    echo "1..0 # SKIP openssl is not installed (package openssl)"
    exit 77
fi
chmod 755 "$work"
me=$(id -un)

# -- Certificates ----------------------------------------------------------------------------

new_key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)

authority() { # NAME
    openssl req -x509 "${new_key[@]}" -days 30 -keyout "$work/$1.key" -out "$work/$1.pem" \
        -subj "/CN=$1" 2>/dev/null
}

# certificate NAME AUTHORITY DAYS NAMES: $work/NAME.server is it and its key.
certificate() {
    openssl req -new "${new_key[@]}" -keyout "$work/$1.key" -subj "/CN=$1" \
        -addext "subjectAltName=$4" -out "$work/request" 2>/dev/null
    openssl x509 -req -in "$work/request" -CA "$work/$2.pem" -CAkey "$work/$2.key" \
        -copy_extensions copy -days "$3" -out "$work/$1.certificate" 2>/dev/null
    cat "$work/$1.key" "$work/$1.certificate" >"$work/$1.server"
}

authority own
authority other
certificate good own 30 DNS:localhost,IP:127.0.0.1
certificate expired own -1 DNS:localhost,IP:127.0.0.1
certificate elsewhere own 30 DNS:example.org
echo none >"$work/empty.pem"
cp "$work/other.pem" "$work/renewed.pem"

# -- The programs ----------------------------------------------------------------------------

# What a proxy of the environment is asked, or whom a redirection leads to, the second program counts.
read -r port elsewhere good expired wrong <<<"$(free_ports 5 | tr '\n' ' ')"
mkdir -p "$work/say" "$work/elsewhere"
serve "$work/elsewhere" "$elsewhere"
serve "$work/say" "$port" "$work/say/socket" "$good:$work/good.server" \
    "$expired:$work/expired.server" "$wrong:$work/elsewhere.server"
echo 'up 1' | tee "$work/elsewhere/good" >"$work/say/good"

secret() { # NAME TEXT
    (umask 077 && printf '%b' "$2" >"$work/$1.new")
    mv "$work/$1.new" "$work/$1.secret"
}

basic() { # USER PASSWORD
    printf 'Basic %s\n' "$(printf '%s:%s' "$1" "$2" | base64 -w 0)"
}

token=eyJhbGciOiJub25lIn0.sesame-token
secret pair 'user scraper\npassword open: "sesame"\n'
secret token "# of the exporter\ntoken $token\n"
basic scraper 'open: "sesame"' >"$work/say/login"

# -- The configuration -------------------------------------------------------------------------

endpoint() { # NAME URL [ATTRIBUTES]
    echo "<endpoint name=\"$1\" url=\"$2\" interval=\"1s\" ${3:-}/>"
}

config() { # ENDPOINT...
    cat <<END
<dcamp version="1">
  <node name="x"/>
  <endpoints>
    $(printf '%s\n' "$@")
  </endpoints>
  <sensors>
    <sensor name="up" metric="endpoint.up" interval="500ms"/>
    <sensor name="value" metric="endpoint.value" interval="500ms"/>
  </sensors>
</dcamp>
END
}

apply() { # ENDPOINT...
    config "$@" >"$DCAMP_LAB_CONFIG_1"
    kill -s HUP "$DCAMP_LAB_PID_DCAMPD_1"
}

# check STATUS PATTERN [COMMAND...]: what dcampd --check-config says.
check() {
    local status=0 output
    output=$("${@:3}" "$DCAMP_BUILD/dcampd" --check-config -c "$work/check.xml" 2>&1) || status=$?
    echo "status $status: $output"
    [[ $status -eq $1 ]] && grep -qE -- "$2" <<<"$output"
}

config "$(endpoint a "http://localhost:$port/" "secrets=\"$work/pair.secret\"")" >"$work/check.xml"
chmod 644 "$work/check.xml"
ok "--check-config says who must be able to read it" check 0 \
    "endpoint \"a\": user \"$me\" can read $work/pair.secret, dcampd must run as that user"
chmod 640 "$work/pair.secret"
ok "--check-config: others may read it" check 1 \
    "endpoint \"a\": $work/pair.secret: others than its owner have access to it; chmod it to 0600"
chmod 600 "$work/pair.secret"
if [[ $EUID -eq 0 ]]; then
    as_nobody=(setpriv --reuid nobody --regid nogroup --clear-groups)
    ok "--check-config: another user may not" check 1 \
        "pair.secret: user \"nobody\" cannot read it: Permission denied \(it belongs to user \"$me\", chown it\)" \
        "${as_nobody[@]}"
    chown nobody "$work/pair.secret"
    ok "root asks for who has it" check 0 "user \"nobody\" can read $work/pair.secret"
    chown "$me" "$work/pair.secret"
fi
config "$(endpoint a "http://localhost:$port/" 'secrets="pair.secret"')" >"$work/check.xml"
ok "a path that is not absolute is refused" check 1 \
    'check.xml:4: .*secrets="pair.secret" is not the absolute path of a file'
config "$(endpoint a "http://localhost:$port/" "ca=\"$work/own.pem\"")" >"$work/check.xml"
ok "ca without https is refused" check 1 'check.xml:4: endpoint "a": ca is for https only'

# -- Users, passwords, tokens ------------------------------------------------------------------

refused() { # NAME PATTERN
    eventually "$1: $2" 15 logged "$1: .*$2.*; its sensors have no values until it answers" 1
}

# What each path was told, as the header Authorization.
told() { # PATH EXPECTED
    is "$1 was told" "$(page logins | awk -v path="$1" '$1 == path { sub(/^[^ ]* /, ""); print }')" "$2"
}

# A file of passwords that libcurl knows, which is not for dcampd, and proxies.
mkdir "$work/home"
(umask 077 && echo 'default login netrc password netrc' >"$work/home/.netrc")
for proxy in http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY; do
    export "$proxy=http://127.0.0.1:$elsewhere"
done
pair_file="secrets=\"$work/pair.secret\""
config "$(endpoint pair "http://127.0.0.1:$port/login/good?pair" "$pair_file")" \
    "$(endpoint socket http://localhost/login/good?socket "socket=\"$work/say/socket\" $pair_file")" \
    "$(endpoint token "http://127.0.0.1:$port/login/good?token" "secrets=\"$work/token.secret\"")" \
    "$(endpoint nobody "http://127.0.0.1:$port/login/good?nobody")" \
    "$(endpoint plain "http://127.0.0.1:$port/text/good?plain")" \
    "$(endpoint redirect "http://127.0.0.1:$port/redirect/good" "$pair_file")" \
    "$(endpoint away "http://127.0.0.1:$port/elsewhere/$elsewhere" "$pair_file")" >"$work/login.xml"
HOME=$work/home start_lab --config "$work/login.xml"
has up pair 1
has value pair:up 1
has up socket 1
has up plain 1
refused nobody 'it answers with the status 401: it wants a user and a password, or a token; secrets= names their file'
refused token "it answers with the status 401: it does not take what is in $work/token.secret"
refused redirect 'it answers with the status 302, not 200'
refused away 'it answers with the status 302, not 200'

pair=$(<"$work/say/login")
told '/login/good?pair' "$pair"
told '/login/good?socket' "$pair"
told '/login/good?token' "Bearer $token"
told '/login/good?nobody' ''
told '/text/good?plain' ''
told /redirect/good "$pair"
told /text/good ''
is "where the redirection leads to was not asked" "$(asked /text/good)" 0

# A file that changes counts at the next question.
echo "Bearer $token" | say login
has up token 1
refused pair "it answers with the status 401: it does not take what is in $work/pair.secret"
secret pair "token $token\n"
has up pair 1

# Files that are not good: one line each, and nobody is asked without them.
bad=(missing open half dos)
endpoints=("$(endpoint pair "http://127.0.0.1:$port/login/good?pair" "$pair_file")")
for name in "${bad[@]}"; do
    endpoints+=("$(endpoint "$name" "http://127.0.0.1:$port/login/good?$name" "secrets=\"$work/$name.secret\"")")
done
secret open 'token sesame\n'
chmod 644 "$work/open.secret"
secret half 'user sesame\n'
secret dos 'token sesame\r\n'
apply "${endpoints[@]}"
refused missing "$work/missing.secret: user \"$me\" cannot read it: No such file or directory"
refused open "$work/open.secret: others than its owner have access to it; chmod it to 0600"
refused half "$work/half.secret: expected a user and a password, or a token"
refused dos "$work/dos.secret:1: a control character in the value; .*"
has up pair 1
for name in "${bad[@]}"; do
    is "$name was not asked" "$(asked "/login/good?$name")" 0
    secret "$name" "token $token\n"
    has up "$name" 1
done
apply "$(endpoint pair "http://127.0.0.1:$port/login/good?pair")"
has up pair 0
apply "${endpoints[0]}"
has up pair 1
no_secret_is_logged() {
    ! grep -qE "sesame|netrc|${pair#Basic }" "$DCAMP_LAB_LOG_1"
}
ok "no secret is in the log" no_secret_is_logged
is "nobody else was asked, and no proxy" "$(page log "$elsewhere" | grep -vEc '^(/log .*)?$' || true)" 0

# -- Certificates --------------------------------------------------------------------------------

tls() { # NAME PORT [CA [PATH [HOST]]]
    endpoint "$1" "https://${5:-localhost}:$2/${4:-text/good}?$1" "ca=\"${3:-$work/own.pem}\" $pair_file"
}
apply "$(tls tls "$good" "$work/own.pem" login/good)" \
    "$(tls number "$good" "$work/own.pem" text/good 127.0.0.1)" \
    "$(tls unknown "$good" "$work/other.pem")" "$(tls renewed "$good" "$work/renewed.pem")" \
    "$(tls expired "$expired")" "$(tls host "$wrong")" "$(tls clear "$port")" \
    "$(tls noca "$good" "$work/none.pem")" "$(tls empty "$good" "$work/empty.pem")" \
    "$(endpoint system "https://localhost:$good/text/good?system" "$pair_file")"
has up tls 1
has value tls:up 1
has up number 1
told '/login/good?tls' "Bearer $token"
refused unknown 'SSL certificate problem: unable to get local issuer certificate'
refused renewed 'SSL certificate problem: unable to get local issuer certificate'
refused system 'SSL certificate problem: unable to get local issuer certificate'
refused expired 'SSL certificate problem: certificate has expired'
refused host "SSL: no alternative certificate subject name matches target host name 'localhost'"
refused clear '.*wrong version number'
refused noca "$work/none.pem: user \"$me\" cannot read it: No such file or directory"
refused empty "$work/empty.pem: there are no certificates in it"
grep -oE 'endpoint: [a-z]+: .*' "$DCAMP_LAB_LOG_1" | sed 's/^/# /'
for name in unknown renewed system expired host; do
    told "/text/good?$name" ''
done
cp "$work/own.pem" "$work/renewed.new"
mv "$work/renewed.new" "$work/renewed.pem"
has up renewed 1
ok "no secret is in the log" no_secret_is_logged
control kill-dcampd --node 1

# What the system's folder of certificates has does not count beside ca: for this process alone, that
# folder has the authority.
if [[ $EUID -eq 0 ]] && unshare -m true 2>/dev/null; then
    mkdir "$work/certs"
    cp "$work/own.pem" "$work/certs/ca-certificates.crt"
    cp "$work/own.pem" "$work/certs/$(openssl x509 -hash -noout -in "$work/own.pem").0"
    cat >"$work/trusting" <<END
#!/bin/sh
exec unshare -m sh -c 'mount --bind "$work/certs" /etc/ssl/certs && exec "\$@"' sh "$DCAMP_BUILD/dcampd" "\$@"
END
    chmod 755 "$work/trusting"
    config "$(tls unknown "$good" "$work/other.pem")" \
        "$(endpoint system "https://localhost:$good/text/good?system")" >"$work/system.xml"
    start_lab --config "$work/system.xml" --binary "$work/trusting"
    has up system 1
    refused unknown 'SSL certificate problem: unable to get local issuer certificate'
    control kill-dcampd --node 1
fi

# -- As the unit lets it -------------------------------------------------------------------------

# Without dcampd.service.d/endpoints.conf, UNIX sockets only.
cat >"$work/confined" <<END
#!/bin/sh
exec "$DCAMP_BUILD/tests/integration/without-network" "$DCAMP_BUILD/dcampd" "\$@"
END
chmod 755 "$work/confined"
config "$(tls tls "$good")" \
    "$(endpoint socket http://localhost/login/good "socket=\"$work/say/socket\" $pair_file")" >"$work/unit.xml"
start_lab --config "$work/unit.xml" --binary "$work/confined"
has up socket 1
refused tls 'the unit allows no network \(Address family not supported\): add dcampd.service.d/endpoints.conf'
finish
