// What ranks of MPI send to each other: as formulas (`info --ranks`), and as an emulated job counted it (`run --stats`).
#pragma once

#include "sdfgc/Analysis/Costs/Messages.h"
#include "sdfgc/Run/Call.h"
#include "sdfgc/Support/Json.h"

namespace sdfgc::driver {

/// A table with a row for each element that sent something, and a sum.
std::string sentTable(const std::vector<run::SentMessages> &sent);
json::Value sentJson(const std::vector<run::SentMessages> &sent);

/// Formulas for any number of ranks, and numbers where all that they mention is known.
struct MessageCosts {
    std::vector<analysis::NodeTraffic> nodes;
    Name ranks; // the symbol
    std::map<Name, int64_t> values;

    /// The MPI nodes of a graph as resolve-process-grids leaves it, for this many ranks; `values`: of the program's symbols. The number of
    /// ranks is `P`, unless the program calls something so.
    MessageCosts(ir::SDFG &graph, int64_t count, std::map<Name, int64_t> values);
    /// Adds, uncounted, the code of a graph that calls MPI itself: the graph as it was read, since passes make process grids by such code.
    void addCalls(const ir::SDFG &graph);
    std::string text() const;
    json::Value json() const;
    analysis::Traffic total() const;
};

} // namespace sdfgc::driver
