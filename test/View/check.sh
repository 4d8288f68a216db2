#!/bin/bash
# Looks at pages of `sdfgc view`: their text (page), the layout alone in node (layout), what a browser makes of them (browser), and the first
# pictures of ten graphs (pictures).
#
#   check.sh page|layout|browser|pictures SDFGC SOURCE_TREE [FOLDER]       77: skipped, the program is not installed
#
# The pictures stay in FOLDER, if one is named.
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

# browse PAGE#PLACE [OPTION...]: `dom` holds what the page is after its script has run, without scripts and data, and `log` what it reported
browse() {
    local page=$1 chrome
    shift
    chrome=$(browser)
    [ -n "$chrome" ] || { echo "skipped: no chromium is installed"; exit 77; }
    HOME=$work timeout 120 "$chrome" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --virtual-time-budget=5000 --enable-logging=stderr --dump-dom "$@" "file://$work/$page" >whole 2>log || fail "the browser: $(tail -3 log)"
    /usr/bin/python3 -c 'import re, sys; print(re.sub("<script.*?</script>", "", sys.stdin.read(), flags=re.S))' <whole >dom
    ! grep -E "CONSOLE|Uncaught" log || fail "the page reports errors"
}

if [ "$part" = page ] || [ "$part" = browser ]; then
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
    [ "$(grep -c 'data-step=' steps.html)" -lt "$(ls dumps | wc -l)" ] || fail "steps without change are in the page"
    # Sources: Python files next to the graph that have the lines it names, and the program, generated or from its build folder.
    mkdir -p near/lib other
    cp "$source/test/graphs/control.sdfg" near/
    cp "$source/test/graphs/control.sdfg" other/
    sources() { "$sdfgc" view "$@" -q -o sources.html && /usr/bin/python3 "$here/page.py" sources.html 1 "${expected[@]}"; }
    expected=() && sources near/control.sdfg
    grep -q '"missing":"not found"' sources.html || fail "a missing file is not named"
    echo short >near/helper.py && sources near/control.sdfg
    grep -q 'has no line' sources.html || fail "the wrong file is not named"
    seq 200 | sed 's/^/# <line> /' >near/lib/helper.py && expected=(lib/helper.py) && sources near/control.sdfg
    sed 's/helper\.py/helper.key/' near/control.sdfg >near/key.sdfg && cp near/lib/helper.py near/lib/helper.key && expected=() && sources near/key.sdfg
    expected=(lib/helper.py src/cpu/control.cpp src/cpu/control_dispatch.cpp src/cpu/control_level.h) && sources near/control.sdfg --emit
    "$sdfgc" emit near/control.sdfg -q && sources near/control.sdfg
    grep -q '"from":"from ./control.build"' sources.html || fail "the build folder is not named"
    touch -d 'next hour' near/control.sdfg && sources near/control.sdfg
    grep -q 'older than the graph' sources.html || fail "an old build folder is not said to be one"
    expected=() && sources other/control.sdfg
    expected=(src/cpu/control.cpp src/cpu/control_dispatch.cpp src/cpu/control_level.h) && sources other/control.sdfg --build-folder control.build
    mkdir empty
    ! "$sdfgc" view other/control.sdfg --build-folder empty 2>message || fail "a folder without sources is shown"
    grep -q "empty holds no generated sources" message || fail "$(cat message)"
    ! "$sdfgc" view empty 2>message || fail "a folder without graphs is viewed"
    grep -q "empty holds no graph" message || fail "$(cat message)"
    ;;
layout)
    command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
    node "$here/layout.js" "$source/viewer/layout.js"
    ;;
browser)
    shows() { browse "$1" --window-size=1600,1200 "${@:2}"; }
    expects() {
        for text in "$@"; do
            grep -qF -e "$text" dom || fail "no $text in the page $(grep -o 'data-result="[^"]*"' dom)"
        done
    }
    shows "kinds.html#open=close"
    expects "kinds: 9 drawn, "
    shows "kinds.html#open=all"
    drawn=$(sed -n 's/.*kinds: \([0-9]*\) drawn, \([0-9]*\) elements.*/\1 \2/p' dom)
    [ -n "$drawn" ] && [ "${drawn% *}" = "${drawn#* }" ] || fail "open all draws $drawn"
    expects "▾ transposed" "i=0:N, j=0:M" 'class="node entry"' ">F[i, j] = A[i, j] * x<" '<text class="label"' ">A[i, j]<" '<html lang="en">'
    ! grep -qF ">f = a * s<" dom || fail "connectors are in the code"
    shows "kinds.html#open=all&memlets=off&theme=dark"
    expects ">f = a * s<" 'class="dark"'
    shows "kinds.html" --blink-settings=preferredColorScheme=0
    expects 'class="dark"' '<div class="code">Not in this page' "The graph does not name a Python file."
    [ "$(grep -o 'class="edge' dom | wc -l)" -gt 25 ] || fail "edges are missing"
    shows "remarks.html#step=2&search=guard-parallel-maps"
    expects '<circle class="note"' "<li>guard-parallel-maps: runs on a team of threads if"
    shows "kinds.html#search=blend"
    expects "optional" "chosen" "blend("
    shows "kinds.html#search=transposed"
    hits=$(sed -n 's/.*id="hits"[^>]*>1 of \([0-9]*\)<.*/\1/p' dom)
    [ "$(grep -o '<li data-path' dom | wc -l)" = "$hits" ] || fail "$hits hits are counted, others are listed"
    [ "$(grep -o 'class="node[^"]* hit' dom | wc -l)" -gt 0 ] || fail "hits are not marked"
    shows "steps.html#step=2&open=all"
    expects "step 2 of " "01-" "flag" "; no change: "
    # An element that is chosen marks its line in the user's file, and the lines of the program that come from it.
    printf '%s\n' 'import dace' 'def sums(A, B, C):' '    for i in range(9): C[i] = A[i] + B[i]  # <sum>' >own.py
    cat >sums.sdfgt <<'END'
sdfg sums {
  argument A: float64[9]
  argument B: float64[9]
  argument C: float64[9]
  state main {
    map rows[i = 0:9] (at "own.py":3) with <- A[0:9], <- B[0:9]; -> C[0:9] {
      add (at "own.py":3): c = a + b  with a <- A[i], b <- B[i]; c -> C[i]
    }
  }
}
END
    "$sdfgc" view sums.sdfgt --emit -q -o near.html
    shows "near.html#search=add"
    expects '<div class="l has on" data-n="3">' 'class="c"># &lt;sum&gt;<' '<i class="k">static</i>' ">C[i] = A[i] + B[i]<"
    [ "$(grep -o 'class="l has on"' dom | wc -l)" -gt 1 ] || fail "no line of the program is marked"
    # The page as a person uses it.
    { sed 's|</body>.*||' near.html && echo '<script>' && cat "$here/interact.js" && echo '</script></body></html>'; } >used.html
    shows "used.html"
    expects 'data-result="all works"'
    # A state of 10000 nodes: closed at first, and opened only what lies in the window is drawn.
    /usr/bin/python3 "$here/large.py" 10000 >large.sdfg
    "$sdfgc" view large.sdfg -o large.html
    shows "large.html"
    expects "large: 1 drawn, 10001 elements"
    shows "large.html#search=v4321"
    expects "v4321" "chosen"
    drawn=$(sed -n 's/.*large: \([0-9]*\) drawn.*/\1/p' dom)
    [ "$drawn" -gt 1 ] && [ "$drawn" -lt 2000 ] || fail "$drawn elements are drawn in one window"
    ;;
pictures)
    folder=${4-}
    for graph in graphs/{gemm.sdfg,adapt.sdfgt,v0_9.sdfg,conjugate_gradient.sdfgt,kmeans.sdfgt,power.sdfgt,algebra.sdfgt,leave.sdfgt,mpi/blocks.sdfg} Bindings/kinds.sdfg; do
        name=$(basename "${graph%.*}")
        "$sdfgc" view "$source/test/$graph" --emit --quiet -o "$name.html"
        /usr/bin/python3 "$here/picture.py" probe "$name.html" >probed.html
        browse probed.html --window-size=1400,900 --screenshot="$work/$name.png"
        /usr/bin/python3 "$here/picture.py" judge "$name.png" dom >judged || fail "$name: $(cat judged)"
        echo "$name: $(cat judged)"
        [ -z "$folder" ] || cp "$name.png" "$folder/"
    done
    ;;
esac
