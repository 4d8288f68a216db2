#!/usr/bin/env bash
# Checks, emits and compiles every (real) graph below a folder, and prints one line for each:
#
#   built     seconds  MiB of memory  graph
#   refused   ...                     graph: the first error     sdfgc says that the graph is at fault
#   failed    ...                     graph: the first error     generated code does not compile, or sdfgc does not end as it should
#
#   tools/dev/graphs.sh [--sdfgc build/bin/sdfgc] FOLDER [options of `sdfgc build`]     exit status 1 when any line is `failed`
set -uo pipefail
sdfgc=build/bin/sdfgc
if [ "${1:-}" = --sdfgc ]; then
    sdfgc=$2
    shift 2
fi
folder=${1:?usage: graphs.sh [--sdfgc FILE] FOLDER [options of sdfgc build]}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed=0
while IFS= read -r -d '' graph; do
    rm -rf "$work/out"
    /usr/bin/time -f '%e %M' -o "$work/time" timeout 900 "$sdfgc" build "$graph" -o "$work/out" -q "$@" >"$work/log" 2>&1
    status=$?
    read -r seconds kilobytes < <(tail -n 1 "$work/time")
    case $status in
    0) verdict=built ;;
    1) verdict=refused ;;
    *) verdict=failed; failed=1 ;;
    esac
    reason=
    [ $status -eq 0 ] || reason=": $(grep -m 1 -oE '(error|fatal error|terminated|Killed): .*' "$work/log" || echo "exit status $status")"
    printf '%-8s %8.2f s %6d MiB  %s%s\n' $verdict "$seconds" $((kilobytes / 1024)) "${graph#"$folder"/}" "$reason"
done < <(find -L "$folder" -type f \( -name '*.sdfg' -o -name '*.sdfgz' \) -print0 | sort -z)
exit $failed
