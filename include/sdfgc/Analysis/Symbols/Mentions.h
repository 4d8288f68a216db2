// Names mentioned in an SDFG, and the interface that a program keeps when the last use of a symbol is removed.
#pragma once

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::analysis {

/// All names that the elements of one SDFG mention, whatever they refer to. Assigning a symbol does not mention it.
/// Every word in code counts, so this over-approximates its reads.
class Mentions {
public:
    enum class Of : uint8_t {
        Everything,
        Structure, // all except computations of values: code of Python tasklets, and assigned values on edges
    };
    explicit Mentions(const ir::SDFG &g, Of what = Of::Everything);
    bool contain(Name n) const { return names_.count(n) != 0; }
    /// Does any element read all symbols?
    bool all() const { return all_; }

private:
    void words(const std::string &text);
    void code(const ir::Code &c) { words(c.text()); }
    void code(const std::optional<ir::Code> &c);
    void block(const ir::Block &b);
    void state(const ir::State &s);
    void node(const ir::Node &n);
    void descriptor(const ir::DataDesc &d);

    const Of what_;
    SymbolUse use_{true};
    std::unordered_set<Name> names_;
    bool all_ = false;
};

/// Does the assigned value call functions, which may have side effects?
bool callsFunctions(const std::string &value);

/// Symbols that callers pass to a program. They stay arguments even if a pass removes all their uses.
class KeptInterface {
public:
    explicit KeptInterface(ir::SDFG &root) : root_(root), before_(freeSymbols(root)) {}
    /// Records the symbols that the program no longer needs in SDFG::passedSymbols, except those that callers set on the
    /// handle.
    void keep();

private:
    ir::SDFG &root_;
    const std::set<Name> before_;
};

} // namespace sdfgc::analysis
