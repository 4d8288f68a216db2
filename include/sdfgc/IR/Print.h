// The text form of a graph: readable at a glance, stable names, one element a line. For people and FileCheck tests; not for loading.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::ir {

struct PrintOptions {
    bool debugInfo = false; // source lines
};
std::string print(const SDFG &g, const PrintOptions &o = {});

} // namespace sdfgc::ir
