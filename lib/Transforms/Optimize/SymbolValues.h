// Values of assignments on edges between states, as code of tasklets.
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/IR/Sdfg.h"

#include <functional>

namespace sdfgc::transforms {

/// A value that symbols, and elements of containers, are combined to.
struct SymbolValue {
    struct Read {
        Name connector, data;
        sym::Subset element;
    };
    std::string code;         // an expression in Python, of symbols and connectors
    std::vector<Read> reads;  // each element once; their connectors are no name of the SDFG
    std::set<Name> symbols;   // that the code reads
    std::set<Name> indices;   // symbols in the indices of elements
    bool hasElements = false; // it reads containers, understood or not
    diag::Reason why;         // a tasklet cannot compute it; empty otherwise
};

/// What a tasklet has to do to have the value of an assignment on an edge of `g`. Not where it would read an element that the edge does
/// not read (`A[i] if i < N else 0`), or where code of tasklets means something else than code of edges: the quotient of two integers
/// (docs/user/semantics.md), unless `compat` says that both are C's. `readAs`: the container of the same shape that the tasklet reads in place
/// of another one, empty for none; without it, plain containers of the host, each itself.
SymbolValue symbolValue(const std::string &value, const ir::SDFG &g, bool compat,
                        const std::function<Name(Name)> &readAs = nullptr);

} // namespace sdfgc::transforms
