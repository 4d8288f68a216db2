#!/usr/bin/env bash
# Damages real graphs and compiles the results, for the CPU and for GPUs (test/Fuzz/Fuzz.cpp defines how, and the properties that
# must hold), in batches with different seeds, for N runs or without end. Exit status 1 if there are findings; they are in
# FOLDER/finding-SEED.sdfg, and the output shows how each was compiled.
#
#   tools/dev/mutate_graphs.sh [--fuzz build/bin/fuzz] [--runs N] [--seed N] [--largest KIB] [--keep FOLDER] GRAPHS...
#
# GRAPHS are folders with .sdfg files. Graphs larger than KIB (default: 50) are skipped: they take longer and find the same faults.
set -uo pipefail

fuzz=build/bin/fuzz
runs=0
seed=1
largest=50
keep=fuzz-findings
folders=()
while [ $# -gt 0 ]; do
    case $1 in
    --fuzz | --runs | --seed | --largest | --keep)
        [ $# -gt 1 ] || { echo "mutate_graphs.sh: $1 needs a value" >&2; exit 2; }
        printf -v "${1#--}" %s "$2"
        shift ;;
    -*) echo "mutate_graphs.sh: unknown argument $1" >&2; exit 2 ;;
    *) folders+=("$1") ;;
    esac
    shift
done
mapfile -d '' graphs < <(find "${folders[@]}" -name '*.sdfg' -size "-${largest}k" -print0 | sort -z)
[ ${#folders[@]} -gt 0 ] && [ ${#graphs[@]} -gt 0 ] || { echo "mutate_graphs.sh: there are no graphs" >&2; exit 2; }

readonly batch=20000
status=0
mkdir -p "$keep"
for ((done = 0; runs == 0 || done < runs; done += batch)); do
    count=$((runs > 0 && runs - done < batch ? runs - done : batch))
    "$fuzz" --runs $count --seed $((seed + done)) --keep "$keep" "${graphs[@]}" || status=1
done
exit $status
