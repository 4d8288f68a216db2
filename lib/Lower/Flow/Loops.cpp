// Loops over iterations of maps and over elements.
#include "Loops.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/SymbolicToPython.h"
#include "Lower/Expressions/Symbols.h"

#include "sdfgc/Symbolic/Rounding.h"

namespace sdfgc::tree::lowering {

For &countingLoop(Instance &in, Name variable, sym::Expr count, Block &out) {
    auto *loop = out.add<For>();
    loop->var = in.declareValue(variable, ScalarKind::Int64);
    loop->begin = 0;
    loop->end = printable(in, count - 1);
    in.fn->facts[in.varName(loop->var)].nonnegative = true;
    return *loop;
}

void setLoop(Instance &in, For &loop, Name parameter, const sym::Range &r) {
    loop.begin = printable(in, r.begin);
    loop.end = printable(in, r.end);
    loop.step = printable(in, r.step);
    std::optional<int64_t> step = loop.step.asInt();
    loop.descending = step && *step < 0;
    loop.var = in.declareValue(parameter, ScalarKind::Int64);
    sym::Expr lowest = loop.descending ? loop.end : loop.begin;
    in.fn->facts[in.varName(loop.var)].nonnegative = sym::isNonNegative(lowest, in.fn->facts) == sym::Truth::True;
}

namespace {

/// Uses C's division for an end that was rounded down: if the first index is not negative, a negative end gives an empty range
/// either way.
sym::Expr withCDivision(sym::Expr end, sym::Expr begin, const sym::Assumptions &facts) {
    const sym::Expr past = end + 1;
    if (past.kind() != sym::SymbolicKind::FloorDiv || sym::isNonNegative(begin, facts) != sym::Truth::True ||
        sym::isPositive(past.operands()[1], facts) != sym::Truth::True)
        return end;
    return sym::call(cDivision, {past.operands()[0], past.operands()[1]}) - 1;
}

} // namespace

sym::Range boundsOf(const Instance &in, const sym::Range &r) {
    const auto integer = [&in](sym::Expr e) { return sym::inIntegers(inVariables(in, e)); };
    const sym::Expr begin = sym::roundedDown(integer(r.begin)), end = integer(r.end), rounded = sym::roundedDown(end);
    return {begin, rounded == end ? end : withCDivision(rounded, begin, in.fn->facts), integer(r.step), 1};
}

void splitIndex(Instance &in, const ir::MapEntry &m, std::size_t first, std::size_t last, sym::Expr number, SymbolScope &symbols,
                Block &out) {
    for (std::size_t d = last; d-- > first;) {
        sym::Expr size = inVariables(in, m.ranges[d].steps());
        sym::Expr index = d > first ? sym::mod(number, size) : number;
        VarId v = in.declareValue(m.params[d], ScalarKind::Int64, true);
        const sym::Range r = boundsOf(in, m.ranges[d]);
        out.add<Declare>(v)->init = lowered(in, pythonOf(in, printable(in, r.begin + r.step * index)));
        symbols.define(m.params[d], v);
        number = sym::floorDiv(number, size);
    }
}

} // namespace sdfgc::tree::lowering
