#include "Analysis/Dependences/Simple.h"

#include "Analysis/Dependences/Directions.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

namespace sdfgc::analysis::dependences {

using sym::Expr;
using sym::SymbolicKind;

namespace {

constexpr std::size_t mostLoops = 8; // of each access

/// coefficient * variable + rest of an index; without a variable it is a sum of symbols.
struct Index {
    std::size_t loop = mostLoops;
    int64_t coefficient = 0;
    Expr symbols = 0; // the rest, without
    int64_t constant = 0;

    bool isConstant() const { return loop == mostLoops; }
};

std::optional<std::size_t> loopOf(Name variable, const std::vector<LoopLevel> &loops) {
    for (std::size_t i = loops.size(); i-- > 0;)
        if (loops[i].variable == variable)
            return i;
    return std::nullopt;
}

bool usesLoops(Expr e, const std::vector<LoopLevel> &loops) {
    if (e.isInteger())
        return false;
    const std::vector<Name> &free = e.freeSymbols();
    return std::any_of(free.begin(), free.end(), [&](Name n) { return loopOf(n, loops).has_value(); });
}

/// Reads i or c * i.
bool readVariable(Expr term, const std::vector<LoopLevel> &loops, Index &to) {
    int64_t coefficient = 1;
    if (term.kind() == SymbolicKind::Mul && term.operands().size() == 2 && term.operands()[0].isInteger()) {
        coefficient = term.operands()[0].numerator();
        term = term.operands()[1];
    }
    const auto loop = term.isSymbol() ? loopOf(term.name(), loops) : std::nullopt;
    if (!loop || !to.isConstant())
        return false;
    to.loop = *loop;
    to.coefficient = coefficient;
    return true;
}

std::optional<Index> indexOf(Expr e, const std::vector<LoopLevel> &loops) {
    Index result;
    const Expr whole[] = {e};
    for (Expr term : e.kind() == SymbolicKind::Add ? e.operands() : std::span<const Expr>(whole)) {
        if (term.isInteger()) {
            result.constant = term.numerator();
        } else if (!usesLoops(term, loops)) {
            if (!isPure(term))
                return std::nullopt;
            result.symbols = result.symbols.isZero() ? term : result.symbols + term;
        } else if (!readVariable(term, loops, result)) {
            return std::nullopt;
        }
    }
    return result;
}

/// The trip count of a loop, as far as it is needed.
struct Trips {
    std::optional<int64_t> last; // index of the last iteration, from 0; negative if there is none
    bool grows = false;          // unbounded as its symbols grow
};

/// Does it grow with all of its symbols: is it a sum of symbols and of products of symbols, with positive coefficients? Loops that
/// all grow can be long at the same time.
bool grows(Expr e) {
    auto isProduct = [](Expr term) {
        return term.isSymbol() ||
               (term.kind() == SymbolicKind::Mul && std::all_of(term.operands().begin(), term.operands().end(), [](Expr f) {
                    return f.isSymbol() || (f.isInteger() && f.numerator() > 0);
                }));
    };
    if (e.kind() != SymbolicKind::Add)
        return isProduct(e);
    return std::all_of(e.operands().begin(), e.operands().end(), [&](Expr term) { return term.isInteger() || isProduct(term); });
}

std::optional<Trips> tripsOf(const sym::Range &r) {
    const std::optional<int64_t> step = r.step.asInt();
    if (!step || *step == 0 || *step == std::numeric_limits<int64_t>::min() || !r.tile.isOne())
        return std::nullopt;
    const Expr length = *step > 0 ? r.end - r.begin : r.begin - r.end;
    Trips t;
    if (length.isInteger())
        t.last = length.numerator() < 0 ? -1 : length.numerator() / std::abs(*step);
    else if (!(t.grows = grows(length)))
        return std::nullopt;
    return t;
}

class Decision {
public:
    Decision(const AccessInstance &a, const AccessInstance &b, std::size_t common) : a_(a), b_(b), common_(common) {}

    Simple run() {
        if (!a_.subset || !b_.subset || a_.subset->rank() != b_.subset->rank() || a_.loops.size() > mostLoops ||
            b_.loops.size() > mostLoops || !haveSameRanges() || !readLoops(a_, 0, common_, trips_.data()))
            return {};
        Trips own[mostLoops];
        if (!readLoops(a_, common_, a_.loops.size(), own) || !readLoops(b_, common_, b_.loops.size(), own))
            return {};
        for (std::size_t d = 0; !apart_ && d < a_.subset->rank(); ++d)
            if (!compare(a_.subset->dims[d], b_.subset->dims[d]))
                return {};
        return {true, apart_ || empty_ ? std::nullopt : std::optional(conflict())};
    }

private:
    bool haveSameRanges() const {
        for (std::size_t i = 0; i < common_; ++i)
            if (!(a_.loops[i] == b_.loops[i]))
                return false;
        return true;
    }

    /// Trip counts of loops from `first` on; false if one is unknown or depends on other loops.
    bool readLoops(const AccessInstance &access, std::size_t first, std::size_t end, Trips *to) {
        for (std::size_t i = first; i < end; ++i) {
            const sym::Range &r = access.loops[i].range;
            const auto trips = tripsOf(r);
            if (!trips || usesLoops(r.begin, access.loops) || usesLoops(r.end, access.loops))
                return false;
            empty_ = empty_ || (trips->last && *trips->last < 0);
            to[i - first] = *trips;
        }
        return true;
    }

    /// False if not decided here.
    bool compare(const sym::Range &a, const sym::Range &b) {
        if (!a.isPoint() || !b.isPoint())
            return a == b && !usesLoops(a.begin, a_.loops) && !usesLoops(a.end, a_.loops) && !usesLoops(a.begin, b_.loops) &&
                   !usesLoops(a.end, b_.loops) && isPure(a.begin) && isNonEmpty(a);
        const auto x = indexOf(a.begin, a_.loops), y = indexOf(b.begin, b_.loops);
        if (!x || !y || x->loop != y->loop || x->coefficient != y->coefficient || x->symbols != y->symbols)
            return false;
        int64_t difference = 0;
        if (__builtin_sub_overflow(x->constant, y->constant, &difference))
            return false;
        if (x->isConstant())
            apart_ = difference != 0;
        else if (x->loop < common_)
            return setDistance(x->loop, difference, x->coefficient);
        return x->isConstant();
    }

    static bool isNonEmpty(const sym::Range &r) {
        const auto trips = r.step.isInteger() ? tripsOf({r.begin, r.end, r.step}) : std::nullopt;
        return trips && (trips->grows || *trips->last >= 0) && (r.tile.isInteger() && r.tile.numerator() > 0);
    }

    /// coefficient * step * distance = difference
    bool setDistance(std::size_t loop, int64_t difference, int64_t coefficient) {
        int64_t each = 0;
        if (__builtin_mul_overflow(coefficient, *a_.loops[loop].range.step.asInt(), &each) || each == 0)
            return false;
        if (each == -1 && difference == std::numeric_limits<int64_t>::min())
            return false;
        const int64_t distance = difference / each;
        const Trips &t = trips_[loop];
        apart_ = difference % each != 0 || (distances_[loop] && *distances_[loop] != distance) ||
                 (t.last && (distance > *t.last || distance < -*t.last));
        distances_[loop] = distance;
        return true;
    }

    Conflict conflict() const {
        std::vector<Directions> vector(common_);
        for (std::size_t i = 0; i < common_; ++i) {
            const bool once = trips_[i].last && *trips_[i].last == 0;
            const std::optional<int64_t> d = once ? std::optional<int64_t>(0) : distances_[i];
            vector[i] = d ? Directions{*d<0, *d == 0, *d> 0} : Directions::any();
        }
        Conflict c = conflictOf({std::move(vector)}, common_);
        for (std::size_t i = 0; i < common_; ++i)
            if (distances_[i])
                c.distances[i] = Expr(*distances_[i]);
        c.exact = true;
        return c;
    }

    const AccessInstance &a_, &b_;
    std::size_t common_;
    std::array<Trips, mostLoops> trips_;
    std::array<std::optional<int64_t>, mostLoops> distances_;
    bool apart_ = false, empty_ = false;
};

} // namespace

Simple simpleConflict(const AccessInstance &a, const AccessInstance &b, std::size_t common) { return Decision(a, b, common).run(); }

} // namespace sdfgc::analysis::dependences
