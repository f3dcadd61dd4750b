#!/usr/bin/env bash
# A benchmark says PASS of a figure that keeps its limit, FAIL of one that does not, and neither of
# what is no figure. One that ends before its end has no figures, and is recorded in no document.
set -euo pipefail
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
export DCAMP_BUILD=${DCAMP_BUILD:-$top/build}

# said VALUE LIMIT: the word of the verdict, - if there is none, and the exit status of the benchmark.
said() {
    local status=0 line
    # shellcheck disable=SC2016 # for the other shell
    line=$("$BASH" -c '. "$1/tests/bench/common.sh"; verdict name what "$2" "$3"; finish' \
        benchmark "$top" "$@" 2>/dev/null) || status=$?
    line=${line%% *}
    echo "${line:--} $status"
}

while read -r value limit expected; do
    found=$(said "${value//none/}" "$limit")
    [[ $found == "$expected" ]] || {
        echo "figures: '$value', with the limit $limit: $found, not $expected"
        exit 1
    }
done <<'END'
1.500 2 PASS 0
2 2 PASS 0
-3 0 PASS 0
2.001 2 FAIL 1
none 2 - 2
nan 2 - 2
inf 2 - 2
1/ 2 - 2
2 nan - 2
END

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/bench" "$work/doc"
cp "$top"/tests/bench/{run,common.sh,machine.sh} "$work/tests/bench"
before=$'# Benchmarks\n\n## Serving\n\nof before'

# recorded COMMAND...: of a benchmark that does so after it has begun: the exit status of run --record, and
# whether the document has what it printed (new), or is as it was (old).
recorded() {
    local status=0
    echo "$before" >"$work/doc/benchmarks.md"
    {
        echo '#!/usr/bin/env bash'
        # shellcheck disable=SC2016 # for that benchmark
        echo '. "$(dirname "${BASH_SOURCE[0]}")/common.sh"'
        printf '%s\n' 'echo "what it is about"' "$@" finish
    } >"$work/tests/bench/serving"
    chmod +x "$work/tests/bench/serving"
    "$BASH" "$work/tests/bench/run" --record serving >"$work/said" 2>&1 || status=$?
    if [[ $(<"$work/doc/benchmarks.md") == "$before" ]]; then
        echo "$status old"
    elif grep -q 'what it is about' "$work/doc/benchmarks.md"; then
        echo "$status new"
    fi
}

while IFS='|' read -r expected commands; do
    found=$(recorded "$commands")
    [[ $found == "$expected" ]] || {
        echo "figures: a benchmark that does '$commands': $found, not $expected"
        cat "$work/said"
        exit 1
    }
done <<'END'
0 new|verdict name what 1 2
1 new|verdict name what 3 2
2 old|false; verdict name what 1 2
2 old|verdict name what 3 2; false
2 old|verdict name what 1 2; exit 0
2 old|exit 1
2 old|die "no figures"
END
echo "figures: ok"
