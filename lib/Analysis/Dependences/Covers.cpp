// Are all elements that one access uses also used by another one?
//
// For each element that `a` uses, the iteration of b's own loops that uses it is expressed as a form. It comes from an index in
// which b uses a single variable: for `b[i + 1]` against `a[k]`, i = k - 1. A variable that no index determines takes its first
// value. Then, for all iterations of `a`, b's loops must take these values and the indices must agree.
#include "Analysis/Dependences/Pair.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace dependences;
using sym::Expr;

namespace {

class Cover {
public:
    Cover(const AccessInstance &a, const AccessInstance &b, std::size_t common, const sym::Assumptions &facts)
        : a_(a), b_(b),
          common_(common), shared_{b.subset, {b.loops.begin(), b.loops.begin() + static_cast<std::ptrdiff_t>(common)}},
          pair_(a, shared_, common, facts), chosen_(pair_.scopeOfA().outer(common)) {}

    bool prove() {
        for (const CommonLoop &loop : pair_.common())
            unknowns().equalsZero(Form::unknown(loop.distance));
        if (hasAmbiguousNames())
            return false;
        for (const sym::Range &r : a_.subset->dims)
            touched_.push_back(pair_.element(r, pair_.scopeOfA()));
        if (unknowns().system().solve() == Feasibility::No)
            return true; // `a` uses no elements
        values_.resize(b_.loops.size());
        chooseValues();
        for (std::size_t i = common_; i < b_.loops.size(); ++i)
            if (!isTaken(*values_[i], b_.loops[i].range))
                return false;
        for (std::size_t d = 0; d < b_.subset->rank(); ++d)
            if (!isTouched(touched_[d], a_.subset->dims[d], b_.subset->dims[d]))
                return false;
        return true;
    }

private:
    Unknowns &unknowns() { return pair_.unknowns(); }

    /// Do two loops around `b` have the same variable, so that a name does not identify the loop?
    bool hasAmbiguousNames() const {
        for (std::size_t i = common_; i < b_.loops.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (b_.loops[j].variable == b_.loops[i].variable)
                    return true;
        return false;
    }

    void chooseValues() {
        while (chooseByIndex()) {
        }
        for (std::size_t i = common_; i < b_.loops.size(); ++i)
            if (!values_[i]) {
                choose(i, unknowns().formOf(b_.loops[i].range.begin, chosen_));
                while (chooseByIndex()) {
                }
            }
    }

    void choose(std::size_t loop, Form value) {
        values_[loop] = value;
        unknowns().enter(chosen_, b_.loops[loop].variable, std::move(value));
    }

    /// Chooses one variable, from an index where it is the only undetermined one.
    bool chooseByIndex() {
        for (std::size_t d = 0; d < b_.subset->rank(); ++d) {
            const Expr index = b_.subset->dims[d].begin;
            const std::optional<std::size_t> open = onlyOpen(index);
            if (!b_.subset->dims[d].isPoint() || !open || !touched_[d].products.empty())
                continue;
            const auto split = sym::affineIn(index, b_.loops[*open].variable);
            const auto coefficient = split ? split->first.asInt() : std::nullopt;
            if (!coefficient || *coefficient == 0)
                continue;
            if (auto value = (touched_[d].linear - unknowns().formOf(split->second, chosen_)).dividedBy(*coefficient)) {
                choose(*open, std::move(*value));
                return true;
            }
        }
        return false;
    }

    std::optional<std::size_t> onlyOpen(Expr e) const {
        std::optional<std::size_t> found;
        for (std::size_t i = common_; i < b_.loops.size(); ++i)
            if (!values_[i] && e.dependsOn(b_.loops[i].variable)) {
                if (found)
                    return std::nullopt;
                found = i;
            }
        return found;
    }

    /// Is `value` in the range, for all iterations of `a`?
    bool isTaken(const Form &value, const sym::Range &r) {
        const RangeStep step(r, unknowns().facts());
        if (!r.tile.isOne() || step.sign == 0)
            return false;
        const Form after = Form().add(value - unknowns().formOf(r.begin, chosen_), step.sign);
        const Form before = Form().add(unknowns().formOf(r.end, chosen_) - value, step.sign);
        const bool onGrid = step.size == 0 ? after.isConstant() && after.constant() == 0 : after.dividedBy(step.size).has_value();
        return onGrid && holds(after) && holds(before);
    }

    bool isTouched(const Polynomial &index, const sym::Range &ofA, const sym::Range &r) {
        if (ofA == r && isShared(r))
            return true;
        if (r.isPoint()) {
            Polynomial difference = index;
            difference.subtract(unknowns().polynomialOf(r.begin, chosen_));
            difference.cancel();
            return difference.products.empty() && holds(difference.linear) && holds(Form() - difference.linear);
        }
        return index.products.empty() && isTaken(index.linear, r);
    }

    /// Is the range the same for both accesses in one iteration of the common loops?
    bool isShared(const sym::Range &r) const {
        for (Expr e : {r.begin, r.end, r.step, r.tile}) {
            auto uses = [&](const LoopLevel &loop) { return e.dependsOn(loop.variable); };
            if (!isPure(e) || std::any_of(a_.loops.begin() + static_cast<std::ptrdiff_t>(common_), a_.loops.end(), uses) ||
                std::any_of(b_.loops.begin() + static_cast<std::ptrdiff_t>(common_), b_.loops.end(), uses))
                return false;
        }
        return true;
    }

    /// Is f >= 0 in every iteration of `a`?
    bool holds(const Form &f) {
        if (f.overflowed())
            return false;
        if (f.isConstant())
            return f.constant() >= 0;
        System violated = unknowns().system();
        violated.nonNegative((Form() - f).plus(-1));
        return violated.solve() == Feasibility::No;
    }

    const AccessInstance &a_, &b_;
    std::size_t common_;
    const AccessInstance shared_; // `b` without its own loops
    Pair pair_;
    Scope chosen_;                            // the values of the variables of b's loops
    std::vector<std::optional<Form>> values_; // of b's own loops
    std::vector<Polynomial> touched_;         // indices that `a` uses, in each dimension
};

} // namespace

bool isCovered(const AccessInstance &a, const AccessInstance &b, std::size_t common, const sym::Assumptions &facts) {
    return a.subset && b.subset && a.subset->rank() == b.subset->rank() && Cover(a, b, common, facts).prove();
}

} // namespace sdfgc::analysis
