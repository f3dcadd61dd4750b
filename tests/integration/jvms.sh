#!/usr/bin/env bash
# JVMs that nobody has changed are measured as all else: those of all users, and those that have a /tmp of
# their own. The numbers are those that jstat and jcmd say at the same moment; who forges the file of a
# JVM is told of in one line, and harms nobody. Skipped without a JDK, and without the rights to run
# programs as others.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

for tool in jar java javac jstat jcmd setpriv unshare; do
    if [[ -z $(type -P "$tool") ]]; then
        echo "1..0 # SKIP $tool is not installed"
        exit 77
    fi
done
if [[ $EUID -ne 0 ]] || ! unshare -m -p -f true 2>/dev/null; then
    echo "1..0 # SKIP this needs root, who may make namespaces"
    exit 77
fi
build=$(realpath "${DCAMP_BUILD:-$top/build}")

# Where everybody can read it, whatever is mounted at /tmp.
public=$(mktemp -d /var/tmp/dcamp-test.XXXXXX)
temporary+=("$public")
chmod 755 "$public"
# No other test has JVMs of this name.
name=shop$$.jar
javac -d "$work" "$top/tests/integration/Orders.java"
(cd "$work" && jar --create --file "$public/$name" --main-class Orders ./*.class)
cp "$build/dcamp-jvm" "$top/tests/integration/forge-perfdata" "$public/"

# script NAME: in $public, from the input.
script() {
    cat >"$public/$1"
    chmod 755 "$public/$1"
}

# as UID COMMAND...: with no other rights; as-maker may make devices, too.
script as <<'END'
#!/bin/sh
uid=$1
shift
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all --bounding-set=-all "$@"
END
script as-maker <<'END'
#!/bin/sh
uid=$1
shift
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all,+mknod --ambient-caps=-all,+mknod "$@"
END

# private COMMAND...: in namespaces of its own of mounts and processes, with its own /tmp, as a service
# with PrivateTmp= and a container have.
script private <<'END'
#!/bin/sh
exec unshare -m -p -f --kill-child --propagation private \
    sh -c 'mount -t tmpfs tmpfs /tmp && mount -t proc proc /proc && exec "$@"' - "$@"
END

# What the unit gives: a user of its own, two capabilities, and no others.
script helper <<END
#!/bin/sh
exec setpriv --reuid 64990 --regid 64990 --clear-groups --inh-caps=-all,+sys_ptrace,+dac_read_search \
    --ambient-caps=-all,+sys_ptrace,+dac_read_search --bounding-set=-all,+sys_ptrace,+dac_read_search \
    --no-new-privs "$public/dcamp-jvm"
END

# -- JVMs ------------------------------------------------------------------------------------

# run_orders [WRAPPER...] -- [OPTION...]: begins one, whose process is $started.
run_orders() {
    local wrapper=()
    while [[ $1 != -- ]]; do
        wrapper+=("$1")
        shift
    done
    shift
    : >"$work/out" # what the one before has printed there does not count
    "${wrapper[@]}" java -Xmx64m "$@" -jar "$public/$name" >"$work/out" 2>&1 &
    started=$!
    jobs_started+=("$started")
    within 60 grep -q '^waits' "$work/out" || report 1 "a JVM starts" "$(cat "$work/out")"
}

# -- What dcampd knows of them ---------------------------------------------------------------

config() {
    local metric
    echo '<dcamp version="1"><node name="x"/><sensors>'
    for metric in cpu cpu.user cpu.system heap.used heap.max metaspace.used metaspace.capacity threads \
        threads.daemon threads.peak threads.started classes compile.time safepoint.time safepoint.count \
        gc.count gc.time; do
        echo "<sensor name=\"$metric\" metric=\"jvm.$metric\" interval=\"500ms\"/>"
    done
    cat <<END
    <sensor name="heap" metric="jvm.heap.used" calculation="percent" interval="500ms" window="1d"/>
    <sensor name="busy" metric="jvm.cpu" calculation="percent" interval="500ms"/>
    <sensor name="load.1" metric="load.1" interval="1s"/>
  </sensors></dcamp>
END
}

# value COLUMN SENSOR INSTANCE
value() {
    get "dcampValue$1.\"$2\".\"$3\"" 2>/dev/null || true
}

is_there() { # INSTANCE
    [[ $(value State threads "$1") == valid ]]
}

is_gone() { # INSTANCE
    not exists "dcampValueState.\"threads\".\"$1\""
}

samples() { # INSTANCE
    as_number value Samples threads "$1"
}

# goes_on INSTANCE: it is sampled again and again.
goes_on() {
    local before
    before=$(samples "$1")
    within 20 more_samples_than "$1" "$before"
}
more_samples_than() { # INSTANCE NUMBER
    [[ $(samples "$1") -gt $2 && $(value State threads "$1") == valid ]]
}

# raw INSTANCE SENSOR...: the numbers as the JVM has them.
raw() {
    local instance=$1 sensor objects=()
    shift
    for sensor in "$@"; do
        objects+=("dcampValueText.\"$sensor\".\"$instance\"")
    done
    get "${objects[@]}"
}

# -- The numbers -----------------------------------------------------------------------------

config >"$work/jvms.xml"
export DCAMP_LAB_JVM_HELPER=$public/helper
start_lab --config "$work/jvms.xml"
log=$lab_dir/node1/dcampd.log

run_orders -- -XX:+UseG1GC
first=$started
eventually "a JVM is found" 60 is_there "root/$name"

# Times in seconds, with six decimals at the most.
by_jcmd() {
    jcmd "$1" PerfCounter.print | awk -F= '
    { entry[$1] = $2 }
    $1 ~ /^sun\.gc\.generation\.[01]\.space\.[0-9]\.used$/ { used += $2 }
    function seconds(ticks) { return sprintf("%.3f", ticks / 1e9) }
    END {
        print used
        print entry["sun.gc.metaspace.used"]
        print entry["sun.gc.metaspace.capacity"]
        print entry["java.threads.live"]
        print entry["java.threads.daemon"]
        print entry["java.threads.livePeak"]
        print entry["java.threads.started"]
        print entry["java.cls.loadedClasses"] + entry["java.cls.sharedLoadedClasses"] \
            - entry["java.cls.unloadedClasses"] - entry["java.cls.sharedUnloadedClasses"]
        print entry["sun.rt.safepoints"]
        print seconds(entry["java.ci.totalTime"])
        print seconds(entry["sun.rt.safepointTime"])
    }'
}

by_dcamp() {
    raw "$1" heap.used metaspace.used metaspace.capacity threads threads.daemon threads.peak \
        threads.started classes safepoint.count
    raw "$1" compile.time safepoint.time | awk '{ printf "%.3f\n", $1 }'
}

# same_as_jcmd INSTANCE PID: all of it; the JVM rests, but jcmd itself has it do something.
same_as_jcmd() {
    by_jcmd "$2" >"$work/jcmd"
    sleep 0.6
    by_dcamp "$1" >"$work/dcamp"
    cmp "$work/jcmd" "$work/dcamp"
}
eventually "its numbers are those that jcmd says" 60 same_as_jcmd "root/$name" "$first"
[[ $failed -eq 0 ]] || paste "$work/jcmd" "$work/dcamp" | sed 's/^/# /'

is "the largest heap is that of its options" "$(raw "root/$name" heap.max)" \
    "$(jcmd "$first" VM.flags | grep -o ':MaxHeapSize=[0-9]*' | cut -d= -f2)"

# jstat has four parts of the heap in kibibytes with one decimal, whose sum may round to one more than is there,
# and seconds with three.
same_as_jstat() {
    jstat -gc "$first" | awk 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 {
        printf "%.0f %d %.3f %d %.3f\n", ($at["S0U"] + $at["S1U"] + $at["EU"] + $at["OU"]),
            $at["YGC"], $at["YGCT"], $at["FGC"], $at["FGCT"] }' >"$work/jstat"
    jstat -class "$first" | awk 'NR == 2 { print $1 }' >>"$work/jstat"
    jstat -compiler "$first" | awk 'NR == 2 { printf "%.2f\n", $4 }' >>"$work/jstat"
    {
        printf '%.0f %d %.3f %d %.3f\n' "$(($(as_number raw "root/$name" heap.used) / 1024))" \
            "$(raw "root/$name:G1 young" gc.count)" "$(raw "root/$name:G1 young" gc.time)" \
            "$(raw "root/$name:G1 full" gc.count)" "$(raw "root/$name:G1 full" gc.time)"
        raw "root/$name" classes
        printf '%.2f\n' "$(raw "root/$name" compile.time)"
    } >"$work/dcamp"
    paste -d ' ' "$work/jstat" "$work/dcamp" | awk '{
        for (i = NF / 2; i > 0; i--) if ($i - $(NF / 2 + i) > (NR == 1 && i == 1) || $(NF / 2 + i) > $i) exit 1 }'
}
eventually "and those of jstat: heap, collections and their times, classes, compiler" 60 same_as_jstat
[[ $failed -eq 0 ]] || paste "$work/jstat" "$work/dcamp" | sed 's/^/# /'

ok "the heap in percent of the largest, with statistics" \
    awk -v p="$(value Text heap "root/$name")" -v mean="$(value Mean heap "root/$name")" \
    -v least="$(value Min heap "root/$name")" -v most="$(value Max heap "root/$name")" \
    'BEGIN { exit !(p > 5 && p < 100 && least > 0 && least <= mean && mean <= most && most < 100) }'

full_count() { raw "root/$name:G1 full" gc.count; }
collected_since() { [[ $(as_number full_count) -gt $1 ]]; }
before=$(full_count)
jcmd "$first" GC.run >/dev/null
eventually "a collection is counted" 20 collected_since "$before"
ok "the JVM itself has no numbers of a collector" not exists "dcampValueState.\"gc.count\".\"root/$name\""

# The kernel counts in hundredths of a second, user and system apart.
cpu_is_right() {
    local ticks
    ticks=$(awk '{ print $14 + $15 }' "/proc/$first/stat")
    awk -v t="$ticks" -v s="$(raw "root/$name" cpu)" 'BEGIN { d = t / 100 - s; exit !(d >= -0.01 && d <= 0.05) }'
}
eventually "its CPU time is that of the kernel" 20 cpu_is_right

# -- Of others -------------------------------------------------------------------------------

run_orders "$public/as" 65534 -- -XX:+UseSerialGC
other=$started
eventually "a JVM of another user is found" 60 is_there "nobody/$name"
ok "jstat can say nothing of it as another user" not "$public/as" 64991 jstat -gc "$other"
eventually "and has its collectors" 10 exists "dcampValueText.\"gc.count\".\"nobody/$name:Serial young\""

run_orders "$public/private" -- -XX:+UseParallelGC
private=$(pgrep -P "$started" -x java)
jobs_started=("$private" "${jobs_started[@]}") # unshare ignores what ends others
eventually "one that has a /tmp and pids of its own is found, with its pid, for it has the name of another" 60 \
    is_there "root/$name/$private"
eventually "the older one has kept its name" 10 is_there "root/$name"
ok "it is pid 1 in there" grep -q "^NSpid:.*[[:space:]]1\$" "/proc/$private/status"

# A shell that becomes a JVM is one: looked at again when it is older.
sh -c "sleep 7; exec java -Xmx64m -jar '$public/$name' late" >"$work/late" 2>&1 &
jobs_started+=($!)
late=$!
eventually "a shell that executes java later is found" 90 is_there "root/$name/$late"

# chroot: its path is another one than that of its mount namespace.
mkdir -p "$public/root/tmp"
for folder in usr lib lib64 etc proc dev; do
    [[ ! -d /$folder ]] || { mkdir -p "$public/root/$folder"; }
done
mkdir "$public/root/classes"
# shellcheck disable=SC2016 # for the inner shell
unshare -m --propagation private sh -c '
    cd "$1/root" && for folder in usr etc dev; do mount --bind /$folder $folder || exit; done
    mount -t proc proc proc && mount --bind "$1" classes && rmdir lib lib64 &&
        ln -s usr/lib lib && ln -s usr/lib64 lib64 &&
        exec chroot . /usr/bin/java -Xmx64m -XX:+UseSerialGC -jar "/classes/$2" chroot' - "$public" "$name" \
    >"$work/chroot" 2>&1 &
jobs_started+=($!)
chrooted=$!
within 60 grep -q '^waits' "$work/chroot" || report 1 "a JVM starts below another root" "$(cat "$work/chroot")"
eventually "one below another root is found" 60 is_there "root/$name/$chrooted"

# -- Who forges the file ---------------------------------------------------------------------

# Each by a user of its own, since a user is told of once.
declare -A forger=() user=()
cp "/tmp/hsperfdata_root/$first" "$public/good"
chmod 644 "$public/good"

# forge HOW [WRAPPER]: the process is ${forger[HOW]}, and ${user[HOW]} its user.
forge() {
    local how=$1 uid=$((31000 + ${#user[@]}))
    rm -rf "/tmp/hsperfdata_$uid" "/tmp/hsperfdata_$uid.real"
    temporary+=("/tmp/hsperfdata_$uid" "/tmp/hsperfdata_$uid.real")
    "$public/${2:-as}" "$uid" "$public/forge-perfdata" "$how" "$public/good" >"$work/$how" 2>&1 &
    jobs_started+=($!)
    user[$how]=$uid forger[$how]=$!
    if [[ $how == given ]]; then
        within 30 chown 0 "/tmp/hsperfdata_$uid/$!" || true
    fi
    within 30 grep -q ready "$work/$how" || report 1 "$how is forged" "$(cat "$work/$how")"
}

# told HOW TEXT: in one line.
told() {
    [[ $(grep -c "user ${user[$1]}: process ${forger[$1]}: .*$2" "$log") -eq 1 ]]
}

declare -A expected=(
    [link]="is no regular file"
    [folder]="there is a link in it"
    [hard]="has 2 links"
    [fifo]="is no regular file"
    [directory]="is no regular file"
    [device]="is no regular file"
    [removed]="was removed, and comes again with the next start"
    [sparse]="has 4294967296 octets, and not more than 1048576 are read"
    [given]="belongs to user 0"
    [short]="The prologue says that entries begin at octet 32"
    [empty]="The file does not begin as performance data"
    [version]="The layout of the file is of version 3.0, and only 2 is known"
    [broken]="Entry 1, at octet 32, has a length that cannot be"
)
forge good
for how in "${!expected[@]}"; do
    if [[ $how == device ]]; then forge device as-maker; else forge "$how"; fi
done
eventually "who forges a good one has what it says" 40 is_there "${user[good]}/$name"
for how in "${!expected[@]}"; do
    eventually "$how: ${expected[$how]}" 40 told "$how" "${expected[$how]}"
done
for instance in "root/$name" "nobody/$name" "root/$name/$private" "${user[good]}/$name"; do
    ok "$instance is sampled all the while" goes_on "$instance"
done
sleep 6
ok "nobody is told of twice" [ -z "$(grep -o 'user 31[0-9]*: process' "$log" | sort | uniq -d)" ]
is "nor of those that are in order" "$(grep -c 'warning jvm' "$log")" "${#expected[@]}"

# A good one that becomes a bad one, and the other way round.
good=/tmp/hsperfdata_${user[good]}/${forger[good]}
truncate -s 10 "$good"
eventually "what is truncated while it is read is told" 40 told good "does not begin"
eventually "and is not there then" 20 not is_there "${user[good]}/$name"
cp "$public/good" "$good"
eventually "what is whole again is read again" 40 is_there "${user[good]}/$name"

# -- Those that end, and the process that looks for them -------------------------------------

kill "$first"
eventually "when the oldest of a name ends, the next one has it" 60 is_gone "root/$name/$private"
eventually "with its own collectors" 20 exists "dcampValueText.\"gc.count\".\"root/$name:Parallel young\""
ok "and no others" not exists "dcampValueText.\"gc.count\".\"root/$name:G1 young\""
kill "$other"
eventually "one that has ended is not there any more" 60 is_gone nobody/$name

# So many that their list has more than is read of one process.
script many-maps <<'END'
#!/usr/bin/python3
import ctypes, mmap, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
folder = os.path.join(sys.argv[1], "many" + "y" * 150)
os.makedirs(folder)
with open(os.path.join(folder, "m" * 150), "w+b") as file:
    file.truncate(4096)
    kinds = (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE)
    for i in range(50000):
        if libc.mmap(None, 4096, kinds[i % 2], mmap.MAP_SHARED, file.fileno(), 0) == 2**64 - 1:
            sys.exit(os.strerror(ctypes.get_errno()))
    print("waits", flush=True)
    sys.stdin.read()
END
mkdir "$public/maps" && chmod 777 "$public/maps"
"$public/as" 65532 "$public/many-maps" "$public/maps" < <(sleep 600) >"$work/maps" &
jobs_started+=("$!")
eventually "there is one with very many mappings" 60 grep -q waits "$work/maps"
eventually "which is told" 60 grep -q "user 65532: process .*: its maps have more than 16 MiB" "$log"
ok "and harms nobody" goes_on "root/$name"

helper_of_node() {
    pgrep -P "$(pid_of dcampd 1)" -x dcamp-jvm
}
helper=$(helper_of_node)
is "what looks for JVMs has two capabilities and no others" \
    "$(grep -E '^Cap(Prm|Eff|Bnd|Amb)|^NoNewPrivs' "/proc/$helper/status" | tr -s '\t\n' '  ')" \
    "CapPrm: 0000000000080004 CapEff: 0000000000080004 CapBnd: 0000000000080004 CapAmb: 0000000000080004 NoNewPrivs: 1 "
kill -KILL "$helper"
is_another() {
    local next
    next=$(helper_of_node) && [[ $next != "$helper" ]]
}
eventually "when it is killed, there is another one" 60 is_another
eventually "and JVMs are there again" 60 goes_on "root/$name"
helper=$(helper_of_node)
kill -STOP "$helper"
eventually "when it hangs, that is told" 90 grep -q "dcamp-jvm is alive but silent" "$log"
eventually "and JVMs are there again" 60 goes_on "root/$name"
ok "the one that hung is gone" not kill -0 "$helper"
is "with its capabilities it does not say that others are not seen" "$(grep -c 'are not seen' "$log")" 0

# Nobody measures JVMs.
sed -i '/metric="jvm/d' "$lab_dir/node1/dcamp.xml"
kill -HUP "$DCAMP_LAB_PID_DCAMPD_1"
eventually "it ends when no sensor measures JVMs" 30 not helper_of_node

# -- Without capabilities --------------------------------------------------------------------

script helper <<END
#!/bin/sh
exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all "$public/dcamp-jvm"
END
run_orders "$public/as" 65534 -- -XX:+UseSerialGC
start_lab --config "$work/jvms.xml"
log=$lab_dir/node1/dcampd.log
eventually "without capabilities, it sees the JVMs of its user" 60 is_there "nobody/$name"
eventually "says that those of others are not seen" 20 grep -q "JVMs of other users are not seen" "$log"
ok "which is so" not exists "dcampValueState.\"threads\".\"root/$name\""
sleep 2
is "and says so once" "$(grep -c 'are not seen' "$log")" 1

# -- By a socket -----------------------------------------------------------------------------

if [[ -n $(type -P systemd-socket-activate) ]]; then
    background systemd-socket-activate --accept --seqpacket -l "$work/jvm.socket" "$public/dcamp-jvm"
    listener=${jobs_started[-1]}
    within 20 test -S "$work/jvm.socket" || true
    export DCAMP_LAB_JVM_HELPER=$work/jvm.socket
    start_lab --config "$work/jvms.xml"
    log=$lab_dir/node1/dcampd.log
    eventually "who is started by its socket is asked there" 60 is_there "root/$name"
    ok "which is told" grep -q "connected to $work/jvm.socket" "$log"
    kill -KILL "$(pgrep -P "$listener")"
    eventually "one that is killed is started again by its socket" 60 goes_on "root/$name"
fi

# -- What is no such program -----------------------------------------------------------------

export DCAMP_LAB_JVM_HELPER=$work/nothing
start_lab --config "$work/jvms.xml"
log=$lab_dir/node1/dcampd.log
eventually "without the program, that is told" 20 grep -q "dcamp-jvm, which looks for JVMs, cannot be started: No such file" "$log"
sleep 3
is "once" "$(grep -c 'cannot be started' "$log")" 1
eventually "and all else is measured" 20 exists 'dcampValueText."load.1"."total"'
finish
