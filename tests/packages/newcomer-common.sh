# shellcheck shell=bash
# What the machines of the newcomer share.

top=/test
work=$(mktemp -d)
# shellcheck source=../integration/assert.sh
. "$top/tests/integration/assert.sh"
# shellcheck source=../integration/book.sh
. "$top/tests/integration/book.sh"

# Once, as in tests/integration/common.sh.
snmpset() {
    command snmpset -t 10 -r 0 "$@"
}
cd "$top" || exit
readme=$top/README
export using_md=$top/doc/using.md
nms_md=$top/doc/nms.md
export nms=/usr/share/dcamp/nms # as nms.md calls it

# type_block FILE PATTERN [SED...]: what stands there, as it stands there, but for what sed changes;
# what it prints is in $work/said.
type_block() {
    local file=$1 pattern=$2
    shift 2
    block "$file" "$pattern" | sed -e 's/192\.0\.2\./10.0.2./g' "${@/#/-e}" >"$work/typed" ||
        { echo "$file has no $pattern" && return 1; }
    bash -e "$work/typed" >"$work/said" 2>&1 || { cat "$work/typed" "$work/said" && return 1; }
}

# The README's own blocks: the packages, the users, the file of the tools.
install_by_readme() {
    export DEBIAN_FRONTEND=noninteractive
    ok "the packages install" type_block "$readme" '^    apt install' 's/^.*bootstrap deb$//' 's/apt install/apt install -yq/'
    ok "users are made" type_block "$readme" 'createUser dcampPoll'
    ok "the tools know me" type_block "$readme" defSecurityName
}

# in_drop_in SED...: lines of the drop-in that are to be decided for each machine.
in_drop_in() {
    sed -i "${@/#/-e}" /etc/snmp/snmpd.conf.d/dcamp.conf
    systemctl restart snmpd
}

# engine_of ADDRESS: as nms.md has it, in the form that createUser wants.
engine_of() {
    local said
    type_block "$nms_md" SNMP-FRAMEWORK-MIB::snmpEngineID.0 "s/10\\.0\\.2\\.7/$1/" || return 1
    said=$(<"$work/said")
    echo "0x${said,,}"
}

# station_hears ADDRESS TARGET: snmptrapd.conf knows that sender and hands on to this target.
station_hears() {
    local engine
    engine=$(engine_of "$1")
    block "$nms_md" 'createUser -e' | sed -e "s/0x80001f880477656231/$engine/" \
        -e 's/"passphrase" AES "passphrase"/"trap, authentic" AES "trap, private"/' >>/etc/snmp/snmptrapd.conf
    block "$nms_md" "^    traphandle .*dcamp-trap $2" >>/etc/snmp/snmptrapd.conf
    ok "nobody else reads it" type_block "$nms_md" 'chgrp Debian-snmp /etc/snmp/snmptrapd.conf'
}

# raise_at ADDRESS: an alarm of the rule hot, at once.
raise_at() {
    snmpset -m DCAMP-MIB "$1" 'DCAMP-MIB::dcampThresholdSensor."hot"' = load.1 \
        'DCAMP-MIB::dcampThresholdOperator."hot"' = ge 'DCAMP-MIB::dcampThresholdLimit."hot"' = 0 \
        'DCAMP-MIB::dcampThresholdRowStatus."hot"' = createAndGo
}

# trap_came IN BEGAN: how long that took, and whether it was too long.
trap_came() {
    local took=$((SECONDS - $2))
    echo "# first trap in $1 after $took s"
    ok "that is within six minutes" test "$took" -le 360
}
