#!/usr/bin/env bash
# Installs what is missing and builds sdfgc into build/ (preset release), with ccache when it is there.
set -euo pipefail
cd "$(dirname "$0")/../.."

tools/dev/setup.sh
if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi
cmake --preset release >/dev/null # errors and warnings go to standard error
cmake --build --preset release
