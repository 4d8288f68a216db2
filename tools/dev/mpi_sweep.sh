#!/usr/bin/env bash
# DaCe's MPI graphs (test/graphs/mpi) in all ways to run ranks: in the emulation with many orders of messages, under Open MPI, under
# MPICH if it is installed, too, and with AddressSanitizer. Also runs the programs of the MPI tests in the emulation, with as many
# orders. Run it weekly; it ends with a line `N passed, N failed`.
#
#   tools/dev/mpi_sweep.sh --sdfgc BIN [--seeds N] [--out FOLDER]     100 seeds; FOLDER: a temporary one
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

sdfgc='' seeds=100 out=''
while [ $# -gt 0 ]; do
    case $1 in
    --sdfgc) sdfgc=$(realpath "${2:?}") ;;
    --seeds) seeds=${2:?} ;;
    --out) out=${2:?} ;;
    *) echo "mpi_sweep.sh: unknown argument $1" >&2; exit 2 ;;
    esac
    shift 2
done
[ -x "$sdfgc" ] || { echo "mpi_sweep.sh: --sdfgc BIN is missing" >&2; exit 2; }
out=${out:-$(mktemp -d)}
mkdir -p "$out"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export ASAN_OPTIONS=detect_leaks=0 # Open MPI itself leaks; the emulation detects leaks of programs
all='allgather allreduce alltoall bcast reduce scatter dace_bcast world_bcast dace_scatter_gather pgrid_all blocks redist
     v1_pgrid_all v1_blocks v1_redist'
processes="$all isend_irecv" # wrong by the standard, but all MPIs accept it

passed=0 failed=0
way() { # NAME GRAPHS OPTION...
    local name=$1 graphs=$2 graph
    shift 2
    for graph in $graphs; do
        if /usr/bin/python3 test/lit/mpi/Inputs/dace.py "$sdfgc" test/graphs/mpi "$out/$name" "$graph" "$@" >"$out/log" 2>&1; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$name: $graph"
            tail -5 "$out/log"
        fi
    done
}

way emulation "$all" --seeds "$(seq -s, 0 $((seeds - 1)))" --options=-q
tools/dev/mpi_seeds.py --sdfgc "$sdfgc" --seeds "$seeds" | tee "$out/seeds"
if [[ $(tail -1 "$out/seeds") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
else
    failed=$((failed + 1)) # the script itself ended
fi
way open-mpi "$processes" --mpirun --options=-q
way address-sanitizer "$processes" --caller --ranks 1,3 --options "--cflags='-fsanitize=address,undefined -fno-sanitize-recover=all'"
mpich=/usr/lib/$(gcc -print-multiarch)/pkgconfig/mpich.pc
if command -v mpiexec.mpich >/dev/null && [ -f "$mpich" ]; then
    mkdir -p "$out/pkgconfig"
    cp "$mpich" "$out/pkgconfig/mpi-c.pc" # before that of Open MPI
    export PKG_CONFIG_PATH=$out/pkgconfig
    way mpich "$processes" --mpirun --options "-q --launcher 'mpiexec.mpich -n {ranks}'"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
