// Reductions in bodies of loops with any control flow (sdfgc/Nest/LoopBody.h): values that iterations only update, each any number
// of times, under any conditions, in inner loops and nested SDFGs.
//
//     form       in the body                     becomes                         around the loop
//     Combines   s = s + x, m = max(m, x)        s (+)= x                        a symbol: t = s, and s = t after it
//     Tests      if (x > m) m = x                m (max)= x                      the same
//                the same, of real numbers       if (x > -inf) t (max)= x        t = -inf, and if (t > m) m = t after it
//     Sets       if (c) f = 1                    if (c) t (or)= True             t = False, and if (t) f = 1 after it
//
// where `(+)=` is a write with conflict resolution, and t a new scalar. Updates with conflict resolution that are already there
// count as well.
//
// Legal when:
//   - the loop does nothing else with the value: no expression, condition, bound or memlet reads it, and `x` does not. A container
//     has one element, or is only set: then the element is the same in all iterations;
//   - all updates have the same function, whose order is free (UpdateOrder), or all set the same literal;
//   - the comparison decides exactly about the value that is stored, and about nothing else.
//
// A comparison with a NaN is false, so the test of a real number never stores one, while `max(m, x)` is `m if m > x else x` in
// every form, as in DaCe's C++. The test remains, against the identity of the maximum, so that results do not depend on NaNs.
//
// If an inner loop has become a map that way, the outer loop sees `t = s`, updates of t, and `s = t`. Then `t` collects the values
// of the outer loop.
//
// Not handled: read-modify-write sequences in scopes, or distributed over several states; updates of elements of arrays; the position
// of an extremum (SplitSearches.cpp).
#pragma once

#include "Transforms/Optimize/BodyTests.h"
#include "Transforms/Optimize/UpdateFunctions.h"

#include "sdfgc/Nest/LoopBody.h"

namespace sdfgc::transforms {

/// The reductions of one loop.
class BodyReductions : private BodyTests {
public:
    BodyReductions(ir::LoopRegion &l, ir::SDFG &g, analysis::Memories &memories, const UpdateOrder &order);

    /// Do iterations only update the symbol, or the container, and may they do so in any order? Then it becomes one of the
    /// reductions. `body`: the body of the loop, as read.
    bool addSymbol(Name symbol);
    bool addContainer(Name container, const nest::LoopBody &body);

    /// Is it the scalar with which a map, once an inner loop, updates one of the symbols? It must not become private.
    bool isCollected(Name container) const;
    /// Returns a symbol whose scalars may be used for something else; empty if there is none.
    Name incomplete() const;

    bool empty() const { return all_.empty(); }
    /// The symbols among the reductions.
    const std::set<Name> &symbols() const { return symbols_; }
    /// The symbol or container of the first one.
    Name first() const { return all_.front().name; }

    /// Turns updates into writes with conflict resolution, and adds what is around the loop. Changes `body` to the symbols that
    /// the loop now assigns.
    void apply(nest::LoopBody &body);

private:
    enum class Form : uint8_t { Combines, Tests, Sets };

    /// `symbol = ..` on an edge of a region.
    struct Assignment {
        ir::Region *region;
        ir::InterstateEdge *edge;
        py::ExprRef value;            // that is combined
        ir::State *begins = nullptr;  // `collected = symbol`, before the maps that update `collected`
        Name collected = {};          // the scalar that is assigned, if an inner loop has become a map with a reduction
        bool isCollectedOnly = false; // iterations do nothing else with that scalar
    };
    /// A store to the container, at the end of a chain of copies that begins with `combines`.
    struct Store {
        ir::Edge *write;
        ir::Tasklet *combines = nullptr;
        Name output;                    // of that tasklet
        ir::Edge *read = nullptr;       // of the old value
        std::vector<ir::Node *> copies; // of the old value, between the container and the tasklet
        py::ExprRef value;              // that is combined
    };
    struct Reduction {
        Name name;
        bool isSymbol = false;
        Type type;
        Form form = Form::Combines;
        std::string wcr;
        py::ExprRef constant; // that is set
        sym::Subset element;  // of the container
        std::vector<Assignment> assignments;
        std::vector<Store> stores;
        std::vector<Test> tests;
    };
    /// What the states of the loop do with a container, beside conflict resolution.
    struct Accesses {
        std::vector<ir::Edge *> reads, writes;
    };

    bool take(Reduction r);
    static bool agree(Reduction &r, const std::string &wcr);

    std::vector<Assignment> assignmentsOf(Name symbol) const;
    bool setsSymbol(Reduction &r) const;
    bool combinesSymbol(Reduction &r) const;
    bool testsSymbol(Reduction &r) const;
    static bool isBetween(const Assignment &other, const Assignment &a);
    bool collectsSymbol(Assignment &a, const Reduction &r) const;
    bool addCollected(Name scalar, const nest::LoopBody &body);
    bool isUsedOnlyBetween(Name scalar, const ir::State &begins, const ir::State &end, const ir::Region &r) const;
    bool isReadOtherwise(const Reduction &r) const;

    Accesses accessesOf(Name container) const;
    bool setsContainer(Reduction &r, const Accesses &a) const;
    bool combinesContainer(Reduction &r, const Accesses &a) const;
    bool testsContainer(Reduction &r, const Accesses &a) const;
    std::optional<Store> storeOf(ir::Edge &write, const Reduction &r) const;
    bool readsOld(const ir::Tasklet &t, const Reduction &r, Store &out) const;
    bool isTemporary(const ir::Node *n, Type type) const;

    void apply(Reduction &r, nest::LoopBody &body);
    bool staysTest(const Reduction &r) const;
    void applyStores(const Reduction &r, Name scalar);
    void applyAssignments(const Reduction &r, Name scalar, nest::LoopBody &body);
    void applyCollected(const Assignment &a, Name scalar);
    void applyTests(const Reduction &r);
    void finish(const Reduction &r, Name scalar);
    Name addScalar(const std::string &name, Type t);
    ir::State *stateOn(ir::Region &r, ir::InterstateEdge &e, Name scalar);
    void assign(ir::State &s, const std::string &code, Name container, sym::Subset at, const std::string &wcr = {}) const;

    analysis::Memories &memories_;
    const UpdateOrder order_;
    std::vector<Reduction> all_;
    std::set<Name> symbols_;
};

} // namespace sdfgc::transforms
