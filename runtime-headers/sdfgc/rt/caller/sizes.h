// Derives symbols from the shapes of files, and checks that all shapes agree. See sdfgc/rt/caller.h.
#pragma once

#include "sdfgc/rt/caller/arguments.h"

#include <functional>

namespace sdfgc::caller {

/// A symbol in which a formula is linear, so it can be solved for; a symbol preceded by `other` must be known.
struct Unknown {
    Unknown(Size &s) : symbol(&s) {}
    Size *symbol;
    bool isLinear = true;
};
inline Unknown other(Size &s) {
    Unknown u(s);
    u.isLinear = false;
    return u;
}

class Sizes {
public:
    explicit Sizes(Command &command) : command_(command) {}

    /// Requires a dimension of an array to have the size given by a formula; `text` is the formula for messages.
    void require(const AnyArray &array, std::size_t dimension, const char *text, std::vector<Unknown> symbols,
                 std::function<std::int64_t()> formula) {
        if (array.hasFile())
            equations_.push_back({&array, dimension, text, std::move(symbols), std::move(formula), false});
    }

    /// Finds the missing symbols, and checks everything. Reports errors and returns false.
    bool solve(std::initializer_list<Size *> symbols) {
        for (bool moved = true; moved;) { // every round but the last finds a symbol
            moved = false;
            for (Equation &e : equations_)
                moved = advance(e) || moved;
        }
        for (const Equation &e : equations_)
            check(e);
        for (Size *s : symbols)
            if (!s->isKnown())
                command_.error("argument `" + s->symbol() + "` has no value; give " + s->symbol() + "=1");
        return command_.status() == 0;
    }

private:
    struct Equation {
        const AnyArray *array;
        std::size_t dimension;
        const char *text;
        std::vector<Unknown> symbols;
        std::function<std::int64_t()> formula;
        bool isUsed;
        std::int64_t value() const { return array->fileShape()[dimension]; }
        std::string place() const { return "dimension " + std::to_string(dimension) + " of " + array->given; }
    };

    /// Solves an equation that is linear in its one unknown, by evaluating it at two values.
    bool advance(Equation &e) {
        if (e.isUsed)
            return false;
        Size *unknown = nullptr;
        for (const Unknown &u : e.symbols) {
            if (u.symbol->isKnown())
                continue;
            if (unknown || !u.isLinear || !u.symbol->mayFollow())
                return false;
            unknown = u.symbol;
        }
        if (!unknown)
            return false;
        e.isUsed = true;
        const auto at = [&](std::int64_t trial) {
            unknown->know(trial, e.place());
            return e.formula();
        };
        const std::int64_t base = at(0), slope = at(1) - base, rest = e.value() - base;
        if (slope != 0 && rest % slope == 0) {
            unknown->know(rest / slope, e.place());
            if (unknown->follow())
                return true;
            command_.error("argument `" + unknown->symbol() + "`: " + std::to_string(unknown->number()) + " by " + e.place() +
                           " is no value of its type");
            return true;
        }
        unknown->forget();
        return false;
    }

    /// Compares an equation with the known values.
    void check(const Equation &e) {
        std::string because;
        for (const Unknown &u : e.symbols) {
            if (!u.symbol->isKnown())
                return;
            because += (because.empty() ? "" : ", ") + u.symbol->symbol() + " = " + std::to_string(u.symbol->number()) + " by " +
                       u.symbol->source();
        }
        if (const std::int64_t expected = e.formula(); expected != e.value())
            command_.error(e.place() + " is " + std::to_string(e.value()) + ", but the program expects " + e.text + " = " +
                           std::to_string(expected) + ": " + (because.empty() ? "the program fixes it" : because));
    }

    Command &command_;
    std::vector<Equation> equations_;
};

namespace formula {

/// The operations of sizes. A division by zero, which valid sizes do not contain, gives 0.
inline std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
    return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
inline std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return -floorDiv(-a, b); }
inline std::int64_t mod(std::int64_t a, std::int64_t b) { return a - floorDiv(a, b) * b; }
inline std::int64_t min(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t max(std::int64_t a, std::int64_t b) { return a < b ? b : a; }
inline std::int64_t abs(std::int64_t a) { return a < 0 ? -a : a; }

} // namespace formula
} // namespace sdfgc::caller
