// Messages between MPI ranks: as formulas (`info --ranks`), and as counted in an emulated job (`run --stats`).
#pragma once

#include "sdfgc/Analysis/Costs/Messages.h"
#include "sdfgc/Run/Call.h"
#include "sdfgc/Support/Json.h"

namespace sdfgc::driver {

/// A table with a row per sending element, and a total.
std::string sentTable(const std::vector<run::SentMessages> &sent);
json::Value sentJson(const std::vector<run::SentMessages> &sent);

/// Formulas for any number of ranks, and numbers if all of their symbols are known.
struct MessageCosts {
    std::vector<analysis::NodeTraffic> nodes;
    Name ranks; // the symbol
    std::map<Name, int64_t> values;

    /// The MPI nodes of a graph after resolve-process-grids, for this many ranks; `values`: values of the program's symbols. The
    /// number of ranks is `P`, unless the program uses that name.
    MessageCosts(ir::SDFG &graph, int64_t count, std::map<Name, int64_t> values);
    /// Adds code that calls MPI itself, without counting its messages. Takes the graph as it was read, since passes create process
    /// grids by such code.
    void addCalls(const ir::SDFG &graph);
    std::string text() const;
    json::Value json() const;
    analysis::Traffic total() const;
};

} // namespace sdfgc::driver
