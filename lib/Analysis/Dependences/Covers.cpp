// Are all elements that one access uses also used by other ones?
//
// For each element that `a` uses, the iteration of b's own loops that uses it is expressed as a form. It comes from an index in
// which b uses a single variable: for `b[i + 1]` against `a[k]`, i = k - 1. A variable that no index determines takes its first
// value. Then b's loops must take these values and the indices must agree: conditions, each of them a form that is at least zero.
// If they hold in all iterations of `a`, then b covers a.
//
// Several accesses cover `a` together if the iterations of `a` can be divided among them:
//
//     s[0] = ..                       s[k - 1] is covered by the loop if k - 1 >= 1 (it takes k - 1, from 1 on),
//     for j = 1:k { s[j] = .. }       so what remains is k - 1 < 1, that is k = 1,
//     .. = s[k - 1]                   and then s[k - 1] is s[0]
//
// Each condition that does not hold divides them once: where it is violated, the accesses that follow must cover `a`.
#include "Analysis/Dependences/Pair.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace dependences;
using sym::Expr;

namespace {

/// The iterations of `a` as a system, perhaps together with another access that uses the same element.
class Iterations {
public:
    explicit Iterations(const AccessInstance &a, const sym::Assumptions &facts) : Iterations(a, nothing(), facts, false) {}
    Iterations(const AccessInstance &a, const AccessInstance &other, const sym::Assumptions &facts)
        : Iterations(a, other, facts, true) {}

    /// The conditions under which `b` covers an iteration, in the same iteration of the first `common` loops. Nothing if
    /// they are not known.
    std::optional<std::vector<Form>> conditions(const AccessInstance &b, std::size_t common);

    /// Can these forms, and those that describe the iterations, be at least zero?
    bool arePossible(std::span<const Form> assumed) {
        System system = pair_.unknowns().system();
        for (const Form &f : assumed)
            system.nonNegative(f);
        return system.solve() != Feasibility::No;
    }
    /// Is f >= 0 in every iteration for which this is assumed?
    bool holds(const Form &f, std::span<const Form> assumed) {
        if (f.isConstant())
            return f.constant() >= 0;
        System violated = pair_.unknowns().system();
        for (const Form &g : assumed)
            violated.nonNegative(g);
        violated.nonNegative(violation(f));
        return violated.solve() == Feasibility::No;
    }
    static Form violation(const Form &f) { return (Form() - f).plus(-1); }

private:
    Iterations(const AccessInstance &a, const AccessInstance &other, const sym::Assumptions &facts, bool meets)
        : a_(a), pair_(a, other, 0, facts) {
        for (const sym::Range &r : a.subset->dims)
            touched_.push_back(pair_.element(r, pair_.scopeOfA()));
        if (meets)
            pair_.meet();
    }
    static const AccessInstance &nothing() {
        static const AccessInstance none;
        return none;
    }

    const AccessInstance &a_;
    Pair pair_;
    std::vector<Polynomial> touched_; // indices that `a` uses, in each dimension
    friend class Cover;
};

/// Finds the conditions under which one access covers an iteration.
class Cover {
public:
    Cover(Iterations &of, const AccessInstance &b, std::size_t common)
        : of_(of), b_(b), common_(common), chosen_(of.pair_.scopeOfA().outer(common)), values_(b.loops.size()) {}

    std::optional<std::vector<Form>> conditions() {
        if (hasAmbiguousNames())
            return std::nullopt;
        chooseValues();
        for (std::size_t i = common_; i < b_.loops.size(); ++i)
            if (!take(*values_[i], b_.loops[i].range))
                return std::nullopt;
        for (std::size_t d = 0; d < b_.subset->rank(); ++d)
            if (!touch(of_.touched_[d], of_.a_.subset->dims[d], b_.subset->dims[d]))
                return std::nullopt;
        if (std::any_of(out_.begin(), out_.end(), [](const Form &f) { return f.overflowed(); }))
            return std::nullopt;
        return std::move(out_);
    }

private:
    Unknowns &unknowns() { return of_.pair_.unknowns(); }

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
            if (!b_.subset->dims[d].isPoint() || !open || !of_.touched_[d].products.empty())
                continue;
            const auto split = sym::affineIn(index, b_.loops[*open].variable);
            const auto coefficient = split ? split->first.asInt() : std::nullopt;
            if (!coefficient || *coefficient == 0)
                continue;
            if (auto value = (of_.touched_[d].linear - unknowns().formOf(split->second, chosen_)).dividedBy(*coefficient)) {
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

    /// `value` is in the range. False if that has no conditions.
    bool take(const Form &value, const sym::Range &r) {
        const RangeStep step(r, unknowns().facts());
        if (!r.tile.isOne() || step.sign == 0)
            return false;
        Form after = Form().add(value - unknowns().formOf(r.begin, chosen_), step.sign);
        Form before = Form().add(unknowns().formOf(r.end, chosen_) - value, step.sign);
        if (!(step.size == 0 ? after.isConstant() && after.constant() == 0 : after.dividedBy(step.size).has_value()))
            return false;
        out_.push_back(std::move(after));
        out_.push_back(std::move(before));
        return true;
    }

    /// The index of an element is in the range of b's. False if that has no conditions.
    bool touch(const Polynomial &index, const sym::Range &ofA, const sym::Range &r) {
        if (ofA == r && isShared(r))
            return true;
        if (r.isPoint()) {
            Polynomial difference = index;
            difference.subtract(unknowns().polynomialOf(r.begin, chosen_));
            difference.cancel();
            out_.push_back(difference.linear);
            out_.push_back(Form() - difference.linear);
            return difference.products.empty();
        }
        return index.products.empty() && take(index.linear, r);
    }

    /// Is the range the same for both accesses in one iteration of the common loops?
    bool isShared(const sym::Range &r) const {
        for (Expr e : {r.begin, r.end, r.step, r.tile}) {
            auto uses = [&](const LoopLevel &loop) { return e.dependsOn(loop.variable); };
            if (!isPure(e) || std::any_of(of_.a_.loops.begin() + static_cast<std::ptrdiff_t>(common_), of_.a_.loops.end(), uses) ||
                std::any_of(b_.loops.begin() + static_cast<std::ptrdiff_t>(common_), b_.loops.end(), uses))
                return false;
        }
        return true;
    }

    Iterations &of_;
    const AccessInstance &b_;
    const std::size_t common_;
    Scope chosen_;                            // the values of the variables of b's loops
    std::vector<std::optional<Form>> values_; // of b's own loops
    std::vector<Form> out_;
};

std::optional<std::vector<Form>> Iterations::conditions(const AccessInstance &b, std::size_t common) {
    if (!b.subset || b.subset->rank() != a_.subset->rank())
        return std::nullopt;
    return Cover(*this, b, common).conditions();
}

/// Divides the iterations of an access among covers.
class Partition {
public:
    Partition(const AccessInstance &a, const std::vector<SharedAccess> &covers, const std::vector<AccessInstance> *writes,
              const sym::Assumptions &facts)
        : a_(a), writes_(writes), facts_(facts), iterations_(a, facts) {
        for (const SharedAccess &c : covers)
            if (auto needed = iterations_.conditions(c.access, c.common)) {
                covers_.push_back(&c);
                conditions_.push_back(std::move(*needed));
            }
    }

    bool prove() { return prove(0); }

private:
    /// A condition of a cover that is assumed to hold, or to be violated.
    struct Assumption {
        std::size_t cover = 0, condition = 0;
        bool holds = false;
    };

    /// Do the covers from `next` on cover all iterations for which the assumptions are true?
    bool prove(std::size_t next) {
        if (!spend() || !iterations_.arePossible(formsOf(conditions_)))
            return left_ > 0;
        for (std::size_t k = next; k < covers_.size(); ++k)
            if (coversAll(k))
                return true;
        for (; next < covers_.size(); ++next)
            if (const std::vector<std::size_t> open = openConditions(next); meets(next, open))
                return proveRest(next, open);
        return writes_ && std::none_of(writes_->begin(), writes_->end(), [this](const AccessInstance &w) { return mayWrite(w); });
    }

    bool coversAll(std::size_t cover) {
        const std::vector<Form> assumed = formsOf(conditions_);
        return std::all_of(conditions_[cover].begin(), conditions_[cover].end(),
                           [&](const Form &f) { return spend() && iterations_.holds(f, assumed); });
    }

    /// The conditions of a cover that do not always hold.
    std::vector<std::size_t> openConditions(std::size_t cover) {
        std::vector<std::size_t> out;
        const std::vector<Form> assumed = formsOf(conditions_);
        for (std::size_t k = 0; k < conditions_[cover].size(); ++k)
            if (!spend() || !iterations_.holds(conditions_[cover][k], assumed))
                out.push_back(k);
        return out;
    }

    /// Does it cover any of these iterations?
    bool meets(std::size_t cover, const std::vector<std::size_t> &open) {
        std::vector<Form> assumed = formsOf(conditions_);
        for (const std::size_t k : open)
            assumed.push_back(conditions_[cover][k]);
        return spend() && iterations_.arePossible(assumed);
    }

    /// Are the iterations that a cover leaves out covered by those after it?
    bool proveRest(std::size_t cover, const std::vector<std::size_t> &open) {
        const std::size_t before = assumed_.size();
        bool proven = true;
        for (std::size_t k = 0; k < open.size() && proven; ++k) {
            assumed_.push_back({cover, open[k], false});
            proven = prove(cover + 1);
            assumed_.back().holds = true;
        }
        assumed_.resize(before);
        return proven;
    }

    /// May the write use one of the elements in any of its iterations?
    bool mayWrite(const AccessInstance &w) {
        Iterations both(a_, w, facts_);
        std::vector<std::vector<Form>> conditions;
        for (const SharedAccess *c : covers_) {
            auto needed = both.conditions(c->access, c->common);
            if (!needed)
                return true;
            conditions.push_back(std::move(*needed));
        }
        return !spend() || both.arePossible(formsOf(conditions));
    }

    std::vector<Form> formsOf(const std::vector<std::vector<Form>> &conditions) const {
        std::vector<Form> out;
        for (const Assumption &a : assumed_) {
            const Form &f = conditions[a.cover][a.condition];
            out.push_back(a.holds ? f : Iterations::violation(f));
        }
        return out;
    }

    bool spend() { return left_ > 0 && --left_ > 0; }

    const AccessInstance &a_;
    const std::vector<AccessInstance> *writes_;
    const sym::Assumptions &facts_;
    Iterations iterations_;
    std::vector<const SharedAccess *> covers_;
    std::vector<std::vector<Form>> conditions_; // of the covers
    std::vector<Assumption> assumed_;
    int left_ = 2000; // systems to solve
};

} // namespace

bool isCovered(const AccessInstance &a, const AccessInstance &b, std::size_t common, const sym::Assumptions &facts) {
    if (!a.subset || !b.subset || a.subset->rank() != b.subset->rank())
        return false;
    Iterations iterations(a, facts);
    if (const auto needed = iterations.conditions(b, common);
        needed && std::all_of(needed->begin(), needed->end(), [&](const Form &f) { return iterations.holds(f, {}); }))
        return true;
    return !iterations.arePossible({});
}

bool isCoveredTogether(const AccessInstance &a, const std::vector<SharedAccess> &covers, const std::vector<AccessInstance> *writes,
                       const sym::Assumptions &facts) {
    return a.subset && Partition(a, covers, writes, facts).prove();
}

} // namespace sdfgc::analysis
