// A tiny interpreter of control flow for tests: runs the edges, loops and conditionals of an SDFG over integer symbols and records
// which states were visited. The rules are those of format reference 5, implemented independently of the passes.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::test {

struct FlowResult {
    std::vector<std::string> trace; // labels of visited states that have nodes
    std::map<std::string, int64_t> symbols;
    bool finished = false; // false: the step limit was reached
};

/// Runs `g` from its start block; unset symbols are 0. At most `steps` blocks and edges are executed.
FlowResult interpret(const ir::SDFG &g, int steps, std::map<std::string, int64_t> symbols = {});

} // namespace sdfgc::test
