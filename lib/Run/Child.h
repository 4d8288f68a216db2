// The side of a call that runs in a separate process.
#pragma once

#include "Run/Shared.h"

#include <vector>

namespace sdfgc::run {

/// The arguments of one rank's call, and where it reports results.
struct RankCall {
    const Arguments *arguments;
    std::vector<SharedMemory> memory; // of each argument
    SharedMemory told;
    Shared shared;

    RankCall(const Arguments &a, const CallOptions &o) : arguments(&a), told(Shared::bytes(o)), shared(told.data(), o) {}
};

/// Loads the library and calls the program once on each rank. Findings go to the ranks' reports; those about the entire process go
/// to that of the first rank.
void callInChild(const std::string &library, const std::string &name, std::vector<RankCall> &ranks, const CallOptions &options);

} // namespace sdfgc::run
