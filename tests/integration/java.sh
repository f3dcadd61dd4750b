#!/usr/bin/env bash
# java.sh: segments that programs in Java write, read by what dcampd reads them with: sums of random updates
# in many threads, buckets, kills, full file systems, threads that are interrupted, and what is refused.
# Skipped where dcamp-agent.jar is not built.
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
# shellcheck source=assert.sh
. "$top/tests/integration/assert.sh"
# shellcheck source=java-common.sh
. "$top/tests/integration/java-common.sh"
updates=20000
[[ -n ${DCAMP_TEST_SHORT:-} ]] || updates=500000

compile counting "$top/tests/integration/Counting.java"
# What changes the mode of a file later changes nothing with this.
read -ra cc <<<"$(sed -n 's/^CC = //p' "$build/Makefile")"
"${cc[@]}" -shared -fPIC -o "$work/keep-mode.so" -xc - <<'C'
#include <sys/stat.h>
int chmod(const char *path, mode_t mode)
{
    (void)path;
    (void)mode;
    return 0;
}
C

counting=("$java" -Xmx128m -cp "$jar:$work/counting" Counting)

# said: the lines of the sums and keys of what read-segment has printed, but for the time that steps took. What
# no entry of a top has, since threads without a shard of their own do not wait for each other, may be of any key:
# each count has it, and the sum has it once.
said() {
    sed -nE 's/^(sensor step - step [0-9]+ [0-9]+) [0-9]+/\1 ns/; /^(sensor|key) /p' "$work/read" | awk '
        /^sensor top/ { missed = $6; $6 = 0 }
        /^key/ { sum += $4; keys++ }
        { if (!/^key/ || !many) print }
        END { if (many) print "keys", sum - (keys - 1) * missed }' many="${1:-}" | sort
}

# expected: the same of what the program has printed.
expected() {
    awk '/^key/ { sum += $4 } !/^key/ || !many { print } END { if (many) print "keys", sum }' many="${1:-}" "$work/out" | sort
}

# -- The example of the documentation --------------------------------------------------------

# What is indented in its section: a program, and as the last line the command that compiles it.
awk '/^## / { mine = $0 == "## Java" } mine && /^    / { print substr($0, 5) }' "$top/doc/applications.md" >"$work/example"
mkdir "$work/example.d"
head -n -1 "$work/example" >"$work/example.d/Bar.java"
command=$(tail -n 1 "$work/example")
command=${command/javac/"$javac"}
(cd "$work/example.d" && eval "${command/\/usr\/share\/java\/dcamp-agent.jar/"$jar"} -Xlint:all -Werror")
in_apps bar "$java" -cp "$jar:$work/example.d" Bar
read_segment bar >"$work/read"
is "the example of the documentation counts its glasses" "$(sed -n 's/^sensor glasses - counter //p' "$work/read")" 200
is "and its steps" "$(grep -c '^record mix - bar [0-9]* 0 ' "$work/read")" 100

# -- Sums ------------------------------------------------------------------------------------

# compare NAME THREADS [MANY]: where threads are many, keys are compared by their sum only.
compare() {
    hold "$1" "${counting[@]}" random "$2" "$updates" 4711
    wait_for_line '^key top - [0-9]* 0 key99$'
    read_segment "$1" >"$work/read"
    release
    ok "$1: every sum is that of the program" diff <(said "${3:-}") <(expected "${3:-}")
    is "$1: as many values are in buckets as were counted" "$(buckets timer) $(buckets histogram) $(buckets step)" \
        "$(awk '/^sensor timer/ { timer = $5 } /^sensor histogram/ { histogram = $5 - $7 } /^sensor step/ { step = $5 }
            END { print timer, histogram, step }' "$work/out")"
}

# buckets SENSOR
buckets() {
    awk -v name="$1" '$1 == "bucket" && $2 == name { n += $6 } END { print n + 0 }' "$work/read"
}

compare few 8
is "the application, and nobody was refused or crowded" "$(head -n 1 "$work/read")" \
    "alive counting refused 0 crowded 0 full 0"
is "threads that came later have the shards of those that had gone" \
    "$(awk '/^thread/ && $4 > 1' "$work/read" | wc -l)" 8
compare many 100 many
is "beyond 64, threads share one place" "$(head -n 1 "$work/read")" \
    "alive counting refused 0 crowded $((2 * (100 - 64))) full 0"
is "all others have a shard of their own" "$(grep -c '^thread' "$work/read")" 64
ok "a segment of a JVM that has ended in order says so" grep -q '^closed counting' <<<"$(read_segment many)"
is "its mode does not depend on the umask" "$(umask 077 && in_apps mode "${counting[@]}" faults >"$work/out" && stat -c %a "$work"/apps/mode/*)" 640
is "nor is it more for a moment: it is that of its creation" "$(umask 0 && in_apps created env LD_PRELOAD="$work/keep-mode.so" \
    "${counting[@]}" faults >"$work/out" && stat -c %a "$work"/apps/created/*)" 640

# Of 14,196 keys that differ in one or two bits, 0.02 have the same hash by chance.
is "keys of one hash are not made without the seed, nor by bits that differ" \
    "$("${counting[@]}" hashes | awk '$1 > 0 || $2 > 2 { n++ } END { print NR, n + 0 }')" "6 0"

# -- Pools, virtual threads ------------------------------------------------------------------

# The common pool erases what its threads have after each task.
pool=("$java" -Xmx128m -Djava.util.concurrent.ForkJoinPool.common.parallelism=4 -cp "$jar:$work/counting" Counting pool)
hold pool "${pool[@]}" 0 300
wait_for_line '^[0-9]*$'
read_segment pool >"$work/read"
is "each thread of a pool has one shard, whatever its tasks" "$(awk '/^thread/ { n += $4 } END { print n }' "$work/read")" "$(<"$work/out")"
is "and all tasks are counted, nobody is crowded" "$(sed -n '1p; /^sensor/p' "$work/read")" \
    "alive counting refused 0 crowded 0 full 0
sensor counter - counter 300"
release
hold crowded "${pool[@]}" 64 300
wait_for_line '^[0-9]*$'
is "one that finds no shard is crowded once, whatever its tasks" "$(read_segment crowded | sed -n '1p; /^sensor/p')" \
    "alive counting refused 0 crowded $(<"$work/out") full 0
sensor counter - counter 300"
release

hold virtual "${counting[@]}" virtual 100
wait_for_line '^[0-9]*$'
threads=$(<"$work/out")
is "virtual threads share one place, and are not crowded: $threads" "$(read_segment virtual | sed -n '1p; /^sensor/p; /^thread/p')" \
    "alive counting refused 0 crowded 0 full 0
sensor counter - counter $threads"
release
[[ $threads -gt 0 ]] || echo "# this java has no virtual threads: nothing is said of them"

# -- Buckets ---------------------------------------------------------------------------------

# in_buckets WHAT: what is in the segment of that name, beside where the daemon has the values.
in_buckets() {
    in_apps "$1" "${counting[@]}" "$1" 200000 >"$work/values"
    read_segment "$1" | grep '^bucket' >"$work/read"
    is "$1: each value is in the bucket where the daemon has it" "$(sort "$work/read" | md5sum)" \
        "$("$reader" buckets all <"$work/values" | sort | md5sum)"
    ok "$1: those are many: $(wc -l <"$work/read")" test "$(wc -l <"$work/read")" -gt "$2"
}

in_buckets buckets 4000
in_buckets durations 1000

# -- The end ---------------------------------------------------------------------------------

hold killed "${counting[@]}" count
wait_for_line '^[0-9]*0000$'
sleep 0.$((RANDOM % 10))
ok "while it lives, it has the lock" grep -q '^alive counting' <<<"$(read_segment killed)"
kill -KILL "$held"
wait "$held" 2>/dev/null || true
exec {to_held}>&-
read_segment killed >"$work/read"
counted=$(sed -n 's/^sensor counter - counter //p' "$work/read")
read -r begun ended <<<"$(sed -n 's/^sensor step - step \([0-9]* [0-9]*\) .*/\1/p' "$work/read")"
ok "of one that was killed, what it said before is there: $counted" test "$counted" -ge "$(tail -n 1 "$work/out")"
ok "and it was at one step at the most" test $((begun - ended)) -le 1 -a $((counted - begun)) -le 1
is "it is dead" "$(sed -n '1s/ .*//p' "$work/read")" dead
is "the latest 512 steps are there, but for the one that it was at" \
    "$(($(grep -c '^record' "$work/read") >= 511))" 1

# -- Full file systems -----------------------------------------------------------------------

if unshare -rm true 2>/dev/null; then
    mkdir "$work/small"
    # in_small SIZE: fills a file system of its own of that size; says how many files are there then.
    in_small() {
        # shellcheck disable=SC2016 # for the shell there
        DCAMP_APPS=$work/small unshare -rm sh -c 'dir=$1; mount -t tmpfs -o size="$2" none "$dir" || exit 99; shift 2
            "$@" && ls -A "$dir" | wc -l && find "$dir" -type f -exec cat {} + >"$dir.copy"' sh "$work/small" "$1" \
            "${counting[@]}" fill
    }
    said=$(in_small 200k)
    ok "a JVM goes on when the file system is full" \
        grep -Eqx 'key[0-9]+: the file cannot grow lost 0 1' <<<"${said//$'\n'/ }"
    ok "and what it has counted is sound" "$reader" "$work/small.copy"
    said=$(in_small 16k)
    is "one that comes then leaves nothing there" "${said//$'\n'/ }" \
        "a file in $work/small cannot be allocated: No space left on device key0: a file in $work/small cannot be allocated: No space left on device lost 0 0"
else
    echo "# no user namespaces here: nothing is said of full file systems"
fi
is "a limit of the size of files does no harm" \
    "$(ulimit -f 600 && in_apps limited "${counting[@]}" fill | sed 's/key[0-9]*/KEY/' | tr '\n' ' ')" "KEY: the file cannot grow lost 0 "

# -- Interrupts, closing ---------------------------------------------------------------------

hold interrupted "${counting[@]}" interrupt
wait_for_line '^still interrupted'
wait_for_line '^done$'
read_segment interrupted >"$work/read"
release
is "threads that are interrupted while the file grows do not close it, and it keeps its lock" "$(head -n 1 "$work/read")" "alive counting refused 0 crowded 0 full 0"
is "each value of them is there" "$(grep -c '^sensor histogram[0-9]* - histogram 25 ' "$work/read")" 40
is "an interrupt stays what it was" "$(sed -n 1p "$work/out")" "still interrupted: true"

is "closed, and open again" "$(in_apps reopen "${counting[@]}" reopen)" "counter: the application is closed
other: this process is published as counting already
reason: "
is "it counts from 0 in another file" "$(for file in "$work"/apps/reopen/*; do "$reader" "$file"; done | sed -n 's/^sensor counter - counter //p' | sort -n | tr '\n' ' ')" "1 10 "

is "the loaders of classes that were closed go" "$(in_apps redeploy "${counting[@]}" redeploy)" 3

hold copies "${counting[@]}" copies
wait_for_line '^a file in '
is "the classes in another loader are told that there is one" "$(<"$work/out")" \
    "a file in $work/apps/copies is that of another copy of these classes in this process"
is "which keeps its file and its lock" "$(read_segment copies | sed -n '1p; /^sensor/p')" "alive counting refused 0 crowded 0 full 0
sensor counter - counter 7"
release

# -- What is refused -------------------------------------------------------------------------

is "what is wrong is said" "$(in_apps faults "${counting[@]}" faults)" ": the name is empty
$(printf 'x%.0s' {1..33}): the name has more than 32 characters
a b: the name has other characters than A-Z a-z 0-9 . _ -
a: the instance has more than 64 octets
a: the unit has more than 16 octets
a: the purpose has more than 32 octets
a: instance, unit or purpose have control characters, or halves of characters
a: instance, unit or purpose have control characters, or halves of characters
twice: a sensor of this name has another kind or unit
twice: a sensor of this name has another kind or unit
same: true"
is "texts are made to fit" "$("${counting[@]}" texts)" "fits.its-name_9
Store_Item.find
__
$(printf 'x%.0s' {1..23})-e997d407
a.longer.name.for.Shop_-c4b27848
a.longer.name.for.Shop_-731d7747
Store\$Item, é
a_b_
$(printf 'é%.0s' {1..32})
$(printf 'é%.0s' {1..27})~da5a8f25
a$(printf 'é%.0s' {1..27})~cc6b64ac"
is "and counted" "$(read_segment faults | sed -n 1p)" "closed counting refused 10 crowded 0 full 0"
is "without a directory a program runs the same" "$(DCAMP_APPS=/nonexistent "${counting[@]}" faults | sed -n 1p)" \
    "a file in /nonexistent cannot be created: No such file or directory"

hold labels "${counting[@]}" labels
# shellcheck disable=SC2016 # for the other shell
eventually "threads have their names and IDs" 30 "$BASH" -c \
    '[[ $("$1" "$2"/* | grep -Ec "^thread [12] [1-9][0-9]* 1 (one|a name that is longer than the 3)$") -eq 2 ]]' \
    - "$reader" "$work/apps/labels"
# shellcheck disable=SC2046 # two numbers
ok "which are those of the kernel" test -d "/proc/$held/task/$(read_segment labels | sed -n 's/^thread 1 \([0-9]*\) .*/\1/p')"
release
finish
