// The effects of statements of the schedule tree: the variables that they use, and those that they may change.
//
// Variables are identified by name: visible names are distinct (NameScopes), so inside the C++ scope of a variable its
// name means that variable. Verbatim text (C++ tasklets) mentions and changes every identifier in it.
#pragma once

#include "sdfgc/Tree/Walk.h"

#include <unordered_map>
#include <unordered_set>

namespace sdfgc::tree {

struct Effects {
    std::unordered_set<Name> names;   // read, written, declared, or whose address is taken
    std::unordered_set<Name> changed; // assigned, declared as a loop variable, or passed by address
    std::unordered_set<Name> read;    // whose elements are read, except only as the target of `s[i] += x`
    std::unordered_set<Name> inText;  // in verbatim text, which may change them
    std::unordered_set<Name> declared;

    bool has(Name n) const { return names.count(n) != 0; }
    bool changes(Name n) const { return changed.count(n) != 0 || inText.count(n) != 0; }
    bool reads(Name n) const { return read.count(n) != 0 || inText.count(n) != 0; }
    void add(const Effects &other);
};

/// Computes and caches the effects of statements of one function. A result remains a superset when statements move
/// within a subtree; a statement that is changed or removed must be
/// forgotten, as must those around it.
class EffectTable {
public:
    explicit EffectTable(const Function &f) : f_(f) {}

    /// The effects of a statement and everything inside it.
    const Effects &of(const Node &n);
    /// Drops the cached effects of a statement itself; those of its inner statements are kept.
    void forget(const Node &n) { table_.erase(&n); }
    /// The effects of a statement without its inner statements: bounds, conditions, clauses.
    Effects own(const Node &n) const;
    Effects inExpr(const py::ExprRef &e) const;
    /// The variable at the root of a memory reference: members lead to the structure.
    Name root(VarId v) const;

private:
    const Function &f_;
    std::unordered_map<const Node *, Effects> table_;
};

/// The effects of all statements of a function.
Effects effectsOf(const Function &f);
/// Does a statement use the program's state independently of the memory that it names? outline handles the rest.
bool usesState(const Block &b, const Module &m);

} // namespace sdfgc::tree
