#!/usr/bin/env bash
# Same input, same bytes: emits every graph below the given folders three times, each in a process of its own, and compares the folders:
#   1. the graph;  2. the graph again;  3. the graph as `sdfgc opt --passes ""` writes it, under the same file name.
# Graphs that sdfgc rejects must be rejected all three times.
#
#   tools/dev/determinism.sh SDFGC FOLDER...          exit status 1 when anything differs
set -uo pipefail
sdfgc=$(realpath "${1:?usage: determinism.sh SDFGC FOLDER...}")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

same=0
refused=0
different=0
report() {
    echo "differs: $*"
    different=$((different + 1))
}

# emitted NAME: emits $work/in/program.sdfg to $work/out (the path is part of what is compared) and moves that to $work/NAME.
emitted() {
    rm -rf "$work/out" "$work/$1"
    "$sdfgc" emit "$work/in/$name" -o "$work/out" >"$work/$1.log" 2>&1
    local status=$?
    rm -rf "$work/out/.sdfgc" # the lock records its holder
    [ $status -eq 0 ] && mv "$work/out" "$work/$1"
    return $status
}

while IFS= read -r -d '' graph; do
    name=$(basename "$graph")
    rm -rf "$work/in"
    mkdir "$work/in"
    cp "$graph" "$work/in/$name"
    chmod u+w "$work/in/$name"
    emitted first
    first=$?
    emitted second
    second=$?
    if ! "$sdfgc" opt "$work/in/$name" --passes "" -o "$work/saved" >"$work/opt.log" 2>&1; then
        if [ $first -eq 0 ]; then report "$graph: cannot be saved: $(grep -m1 error "$work/opt.log")"; else refused=$((refused + 1)); fi
        continue
    fi
    mv "$work/saved" "$work/in/$name"
    emitted third
    third=$?
    if [ $first -ne $second ] || [ $first -ne $third ]; then
        report "$graph: exit statuses $first, $second, $third"
    elif [ $first -ne 0 ]; then
        refused=$((refused + 1))
    elif ! diff -r "$work/first" "$work/second" >"$work/diff"; then
        report "$graph: two runs: $(head -c 600 "$work/diff")"
    elif ! diff -r "$work/first" "$work/third" >"$work/diff"; then
        report "$graph: saved graph: $(head -c 600 "$work/diff")"
    else
        same=$((same + 1))
    fi
done < <(find -L "$@" -name '*.sdfg' -print0 -o -name '*.sdfgz' -print0 | sort -z)
echo "$same the same, $refused refused, $different different"
[ $different -eq 0 ] && [ $((same + refused)) -gt 0 ]
