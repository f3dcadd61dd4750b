# shellcheck shell=bash
# Servers of etcd for the tree of a lab: one cluster on the loopback interface, with TLS and a
# password, as doc/using.md recommends it. For the script lab, which sets what is used here and has
# assign, die, end_processes, failed, random_hex and spawn.

coordination=${coordination:-list} servers=${servers:-3} dir=${dir:-}
client_ports=() peer_ports=()

check_etcd() {
    local tool
    [[ $coordination =~ ^(list|etcd)$ ]] || die "--coordination $coordination: expected list or etcd"
    [[ $servers =~ ^[1-3]$ ]] || die "--servers $servers: expected a number from 1 to 3"
    [[ $coordination == etcd || $servers == 3 ]] || die "--servers goes with --coordination etcd"
    [[ $coordination == etcd ]] || return 0
    for tool in etcd openssl python3; do
        [[ -n $(type -P "$tool") ]] || die "$tool is missing (packages etcd-server, openssl, python3)"
    done
}

# etcd_names: of its processes, in a lab without them none.
etcd_names() {
    local i
    for ((i = 1; i <= ${#client_ports[@]}; i++)); do
        echo "etcd-$i"
    done
}

# Ports that nobody has at present.
choose_etcd_ports() {
    local -a free
    mapfile -t free < <(python3 - $((2 * servers)) <<'PYTHON'
import socket, sys
sockets = [socket.socket() for i in range(int(sys.argv[1]))]
for s in sockets:
    s.bind(('127.0.0.1', 0))
    print(s.getsockname()[1])
PYTHON
    )
    client_ports=("${free[@]:0:servers}") peer_ports=("${free[@]:servers}")
}

# Who trusts this certificate trusts these servers.
make_etcd_certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
        -subj /CN=etcd -addext subjectAltName=IP:127.0.0.1 \
        -keyout "$dir/etcd.key" -out "$dir/etcd.pem" 2>"$dir/etcd.log" ||
        failed "there is no certificate for etcd" "$dir/etcd.log"
}

spawn_etcd() {
    local i=$1 cluster='' j
    for ((j = 1; j <= servers; j++)); do
        cluster+="${cluster:+,}etcd$j=http://127.0.0.1:${peer_ports[j - 1]}"
    done
    spawn "etcd-$i" "$dir/etcd$i.log" \
        etcd --name "etcd$i" --data-dir "$dir/etcd$i" \
        --listen-client-urls "https://127.0.0.1:${client_ports[i - 1]}" \
        --advertise-client-urls "https://127.0.0.1:${client_ports[i - 1]}" \
        --cert-file "$dir/etcd.pem" --key-file "$dir/etcd.key" \
        --listen-peer-urls "http://127.0.0.1:${peer_ports[i - 1]}" \
        --initial-advertise-peer-urls "http://127.0.0.1:${peer_ports[i - 1]}" \
        --initial-cluster "$cluster" --unsafe-no-fsync
}

# ask_etcd N PATH JSON...: of server N; "" asks for something that is to be true.
ask_etcd() {
    python3 - "https://127.0.0.1:${client_ports[$1 - 1]}" "$dir/etcd.pem" "${@:2}" <<'PYTHON'
import ssl, sys, urllib.request
trusted = ssl.create_default_context(cafile=sys.argv[2])
for path, text in zip(sys.argv[3::2], sys.argv[4::2]):
    request = urllib.request.Request(sys.argv[1] + path, text.encode() or None)
    answer = urllib.request.urlopen(request, timeout=2, context=trusted).read()
    if not text and b'true' not in answer:
        sys.exit(1)
PYTHON
}

# Until each is one of a majority; fails when one ends first.
wait_etcd() {
    local i j
    for ((i = 1; i <= servers; i++)); do
        for ((j = 0; j < 150; j++)); do
            ask_etcd "$i" /health '' 2>/dev/null && continue 2
            pid_of "etcd-$i" >/dev/null || return 1
            sleep 0.1
        done
        return 1
    done
}

# The user dcamp may use the keys of dCAMP, dcamp/ to dcamp0 in base64, as keys are in JSON; and from
# then on nobody may do anything unasked.
make_etcd_users() {
    local password
    password=$(random_hex 12)
    echo "password $password" >"$dir/etcd.secret"
    ask_etcd 1 /v3/auth/user/add "{\"name\":\"root\",\"password\":\"$password\"}" \
        /v3/auth/role/add '{"name":"root"}' \
        /v3/auth/user/grant '{"user":"root","role":"root"}' \
        /v3/auth/user/add "{\"name\":\"dcamp\",\"password\":\"$password\"}" \
        /v3/auth/role/add '{"name":"dcamp"}' \
        /v3/auth/role/grant '{"name":"dcamp","perm":{"permType":"READWRITE","key":"ZGNhbXAv","range_end":"ZGNhbXAw"}}' \
        /v3/auth/user/grant '{"user":"dcamp","role":"dcamp"}' \
        /v3/auth/enable '{}' 2>>"$dir/etcd.log" ||
        failed "etcd does not take its users" "$dir/etcd.log" "$dir/etcd1.log"
}

# Somebody may take a port meanwhile: then all begin anew.
start_etcd() {
    local attempt i names
    make_etcd_certificate
    for ((attempt = 0; attempt < 5; attempt++)); do
        choose_etcd_ports
        save_lab
        for ((i = 1; i <= servers; i++)); do
            spawn_etcd "$i"
        done
        wait_etcd && make_etcd_users && return 0
        mapfile -t names < <(etcd_names)
        end_processes KILL "${names[@]}"
        grep -q 'address already in use' "$dir"/etcd?.log || break
        rm -rf "$dir"/etcd?{,.log}
    done
    failed "etcd does not start" "$dir/etcd1.log"
}

# etcd_urls: of all servers, with blanks between.
etcd_urls() {
    local urls=("${client_ports[@]/#/https://127.0.0.1:}")
    echo "${urls[*]}"
}

coordination_element() {
    [[ $coordination == etcd ]] || return 0
    echo "  <coordination kind=\"etcd\" ttl=\"4s\" endpoints=\"$(etcd_urls)\"" \
        "ca=\"$dir/etcd.pem\" user=\"dcamp\" secrets=\"$dir/etcd.secret\"/>"
}

print_etcd() {
    local i
    [[ $coordination == etcd ]] || return 0
    for ((i = 1; i <= servers; i++)); do
        assign "DCAMP_LAB_ETCD_$i" "https://127.0.0.1:${client_ports[i - 1]}"
        assign "DCAMP_LAB_PID_ETCD_$i" "$(pid_of "etcd-$i")"
    done
    assign DCAMP_LAB_ETCD_CA "$dir/etcd.pem"
    assign DCAMP_LAB_ETCD_SECRET "$dir/etcd.secret"
}
