#!/usr/bin/env bash
# A network that drops fragments of IP, as many do: a child whose answers would need several packets is
# asked for what fits into one. Nothing of what it has to say is lost, and its series get their names.
if [[ -z ${DCAMP_OWN_NETWORK:-} ]] && unshare -n true 2>/dev/null; then
    DCAMP_OWN_NETWORK=1 exec unshare -n "$BASH" "$0" "$@"
fi
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

if [[ -z ${DCAMP_OWN_NETWORK:-} || -z $(type -P nft) ]]; then
    echo "1..0 # SKIP a network of its own is needed, and nft in it"
    exit 77
fi

# As large as the packets of an Ethernet; and one rule, which counts what it drops.
ip link set lo mtu 1500 up
nft -f - <<'END'
table ip fragments {
    counter dropped { }
    chain arriving {
        type filter hook prerouting priority -450
        ip frag-off & 0x3fff != 0 counter name dropped drop
    }
}
END
dropped() {
    nft list counter ip fragments dropped | grep -o 'packets [0-9]*' | grep -o '[0-9]*'
}

# So many series that those of one second fill several blocks, with long names, so that ten entries of
# the dictionary need several packets, too.
interfaces=100
make_root "$work/machine"
{
    head -n 2 /proc/net/dev
    for ((i = 0; i < interfaces; i++)); do
        printf 'interface%06d: %d 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0\n' "$i" \
            $((1000000007 * i)) $((3000000019 * i))
    done
} >"$work/machine/proc/net/dev"
cat >"$work/leaf.xml" <<'END'
<dcamp version="1">
<node/>
<sensors>
<sensor name="octets.that.were.received" metric="net.rx.bytes" interval="1s"/>
<sensor name="octets.that.were.transmitted" metric="net.tx.bytes" interval="1s"/>
</sensors>
</dcamp>
END

child() {
    at collector1 get "dcampChild$1.\"node1\""
}
is_up() {
    [[ $(child State) == up ]]
}
named() {
    [[ $(at collector1 walk dcampChildValueText | wc -l) -eq $((2 * interfaces)) ]]
}
blocks() {
    [[ $(as_number child Blocks) -ge $1 ]]
}

start_lab --nodes 1 --collectors 1 --root "$work/machine" --config "$work/leaf.xml"
eventually "the child is up" 10 is_up
eventually "all of its series have names and values" 60 named
ok "answers in fragments were sent, and dropped" test "$(dropped)" -gt 0

missed=$(child Missed) fragments=$(dropped) first=$(child Blocks)
echo "# so far: $missed polls missed, $fragments fragments dropped, $first blocks"
eventually "its blocks come, several a second" 60 blocks $((first + 60))
ok "it is up" is_up
is "blocks that were lost" "$(child LostBlocks)" 0
ok "polls are missed only where more is tried again" test $(($(child Missed) - missed)) -le 4
echo "# then: $(($(child Missed) - missed)) polls missed, $(($(dropped) - fragments)) fragments dropped"

nft delete table ip fragments
is_mended() {
    local polls blocks
    polls=$(as_number child Polls) blocks=$(as_number child Blocks)
    ((polls > 0 && blocks > 0)) || return 1
    sleep 5
    polls=$(($(as_number child Polls) - polls)) blocks=$(($(as_number child Blocks) - blocks))
    echo "# $blocks blocks by $polls polls"
    ((polls > 0 && polls < blocks))
}
eventually "when the network is mended, a poll brings several of them again" 120 is_mended
finish
