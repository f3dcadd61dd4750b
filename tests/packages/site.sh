# shellcheck shell=bash
# Machines with a clean Debian 12 on a bridge, for tests that do what somebody new does; they have no
# other network. What apt would download is there before; installing it is part of the test.
#
# The script that sources this has sourced root.sh, and set top.

top=${top:-} root=${root:-} mirror=${mirror:-}
made=$(mktemp -d /tmp/dcamp-newcomer.XXXXXX)
machines=()
hub=
status=0

clean_up() {
    local status=$?
    for pid in "${machines[@]}" $hub; do
        kill "$pid" 2>/dev/null || true
    done
    wait
    rm -rf --one-file-system "$made"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# make_debian INCLUDE PACKAGE...: with systemd and what is included, a list with commas; what these
# packages and those of dCAMP need is in the cache of apt.
make_debian() {
    local include=$1
    shift
    debootstrap --variant=minbase --include="systemd-sysv,iproute2$include" bookworm "$root" \
        ${mirror:+"$mirror"} >"$made/debootstrap.log" 2>&1 || { tail -n 20 "$made/debootstrap.log" && return 1; }
    mkdir -p "$root/test/build/deb"
    packages | xargs cp -t "$root/test/build/deb"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    # shellcheck disable=SC2016 # expanded there
    chroot "$root" sh -c 'apt-get update -q && cd /test &&
        apt-get install -yq --download-only ./build/deb/*.deb "$@"' sh "$@" >"$made/download.log" 2>&1 ||
        { tail -n 20 "$made/download.log" && return 1; }
}

# make_clean INCLUDE PACKAGE...: the same, which the machines are copies of, with the documents and the
# tests. Where DCAMP_CLEAN names a directory, it is kept there for the next time.
make_clean() {
    root=$made/clean
    if [[ -d ${DCAMP_CLEAN:-} ]]; then
        cp -a "$DCAMP_CLEAN" "$root"
    else
        make_debian "$@"
        [[ -z ${DCAMP_CLEAN:-} ]] || cp -a "$root" "$DCAMP_CLEAN"
    fi
    rm -rf "$root/test"
    mkdir -p "$root/test/build/deb" "$root/test/doc"
    packages | xargs cp -t "$root/test/build/deb"
    cp -r "$top"/doc/{man,nms.md,using.md} "$root/test/doc"
    cp -r "$top"/{README,tests} "$root/test"
}

# make_hub: the bridge, in a namespace of its own.
make_hub() {
    unshare --net sleep infinity &
    hub=$!
    until [[ $(readlink "/proc/$hub/ns/net") != "$(readlink /proc/self/ns/net)" ]]; do
        sleep 0.1
    done
    nsenter --net="/proc/$hub/ns/net" ip link add name hub type bridge
    nsenter --net="/proc/$hub/ns/net" ip link set hub up
}

# wire PID NAME: an interface eth0 in the namespace of this process, the other end on the bridge.
wire() {
    until [[ $(readlink "/proc/$1/ns/net") != "$(readlink /proc/self/ns/net)" ]]; do
        sleep 0.1
    done
    nsenter --net="/proc/$hub/ns/net" ip link add name "$2" type veth peer name eth0 netns "$1"
    nsenter --net="/proc/$hub/ns/net" ip link set "$2" up master hub
}

# add NAME ADDRESS SCRIPT [ARGUMENT]...: a copy of the clean one, started, and on the bridge; it knows
# the names of $made/hosts.
add() {
    cp -a "$made/clean" "$made/$1"
    root=$made/$1
    prepare_boot "${*:3}" "$1"
    [[ ! -e $made/hosts ]] || cat "$made/hosts" >>"$root/etc/hosts"
    machine "$2/24" &
    machines+=($!)
    until [[ -s $root.pid ]]; do
        sleep 0.1
    done
    wire "$(<"$root.pid")" "$1"
}

# station NAME ADDRESS SCRIPT: added, until it has ended; status is 1 if that has failed.
station() {
    echo "# $1"
    add "$@"
    wait "${machines[-1]}" || true
    result || status=1
}
