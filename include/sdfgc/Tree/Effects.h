// What a statement of the schedule tree does: which variables it uses, and which of them it may change.
//
// Variables are identified by name: what is visible at one place has distinct names (NameScopes), so inside the C++ scope of a
// variable its name means that variable. Text that was taken as written (C++ tasklets) mentions and changes every identifier in it.
#pragma once

#include "sdfgc/Tree/Walk.h"

#include <unordered_map>
#include <unordered_set>

namespace sdfgc::tree {

struct Effects {
    std::unordered_set<Name> names;   // read, written, declared or taken the address of
    std::unordered_set<Name> changed; // assigned, declared as a loop variable, or handed out by address
    std::unordered_set<Name> read;    // whose elements are read; what only takes part in `s[i] += x` is not
    std::unordered_set<Name> inText;  // somewhere in text taken as written, which may change them
    std::unordered_set<Name> declared;

    bool has(Name n) const { return names.count(n) != 0; }
    bool changes(Name n) const { return changed.count(n) != 0 || inText.count(n) != 0; }
    bool reads(Name n) const { return read.count(n) != 0 || inText.count(n) != 0; }
    void add(const Effects &other);
};

/// Computes and remembers the effects of statements of one function. What it returned stays a superset when statements are moved
/// within a subtree. A statement that was changed or removed must be forgotten, and so must those around it.
class EffectTable {
public:
    explicit EffectTable(const Function &f) : f_(f) {}

    /// Of a statement and everything inside of it.
    const Effects &of(const Node &n);
    /// Drops what is remembered of a statement itself; what is inside of it is kept.
    void forget(const Node &n) { table_.erase(&n); }
    /// Of a statement without the statements inside: bounds, conditions, clauses.
    Effects own(const Node &n) const;
    Effects inExpr(const py::ExprRef &e) const;
    /// The variable at the root of a memory reference: members lead to the structure.
    Name root(VarId v) const;

private:
    const Function &f_;
    std::unordered_map<const Node *, Effects> table_;
};

/// Of all statements of a function.
Effects effectsOf(const Function &f);
/// Is there a statement that uses the program's state whatever memory it names? outline sees to the rest.
bool usesState(const Block &b, const Module &m);

} // namespace sdfgc::tree
