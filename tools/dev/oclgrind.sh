#!/usr/bin/env bash
# Runs programs with OpenCL in Oclgrind, which reports data races and accesses outside of buffers, by kernel and line. Slow: sizes are
# small. Its check for memory that was never written is off: it reports the unused bytes of words in which small elements are updated,
# and does not know frexp.
#
#   tools/dev/oclgrind.sh [PROGRAM...]     default: those of test/OpenCl/own.txt that kernels can express
#
# Programs that take more than two minutes are stopped, and counted. Exit status 1 if Oclgrind reports anything or a program fails, 77
# (skipped) where it is not installed. SDFGC: the binary (build/bin/sdfgc).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
command -v oclgrind > /dev/null || { echo "oclgrind was not found"; exit 77; }
sdfgc=${SDFGC:-build/bin/sdfgc}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

list=test/OpenCl/own.txt passed=0 failed=0 slow=0
while read -r program words; do
    case $program in '' | '#'*) continue ;; esac
    case $words in refused:*) continue ;; esac
    if [ $# -gt 0 ] && [[ " $* " != *" $program "* ]]; then continue; fi
    arguments=()
    for word in $words $(sed -n 's/^# with //p' "$program"); do arguments+=(--arg "$word"); done
    options=(--target opencl --cflags -O1 --pass-option offload-to-gpu.few-elements=true -o "$out/build")
    # Compilers cannot run in Oclgrind, which preloads an LLVM of its own. It lacks functions that optimised kernels call.
    "$sdfgc" build "$program" "${options[@]}" > "$out/text" 2>&1 &&
        timeout 120 oclgrind --data-races --build-options -cl-opt-disable --log "$out/log" "$sdfgc" run "$program" "${options[@]}" --once --default random --seed 7 -q \
            "${arguments[@]}" > "$out/text" 2>&1
    status=$?
    if [ $status -eq 0 ] && [ ! -s "$out/log" ]; then
        echo "$program: no fault"
        passed=$((passed + 1))
    elif [ $status -eq 124 ]; then
        echo "$program: takes more than two minutes"
        slow=$((slow + 1))
    else
        echo "$program: exit status $status"
        [ $status -eq 0 ] || tail -n 5 "$out/text"
        head -n 40 "$out/log" 2> /dev/null
        failed=$((failed + 1))
    fi
    rm -rf "$out/build" "$out/log"
done < "$list"
echo "$passed passed, $failed failed, $slow too slow"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
