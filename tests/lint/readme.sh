#!/usr/bin/env bash
# The README is one page: what is not needed on the first day goes to doc/.
set -euo pipefail
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
lines=$(wc -l <"$top/README")
((lines <= 120)) || {
    echo "README: $lines lines; 120 are the most, recipes go to doc/using.md"
    exit 1
}
awk 'length > 104 { print "README:" NR ": longer than 104 columns"; bad = 1 } END { exit bad }' "$top/README"
