#include "Analysis/Dependences/Pair.h"

#include <cstdlib>
#include <limits>

namespace sdfgc::analysis::dependences {

using sym::Expr;
using sym::Truth;

RangeStep::RangeStep(const sym::Range &r, const sym::Assumptions &facts) {
    const std::optional<int64_t> n = r.step.asInt();
    if (n && *n != 0 && *n != std::numeric_limits<int64_t>::min()) {
        sign = *n > 0 ? 1 : -1;
        size = std::abs(*n);
    } else if (!n && isPure(r.step)) {
        sign = sym::isPositive(r.step, facts) == Truth::True ? 1 : sym::isPositive(-r.step, facts) == Truth::True ? -1 : 0;
    }
}

namespace {

/// The bounds of a loop as forms; all of its values are between them.
struct Ends {
    Form begin, end;
    Ends(const sym::Range &r, Unknowns &unknowns, const Scope &at)
        : begin(unknowns.formOf(r.begin, at)), end(r.end == r.begin ? begin : unknowns.formOf(r.end, at)) {}

    /// The maximum distance of the last value from the first one, in the direction of the step.
    Form length(const RangeStep &step) const { return step.sign > 0 ? end - begin : begin - end; }
};

/// count >= 0 and size * count <= length.
void addCount(Unknowns &unknowns, const Form &count, int64_t size, const Form &length) {
    unknowns.nonNegative(count);
    unknowns.nonNegative(Form(length).add(count, -size));
}

/// `value` is between the ends, in the direction of the step.
void addEnds(Unknowns &unknowns, const Form &value, const RangeStep &step, const Ends &ends) {
    unknowns.nonNegative(Form(value).add(ends.begin, -step.sign));
    unknowns.nonNegative(Form().add(ends.end, step.sign).add(value, -1));
}

bool isPlain(const sym::Range &loop) { return loop.tile.isOne(); }

} // namespace

Pair::Pair(const AccessInstance &a, const AccessInstance &b, std::size_t common, const sym::Assumptions &facts)
    : a_(a), b_(b), unknowns_(facts) {
    for (std::size_t i = 0; i < common; ++i)
        addCommon(a.loops[i], b.loops[i]);
    for (std::size_t i = common; i < a.loops.size(); ++i)
        unknowns_.enter(scopeA_, a.loops[i].variable, ownValue(a.loops[i], scopeA_));
    for (std::size_t i = common; i < b.loops.size(); ++i)
        unknowns_.enter(scopeB_, b.loops[i].variable, ownValue(b.loops[i], scopeB_));
}

/// Adds one unknown for a's iteration, and one for the distance of b's iteration from it. The unknowns count iterations or are
/// values of the variable (negated if it decreases); values stay linear even if the loop's begin depends on an outer variable.
void Pair::addCommon(const LoopLevel &loopA, const LoopLevel &loopB) {
    const sym::Range &r = loopA.range;
    const Column iteration = unknowns_.add(), distance = unknowns_.add();
    const Form ofA = Form::unknown(iteration), ofB = Form(ofA).add(distance, 1);
    const RangeStep step(r, unknowns_.facts());
    CommonLoop made{distance};
    Form valueA = Form().add(ofA, step.sign), valueB = Form().add(ofB, step.sign);
    if (step.sign == 0 || !isPlain(r) || r.step != loopB.range.step) {
        made.ordered = false;
        valueA = ofA;
        valueB = ofB;
        unknowns_.becomeUncertain();
    } else if (step.size > 1 && isPure(r.begin) && !scopeA_.varies(r.begin) && r.begin == loopB.range.begin) {
        const Ends a(r, unknowns_, scopeA_), b(loopB.range, unknowns_, scopeB_);
        addCount(unknowns_, ofA, step.size, a.length(step));
        addCount(unknowns_, ofB, step.size, b.length(step));
        valueA = Form(a.begin).add(ofA, step.signedSize());
        valueB = Form(a.begin).add(ofB, step.signedSize());
    } else {
        made.unit = step.size == 1 ? Expr(1) : step.sign > 0 ? r.step : -r.step;
        addValues(r, scopeA_, ofA);
        addValues(loopB.range, scopeB_, ofB);
        if (step.size == 0)
            unknowns_.becomeUncertain();
    }
    unknowns_.enter(scopeA_, loopA.variable, std::move(valueA));
    unknowns_.enter(scopeB_, loopB.variable, std::move(valueB));
    common_.push_back(made);
}

/// `value` is in the range, in the direction of the step.
void Pair::addValues(const sym::Range &r, const Scope &at, const Form &value) {
    const RangeStep step(r, unknowns_.facts());
    const Ends ends(r, unknowns_, at);
    addEnds(unknowns_, value, step, ends);
    if (step.size > 1) // on the grid
        unknowns_.equalsZero(Form(value).add(ends.begin, -step.sign).add(unknowns_.add(), -step.size));
}

Form Pair::ownValue(const LoopLevel &loop, const Scope &at) {
    const Form own = Form::unknown(unknowns_.add());
    const RangeStep step(loop.range, unknowns_.facts());
    if (step.sign == 0 || !isPlain(loop.range)) {
        unknowns_.becomeUncertain();
        return own;
    }
    const Ends ends(loop.range, unknowns_, at);
    if (step.size > 1) {
        addCount(unknowns_, own, step.size, ends.length(step));
        return Form(ends.begin).add(own, step.signedSize());
    }
    if (step.size == 0)
        unknowns_.becomeUncertain();
    addEnds(unknowns_, own, step, ends);
    return Form().add(own, step.sign);
}

Polynomial Pair::element(const sym::Range &r, const Scope &at) {
    Polynomial index = unknowns_.polynomialOf(r.begin, at);
    if (!(r.begin == r.end)) {
        const RangeStep step(r, unknowns_.facts());
        const Form count = Form::unknown(unknowns_.add());
        if (step.sign == 0) {
            unknowns_.becomeUncertain();
            index.linear.add(count);
        } else {
            // With a symbolic step, all elements between the ends count as accessed.
            const int64_t size = step.size == 0 ? 1 : step.size;
            if (step.size == 0)
                unknowns_.becomeUncertain();
            addCount(unknowns_, count, size, length(r, step, at));
            index.linear.add(count, step.sign * size);
        }
    }
    if (!r.tile.isOne()) {
        const Column within = unknowns_.add();
        addCount(unknowns_, Form::unknown(within), 1, unknowns_.formOf(r.tile, at).plus(-1));
        index.linear.add(within, 1);
    }
    return index;
}

/// Subtracted as one expression, so that N * i : N * i + N has length N; quotients, however, are rounded one at a time.
Form Pair::length(const sym::Range &r, const RangeStep &step, const Scope &at) {
    if (isPure(r.begin) && isPure(r.end))
        return unknowns_.formOf(step.sign > 0 ? r.end - r.begin : r.begin - r.end, at);
    return Ends(r, unknowns_, at).length(step);
}

void Pair::meet() {
    if (!a_.subset || !b_.subset)
        return unknowns_.becomeUncertain("the elements of an access are unknown");
    if (a_.subset->rank() != b_.subset->rank())
        return unknowns_.becomeUncertain("subsets " + a_.subset->str() + " and " + b_.subset->str() + " differ in rank");
    for (std::size_t d = 0; d < a_.subset->rank(); ++d) {
        Polynomial difference = element(a_.subset->dims[d], scopeA_);
        difference.subtract(element(b_.subset->dims[d], scopeB_));
        for (Form &f : divided(difference, unknowns_))
            unknowns_.equalsZero(std::move(f));
    }
}

} // namespace sdfgc::analysis::dependences
