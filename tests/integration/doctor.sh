#!/usr/bin/env bash
# dcamp doctor of a real node: one fault after the other is put in, and each is named with its cure.
# The files of the machine are those of a directory that is made to look like one.
# shellcheck disable=SC2016 # what eval gets is expanded there
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

dcamp_=${DCAMP_BUILD:-$top/build}/dcamp
machine=$work/machine
user=lab

# doctor [OPTION...]: of the node; the output as JSON, the exit status.
doctor() {
    code=0
    "${before[@]}" "$dcamp_" doctor --json -t 3 -U "$user" --secrets "$work/secrets" \
        --root "$machine" "$@" "$node" >"$work/out" 2>"$work/said" || code=$?
}
before=()

# finding CHECK: "OK FOUND; CURE" of it.
finding() {
    python3 -c 'import json, sys
for row in map(json.loads, sys.stdin):
    if row["check"] == sys.argv[1]:
        print("ok" if row["ok"] else "bad", row["found"] + ";", row["cure"] or "")' "$1" <"$work/out"
}

# bad: the checks that are not ok.
bad() {
    python3 -c 'import json, sys
print(" ".join(row["check"] for row in map(json.loads, sys.stdin) if not row["ok"]))' <"$work/out"
}

# fixed: the checks that were mended.
fixed() {
    python3 -c 'import json, sys
print(" ".join(row["check"] for row in map(json.loads, sys.stdin) if row["fixed"]))' <"$work/out"
}

# names DESCRIPTION CHECK PATTERN [OPTION...]: this check alone is not ok, and its finding and cure
# match.
names() {
    local description=$1 check=$2 pattern=$3 found good=0
    shift 3
    doctor "$@"
    found=$(finding "$check")
    # shellcheck disable=SC2053 # a pattern
    [[ $code -eq 1 && $(bad) == "$check" && $found == "bad "$pattern ]] || good=1
    report "$good" "$description" "status $code; $found"$'\n'"$(<"$work/out")$(<"$work/said")"
}

all_is_well() {
    doctor
    [[ $code -eq 0 && -z $(bad) && -s $work/out ]]
}

# secrets AUTH PRIV: of the user.
secrets() {
    (umask 077 && printf 'auth %s\npriv %s\n' "$1" "$2" >"$work/secrets")
}

# account UID GID: of dcamp on that machine.
account() {
    echo "dcamp:x:$1:$2::/:/bin/false" >"$machine/etc/passwd"
    echo "dcamp:x:$2:" >"$machine/etc/group"
}

start_lab
state=$machine/var/lib/dcamp
drop_in=$machine/etc/snmp/snmpd.conf.d/dcamp.conf
socket=${DCAMP_LAB_AGENTX_1#unix:}
mkdir -p "$machine"/{etc/dcamp,etc/snmp/snmpd.conf.d,usr/bin,usr/share/snmp/mibs,var/lib}
mkdir -m 750 "$state"
install /dev/null "$machine/usr/bin/snmpget"
cp "$top/mibs/DCAMP-MIB.txt" "$machine/usr/share/snmp/mibs/"
sed "s|^agentXSocket .*|agentXSocket unix:$socket|" "$top/conf/snmpd-dcamp.conf" >"$drop_in"
(umask 077 && echo secret >"$machine/etc/dcamp/site.secret")
account "$(id -u)" "$(id -g)"
secrets_from "${snmp[@]}" >"$work/lab.secrets"
auth=$(sed -n 's/^auth //p' "$work/lab.secrets") priv=$(sed -n 's/^priv //p' "$work/lab.secrets")
secrets "$auth" "$priv"
eventually "nothing is wrong with a node of the lab" 10 all_is_well
is "and it is known what was looked at" "$(grep -c . "$work/out")" 26

# -- The way there ---------------------------------------------------------------------------
was=$node
node=999.1.1.1
names "a name that is none" "name service" '*999.1.1.1: *getent hosts*'
node=127.0.0.1:9
doctor
is "nobody listens" "$code $(finding snmpd | grep -c 'Connection refused.*systemctl start snmpd')" "1 1"
coproc python3 -c 'import socket, sys
hole = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
hole.bind(("127.0.0.1", 0))
print(hole.getsockname()[1], flush=True)
sys.stdin.read()'
read -r port <&"${COPROC[0]}"
node=127.0.0.1:$port
doctor -t 1
is "a firewall drops what is asked" "$code $(finding snmpd | grep -c 'no answer.*firewall')" "1 1"
eval "exec ${COPROC[1]}>&-"
node=$was
code=0
"$dcamp_" doctor --fix -U "$user" --secrets "$work/secrets" 192.0.2.7 >"$work/out" 2>"$work/said" || code=$?
is "another machine is not mended" "$code $(<"$work/said")" \
    "2 dcamp: --fix mends only the machine that it runs on, which 192.0.2.7 is not"

# -- The user --------------------------------------------------------------------------------
chmod 644 "$work/secrets"
names "others may read the passphrases" login '*secrets*; -U USER --secrets FILE*'
chmod 600 "$work/secrets"
user=nobody
names "a user that snmpd does not know" user '*does not know the user nobody; *createUser*'
user=lab
secrets "another passphrase" "$priv"
names "a wrong authentication passphrase" "auth key" '*not the one that snmpd has; *createUser*'
secrets "$auth" "another passphrase"
names "a wrong privacy passphrase" "priv key" '*cannot decrypt*; *createUser*' -t 2
secrets "$auth" "$priv"
user=dcampTrap
names "a user without access" view '*authorizationError*; *dcampPoll*restart snmpd'
printf '%s\n' 'view blind included .1.3.6.1.2.1.1' 'group blind usm dcampTrap' \
    'access blind "" usm priv exact blind none none' >>"${socket%/*}/snmpd.conf"
control restart-snmpd --node 1
user=lab
eventually "dcampd is back" 15 all_is_well
user=dcampTrap
names "a view without dCAMP" view '*does not see the DCAMP-MIB; *dcampRead*restart snmpd'
user=lab

# -- The daemons -----------------------------------------------------------------------------
set_ 'dcampThresholdLimit."cpu-busy"' s 90x >/dev/null 2>&1 || true
names "a SET that was refused" "refused SET" 'dcampThresholdLimit."cpu-busy": wrongValue*'
control kill-dcampd
doctor
is "dcampd is not there" "$code $(bad) $(finding dcampd)" \
    "1 dcampd subagent bad it is not connected to snmpd; systemctl start dcampd; if it does not stay: journalctl -u dcampd"
control start-dcampd
eventually "it is back" 15 all_is_well
kill -STOP "$DCAMP_LAB_PID_DCAMPD_1"
doctor -t 10
is "dcampd hangs" "$code $(finding dcampd | grep -c 'does not answer it; .*restart dcampd')" "1 1"
kill -CONT "$DCAMP_LAB_PID_DCAMPD_1"
eventually "it goes on" 15 all_is_well

# -- The machine -----------------------------------------------------------------------------
mv "$drop_in" "$work/drop-in"
names "snmpd has no drop-in" drop-in '*No such file*; *restart snmpd'
sed '/^master/d' "$work/drop-in" >"$drop_in"
names "it makes no master of snmpd" drop-in '*no line "master agentx"*'
mv "$work/drop-in" "$drop_in"
# mends DESCRIPTION CHECK PATTERN: all is well with --fix, and the finding says so; without, too.
mends() {
    local found good=0
    doctor --fix
    found=$(finding "$2")
    # shellcheck disable=SC2053 # a pattern
    [[ $code -eq 0 && $found == "ok "$3 && $(fixed) == "$2" ]] && doctor && [[ $code -eq 0 && -z $(fixed) ]] ||
        good=1
    report "$good" "$1" "status $code; $found"$'\n'"$(<"$work/out")$(<"$work/said")"
}
chmod 755 "$state"
names "others may look into the state" "state directory" '*mode 0755; *chmod 750*'
mends "that is mended" "state directory" '*is of dcamp; mended: *restart dcampd;*'
is "to the mode that it has to have" "$(stat -c %a "$state")" 750
rmdir "$state"
names "there is no state" "state directory" '*No such file*; mkdir *'
mends "that is mended, too" "state directory" '*is of dcamp; mended: *'
chmod 640 "$machine/etc/dcamp/site.secret"
names "others may read the secrets of the site" secrets '/etc/dcamp/site.secret *; *chmod 600*'
mends "that is mended" secrets '*nobody else may read; mended: *take other passphrases;*'
ln "$machine/etc/dcamp/site.secret" "$work/elsewhere"
chmod 644 "$work/elsewhere"
names "what has another name elsewhere is left alone" secrets '*' --fix
rm "$work/elsewhere" "$machine/etc/dcamp/site.secret"
(umask 077 && echo secret >"$work/elsewhere")
chmod 644 "$work/elsewhere"
ln -s "$work/elsewhere" "$machine/etc/dcamp/site.secret"
names "so is what a link names" secrets '*' --fix
rm "$machine/etc/dcamp/site.secret"
mv "$machine/usr/share/snmp/mibs/DCAMP-MIB.txt" "$work/"
names "there is no MIB file" "MIB file" '*No such file*; install *dcamp-mibs*'
mv "$work/DCAMP-MIB.txt" "$machine/usr/share/snmp/mibs/"
if [[ $(id -u) -eq 0 ]]; then
    chown 4711 "$state"
    names "the state is somebody else's" "state directory" '*is not of user dcamp, but of 4711; chown dcamp:dcamp *'
    mends "that is mended" "state directory" '*is of dcamp; mended: *'
    chown 4711 "$state"
    account 4711 4712
    names "dcampd may not connect" "socket mode" '*may not connect; agentXPerms *'
    account 0 0
    chown 0 "$state"
fi
if unshare -rm true 2>/dev/null; then
    before=(unshare -rm sh -c 'mount -t tmpfs -o size=1m,mode=750 none "$1" || exit 99; [ -z "$2" ] || mount -o "$2" none "$1"; shift 2; exec "$@"' sh "$state" "")
    account 0 0
    names "the disk is full" "state room" '* kB are left *; make room*'
    before[-1]=remount,ro
    names "the disk is read-only" "state room" '*read-only; mount -o remount,rw *'
    before=()
    account "$(id -u)" "$(id -g)"
fi
kill "$DCAMP_LAB_PID_SNMPD_1"
gone() { doctor && [[ $(finding snmpd) == 'bad '*'Connection refused; '* ]]; }
eventually "snmpd is gone" 5 gone
is "and where it listened, too" "$(finding socket | grep -c 'systemctl restart snmpd')" 1
finish
