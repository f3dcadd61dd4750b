#!/usr/bin/env bash
# doc/metrics.md is what the registry says: "make metrics" writes it.
set -euo pipefail
top=${srcdir:-$(dirname "$0")/../..}
diff -u "$top/doc/metrics.md" <("${DCAMP_BUILD:-$top/build}/dcampd" --list-metrics) ||
    { echo "doc/metrics.md is not what dcampd --list-metrics prints: run make metrics"; exit 1; }
echo "metrics: ok"
