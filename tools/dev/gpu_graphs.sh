#!/usr/bin/env bash
# Do real GPU graphs become programs that device compilers take? Emits every graph that mentions the GPU below a folder for CUDA and
# compiles it with nvcc (unoptimised, one architecture, not linked), each tenth also for HIP with hipcc. Prints a line for what failed:
#
#   refused   graph: the first error          sdfgc says that the graph is at fault, or cannot compile it
#   failed    nvcc graph: the first error     generated code does not compile, or sdfgc does not end as it should
#   warned    nvcc graph: the first warning   generated code compiles
#   skipped   nvcc graph: a header is missing the graph calls a library that is not installed
#
# and then the counts.
#
#   tools/dev/gpu_graphs.sh [--sdfgc build/bin/sdfgc] [--jobs 2] FOLDER     exit status 1 when anything failed
set -uo pipefail
sdfgc=build/bin/sdfgc
jobs=2
while :; do
    case ${1:-} in
    --sdfgc) sdfgc=$2 && shift 2 ;;
    --jobs) jobs=$2 && shift 2 ;;
    *) break ;;
    esac
done
folder=${1:?usage: gpu_graphs.sh [--sdfgc FILE] [--jobs N] FOLDER}
export sdfgc folder
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
    if ! timeout 600 "$@" >"$log" 2>&1; then
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
    local name=${2#"$folder"/} out=$work/$1 status target=cuda suffix=cu
    while :; do
        timeout 300 "$sdfgc" emit "$2" --target $target -o "$out" -q >"$out.log" 2>&1
        status=$?
        if [ $status -eq 1 ]; then
            echo "refused   $name: $(first 'error: ' "$out.log")"
        elif [ $status -ne 0 ]; then
            echo "failed    sdfgc $name: status $status: $(first 'error: ' "$out.log")"
        elif [ $target = cuda ]; then
            compile nvcc "$name" "$out.log" "$nvcc" -std=c++20 -O0 --extended-lambda --expt-relaxed-constexpr -arch=sm_80 \
                -I"$out/include" -I"$out/runtime-headers" -c "$out"/src/$target/*.$suffix -o "$out.o"
        else
            compile hipcc "$name" "$out.log" "$hipcc" -std=c++20 -O0 --offload-arch=gfx90a \
                -I"$out/include" -I"$out/runtime-headers" -x hip -c "$out"/src/$target/*.$suffix -o "$out.o"
        fi
        rm -rf "$out" "$out.o"
        [ $target = cuda ] && [ $(($1 % 10)) -eq 0 ] && [ $status -eq 0 ] && [ -x "$hipcc" ] || break
        target=hip suffix=hip
    done
}
export -f first compile graph

find -L "$folder" -type f -name '*.sdfg' | sort | xargs -d '\n' grep -l GPU_ | nl -v 0 -w 1 -s ' ' >"$work/list"
xargs -d "\n" -P "$jobs" -I {} bash -c 'graph "${1%% *}" "${1#* }"' - {} <"$work/list" >"$work/lines"
sort "$work/lines" | grep -v '^compiled'
cut -c 1-10 "$work/lines" | sort | uniq -c
! grep -q '^failed' "$work/lines"
