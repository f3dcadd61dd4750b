# shellcheck shell=bash
# A clean Debian 12 in a directory, for tests that install packages: made by debootstrap, entered in
# namespaces of its own for mounts, processes and the network, which has the loopback alone.
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
    # Services are started by who tests, not by packages.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    printf '127.0.0.1 localhost clean\n::1 localhost\n' >"$root/etc/hosts" # as the installer has it
    mkdir -p "$root/test/debs"
    packages | xargs cp -t "$root/test/debs"
}

# in_root COMMAND...: as root there, and nothing of it is left afterwards.
in_root() {
    # shellcheck disable=SC2016 # expanded there
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb \
        unshare --mount --propagation private --pid --fork --kill-child --net --uts --ipc \
        bash -c '
            root=$1
            shift
            ip link set lo up
            hostname clean
            mount -t proc proc "$root/proc"
            mount -t sysfs -o ro sysfs "$root/sys"
            exec chroot "$root" "$@"' in_root "$root" "$@"
}
