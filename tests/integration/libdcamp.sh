#!/usr/bin/env bash
# libdcamp.sh: programs that publish sensors of their own by libdcamp: the examples of doc/applications.md,
# programs that run others, full file systems, objects that are unloaded; under Valgrind and
# ThreadSanitizer; and how many instructions an update takes.
set -euo pipefail

top=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd -P "${DCAMP_BUILD:-$top/build}" && pwd)
work=$(mktemp -d "${DCAMP_TEST_DIR:-/tmp}/dcamp-test.XXXXXX")
driver=$build/tests/integration/libdcamp-driver
export LC_ALL=C.UTF-8 PKG_CONFIG_PATH=$build
# shellcheck source=assert.sh
. "$top/tests/integration/assert.sh"
# shellcheck source=examples.sh
. "$top/tests/integration/examples.sh"
# shellcheck source=../lab/process.sh
. "$top/tests/lab/process.sh"
statsd=
trap '[[ -z $statsd ]] || kill "$statsd" 2>/dev/null; rm -rf "$work"' EXIT
read -r -a cc <<<"${CC:-cc}"
read -r -a cxx <<<"${CXX:-c++}"

# in_apps NAME COMMAND...: with a directory of its own for the segments.
in_apps() {
    local apps=$work/apps/$1
    shift
    mkdir -p "$apps"
    DCAMP_APPS=$apps "$@"
}

# sensors NAME: what is in the segments of that directory.
sensors() {
    python3 -B "$top/tests/integration/segment.py" "$work/apps/$1"/*
}

# sensor NAME SENSOR: the words of it, with blanks between.
sensor() {
    sensors "$1" | sed -n "s/^$2 - [a-z]* //p"
}

# -- The examples ----------------------------------------------------------------------------

build_example C shop.c
build_example C++ cook.cpp
in_apps shop "$work/shop"
is "the example in C counts its orders" "$(sensor shop orders)" 1000
ok "and its payments" grep -Eq '^payment card timer 1000 [0-9]+ 1000$' <<<"$(sensors shop)"
in_apps cook "$work/cook"
is "that in C++ has its dishes" "$(sensor cook dishes)" "100 0 100 soup"
ok "and its steps" grep -Eq '^boil - step 100 100 [0-9]+ 0 100$' <<<"$(sensors cook)"
is "when it ends in order, it says so" "$(sensors cook | sed -n 1p)" "closed cook 2"

example Python | head -n -1 >"$work/stock.py"
in_apps stock eval "cd '$work' && PYTHONPATH='$top/libdcamp/python' PYTHONDONTWRITEBYTECODE=1 $(example Python | tail -n 1)"
is "that in Python has sold its pieces" "$(sensor stock sold)" 3000
ok "and its searches" grep -Eq '^search - timer 1001 [0-9]+ 1001$' <<<"$(sensors stock)"

# statsd_has SENSOR WORDS
statsd_has() {
    [[ $(sensor statsd "$1") == "$2" ]]
}

port=$(free_ports 1)
mkdir "$work/apps/statsd"
DCAMP_APPS=$work/apps/statsd "$build/dcamp-statsd" --listen "127.0.0.1:$port" 2>"$work/statsd.log" &
statsd=$!
eventually "dcamp-statsd is there" 20 statsd_has statsd.lost 0
example "Shell, and everything else, by statsd" | sed "s|/8125|/$port|" >"$work/statsd.sh"
bash "$work/statsd.sh"
eventually "the example in shell has its jobs" 20 statsd_has jobs 1
eventually "and a size" 20 statsd_has size "1 4096 0 1"
is "a queue" "$(sensor statsd queue)" 7
ok "and a backup" grep -qx 'backup disk:sda,kind:full timer 1 320000000 1' <<<"$(sensors statsd)"
kill "$statsd"
wait "$statsd"
statsd=
ok "without a directory it runs the same" env DCAMP_APPS=/nonexistent "$work/shop"

cat >"$work/scopes.cpp" <<'END'
#include <dcamp.hpp>
struct flag {
    bool held = false;
    bool try_lock() { return !held && (held = true); }
    void lock() { throw 2; }
    void unlock() { held = false; }
};
static void fail(dcamp_step *step)
{
    dcamp::scoped_step scope(step, 3);
    throw 1;
}
int main()
{
    dcamp_app *app = dcamp_app_open("scopes");
    dcamp_step *step = dcamp_step_new(app, "step", "", nullptr);
    dcamp_timer *timer = dcamp_timer_new(app, "timer", nullptr);
    { dcamp::scoped_step good(step); }
    { dcamp::scoped_step bad(step, 2); bad.result(7); }
    try { fail(step); } catch (int) { dcamp::scoped_step in_a_handler(step); }
    { dcamp::scoped_timer timing(timer); }
    dcamp_lock *lock = dcamp_lock_new(app, "lock", nullptr);
    flag mutex;
    { dcamp::scoped_lock holding(lock, mutex); if (!mutex.held) return 1; }
    if (mutex.held) return 2;
    mutex.held = true;
    try { dcamp::scoped_lock holding(lock, mutex); } catch (int) { return mutex.held ? dcamp_error() : 3; }
    return 4;
}
END
read -r -a flags <<<"$(pkg-config --cflags --libs libdcamp)"
[[ $sanitized == no ]] || flags+=("-fsanitize=address,undefined")
"${cxx[@]}" -std=c++17 -Wall -Wextra -Werror "$work/scopes.cpp" "${flags[@]}" -o "$work/scopes"
in_apps scopes "$work/scopes"
ok "scopes end steps, with a result, and those that an exception ends as failures" \
    grep -Eq '^step - step 4 4 [0-9]+ 2 4$' <<<"$(sensors scopes)"
is "and hold locks, of which one cannot be had" "$(sensors scopes | sed -n 's/^lock.\([a-z]*\) - counter /\1 /p' | sort | tr '\n' ' ')" \
    "arrivals 2 failures 1 waits 1 "
ok "and timers" grep -Eq '^timer - timer 1 [0-9]+ 1$' <<<"$(sensors scopes)"

# -- What is exported ------------------------------------------------------------------------

exported=$(nm -D -g --defined-only "$build/libdcamp/.libs/libdcamp.so" | awk '{ sub(/@.*/, "", $3); print $3 }' | grep -v '^LIBDCAMP' | sort)
declared=$(sed -n '/visibility push/,$p' "$top/libdcamp/dcamp.h" | sed 's|/\*.*||' | grep -oE '\*?dcamp_[a-z_]+\(' | tr -d '*(' | sort -u)
is "what the header declares is exported, and nothing else" "$exported" "$declared"
is "with one symbol version" "$(readelf --dyn-syms -W "$build/libdcamp/.libs/libdcamp.so" | grep -c 'dcamp_.*@@LIBDCAMP_0')" "$(wc -l <<<"$exported")"
is "the Debian symbols are the same" "$(sed -n 's/^ \(dcamp_[a-z_]*\)@.*/\1/p' "$top/debian/libdcamp0.symbols" | sort)" "$exported"
[[ $sanitized == yes ]] || is "the static library brings no other names into a program" \
    "$(nm -g --defined-only "$build/libdcamp/.libs/libdcamp.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^dcamp_/ { print $3 }')" ""
for name in $exported; do
    [[ -e $build/generated/$name.3 || -e $top/doc/man/$name.3 ]] || ok "$name has a page of the manual" false
done

# -- Images and objects ----------------------------------------------------------------------

in_apps images "$driver" image 3 >"$work/images.out"
is "each image of a process is published" "$(sort -u "$work/images.out")" published
is "and each has its own file" "$(sensors images | sed -n 's/^counter - counter //p' | sort | tr '\n' ' ')" "100 101 102 103 "

cat >"$work/plugin.c" <<'END'
#include <dcamp.h>
void plugin_count(void);
void plugin_count(void)
{
    struct dcamp_app *app = dcamp_app_open("plugin");
    dcamp_counter_add(dcamp_counter_new(app, "calls", "", "x"), 1);
}
END
"${cc[@]}" -shared -fPIC "$work/plugin.c" "${flags[@]}" -o "$work/shared.so"
in_apps shared "$driver" plugin "$work/shared.so" 200 >/dev/null
is "an object that is unloaded, and the shared library" "$(sensor shared calls)" 200
# The object has a copy of its own, whose file is closed when it is unloaded.
if [[ $sanitized == no ]]; then
    "${cc[@]}" -shared -fPIC "$work/plugin.c" -I"$top/libdcamp" -Wl,--whole-archive "$build/libdcamp/.libs/libsensors.a" \
        -Wl,--no-whole-archive -pthread -o "$work/static.so"
    in_apps static "$driver" plugin "$work/static.so" 200 >/dev/null
    ok "an object that the library is part of" grep -q '^calls - counter 1$' <<<"$(sensors static)"
    is "leaves files that were closed" "$(sensors static | grep -c '^closed plugin 1$')" 10
fi

# -- A file system that is full --------------------------------------------------------------

if unshare -rm true 2>/dev/null; then
    mkdir "$work/small"
    # in_small SIZE COMMAND...: in a file system of its own of that size; what is left there after it.
    # shellcheck disable=SC2016 # for the shell there
    in_small() {
        DCAMP_APPS=$work/small unshare -rm sh -c 'dir=$1; mount -t tmpfs -o size="$2" none "$dir" || exit 99; shift 2
            "$@" && ls -A "$dir" | wc -l' sh "$work/small" "$@"
    }
    said=$(in_small 200k "$driver" fill)
    ok "a program goes on when the file system is full" \
        grep -Eqx 'key[0-9]+: the file cannot grow: No space left on device 1' <<<"${said//$'\n'/ }"
    said=$(in_small 16k "$driver" fill)
    is "one that comes then leaves nothing there" "${said//$'\n'/ }" \
        "key0: a file in $work/small cannot be allocated: No space left on device 0"
else
    echo "# no user namespaces here: nothing is said of full file systems"
fi
is "a limit of the size of files does no harm" \
    "$(ulimit -f 200 && in_apps limited "$driver" fill | sed 's/.*: //')" "File too large"

# -- Valgrind, ThreadSanitizer ---------------------------------------------------------------

if [[ $sanitized == no ]]; then
    ok "Valgrind finds nothing" in_apps valgrind valgrind -q --error-exitcode=9 --leak-check=full \
        --child-silent-after-fork=no "$driver" work
    mkdir "$work/tsan"
    for file in "$top"/libdcamp/*.c "$top/tests/integration/libdcamp-driver.c"; do
        # Of the fences, which it does not know, only the readers of other processes are in need.
        "${cc[@]}" -fsanitize=thread -Wno-tsan -O1 -g -DPACKAGE_VERSION='"0"' -D_GNU_SOURCE -I"$top" -I"$build/generated" \
            -c "$file" -o "$work/tsan/$(basename "$file").o"
    done
    "${cc[@]}" -fsanitize=thread "$work"/tsan/*.o -o "$work/tsan/driver"
    ok "nor does ThreadSanitizer" in_apps tsan "$work/tsan/driver" work
fi

# -- Instructions ----------------------------------------------------------------------------

# instructions WHAT N: that the program takes for N updates.
instructions() {
    in_apps count valgrind -q --tool=callgrind --callgrind-out-file="$work/callgrind" "$driver" repeat "$1" "$2" >"$work/clock"
    sed -n 's/^\(summary\|totals\): //p' "$work/callgrind" | head -n 1
}

# each WHAT: for one update, the loop around it included.
each() {
    echo $((($(instructions "$1" 60000) - $(instructions "$1" 10000)) / 50000))
}

if [[ $sanitized == no ]]; then
    loop=$(each nothing)
    counter=$(($(each counter) - loop))
    ok "a counter takes 20 instructions at the most: $counter" test "$counter" -gt 5 -a "$counter" -le 20
    duration=$(($(each duration) - loop))
    ok "a timer with its histogram takes 150 at the most, whatever the clock takes: $duration" \
        test "$duration" -gt 20 -a "$duration" -le 150
    timer=$(($(each timer) - loop))
    if [[ $(<"$work/clock") == tsc ]]; then
        ok "a timer takes 150 at the most: $timer" test "$timer" -gt 30 -a "$timer" -le 150
    else
        echo "# timers read clock_gettime(2) here, whose instructions are not the library's: $timer"
    fi
    lock=$(($(each lock) - loop))
    if [[ $(<"$work/clock") == tsc ]]; then
        ok "a lock takes no more than a counter and two timers, 320: $lock" test "$lock" -gt 60 -a "$lock" -le 320
    fi
    echo "# a top takes $(($(each top) - loop)) instructions for a key that it has"
fi
finish
