// Steps that make a lowered function faster and easier to read. Each takes a function of the schedule tree and leaves one that
// means the same; they run in this order, right after the lowering (improve).
#pragma once

#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree {

void localFields(Module &m);                    // LocalFields.cpp, before the others
void privatiseUpdates(Function &f);             // PrivatiseUpdates.cpp
void hoistBuffers(Function &f);                 // HoistBuffers.cpp
void sinkDeclarations(Function &f);             // SinkDeclarations.cpp
void waitForReleases(Function &f, int streams); // WaitForReleases.cpp
void propagateCopies(Function &f);              // Propagate.cpp
void tidy(Function &f);                         // Tidy.cpp

/// `streams`: how many GPU streams the module has.
inline void improve(Function &f, int streams) {
    privatiseUpdates(f);
    hoistBuffers(f);
    sinkDeclarations(f);
    waitForReleases(f, streams);
    propagateCopies(f);
    tidy(f);
}

// Then, when all functions were improved:
void splitFunctions(Module &m);    // SplitFunctions.cpp
void constParameters(Function &f); // Tidy.cpp

/// All of them, over a module that was just lowered.
inline void improve(Module &m) {
    localFields(m);
    for (auto &f : m.functions)
        improve(*f, m.streams);
    splitFunctions(m);
    for (auto &f : m.functions)
        if (m.streams == 0)
            constParameters(*f);
}

} // namespace sdfgc::tree
