// Steps that make a lowered function faster and easier to read. Each takes a function of the schedule tree and leaves one that means the
// same; they run in this order, right after the lowering (improve).
#pragma once

#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree {

void privatiseUpdates(Function &f); // PrivatiseUpdates.cpp
void hoistBuffers(Function &f);     // HoistBuffers.cpp
void sinkDeclarations(Function &f); // SinkDeclarations.cpp

inline void improve(Function &f) {
    privatiseUpdates(f);
    hoistBuffers(f);
    sinkDeclarations(f);
}

} // namespace sdfgc::tree
