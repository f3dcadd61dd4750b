#!/usr/bin/env bash
# state.sh: what is saved is never overwritten by one who cannot read it, nor by a second daemon;
# what keeps dcampd from starting, from saving or from its master is said with the cure.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

user=nobody
umask 022
chmod 0711 "$work"
is_root() { [[ $EUID -eq 0 ]]; }

# The other account need not be able to enter the source and the build.
binary=${DCAMP_BUILD:-$top/build}/dcampd
cp "$binary" "$work/dcampd"
cp -r "$top/conf" "$work/conf"
export DCAMP_SCHEMA_DIR=$work/conf
state=$work/state
mkdir -m 0750 "$state"
echo '<dcamp version="1"><sensors><sensor name="load" metric="load.1"/></sensors></dcamp>' \
    >"$work/dcamp.xml"

# dcampd [OPTION...]: in the foreground.
# shellcheck disable=SC2120 # begin gives options
dcampd() {
    exec "$work/dcampd" -f -c "$work/dcamp.xml" --agentx-socket "unix:$work/agentx" \
        --state-dir "$state" "$@"
}

# as_other COMMAND...: as an account without rights.
as_other() {
    exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@"
}

dcampd_as_other() {
    as_other "$work/dcampd" -f -c "$work/dcamp.xml" --agentx-socket "unix:$work/agentx" \
        --state-dir "$state"
}

# begin COMMAND...: pid is then that of the daemon, its messages are in $work/log.
begin() {
    "$@" </dev/null >"$work/log" 2>&1 &
    pid=$!
    jobs_started+=("$pid")
}

runs() {
    [[ -e /proc/$pid/stat ]] && ! grep -q '^State:.Z' "/proc/$pid/status"
}

gone() {
    ! runs
}

# end [SIGNAL]: sends it; status is then that of the daemon, or "hangs" where 10 s are not enough.
end() {
    kill -s "${1:-TERM}" "$pid" 2>/dev/null || true
    status=0
    if ! within 10 gone; then
        kill -s KILL "$pid"
        status=hangs
    fi
    wait "$pid" 2>/dev/null || status=${status/#0/$?}
}

boot() {
    sed -n 's/.* boot="\([0-9]*\)".*/\1/p' "$state/state.xml"
}

# booted NUMBER: whether the state on disk is that of so many starts.
booted() {
    [[ -f $state/state.xml && $(boot) == "$1" ]]
}

# refusal COMMAND...: the status of one that must not start, and what it said.
refusal() {
    local pid status
    begin "$@"
    within 10 gone || kill -s KILL "$pid"
    end
    echo "$status $(sed 's/^dcampd\[[0-9]*\]/dcampd/' "$work/log")"
}

# contents: every file of the state, with its owner; not the lock.
contents() {
    (cd "$state" && find . -name 'state*' -printf '%p %y %u %m %l\n' | sort &&
        find . -name 'state*' -type f -exec cksum {} + | sort)
}

# -- One daemon for each state ---------------------------------------------------------------

begin dcampd
eventually "it has saved its first start" 10 booted 1
is "a second one does not start" "$(refusal dcampd)" \
    "3 dcampd: error core: another dcampd (pid $pid) uses $state"
in_background() {
    exec "$work/dcampd" -c "$work/dcamp.xml" --agentx-socket "unix:$work/agentx" --state-dir "$state"
}
is "nor does it in the background, and its caller hears why" "$(refusal in_background)" \
    "3 dcampd: another dcampd (pid $pid) uses $state"
is "the first one knows nothing of it" "$(boot)" 1
end KILL
ok "one that was killed leaves its lock file" test -s "$state/lock"
begin dcampd
eventually "which keeps nobody out" 10 booted 2
end
is "it ends with status 0" "$status" 0

# -- A state that cannot be read -------------------------------------------------------------

if is_root; then
    chown -R "$user" "$state"
    begin dcampd
    eventually "root takes the state over" 10 booted 3
    end
    is "and ends" "$status" 0
    is "what root wrote belongs to the owner of the directory" \
        "$(stat -c %U "$state"/state.xml{,.1} "$state/lock" | sort -u)" "$user"
    begin dcampd_as_other
    eventually "who goes on with it" 10 booted 4
    end
    is "and ends" "$status" 0

    chown root "$state/state.xml"
    before=$(contents)
    is "without the right to read the state it does not start" "$(refusal dcampd_as_other)" \
        "3 dcampd: error core: $state/state.xml: cannot be read: Permission denied; dcampd runs as user $user, group $(id -gn "$user"): chown -R $user: $state"
    is "and touches nothing" "$(contents)" "$before"
    chown -R "$user:" "$state"
    begin dcampd_as_other
    eventually "after the cure it goes on" 10 booted 5
    end
    is "and ends" "$status" 0
    chown root:root "$state"
    chmod 0700 "$state"
    ok "without the right to the directory it does not start either" \
        grep -qF "3 dcampd: error core: the state directory $state cannot be used: Permission denied; dcampd runs as user $user" \
        <(refusal dcampd_as_other)
    chown -R root:root "$state"
    begin dcampd
    eventually "root does" 10 booted 6
    end
    is "and ends" "$status" 0
fi

# refuses WHAT PATH MESSAGE: with PATH as it is now.
refuses() {
    local before
    before=$(contents)
    is "$1: it does not start" "$(refusal dcampd)" "3 dcampd: error core: $2: $3"
    is "$1: it touches nothing" "$(contents)" "$before"
}

cp "$state/state.xml" "$work/good"
good=$(boot)
rm "$state/state.xml"
mkfifo "$state/state.xml"
refuses "a FIFO" "$state/state.xml" "is a device or pipe; it must be an ordinary file; move it away"
rm "$state/state.xml"
mkdir "$state/state.xml"
refuses "a directory" "$state/state.xml" "is a directory; it must be an ordinary file; move it away"
rmdir "$state/state.xml"
ln -s state.xml "$state/state.xml"
refuses "a loop of links" "$state/state.xml" \
    "cannot be read: Too many levels of symbolic links; remove the symbolic link"
rm "$state/state.xml"
ln -s /proc/self/mem "$state/state.xml"
refuses "a disk that cannot be read" "$state/state.xml" \
    "cannot be read: Input/output error; the disk or its file system fails, dmesg(1) may tell why"
rm "$state/state.xml"
sed 's/<dcamp-state version="1"/<dcamp-state version="2"/' "$work/good" >"$state/state.xml"
refuses "one of a newer dcampd" "$state/state.xml:2" \
    'dcamp-state: version="2" is not supported; it must be version="1"; a newer dcampd wrote it: run that one, or move the state files away, which begins with nothing'
rm "$state/state.xml"
rm "$state/state.xml.1"
mkdir "$state/state.xml.1"
echo damaged >"$state/state.xml"
refuses "a damaged one, and a directory in the place of the one before" "$state/state.xml.1" \
    "is a directory; it must be an ordinary file; move it away"
rmdir "$state/state.xml.1"
cp "$work/good" "$state/state.xml.1"
begin dcampd
eventually "a damaged one is replaced by the one before" 10 booted $((good + 1))
is "and kept" "$(cat "$state/state.xml.bad")" damaged
end
is "it ends with status 0" "$status" 0

# -- The last save ---------------------------------------------------------------------------

# on_full_disk: a file system of its own, which somebody fills while it runs.
on_full_disk() {
    mount -t tmpfs -o size=64k none "$state" || return 77
    dcampd &
    local pid=$! status=0
    within 10 test -s "$state/state.xml" || true
    sleep 1.5
    head -c 1M /dev/zero >"$state/filler" 2>/dev/null || true
    kill "$pid"
    wait "$pid" || status=$?
    return "$status"
}
if is_root; then
    export -f on_full_disk dcampd within
    export work state
    status=0
    unshare -m bash -c on_full_disk </dev/null >"$work/log" 2>&1 || status=$?
    if [[ $status -ne 77 ]]; then
        is "a last save that fails is status 3" "$status" 3
        ok "and is said" grep -qF "error state: $state: the last state could not be saved: No space left on device" \
            "$work/log"
    fi
fi

# -- Few file descriptors --------------------------------------------------------------------

with_files() {
    exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- # what the caller of the test left open counts, too
    exec prlimit --nofile="$1:$1" "$work/dcampd" -f -c "$work/dcamp.xml" --state-dir "$state" \
        --agentx-socket "unix:$work/agentx"
}
unlike=
for ((n = 4; n <= 20; n++)); do
    said=$(refusal with_files "$n")
    [[ $said == "3 dcampd: only $n files may be open at once, dcampd needs 64: raise ulimit -n, or LimitNOFILE= of the unit" ]] ||
        unlike+="$n: $said;"
done
is "with 4 to 20 file descriptors there is one message" "$unlike" ''
boots=$(boot)
begin with_files 64
eventually "with 64 it runs" 10 booted $((boots + 1))
end
is "and ends with status 0" "$status" 0
is "without another error" "$(grep -c 'Too many' "$work/log")" 0

# -- A pipe where the kernel has a file ------------------------------------------------------

make_root "$work/root"
rm "$work/root/proc/loadavg"
mkfifo "$work/root/proc/loadavg"
boots=$(boot)
begin dcampd --root "$work/root"
eventually "a FIFO below --root keeps nobody up" 10 booted $((boots + 1))
sleep 1.5
end
is "it ends with status 0" "$status" 0
finish
