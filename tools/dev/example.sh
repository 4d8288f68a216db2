#!/usr/bin/env bash
# Builds sdfgc, compiles the graph test/graphs/vadd.sdfg (C = A + B) to a library, and calls that from a C program.
set -euo pipefail
cd "$(dirname "$0")/../.."

tools/dev/build.sh
out=build/example
mkdir -p "$out"
build/bin/sdfgc build test/graphs/vadd.sdfg -o "$out/vadd.build"
cc examples/vadd.c -I "$out/vadd.build/include" -L "$out/vadd.build/lib" -lvadd -Wl,-rpath,"$PWD/$out/vadd.build/lib" -o "$out/example"
"$out/example"
