#!/usr/bin/env bash
# Do programs (graphs and trees) survive a round trip through their text form after every pass? Runs the pipeline of a target with
# `--verify-text` on every graph below some folders; prints a line for each graph that does not, and the number of graphs. Graphs
# that the pipeline rejects are checked up to that point.
#
#   tools/dev/text_form.sh [--sdfgc build/bin/sdfgc] [--sample N] FOLDER... [-- options of `sdfgc opt`]
set -uo pipefail
sdfgc=build/bin/sdfgc
every=1
folders=()
while [ $# -gt 0 ]; do
    case $1 in
    --sdfgc) sdfgc=$2; shift 2 ;;
    --sample) every=$2; shift 2 ;;
    --) shift; break ;;
    *) folders+=("$1"); shift ;;
    esac
done
[ ${#folders[@]} -gt 0 ] || { echo 'usage: text_form.sh [--sdfgc FILE] [--sample N] FOLDER... [-- options of sdfgc opt]' >&2; exit 2; }
looked=0
wrong=0
number=0
while IFS= read -r -d '' graph; do
    number=$((number + 1))
    [ $((number % every)) -eq 0 ] || continue
    looked=$((looked + 1))
    said=$(timeout 900 "$sdfgc" opt "$graph" --verify-text "$@" 2>&1 >/dev/null)
    status=$?
    [ $status -ne 2 ] || { echo "$said" >&2; exit 2; } # the command line is wrong
    said=$(grep -m 1 'the text form' <<<"$said")
    [ $status -le 1 ] || said=${said:-ends with status $status}
    if [ -n "$said" ]; then
        wrong=$((wrong + 1))
        echo "$graph: $said"
    fi
done < <(find "${folders[@]}" \( -name '*.sdfg' -o -name '*.sdfgz' -o -name '*.sdfgt' \) -print0 | sort -z)
echo "$looked graphs, $wrong wrong"
[ "$wrong" -eq 0 ]
