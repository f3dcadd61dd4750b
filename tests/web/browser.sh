#!/usr/bin/env bash
# browser.sh: the page in a real browser: tests/web/browser.py. Pictures are in BUILD/web.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
need chromium chromium
need chromium-driver chromedriver
need_module python3-selenium selenium
trap 'rm -rf "$work"' EXIT
TMPDIR=$work HOME=$work "$python" -B "$top/tests/web/browser.py" "$build/tests/web/maker" "$build/dcamp-web" \
    "$top/web/page" "$build/web"
