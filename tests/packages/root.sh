# shellcheck shell=bash
# A clean Debian 12 in a directory, for tests that install packages: made by debootstrap and booted in
# namespaces of its own, for mounts, processes, control groups and the network, which has the
# loopback alone.
#
# The script that sources this sets top, debs and root.

top=${top:-} debs=${debs:-} root=${root:-}
mirror=${DCAMP_MIRROR:-} # where Debian comes from; empty: what debootstrap knows

# packages: those of dCAMP, without those for debuggers.
packages() {
    find "$debs" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' | sort
}

# what_they_need: the packages of Debian that these depend on, the first of each choice.
what_they_need() {
    local file own
    own=$(packages | sed 's|.*/||; s|_.*||' | paste -sd '|')
    packages | while read -r file; do
        dpkg-deb -f "$file" Depends
    done | tr ',' '\n' | sed 's/^ *//; s/ .*//; s/:any//' | grep -vxE "|$own" | sort -u
}

# make_root PACKAGE...: with these besides what the packages need.
make_root() {
    local include
    include=$({ what_they_need; printf '%s\n' "$@"; } | paste -sd ,)
    DPKG_FORCE=unsafe-io debootstrap --variant=minbase --include="$include" bookworm "$root" ${mirror:+"$mirror"} \
        >"$root.log" 2>&1 || { tail -n 20 "$root.log" && return 1; }
    mkdir -p "$root/test/debs"
    packages | xargs cp -t "$root/test/debs"
}

# prepare_boot SCRIPT [HOSTNAME]: what runs when everything is up, with which the machine ends.
prepare_boot() {
    cat >"$root/etc/systemd/system/test.service" <<EOF
[Unit]
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
Environment=HOME=/root LC_ALL=C.UTF-8 TERM=dumb
ExecStart=/bin/bash $1
ExecStopPost=/bin/sh -c 'echo \$EXIT_STATUS >/test/status; journalctl -b --no-pager >/test/journal'
StandardOutput=file:/test/output
StandardError=inherit
[Install]
WantedBy=multi-user.target
EOF
    ln -sf ../test.service "$root/etc/systemd/system/multi-user.target.wants/"
    echo "${2:-clean}" >"$root/etc/hostname"
    printf '127.0.0.1 localhost %s\n::1 localhost\n' "${2:-clean}" >"$root/etc/hosts"
    rm -f "$root"/test/{status,output}
}

# machine [ADDRESS/BITS]: a prepared root as a process, which SIGTERM ends.
# shellcheck disable=SC2120 # by who has several
machine() {
    exec unshare --mount --propagation private bash "$top/tests/packages/machine" "$root" "$@" \
        >"$root.boot" 2>&1
}

# result: what the script has printed; its status is that.
result() {
    cat "$root/test/output" 2>/dev/null
    [[ $(<"$root/test/status") == 0 ]] 2>/dev/null
}

# boot_root SECONDS SCRIPT: a machine on its own, for so many seconds at most. What waits ends with the
# machine: who reads what this prints would wait for it, too.
boot_root() {
    local pid
    prepare_boot "$2"
    machine &
    pid=$!
    timeout "$1" tail --pid="$pid" -f /dev/null || kill "$pid" 2>/dev/null || true
    wait "$pid" || true
    result
}
