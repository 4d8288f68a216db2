#!/usr/bin/env bash
# A program for target toy is listed, emitted, built and run as one for any other target. usage: run.sh SDFGC ROOT FOLDER
set -euo pipefail
sdfgc=$1 root=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder/home/pipelines"
ln -s "$root/runtime-headers" "$root/bindings" "$folder/home"
ln -s "$root"/pipelines/*.yaml "$root/test/ToyTarget/toy.yaml" "$folder/home/pipelines"
export SDFGC_HOME=$folder/home

expect() { # TEXT FILE
    grep -qF -- "$1" "$2" || { echo "no \`$1\` in $2:"; cat "$2"; exit 1; }
}
"$sdfgc" targets > "$folder/targets"
expect "toy     C++ that says hello" "$folder/targets"
"$sdfgc" build --help > "$folder/help"
expect "cpu|cuda|hip|opencl|sve|toy" "$folder/help"
"$sdfgc" passes --target toy > "$folder/passes"
expect "turns the graph into a schedule tree" "$folder/passes"

graph=$root/test/graphs/vadd.sdfg
"$sdfgc" emit -q "$graph" --target toy -o "$folder/out"
expect "vadd: goodbye" "$folder/out/src/toy/vadd.cpp"
"$sdfgc" run "$graph" --target toy -o "$folder/out" --arg N=3 --arg A=1 --arg B=range --arg C=0 > "$folder/result" 2> "$folder/messages"
expect "vadd: hello" "$folder/messages"
expect "vadd: goodbye" "$folder/messages"
expect "C" "$folder/result"
nm -D --defined-only "$folder"/out/lib/libvadd.so > "$folder/symbols"
expect "vadd_target" "$folder/symbols"
