#!/usr/bin/env bash
# secrets.sh: a collector whose secrets cannot be read, or that may use no network, says so: who
# cannot read which file and why, in the log, in the child's row and in the alarm; and
# --check-config says it before that.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
DCAMP_BUILD=${DCAMP_BUILD:-$top/build}
dcampd=$DCAMP_BUILD/dcampd
chmod 755 "$work"
me=$(id -un)

# -- The example ------------------------------------------------------------------------------

user=$(sed -nE 's/.*<credential .*user="([^"]*)".*/\1/p' "$top/conf/dcamp.xml")
ok "the user of the example is one of the drop-in" \
    grep -q "^access $user \"\" usm priv exact dcampRead" "$top/conf/snmpd-dcamp.conf"

# -- Before it runs ----------------------------------------------------------------------------

secret=$work/children.secret
printf 'auth authauth1\npriv privpriv1\n' >"$secret"
chmod 600 "$secret"
cat >"$work/dcamp.xml" <<END
<dcamp version="1"><node/>
<sensors><sensor name="load.1" metric="load.1" interval="1s"/></sensors>
<credentials><credential name="children" user="dcampPoll" secrets="$secret"/></credentials>
<children><child name="leaf" address="udp:127.0.0.1:9" credential="children" period="500ms"/></children>
</dcamp>
END
chmod 644 "$work/dcamp.xml"

# check STATUS PATTERN [COMMAND...]: what dcampd --check-config says.
check() {
    local status=0 output
    output=$("${@:3}" "$dcampd" --check-config -c "$work/dcamp.xml" 2>&1) || status=$?
    echo "status $status: $output"
    [[ $status -eq $1 ]] && grep -qE -- "$2" <<<"$output"
}

ok "--check-config: they can be read" check 0 "^$work/dcamp.xml: ok\$"
ok "it says who must be able to" check 0 "user \"$me\" can read $secret, dcampd must run as that user"
mv "$secret" "$secret.away"
ok "--check-config: no such file" \
    check 1 "\"children\": $secret: user \"$me\" cannot read it: No such file or directory"
mv "$secret.away" "$secret"
chmod 644 "$secret"
ok "--check-config: everybody may read it" check 1 "\"children\": $secret: others than its owner"
chmod 600 "$secret"
if [[ $EUID -eq 0 ]]; then
    as_nobody=(setpriv --reuid nobody --regid nogroup --clear-groups)
    ok "--check-config: another user may not read it, who it is, and whose it is" check 1 \
        "$secret: user \"nobody\" cannot read it: Permission denied \(it belongs to user \"$me\", chown it\)" \
        "${as_nobody[@]}"
    chown nobody "$secret"
    ok "that user may" check 0 "user \"nobody\" can read" "${as_nobody[@]}"
    ok "root asks for who has it" check 0 "user \"nobody\" can read $secret, dcampd must run as that"
    chown "$me" "$secret"
fi

# -- While it runs -----------------------------------------------------------------------------

error_has() {
    [[ $(get 'dcampChildError."leaf"') == *"$1"* ]]
}

mv "$secret" "$secret.away"
start_lab --config "$work/dcamp.xml"
eventually "the child's row says who cannot read what, and why" 10 error_has \
    "$secret: user \"$me\" cannot read it: No such file or directory"
eventually "the log does" 10 grep -q "credential \"children\": $secret: user \"$me\" cannot read it" "$DCAMP_LAB_LOG_1"
eventually "and the alarm" 10 grep -q "leaf is lost: $secret: user" "$DCAMP_LAB_LOG_1"
mv "$secret.away" "$secret"
kill -HUP "$DCAMP_LAB_PID_DCAMPD_1"
eventually "it is read anew at a reload" 10 error_has "Connection refused"
control kill-dcampd --node 1

# -- Without the network -----------------------------------------------------------------------

cat >"$work/confined" <<END
#!/bin/sh
INVOCATION_ID=1 exec "$DCAMP_BUILD/tests/integration/without-network" "$dcampd" "\$@"
END
chmod 755 "$work/confined"
start_lab --config "$work/dcamp.xml" --binary "$work/confined"
eventually "a unit that allows no network: the reason, errno and the drop-in" 10 error_has \
    "the unit allows no network (Address family not supported): add dcampd.service.d/collector.conf"
finish
