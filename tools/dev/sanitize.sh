#!/usr/bin/env bash
# Runs sanitizers on sdfgc and on generated programs. Without arguments, runs everything below. Exit status 1 if anything is
# reported.
#
#   tools/dev/sanitize.sh [--cases FOLDER] [--sample N] [--no-tests] [address] [thread] [programs] [applications]
#
#   address    builds the preset asan-ubsan, runs the tests, then `sdfgc emit` over every N-th graph below FOLDER
#   thread     the same with the preset tsan
#   programs   compiles and runs every N-th case with -fsanitize=address,undefined and with -fsanitize=thread (sanitize_programs.py)
#   applications  calls the programs of bench_applications.py on two threads with -fsanitize=thread
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

cases=../shared/conformance/cases
sample=1
tests=1
what=()
while [ $# -gt 0 ]; do
    case $1 in
    --cases) cases=${2:?--cases needs a folder}; shift ;;
    --sample) sample=${2:?--sample needs a number}; shift ;;
    --no-tests) tests= ;;
    address | thread | programs | applications) what+=("$1") ;;
    *) echo "sanitize.sh: unknown argument $1" >&2; exit 2 ;;
    esac
    shift
done
[ ${#what[@]} -gt 0 ] || what=(address thread programs applications)

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# graphs: every N-th one, or the project's own graphs if there are no cases.
graphs() {
    if [ -d "$cases" ]; then
        find "$cases" -name '*.sdfg' | sort | awk -v n="$sample" 'NR % n == 1 || n == 1'
    else
        find test/graphs -name '*.sdfg' | sort
    fi
}

# checked PRESET FOLDER: builds, tests, and emits the graphs. sdfgc itself exits with 0 or 1; any other status, and any report, is a
# failure.
checked() {
    cmake --preset "$1" >/dev/null && cmake --build --preset "$1" || return 1
    if [ -n "$tests" ]; then
        ctest --preset "$1" --timeout 1800 --exclude-regex '^install$' || status=1
    fi
    local count=0 bad=0 code
    while IFS= read -r graph; do
        "$2/bin/sdfgc" emit "$graph" -o "$work/out" >"$work/log" 2>&1
        code=$?
        rm -rf "$work/out"
        count=$((count + 1))
        if [ $code -gt 1 ] || grep -qE 'Sanitizer|runtime error:' "$work/log"; then
            bad=$((bad + 1))
            echo "$graph: exit status $code"
            head -n 30 "$work/log"
        fi
    done < <(graphs)
    echo "$1: $count graphs, $bad with reports"
    [ $count -gt 0 ] && [ $bad -eq 0 ]
}

# programs SANITIZER...: those of every N-th case, with the options that follow.
programs() {
    tools/dev/sanitize_programs.py --sdfgc build/bin/sdfgc --cases "$cases" --sample "$sample" --sanitizer "$@" || status=1
}

for part in "${what[@]}"; do
    case $part in
    address) checked asan-ubsan build-asan || status=1 ;;
    thread) checked tsan build-tsan || status=1 ;;
    programs)
        programs address,undefined
        programs thread --expect test/conformance/races.txt
        ;;
    applications)
        for loops in applications conditional; do
            tools/dev/bench_applications.py --races --loops $loops || status=1
        done
        ;;
    esac
done
exit $status
