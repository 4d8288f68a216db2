// Which names the elements of an SDFG mention, and the interface that a program keeps when its last use of a symbol goes.
#pragma once

#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms {

/// All names that the elements of one SDFG mention, whatever they mean; what an assignment assigns is not mentioned by that. Code counts
/// with all its words, which is more than it reads.
class Mentions {
public:
    enum class Of : uint8_t {
        Everything,
        Structure, // all but what computes values: code of tasklets in Python, and values of assignments on edges
    };
    explicit Mentions(const ir::SDFG &g, Of what = Of::Everything);
    bool contain(Name n) const { return names_.count(n) != 0; }
    /// Does something read all symbols?
    bool all() const { return all_; }

private:
    void words(const std::string &text);
    void code(const ir::Code &c) { words(c.text); }
    void code(const std::optional<ir::Code> &c);
    void block(const ir::Block &b);
    void state(const ir::State &s);
    void node(const ir::Node &n);
    void descriptor(const ir::DataDesc &d);

    const Of what_;
    analysis::SymbolUse use_{true};
    std::unordered_set<Name> names_;
    bool all_ = false;
};

/// Does the value of an assignment call functions, which may do more than return a value?
bool calls(const std::string &value);

/// Symbols that callers pass to a program, which stay arguments of it whatever a pass takes away.
class KeptInterface {
public:
    explicit KeptInterface(ir::SDFG &root) : root_(root), before_(analysis::freeSymbols(root)) {}
    /// Writes those that the program does not need any more to SDFG::passedSymbols.
    void keep();

private:
    ir::SDFG &root_;
    const std::set<Name> before_;
};

} // namespace sdfgc::transforms
