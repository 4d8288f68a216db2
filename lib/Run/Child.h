// The side of a call that runs in a process of its own.
#pragma once

#include "Run/Shared.h"

#include <vector>

namespace sdfgc::run {

/// What one rank is called with, and where it tells what happened.
struct RankCall {
    const Arguments *arguments;
    std::vector<SharedMemory> memory; // of each argument
    SharedMemory told;
    Shared shared;

    RankCall(const Arguments &a, const CallOptions &o) : arguments(&a), told(Shared::bytes(o)), shared(told.data(), o) {}
};

/// Loads the library and calls the program, on each rank once. Everything that is found out goes to the ranks' reports; what concerns
/// the process as a whole to that of the first.
void callInChild(const std::string &library, const std::string &name, std::vector<RankCall> &ranks, const CallOptions &options);

} // namespace sdfgc::run
