#!/usr/bin/env bash
# The fuzz targets (test/Fuzz/targets) under libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, one after another. Exit
# status 1 if there are findings; they are minimised and left in the target's folder below FOLDER as crash-*, timeout-* and the
# like.
#
#   tools/dev/fuzz.sh [--fast] [--runs N] [--out FOLDER] [TARGET...]     ten million runs each; FOLDER: build-fuzz/findings
#
# The corpus of a target is kept in FOLDER/TARGET/corpus for the next time. With --fast the targets have no sanitizers and run ten
# times as fast: use it for most of the ten million runs, and run the corpus under the sanitizers afterwards (--runs 0: only the
# corpus, no new inputs). Runs are made in batches, because names and expressions live until the process ends.
#
# libFuzzer's entropic schedule is off: it updates its weights in every run for all features of an input, which are thousands for
# these targets, and takes five times as long as the targets themselves.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

runs=10000000
preset=fuzz
out=build-fuzz/findings
targets=()
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=${2:?--runs needs a number}; shift ;;
    --fast) preset=fuzz-fast ;;
    --out) out=${2:?--out needs a folder}; shift ;;
    -*) echo "fuzz.sh: unknown argument $1" >&2; exit 2 ;;
    *) targets+=("$1") ;;
    esac
    shift
done
[ ${#targets[@]} -gt 0 ] || targets=(graph-json graph-text symbolic tasklet pipeline npy)

export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:suppressions=$PWD/test/Fuzz/ubsan.supp
readonly batch=100000
cmake --preset $preset >/dev/null && cmake --build --preset $preset --target "${targets[@]/#/fuzz-}" || exit 1

# Files elsewhere that are inputs of a target, too; as in test/Fuzz/CMakeLists.txt.
seeds() {
    case $1 in
    graph-json) ls test/graphs/*.sdfg ;;
    graph-text) ls test/Interpret/programs/*.sdfgt ;;
    pipeline) ls pipelines/*.yaml ;;
    esac
}

# The maximum input size of a target: large enough for the bugs to find, because the time of a run grows with its input.
largest() {
    case $1 in
    symbolic) echo 256 ;;
    tasklet | npy) echo 1024 ;;
    pipeline) echo 2048 ;;
    graph-text) echo 4096 ;;
    *) echo 8192 ;;
    esac
}

# Keeps the smallest of the inputs that reach the same code, because each batch begins by reading and running all of them.
# libFuzzer's control file has some megabytes; pipelines that include `3` would read it if it had that descriptor.
thin() {
    rm -rf "$2/thin"
    mkdir "$2/thin"
    "$1" -merge=1 -max_len="$3" -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$2/" "$2/thin" "$2/corpus" \
        >"$2/log" 2>&1 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null 8</dev/null 9</dev/null || return
    rm -rf "$2/corpus"
    mv "$2/thin" "$2/corpus"
}

status=0
for target in "${targets[@]}"; do
    program=build-$preset/bin/fuzz-$target
    folder=$out/$target
    mkdir -p "$folder/corpus"
    cp test/Fuzz/corpus/"$target"/* "$folder/corpus/"
    for seed in $(seeds "$target"); do
        cp "$seed" "$folder/corpus/seed-${seed##*/}"
    done
    done=0
    found=0
    while :; do
        [ $((done % (20 * batch))) -ne 0 ] || [ "$runs" -eq 0 ] || thin "$program" "$folder" "$(largest "$target")"
        count=$((runs - done < batch ? runs - done : batch))
        "$program" -runs=$count -max_len="$(largest "$target")" -entropic=0 -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$folder/" "$folder/corpus" \
            >"$folder/log" 2>&1 || found=1
        done=$((done + count))
        echo $done >"$folder/runs" # shows the progress
        [ $done -lt "$runs" ] && [ $found -eq 0 ] || break
    done
    for finding in "$folder"/{crash,oom,timeout}-*; do
        [ -e "$finding" ] || continue
        "$program" -minimize_crash=1 -runs=20000 -exact_artifact_path="$finding.small" "$finding" >"$finding.log" 2>&1
        echo "$target: $finding"
    done
    [ $found -eq 0 ] || { status=1; grep -am1 -A2 'broken promise\|runtime error\|ERROR' "$folder/log"; }
    echo "$target: $done runs"
done
exit $status
