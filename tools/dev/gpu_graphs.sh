#!/usr/bin/env bash
# Do device compilers accept the programs generated from real GPU graphs? Emits every graph that mentions the GPU below a folder for
# CUDA and compiles it with nvcc (unoptimised, not linked), every tenth also for HIP with hipcc. Prints a line for each failure:
#
#   refused   graph: the first error          sdfgc says that the graph is at fault, or cannot compile it
#   failed    nvcc graph: the first error     generated code does not compile, or sdfgc does not end as it should
#   warned    nvcc graph: the first warning   generated code compiles
#   skipped   nvcc graph: a header is missing the graph calls a library that is not installed
#
# and then the counts.
#
#   tools/dev/gpu_graphs.sh [--sdfgc build/bin/sdfgc] [--jobs 2] [--all] [--archs "75 80 90 100"] [--hip-every 10] FOLDER...
#
# --all: also graphs for the CPU, which sdfgc offloads. --archs: compute capabilities to compile each program for (default: 80).
# --hip-every N: compile every N-th graph for HIP, too. Exit status 1 after a failure or a warning.
set -uo pipefail
sdfgc=build/bin/sdfgc
jobs=2
mentions=GPU_
archs=80
hip_every=10
while :; do
    case ${1:-} in
    --sdfgc) sdfgc=$2 && shift 2 ;;
    --jobs) jobs=$2 && shift 2 ;;
    --all) mentions= && shift ;;
    --archs) archs=$2 && shift 2 ;;
    --hip-every) hip_every=$2 && shift 2 ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || { echo 'usage: gpu_graphs.sh [--sdfgc FILE] [--jobs N] [--all] [--archs LIST] [--hip-every N] FOLDER...' >&2 && exit 2; }
export sdfgc hip_every
codes=
for arch in $archs; do
    codes+=" -gencode arch=compute_$arch,code=sm_$arch"
done
export codes
export nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)} hipcc=${HIPCC:-$(command -v hipcc || echo /opt/rocm/bin/hipcc)}
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

first() { # the first line of a log that matches, without the path in front
    grep -m 1 -E "$1" "$2" | sed -E "s/.*($1)/\1/" | cut -c 1-240
}

compile() { # compiler graph log command...: prints a line
    local compiler=$1 name=$2 log=$3
    shift 3
    if ! (cd "$objects" && timeout 600 "$@") >"$log" 2>&1; then
        if grep -qE "(cutensor|hipblas|hipfft|hipsolver|hipsparse|hiptensor)\.h.*(No such file|not found)" "$log"; then
            echo "skipped   $compiler $name: $(first '(cutensor|hip[a-z]*)\.h.*' "$log")"
        else
            echo "failed    $compiler $name: $(first '(fatal )?error' "$log")"
        fi
    elif grep -qi warning "$log"; then
        echo "warned    $compiler $name: $(first '[Ww]arning' "$log")"
    else
        echo "compiled  $compiler $name"
    fi
}

graph() { # number file
    local name=$2 out=$work/$1 objects=$work/$1.objects status target=cuda suffix=cu
    mkdir "$objects"
    while :; do
        timeout 300 "$sdfgc" emit "$2" --target $target -o "$out" -q >"$out.log" 2>&1
        status=$?
        if [ $status -eq 1 ]; then
            echo "refused   $name: $(first 'error: ' "$out.log")"
        elif [ $status -ne 0 ]; then
            echo "failed    sdfgc $name: status $status: $(first 'error: ' "$out.log")"
        elif [ $target = cuda ]; then
            # shellcheck disable=SC2086 # several words
            compile nvcc "$name" "$out.log" "$nvcc" -std=c++20 -O0 -Xcicc -O0 -Xptxas -O0 --extended-lambda --expt-relaxed-constexpr $codes \
                -I"$out/include" -I"$out/runtime-headers" -c "$out"/src/$target/*.$suffix
        else
            compile hipcc "$name" "$out.log" "$hipcc" -std=c++20 -O0 -Wall --offload-arch=gfx90a \
                -I"$out/include" -I"$out/runtime-headers" -x hip -c "$out"/src/$target/*.$suffix
        fi
        rm -rf "$out"
        [ $target = cuda ] && [ $(($1 % hip_every)) -eq 0 ] && [ $status -eq 0 ] && [ -x "$hipcc" ] || break
        target=hip suffix=hip
    done
    rm -rf "$objects"
}
export -f first compile graph

find -L "$@" -type f \( -name '*.sdfg' -o -name '*.sdfgt' \) | sort | xargs -d '\n' grep -l "$mentions" | nl -v 0 -w 1 -s ' ' >"$work/list"
xargs -d "\n" -P "$jobs" -I {} bash -c 'graph "${1%% *}" "${1#* }"' - {} <"$work/list" >"$work/lines"
sort "$work/lines" | grep -v '^compiled'
cut -c 1-10 "$work/lines" | sort | uniq -c
! grep -qE '^(failed|warned)' "$work/lines"
