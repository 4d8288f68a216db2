#!/usr/bin/env bash
# Damages real graphs and compiles what comes of them, for the CPU and for GPUs (test/Fuzz/Fuzz.cpp says how, and what must hold): batch after
# batch with other seeds, until N runs are made or without end. Exit status 1 when there are findings; they lie in FOLDER/finding-SEED.sdfg,
# and what is printed says how each was compiled.
#
#   tools/dev/mutate_graphs.sh [--fuzz build/bin/fuzz] [--runs N] [--seed N] [--largest KIB] [--keep FOLDER] GRAPHS...
#
# GRAPHS are folders with .sdfg files. Larger ones than KIB (50) are left out: they take time and find the same.
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
