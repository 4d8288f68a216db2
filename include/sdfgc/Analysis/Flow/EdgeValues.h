// Converts values assigned on interstate edges to tasklet code.
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/IR/Sdfg.h"

#include <functional>

namespace sdfgc::analysis {

/// An expression over symbols and container elements.
struct SymbolValue {
    struct Read {
        Name connector, data;
        sym::Subset element;
    };
    std::string code;         // a Python expression of symbols and connectors
    std::vector<Read> reads;  // each element once; connector names do not clash with names of the SDFG
    std::set<Name> symbols;   // read by the code
    std::set<Name> indices;   // read by indices of elements
    bool hasElements = false; // reads containers, supported or not
    diag::Reason why;         // why a tasklet cannot compute it; empty otherwise
};

/// Returns the tasklet code that computes a value assigned on an edge of `g`. Refuses values whose tasklet would read
/// an element that the edge does not read (`A[i] if i < N else 0`), and those with a different meaning in tasklets than
/// on edges: the quotient of two integers (docs/user/semantics.md), unless `compat` makes both C's. `readAs`: maps each
/// container to one of the same shape that the tasklet reads instead, or to an empty name to refuse it. By default
/// plain containers of the host are read as they are.
SymbolValue symbolValue(const std::string &value, const ir::SDFG &g, bool compat,
                        const std::function<Name(Name)> &readAs = nullptr);

/// Does code have a quotient that is not rounded down, `a / b`? In expressions of symbols that is C's, in tasklets a real number.
bool hasQuotient(std::string_view code);

} // namespace sdfgc::analysis
