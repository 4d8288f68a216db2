// Consume scopes.
#include "Consume.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Memory/Elements.h"
#include "Lower/Memory/Places.h"
#include "States.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/ScopeConnectors.h"

#include <utility>

namespace sdfgc::tree::lowering {

using namespace ir;

void lowerConsume(Instance &in, ConsumeEntry &c, tree::Block &out) {
    Edge *streamEdge = c.inEdge(scopeInput("stream"));
    auto *stream = streamEdge ? dyn_cast<AccessNode>(analysis::pathSource(streamEdge)) : nullptr;
    MemoryPlace p = stream ? placeAt(in, *streamEdge, *stream) : MemoryPlace();
    if (!p.valid()) {
        in.error(diag::Id::NoPlace, analysis::placeOf(c), "the consumed stream");
        return;
    }
    auto *node = out.add<Consume>();
    node->comment = "consume " + c.label;
    node->stream = elementAt(in, p, startAt(in, p, *streamEdge, true));
    node->numPes = printable(in, inVariables(in, c.numPes));
    node->chunk = c.chunkSize;
    if (c.condition && !c.condition->empty())
        node->condition = expression(in, *c.condition, analysis::placeOf(c));
    SymbolScope symbols(in);
    in.fn->names.open();
    if (c.peIndex) {
        node->peVar = in.declareValue(c.peIndex, ScalarKind::Int64);
        in.fn->facts[in.varName(node->peVar)].nonnegative = true;
        symbols.define(c.peIndex, node->peVar);
    }
    Variable element;
    element.type = p.type;
    element.isConst = true;
    element.kind = c.chunkSize == 1 ? VarKind::Reference : VarKind::Pointer;
    element.name = in.fn->names.declare(Name("__dace_" + c.label + (c.chunkSize == 1 ? "_element" : "_elements")));
    node->elementVar = in.function().vars.add(std::move(element));
    if (const Name count = c.countName()) {
        node->countVar = in.declareValue(count, ScalarKind::Int64);
        symbols.define(count, node->countVar);
    }
    for (Edge *e : c.outEdges())
        if (e->srcConn == scopeOutput("stream"))
            in.edgeValues[e] = node->elementVar;
    const analysis::Team outer = std::exchange(in.fn->team, analysis::Team::Member);
    lowerScope(in, &c, node->body);
    in.fn->team = outer;
    in.fn->names.close();
}

} // namespace sdfgc::tree::lowering
