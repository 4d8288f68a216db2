// The meaning of node and container names at a point of a state's text (docs/user/graph-text.md, "Which node a name means").
// Printer and reader perform the same steps, so that the printer knows what it may omit.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <unordered_map>

namespace sdfgc::serialize::text {

/// One end of an edge: a node and its connector; without a node: unknown so far.
struct End {
    ir::Node *node = nullptr;
    Name connector;
    friend bool operator==(const End &, const End &) = default;
};

class StateNames {
public:
    StateNames() { scopes_.emplace_back(); }

    /// The next node of the text; its container's name then refers to this access node in the scope.
    void add(ir::Node *n);
    bool contains(const ir::Node *n) const { return ordinals_.contains(n); }
    /// The number-th node (from 1) with this name, null if there is none.
    ir::Node *find(Name name, std::size_t number) const;
    /// The number appended to the name: 2 for the second node with it.
    std::size_t ordinal(const ir::Node *n) const;
    /// The name of a node: the container of an access node, otherwise the label.
    static Name nameOf(const ir::Node &n);

    /// Enters a scope; the paths through it must have been declared.
    void enter(ir::Node *entry, ir::Node *exit);
    void leave() { scopes_.pop_back(); }
    /// Are we inside the scope of the entry?
    bool isOpen(const ir::Node *entry) const;
    std::size_t depth() const { return scopes_.size() - 1; }
    /// An edge into the entry at IN_x, or out of the exit at OUT_x, carries the container: inside, its name refers to OUT_x of the
    /// entry or IN_x of the exit. The first declaration counts. This applies to the scope that is entered next.
    void declareInput(Name data, Name connector);
    void declareOutput(Name data, Name connector);

    /// The source or destination of a container that is read or written here.
    End source(Name data) const;
    End destination(Name data) const;
    /// The access node that the container's name refers to in this scope; null if there is none.
    ir::Node *current(Name data) const;

private:
    struct Scope {
        ir::Node *entry = nullptr, *exit = nullptr;
        std::unordered_map<Name, ir::Node *> current;
        std::unordered_map<Name, Name> inputs, outputs; // container to connector, on the inner side
    };
    std::vector<Scope> scopes_;
    Scope next_;
    std::unordered_map<Name, std::vector<ir::Node *>> byName_;
    std::unordered_map<const ir::Node *, std::size_t> ordinals_;
};

/// `IN_x` for `OUT_x` and the reverse; empty for others.
Name otherSide(Name connector);

} // namespace sdfgc::serialize::text
