// The values of symbols at a point in the body of a loop, for the reader of bodies (LoopBody.cpp).
#pragma once

#include "sdfgc/Nest/LoopBody.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace sdfgc::nest {

/// Is it the name of a value, or of a loop variable (Values::fresh), rather than of a symbol?
bool isValue(Name n);

/// Values are expressions of loop variables and of symbols that the loop does not change. A value of another kind has a
/// name of its own, `k#3`: one that no symbol has.
class Values {
public:
    /// `written`: what the loop writes. `varying` receives the names of values that differ between iterations.
    Values(analysis::Memories &memories, std::vector<analysis::Place> written, std::set<Name> &varying);

    struct Value {
        sym::Expr value;
        bool mayBeOld = false; // may be that of an earlier iteration
    };
    using Point = std::map<Name, Value>;

    /// Returns elements of a container of a nested SDFG as elements of one of the loop's SDFG, if that is possible.
    using Place = std::function<std::pair<Name, std::optional<sym::Subset>>(Name, const sym::Subset &)>;

    /// The SDFG in which symbols are looked up, with its values.
    struct Frame {
        ir::SDFG *g = nullptr;
        std::set<Name> assigned; // by the loop, in its own SDFG
        Point values;
        Place place; // of a nested SDFG
    };
    /// Enters the SDFG of the loop, which assigns these symbols.
    void enter(ir::SDFG &g, std::set<Name> assigned);
    /// Enters a nested SDFG, whose symbols have these values. Returns the frame to go back to.
    Frame enter(ir::SDFG &g, std::map<Name, sym::Expr> meaning, Place place);
    void leave(Frame outer) { at_ = std::move(outer); }

    const Point &point() const { return at_.values; }
    void restore(Point p) { at_.values = std::move(p); }
    /// Joins the values of another path that leads to this point.
    void join(const Point &other);

    void set(Name symbol, sym::Expr value) { at_.values[symbol] = {value, false}; }
    /// Gives symbols unknown values; whether they may be old stays as it is.
    void forget(const std::set<Name> &symbols);
    bool mayBeOld(Name symbol) const;

    /// Returns a name for a loop variable.
    Name fresh(Name base) const;
    /// Returns an unknown value, which differs between iterations.
    sym::Expr unknown(Name base);
    /// Returns the value that an edge assigns: an expression of integers, otherwise an unknown value.
    sym::Expr assigned(Name symbol, const std::string &text, const ir::InterstateEdge &e);

    /// Returns an expression or subset of the frame in terms of values.
    sym::Expr translated(sym::Expr e);
    sym::Range translated(const sym::Range &r);
    sym::Subset translated(const sym::Subset &s);
    /// Returns the elements of containers, and of members of structures, that an expression of the frame reads, in terms
    /// of the frame.
    std::vector<std::pair<Name, sym::Subset>> elementsIn(sym::Expr e) const;

    /// Returns the elements whose values have names, by these.
    std::map<Name, BodyElement> elements() const;

private:
    void addElements(sym::Expr e, std::vector<std::pair<Name, sym::Subset>> &out) const;
    sym::Expr valueOf(Name symbol);
    sym::Expr element(Name data, const sym::Subset &at);
    bool isVarying(const sym::Subset &s) const;
    bool isWritten(const analysis::Place &p) const;

    analysis::Memories &memories_;
    const std::vector<analysis::Place> written_;
    std::set<Name> &varying_;
    Frame at_;
    mutable int count_ = 0;
    struct Element {
        analysis::Memory memory;
        Name data; // of the loop's SDFG
        std::vector<sym::Expr> at;
        bool operator<(const Element &other) const;
    };
    std::map<Element, sym::Expr> elements_; // that nothing writes
};

} // namespace sdfgc::nest
