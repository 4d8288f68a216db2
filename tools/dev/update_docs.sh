#!/usr/bin/env bash
# Writes the generated pages of the documentation: passes, targets, library nodes, diagnostics; and the code in those about optimised programs. usage: update_docs.sh [SDFGC]
set -euo pipefail
cd "$(dirname "$0")/../.."
sdfgc=${1:-build/bin/sdfgc}
rm -rf docs/passes docs/targets docs/library-nodes docs/diagnostics
"$sdfgc" passes --markdown docs/passes
"$sdfgc" targets --markdown docs/targets
"$sdfgc" nodes --markdown docs/library-nodes
"$sdfgc" explain --markdown docs/diagnostics
tools/dev/update_optimised.py --sdfgc "$sdfgc"
