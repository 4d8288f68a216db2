// Loops over iterations of maps and over elements.
#include "Loops.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/SymbolicToPython.h"
#include "Lower/Expressions/Symbols.h"

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

sym::Range boundsOf(const Instance &in, const sym::Range &r) {
    return {inVariables(in, r.begin), inVariables(in, r.end), inVariables(in, r.step), 1};
}

void splitIndex(Instance &in, const ir::MapEntry &m, std::size_t first, std::size_t last, sym::Expr number, SymbolScope &symbols,
                Block &out) {
    for (std::size_t d = last; d-- > first;) {
        sym::Expr size = inVariables(in, m.ranges[d].steps());
        sym::Expr index = d > first ? sym::mod(number, size) : number;
        VarId v = in.declareValue(m.params[d], ScalarKind::Int64, true);
        const sym::Range &r = m.ranges[d];
        out.add<Declare>(v)->init =
            lowered(in, pythonOf(in, printable(in, inVariables(in, r.begin) + inVariables(in, r.step) * index)));
        symbols.define(m.params[d], v);
        number = sym::floorDiv(number, size);
    }
}

} // namespace sdfgc::tree::lowering
