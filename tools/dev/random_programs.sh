#!/bin/sh
# Tests random programs, and random pipelines over recorded ones, until stopped: docs/developer/testing.md, *Random programs*.
#
#   tools/dev/random_programs.sh [--from SEED] [--keep FOLDER] [--build FOLDER] [CASES...]
#
# CASES are folders with graphs (program.sdfg somewhere below). Programs are generated and judged in batches of a thousand seeds; a
# batch of recorded graphs, if there are any, follows each batch of programs. Findings go to FOLDER (default: random-findings), with
# the commands that reproduce them.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build seed=1 keep=random-findings
while [ $# -gt 0 ]; do
    case $1 in
    --from) seed=$2; shift 2 ;;
    --keep) keep=$2; shift 2 ;;
    --build) build=$2; shift 2 ;;
    --*) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    *) break ;;
    esac
done
mkdir -p "$keep"
tool=$build/bin/randomPrograms
[ -x "$tool" ] || { echo "random_programs.sh: build randomPrograms first" >&2; exit 2; }
while :; do
    echo "programs from seed $seed"
    "$tool" --seed "$seed" --runs 1000 --judge-every 6 --compile-every 50 --keep "$keep"
    if [ $# -gt 0 ]; then
        echo "recorded graphs from seed $seed"
        find "$@" -name program.sdfg -print0 | sort -z | xargs -0 -s 1900000 "$tool" --seed "$seed" --runs 1000 --judge-every 6 --pipelines 4 --keep "$keep"
    fi
    seed=$((seed + 1000))
done
