#!/usr/bin/env bash
# Installs missing packages and builds sdfgc into build/ (preset release), with ccache if available: about seven minutes on two
# cores.
#
#   tools/dev/build.sh [--tests]    --tests: also the tests, with what they need
set -euo pipefail
cd "$(dirname "$0")/../.."

tests=OFF what=sdfgc
case ${1-} in
'') ;;
--tests) tests=ON what="sdfgc and its tests" ;;
*) echo "build.sh: unknown option $1" >&2; exit 2 ;;
esac

tools/dev/setup.sh "$@"
if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi
cmake --preset release -DBUILD_TESTING=$tests >/dev/null # errors and warnings go to standard error
[ -x build/bin/sdfgc ] || echo "build.sh: compiling $what; sdfgc alone takes some 14 minutes of processor time, once"
cmake --build --preset release
