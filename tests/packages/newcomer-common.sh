# shellcheck shell=bash
# What the machines of the newcomer share.

top=/test
work=$(mktemp -d)
# shellcheck source=../integration/assert.sh
. "$top/tests/integration/assert.sh"
# shellcheck source=../integration/book.sh
. "$top/tests/integration/book.sh"
cd "$top" || exit
readme=$top/README
export nms_md=$top/doc/nms.md

# type_block FILE PATTERN [SED...]: what stands there, as it stands there, but for what sed changes.
type_block() {
    local file=$1 pattern=$2
    shift 2
    block "$file" "$pattern" | sed -e 's/192\.0\.2\./10.0.2./g' "${@/#/-e}" >"$work/typed"
    bash -e "$work/typed" >>"$work/said" 2>&1 || { cat "$work/typed" "$work/said" && return 1; }
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
