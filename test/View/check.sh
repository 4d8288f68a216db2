#!/bin/bash
# Looks at pages of `sdfgc view`: their text (page), the layout alone in node (layout), what a browser makes of them (browser).
#
#   check.sh page|layout|browser SDFGC SOURCE_TREE       77: skipped, the program is not installed
set -euo pipefail
part=$1
sdfgc=$2
source=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome || true; }

if [ "$part" != layout ]; then
    "$sdfgc" opt "$source/test/graphs/control.sdfg" --dump-dir dumps -o all.sdfg --quiet --stop-after default-schedules
    "$sdfgc" view dumps -o steps.html
    "$sdfgc" view "$source/test/Bindings/kinds.sdfg" -o kinds.html
    "$sdfgc" view "$source/test/Bindings/kinds.sdfg" --run-passes --quiet -o remarks.html
fi
case $part in
page)
    /usr/bin/python3 "$here/page.py" kinds.html 1
    /usr/bin/python3 "$here/page.py" remarks.html 2
    /usr/bin/python3 "$here/page.py" steps.html "$(ls dumps | wc -l)"
    mkdir empty
    ! "$sdfgc" view empty 2>message || fail "a folder without graphs is viewed"
    grep -q "empty holds no graph" message || fail "$(cat message)"
    ;;
layout)
    command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
    node "$here/layout.js" "$source/viewer/layout.js"
    ;;
browser)
    chrome=$(browser)
    [ -n "$chrome" ] || { echo "skipped: no chromium is installed"; exit 77; }
    # shows PAGE#PLACE: what stands in the page after its script has run
    shows() {
        HOME=$work timeout 120 "$chrome" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --window-size=1600,1200 \
            --virtual-time-budget=5000 --enable-logging=stderr --dump-dom "file://$work/$1" >dom 2>log || fail "the browser: $(tail -3 log)"
        ! grep -E "CONSOLE.*(Error|error)|Uncaught" log || fail "the page reports errors"
    }
    expects() {
        for text in "$@"; do
            grep -qF -e "$text" dom || fail "no $text in the page"
        done
    }
    shows "kinds.html#open=close"
    expects "kinds: 9 drawn, "
    shows "kinds.html#open=all"
    drawn=$(sed -n 's/.*kinds: \([0-9]*\) drawn, \([0-9]*\) elements.*/\1 \2/p' dom)
    [ -n "$drawn" ] && [ "${drawn% *}" = "${drawn#* }" ] || fail "open all draws $drawn"
    expects "▾ transposed" "i=0:N, j=0:M" 'class="node entry"' "f = a * s"
    [ "$(grep -o 'class="edge' dom | wc -l)" -gt 40 ] || fail "edges are missing"
    shows "remarks.html#step=2&search=guard-parallel-maps"
    expects '<circle class="note"' "<li>guard-parallel-maps: runs on a team of threads if"
    shows "kinds.html#search=blend"
    expects "optional" "chosen" "blend(e[q], e)"
    shows "steps.html#step=2&open=all"
    expects "step 2 of " "01-" "flag"
    # A state of 5000 nodes: closed at first, and opened only what lies in the window is drawn.
    /usr/bin/python3 "$here/large.py" 5000 >large.sdfg
    "$sdfgc" view large.sdfg -o large.html
    shows "large.html"
    expects "large: 1 drawn, 5001 elements"
    shows "large.html#search=v4321"
    expects "v4321" "chosen"
    drawn=$(sed -n 's/.*large: \([0-9]*\) drawn.*/\1/p' dom)
    [ "$drawn" -gt 1 ] && [ "$drawn" -lt 2000 ] || fail "$drawn elements are drawn in one window"
    ;;
esac
