// A loop with products under conversion, for raise-products.
#pragma once

#include "Transforms/Edits/ChangeLoops.h"
#include "Transforms/Optimize/BatchedProduct.h"
#include "Transforms/Optimize/ProductBody.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"

namespace sdfgc::transforms {

/// A step of the body.
struct LoopPart {
    nest::Item item;                         // a map, or a tasklet; for a product, the step as read
    std::optional<BatchedProduct> product;   // of all iterations
    std::optional<PerIteration> redirection; // of the product's result, if it cannot be in place
    bool isSolution = false;                 // a node of LAPACK, which takes a batch
    bool isHoisted = false;                  // runs once, in front
    bool isOrdered = false;                  // a map whose iterations each run the loop, in its order
};

/// Does a node solve a system of equations, or invert a matrix?
bool isSystem(const ir::LibraryNode &n);
bool isSystem(const nest::Step &s);

/// One loop whose products may be raised.
class RaisedLoop {
public:
    RaisedLoop(ir::LoopRegion &l, const LoopsOf &known, int64_t mostTrips, const pass::Context &context)
        : loop_(l), g_(known.g), memories_(known.memories), items_(known.items), loops_(known.loops), after_(known.after),
          mostTrips_(mostTrips), context_(context),
          body_(known.g, known.memories, known.items, known.loops, context.options.gpu()) {}

    /// Does the body of a loop contain products, or systems of equations?
    static bool hasProducts(const ir::LoopRegion &l);

    /// Why the loop stays; empty if it can be replaced.
    diag::Reason obstacle();
    /// Removes the containers that `obstacle` made, if the loop stays.
    void abandon();
    /// `becomes 2 products of all iterations`, for remarks.
    std::string result() const;

    /// Replaces the loop; there must be no obstacle. `connectors`: names that no container may have (nest::connectorsOf).
    void raise(const std::set<Name> &connectors);

private:
    diag::Reason find();

    // ---- dependences

    /// Containers that are private to an iteration; or why iterations depend on each other.
    diag::Reason findPrivate();

    /// Lets maps that use values of earlier iterations run the loop inside. Each container of that kind must be used by one map,
    /// whose iterations do not share its elements.
    diag::Reason findOrdered();
    /// Makes one map of all maps behind the last call of a library, if one of them uses values of earlier iterations.
    void joinOrdered();
    bool isCarried(const LoopPart &p) const;
    static diag::Reason carriedBy(Name n);
    nest::Outside outside(Name n) const;

    // ---- steps

    diag::Reason readParts();
    diag::Reason readPart(nest::Item i, LoopPart &p) const;
    diag::Reason gatherFor(nest::Item &product);
    std::size_t products() const;

    // ---- systems of equations (RaisedSolutions.cpp)

    /// Adds the parts of item number `at`, which solves a system in each iteration.
    diag::Reason readSolution(std::size_t at);
    struct System;
    diag::Reason readSystem(const nest::Step &s, System &out) const;
    diag::Reason readMatrix(const nest::Step &s, const char *connector, bool isWritten, std::optional<nest::Use> &out) const;
    bool canFactorInPlace(const nest::Use &matrix, std::size_t at);
    bool isAllOfLocal(const nest::Use &u) const;
    nest::Use made(const nest::Use &like, std::string_view base, Type type, std::vector<sym::Expr> shape);
    void addCopy(const nest::Use &from, const nest::Use &to);
    void addNode(const ir::LibraryNode &like, const char *className, std::vector<std::pair<std::string, nest::Use>> operands);
    /// The node for the matrices of all iterations.
    nest::Item ofAll(nest::Item node) const;

    /// Does a map contain only maps and tasklets that may get a further loop around them?
    diag::Reason whyNotMap(const nest::Map &m) const;
    bool isPlain(const nest::Use &u) const;

    /// Turns a copy into a map over its elements.
    diag::Reason copyAsMap(nest::Item &i) const;
    Name parameter(std::size_t number) const;
    nest::Map emptyMap(std::string label) const;

    /// Finds the steps that do the same in each iteration. If the loop may not run at all, they are limited to tasklets that compute
    /// real numbers from scalars: accesses of arrays could be out of bounds then, and divisions of integers fail.
    void hoist();
    bool isHarmless(const LoopPart &p) const;

    /// Does a step compute values that only it writes, from others that the loop does not change?
    bool isSame(const LoopPart &p) const;
    bool mentionsLoop(const nest::PlacedUse &u) const;
    bool writesTo(const LoopPart &p, const analysis::Place &place) const;

    // ---- containers

    /// Finds the form of containers with an element for each iteration.
    diag::Reason expand();

    /// Lets the result of a product be in its container, if that can have the elements of all iterations.
    bool placeResult(const BatchedProduct &b, std::set<Name> &shifted);

    /// A result in a container of its own, from which a map copies it.
    static PerIteration ownResult(const BatchedProduct &b);

    /// Is it small, or not larger than a container that the program has in any case?
    bool isAffordable(const PerIteration &e) const;

    /// Also if the limit is a multiple, by sizes.
    bool isAtMost(sym::Expr elements, sym::Expr limit) const;
    diag::Reason tooLarge(Name n) const;

    /// Are containers with an element for each iteration used by elements, and others with indices that stay valid?
    diag::Reason checkUses() const;
    void add(const std::string &base, PerIteration &e, Type type, const std::set<Name> &connectors);

    /// Containers that nothing uses once the loop is replaced.
    std::set<Name> onlyInside() const;

    // ---- the replacement

    sym::Expr iteration() const;

    /// The element of an iteration in a container with one for each.
    void moveTo(nest::Use &u, const PerIteration &e);
    void moveUses(nest::Item &i);

    /// Lets parameters whose ranges end earlier in each iteration count to the same end: `k = 0:M - i` becomes `k = i:M`.
    void alignEnds(nest::Map &m) const;

    /// Puts the loop around a step, as the first parameter of its map if that is parallel.
    nest::Item spread(nest::Item i) const;

    /// Puts the loop inside a map.
    void runInside(nest::Map &m) const;
    void addPart(LoopPart &p, const std::set<Name> &connectors, std::vector<nest::Item> &out);

    /// Copies the result of an iteration from the container of all iterations.
    nest::Item copyOf(const BatchedProduct &b, const PerIteration &from);
    ir::LoopRegion &loop_;
    ir::SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts &items_;
    nest::LoopItems &loops_;
    ValuesAfterLoops &after_;
    const int64_t mostTrips_;
    const pass::Context &context_;
    analysis::LoopHeader header_;
    analysis::LoopLevel level_;
    ProductBody body_;
    std::set<Name> assigned_; // symbols
    std::vector<LoopPart> parts_;
    std::set<Name> carried_; // containers with values of earlier iterations
    std::set<Name> locals_;  // containers private to an iteration
    std::set<Name> columns_; // of these, matrices that LAPACK uses in place
    PrivateContainers private_;
};

} // namespace sdfgc::transforms
