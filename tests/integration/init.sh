#!/usr/bin/env bash
# init.sh: dcamp init prepares a machine that has the packages and nothing else, here one below a
# directory, with its own snmpd and dcampd: users with keys for this engine only, and no passphrase;
# what is so already stays, to the last octet; with --check it only looks.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
export MIBS=
build=${DCAMP_BUILD:-$top/build}
root=$work/machine
secret=$root/etc/dcamp/site.secret
conf=$root/etc/snmp/snmpd.conf.d
kept=$root/var/lib/snmp/snmpd.conf

# -- The machine -------------------------------------------------------------------------------

# Nobody holds it until snmpd does: it is chosen when it is needed, not before, and below those that
# the kernel gives to whoever asks a question.
free_port() {
    python3 - <<'END'
import random, socket

s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while s.getsockname()[1] == 0:
    try:
        s.bind(("127.0.0.1", random.randrange(20000, 32000)))
    except OSError:
        pass
print(s.getsockname()[1])
END
}

port=$(free_port)
mkdir -p "$root"/{etc/dcamp,run,state,log} "$conf" "$root/var/lib/snmp/cert_indexes"
chmod 700 "$root/var/lib/snmp"
cat >"$root/etc/snmp/snmpd.conf" <<END
# As that of Debian.
agentaddress udp:127.0.0.1:$port
sysName machine
dontLogTCPWrappersConnects yes
includeDir $conf
END
cat >"$kept" <<'END'
# Somebody else's.
engineBoots 7
oldEngineID 0x80001f8804756e69742d31
usmUser 1 3 0x80001f8804756e69742d31 "other" "other" NULL .1.3.6.1.6.3.10.1.1.5 0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff .1.3.6.1.6.3.10.1.2.4 0x00112233445566778899aabbccddeeff 0x
createUser dcampPoll SHA-256 "an old passphrase" AES "another old one"
END
chmod 600 "$kept"
engine=80001f8804756e69742d31
drop_in() {
    sed -e "s|^agentXSocket .*|agentXSocket unix:$root/run/agentx|" -e '/^agentXPerms /d' \
        "$top/conf/snmpd-dcamp.conf"
}
cat >"$root/etc/dcamp/dcamp.xml" <<'END'
<dcamp version="1"><!-- <announce/> --><node name="machine"/>
<sensors><sensor name="load.1" metric="load.1" interval="1s"/></sensors></dcamp>
END
chmod 640 "$root/etc/dcamp/dcamp.xml"

# As service(8): NAME VERB.
cat >"$work/service" <<END
#!/bin/bash
cd "$root" || exit 1
echo "\$1 \$2" >>"$work/served"
pid=\$(cat "run/\$1.pid" 2>/dev/null)
case \$2 in
status) [[ -n \$pid ]] && kill -0 "\$pid" 2>/dev/null ;;
stop)
    kill "\$pid" || exit 1
    for ((i = 0; i < 100; i++)); do kill -0 "\$pid" 2>/dev/null || break; sleep 0.05; done
    rm -f "run/\$1.pid" ;;
start)
    if [[ \$1 == snmpd ]]; then
        command=(env MIBS= SNMP_PERSISTENT_DIR="$root/var/lib/snmp" SNMPCONFPATH="$root/nothing"
            snmpd -f -Lo -I -smux,mteTrigger,mteTriggerConf -C -c "$root/etc/snmp/snmpd.conf,$kept")
        rm -f run/agentx
    else
        command=(env DCAMP_SCHEMA_DIR="$top/conf" "$build/dcampd" -f -c "$root/etc/dcamp/dcamp.xml"
            --agentx-socket "unix:$root/run/agentx" --state-dir "$root/state")
    fi
    setsid "\${command[@]}" </dev/null >>"log/\$1" 2>&1 &
    echo \$! >"run/\$1.pid"
    sleep 0.3 ;;
esac
END
chmod 755 "$work/service"

end_services() {
    local name
    for name in dcampd snmpd; do
        [[ ! -e $root/run/$name.pid ]] || "$work/service" "$name" stop || true
    done
}
trap 'status=$?; end_services; (exit $status); clean_up' EXIT

# init STATUS PATTERN [OPTION...]: what it exits with, and a line that it prints.
init() {
    local status=0
    "$build/dcamp" init --root "$root" --service "$work/service" "${@:3}" >"$work/said" 2>&1 || status=$?
    cat "$work/said"
    [[ $status -eq $1 ]] && grep -qE -- "$2" "$work/said"
}

everything() {
    (cd "$root" && find etc var -type f -printf '%p %m %s %T@\n' -exec sha256sum {} + | sort)
}

# as USER COMMAND OBJECT [WORD...]: with the passphrases of the site.
as() {
    local user=$1 command=$2
    "$command" -v 3 -l authPriv -u "$user" -a SHA-256 -A "$(sed -n 's/^auth //p' "$secret")" -x AES \
        -X "$(sed -n 's/^priv //p' "$secret")" -t 2 -r 4 -Onqv "udp:127.0.0.1:$port" "${@:3}"
}

refuses() {
    local output
    ! output=$("${@:2}" 2>&1) && grep -q "$1" <<<"$output"
}

# -- Before ------------------------------------------------------------------------------------

before=$(everything)
ok "--check finds that passphrases are missing" init 1 "^passphrases +missing +$secret: no such file" --check
ok "and the drop-in" grep -qE "^drop-in +missing .*/dcamp.conf: No such file.*install the package" "$work/said"
ok "and the services" grep -qE "^dcampd +missing +it does not run" "$work/said"
ok "without --new-site it makes none" init 1 "^passphrases +missing"
is "nothing was changed" "$(everything)" "$before"
is "nothing was started" "$(grep -v status "$work/served" || true)" ""
drop_in >"$conf/dcamp.conf"
printf 'auth short\npriv short\n' >"$secret"
chmod 600 "$secret"
ok "bad passphrases are told with their place" init 5 "^passphrases +failed +$secret:1: the passphrase must have"
rm "$secret"

# -- The first time ----------------------------------------------------------------------------

"$work/service" snmpd start
ok "it does all of it" init 0 "^passphrases +done +$secret" --new-site
for step in users configuration snmpd dcampd; do
    ok "$step: done" grep -qE "^$step +done" "$work/said"
done
ok "what snmpd was is what it stays" grep -qE "exactEngineID 0x$engine" "$conf/dcamp-init.conf"
is "the passphrases are for their owner only" "$(stat -c %a "$secret")" 600
is "so is the file of snmpd" "$(stat -c %a "$kept")" 600
eventually "dcampPoll reads" 10 eval "[[ \$(as dcampPoll snmpget .1.3.6.1.2.1.1.5.0) == '\"machine\"' ]]"
eventually "and dCAMP answers it" 10 as dcampPoll snmpgetnext .1.3.6.1.4.1.32473.1
ok "dcampPoll sets nothing" refuses noAccess as dcampPoll snmpset .1.3.6.1.4.1.32473.1.6.1.1.2.1.120 s load.1
ok "dcampAdmin reads" as dcampAdmin snmpget .1.3.6.1.2.1.1.5.0
ok "dcampTrap is known, and may read nothing" refuses 'No Such Object\|authorizationError\|noAccess' \
    as dcampTrap snmpget .1.3.6.1.2.1.1.5.0
is "snmpd says which it is" "$(as dcampPoll snmpget .1.3.6.1.6.3.10.2.1.1.0 | tr -d '" ' | tr '[:upper:]' '[:lower:]')" "$engine"
status_of_it() {
    "$build/dcamp" status -U dcampPoll --secrets "$secret" "127.0.0.1:$port" | grep -q '^node *machine'
}
eventually "dcamp status, with the file of the site" 10 status_of_it

# -- What is kept ------------------------------------------------------------------------------

# no_passphrase FILE...
no_passphrase() {
    ! grep -F -e "$(sed -n 's/^auth //p' "$secret")" -e "$(sed -n 's/^priv //p' "$secret")" "$@"
}
keys_only() {
    ! grep -q 'createUser.*dcamp' "$kept" && no_passphrase "$kept" "$conf"/* &&
        [[ $(grep -c '^usmUser .*"dcamp' "$kept") -eq 3 ]] &&
        [[ $(grep -c "^usmUser 1 3 0x$engine \"dcamp" "$kept") -eq 3 ]]
}
ok "the file of snmpd has keys for this engine, and no passphrase" keys_only
ok "and the other user" grep -q "^usmUser 1 3 0x$engine \"other\"" "$kept"
ok "the boots went on" test "$(sed -n 's/^engineBoots //p' "$kept")" -ge 8
ok "nothing was said of them" no_passphrase "$work/said" "$work/served"

# -- Again -------------------------------------------------------------------------------------

before=$(everything)
: >"$work/served"
ok "a second run finds all of it" init 0 "^users +already so"
ok "and says nothing else" not grep -vE '^(STEP|[a-zID -]+ already so) ' "$work/said"
is "nothing was changed" "$(everything)" "$before"
is "nothing was stopped or started" "$(grep -v status "$work/served" || true)" ""
ok "--check finds all of it" init 0 "^users +already so" --check
"$work/service" snmpd stop # which writes its file in its own words
"$work/service" snmpd start
before=$(everything)
ok "also when snmpd has written its file itself" init 0 "^users +already so"
is "then nothing was changed either" "$(everything)" "$before"
ok "for programs" init 0 '^\{"step":"users","result":"already so"' --json
end_services
ok "what does not run is missing" init 1 "^snmpd +missing" --check
ok "and is started" init 0 "^snmpd +done +started"

# -- A collector -------------------------------------------------------------------------------

ok "a collector needs the network" init 1 "^network +missing +the unit of dcampd" --check --collector
ok "what its unit has besides comes with the package" init 5 \
    "^network +failed .*/collector.conf: no such file; install the package dcampd" --collector
mkdir -p "$root/usr/share/dcamp/dcampd.service.d" "$root/etc/systemd/system"
cp "$top/conf/dcampd.service.d/collector.conf" "$root/usr/share/dcamp/dcampd.service.d/"
: >"$work/served"
ok "it gets that" init 0 "^network +done" --collector
ok "and dcampd starts with it" grep -qE '^dcampd +done +started' "$work/said"
is "systemd is told first" "$(grep -E '^(systemd|dcampd) ' "$work/served" | tr '\n' ' ')" \
    "systemd daemon-reload dcampd status dcampd stop dcampd status dcampd start dcampd status "
unit=$root/etc/systemd/system/dcampd.service.d/collector.conf
ok "it is the one of the package" cmp "$unit" "$top/conf/dcampd.service.d/collector.conf"
echo "# mine" >>"$unit"
ok "what was narrowed stays" init 0 "^network +already so" --collector
is "to the last line" "$(tail -n 1 "$unit")" "# mine"
ok "without the option" init 0 "^users +already so"
ok "nothing is said of it" not grep -q '^network' "$work/said"

# -- Changes -----------------------------------------------------------------------------------

other=$(free_port)
ok "--check sees that an address is missing" init 1 "^address +missing" --check --listen "udp:127.0.0.1:$other"
ok "an address more" init 0 "agentaddress udp:127.0.0.1:$other" --listen "udp:127.0.0.1:$other"
port=$other
eventually "snmpd answers there" 10 as dcampPoll snmpget .1.3.6.1.2.1.1.5.0
ok "the address stays without being asked for" init 0 "^users +already so"
ok "and is known" init 0 "^address +already so" --listen "udp:127.0.0.1:$other"
printf 'auth of the next year\npriv of the next year, too\n' >"$secret"
ok "--check sees other passphrases" init 1 "^users +missing" --check
ok "the users get their keys" init 0 "^users +done"
eventually "snmpd answers to them" 10 as dcampPoll snmpget .1.3.6.1.2.1.1.5.0
ok "the file of snmpd is as before" keys_only
ok "another engine ID" init 0 "exactEngineID 0x80001f880477656231" --engine-id 80001f880477656231
engine=80001f880477656231
eventually "snmpd has it, and the users have keys for it" 10 as dcampAdmin snmpget .1.3.6.1.2.1.1.5.0
ok "keys for this engine only" keys_only
echo "exactEngineID 0x80001f880477656232" >"$conf/mine.conf"
ok "two of them are told" init 5 "^engine ID +failed +$conf/mine.conf:1 has another"
rm "$conf/mine.conf"
echo 'createUser dcampTrap SHA-256 "in the open" AES "in the open"' >"$conf/mine.conf"
ok "a passphrase in the configuration is told with its place" init 1 "^users +missing +$conf/mine.conf:1 has a passphrase"
rm "$conf/mine.conf"
sed -i '/^includeDir/d' "$root/etc/snmp/snmpd.conf"
ok "a configuration that includes nothing" init 1 "^drop-in +missing .*includeDir $conf" --check

# -- Announcing --------------------------------------------------------------------------------

echo "includeDir $conf" >>"$root/etc/snmp/snmpd.conf"
root_port=$(free_port)
file=$root/etc/dcamp/dcamp.xml
# What a root gets: its length, which is enough to know that something came.
python3 -c 'import socket, sys
own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
own.bind(("127.0.0.1", int(sys.argv[1])))
while True:
    print(len(own.recv(65536)), flush=True)' "$root_port" >"$work/announced" 2>&1 &
jobs_started+=($!)
to=udp:127.0.0.1:$root_port,udp:127.0.0.2:$root_port
before=$(everything)
ok "--check sees that it announces itself to nobody" init 1 "^announce to +missing" --check --announce "$to"
ok "and that its file has no <announce>" grep -qE '^announcement +missing +dcamp.xml has no <announce>' "$work/said"
is "it has changed nothing" "$(everything)" "$before"
: >"$work/served"
ok "it is to" init 0 "^announcement +done .*<announce port=\"$port\"/>" --announce "$to"
ok "to both" grep -qE "^configuration +done .*announcements to $to" "$work/said"
is "dcampd starts with it" "$(grep -E '^dcampd (stop|start)' "$work/served" | tr '\n' ' ')" "dcampd stop dcampd start "
is "and so does snmpd" "$(grep -E '^snmpd (stop|start)' "$work/served" | tr '\n' ' ')" "snmpd stop snmpd start "
ok "the file is a configuration" env DCAMP_SCHEMA_DIR="$top/conf" "$build/dcampd" -c "$file" --check-config
is "its comment and its rights are as before" "$(grep -c '<!-- <announce/> -->' "$file") $(stat -c %a "$file")" "1 640"
eventually "the node has that port" 10 eval "[[ \$(as dcampPoll snmpget .1.3.6.1.4.1.32473.1.1.1.12.0) == $port ]]"
ok "a second run finds it" init 0 "^announcement +already so" --announce "$to"
ok "and whom it tells" grep -qE "^announce to +already so +$to" "$work/said"
ok "without the option" init 0 "^users +already so"
is "it stays" "$(grep -c 'trapsess -profile dcampAnnounces' "$conf/dcamp-init.conf")" 2
sed -i 's/<announce port="[0-9]*"/& after="5s"/' "$file"
"$work/service" dcampd stop
"$work/service" dcampd start
eventually "it announces itself" 30 test -s "$work/announced"
ok "to one more, when that is said" init 0 "^configuration +done" --announce "udp:127.0.0.1:$root_port"
is "and no longer to the others" "$(grep -c 'trapsess -profile dcampAnnounces' "$conf/dcamp-init.conf")" 1
ok "its own time stays" grep -q 'after="5s"' "$file"
echo '<dcamp version="1"/>' >"$file"
ok "a file that has no room for it is told" init 5 "^announcement +failed +$file: its root element is not <dcamp ...>" \
    --announce "$to"

# -- Arguments ---------------------------------------------------------------------------------

ok "an engine ID that is none" init 2 "engine-id 1234: expected" --engine-id 1234
ok "an address that is none" init 2 "listen a b: expected" --listen "a b"
ok "somebody to tell who is none" init 2 "announce a b: expected addresses" --announce "a b"
ok "a word too many" init 2 "init localhost: expected nothing behind it" localhost
ok "a user" init 2 "init asks no node" -U me
if [[ $EUID -eq 0 ]]; then
    ok "only root may" refuses "only root may" setpriv --reuid nobody --regid nogroup --clear-groups \
        "$build/dcamp" init --check
fi
finish
