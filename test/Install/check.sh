#!/bin/bash
# What people do with an installed sdfgc:
#   1. install it and use it from another CMake project (test/Install/consumer);
#   2. touch the graph: sdfgc runs once more, then nothing is left to do; change a comment in it, likewise;
#   3. build the CMake project of a build folder, without sdfgc, and get a library that works as well.
#
#   check.sh SOURCE_TREE BUILD_TREE
set -euo pipefail
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
expected="vadd: 0 11 22 33 44"

cmake --install "$build" --prefix "$work/prefix" >"$work/log" || fail "installing: $(cat "$work/log")"

for generator in Ninja "Unix Makefiles"; do
    tree="$work/$generator"
    mkdir -p "$tree"
    cp "$source/test/graphs/vadd.sdfg" "$tree"
    cmake -S "$source/test/Install/consumer" -B "$tree" -G "$generator" -DCMAKE_PREFIX_PATH="$work/prefix" \
        -DEXAMPLE="$source/tools/dev/example.c" >"$work/log" || fail "configuring: $(cat "$work/log")"
    cmake --build "$tree" >"$work/log" 2>&1 || fail "building with $generator: $(cat "$work/log")"
    [ "$("$tree/consumer")" = "$expected" ] || fail "$generator: the consumer printed $("$tree/consumer")"
    grep -q ffp-contract=fast "$tree/vadd.build/.sdfgc/commands.sh" || fail "OPTIONS do not reach sdfgc"

    library=$tree/vadd.build/lib/libvadd.so
    content=$(sha1sum <"$library")
    sleep 0.02 # time stamps count in ticks
    touch "$tree/vadd.sdfg"
    cmake --build "$tree" >"$work/log" || fail "building again: $(cat "$work/log")"
    grep -q "sdfgc vadd" "$work/log" || fail "$generator: a touched graph is not looked at: $(cat "$work/log")"
    [ "$content" = "$(sha1sum <"$library")" ] || fail "$generator: a touched graph gave another library"
    cmake --build "$tree" >"$work/log" || fail "building a third time: $(cat "$work/log")"
    ! grep -q "sdfgc vadd" "$work/log" || fail "$generator: there is always something to do: $(cat "$work/log")"
done

cmake -S "$tree/vadd.build" -B "$work/taken" >"$work/log" || fail "configuring the build folder: $(cat "$work/log")"
cmake --build "$work/taken" >"$work/log" 2>&1 || fail "building the build folder: $(cat "$work/log")"
library=$(find "$work/taken" -name libvadd.so)
[ -n "$library" ] || fail "the build folder's own project makes no libvadd.so"
cc "$source/tools/dev/example.c" -I "$tree/vadd.build/include" "$library" -Wl,-rpath,"$(dirname "$library")" -o "$work/example"
[ "$("$work/example")" = "$expected" ] || fail "the library of the build folder's own project gives $("$work/example")"
echo "installed, used, rebuilt, taken away"
