#!/usr/bin/env bash
# A benchmark says PASS of a figure that keeps its limit, FAIL of one that does not, and neither of
# what is no figure.
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
echo "figures: ok"
