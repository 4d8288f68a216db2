#!/usr/bin/env bash
# Installs the Debian 12 packages that sdfgc needs. Does nothing, and needs no network, if they are installed.
#
#   tools/dev/setup.sh            what building sdfgc needs: 190 MB beside a C++ compiler, most of it CMake
#   tools/dev/setup.sh --tests    also what its tests need
set -euo pipefail

packages=(
    g++ cmake ninja-build
    libcli11-dev libfmt-dev libspdlog-dev libyaml-cpp-dev rapidjson-dev zlib1g-dev libffi-dev libisl-dev
)
optional=()
case ${1-} in
'') ;;
--tests)
    packages+=(
        catch2 llvm-14-tools clang-format-14 python3 python3-numpy
        libopenblas-dev liblapacke-dev libfftw3-dev                   # libraries that generated programs may call
    )
    # Tests that need a missing one of these report so and are skipped.
    optional=(
        openmpi-bin libopenmpi-dev libscalapack-openmpi-dev gfortran pkg-config hipcc libamdhip64-dev librocprim-dev
        python3-yaml chromium groff-base zsh fish qemu-user g++-aarch64-linux-gnu pocl-opencl-icd opencl-headers ocl-icd-opencl-dev
        oclgrind
    )
    ;;
*) echo "setup.sh: unknown option $1" >&2; exit 2 ;;
esac

if ! command -v apt-get >/dev/null; then
    echo "setup: this is no Debian system; install what these packages hold: ${packages[*]}" >&2
    exit 1
fi
# A virtual or renamed package counts as installed if an installed package provides it.
installed() { dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }
missing=()
for package in "${packages[@]}"; do
    installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi
for package in "${optional[@]}"; do
    installed "$package" || missing+=("$package")
done
echo "setup: installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: neither root nor sudo; ask an administrator to run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
