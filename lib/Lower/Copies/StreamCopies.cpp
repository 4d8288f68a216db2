// Copies between streams and arrays.
#include "StreamCopies.h"

#include "Lower/Expressions/Symbols.h"
#include "Lower/Memory/Elements.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/ArgumentTypes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Tasklet/Conversions.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// Is the array filled from one stream and pushed entirely to another one? It then has as many elements as the first stream had;
/// DaCe calls such an array an ArrayStreamView.
bool passesOn(const AccessNode &array) {
    auto isStream = [](const ir::Node *n) {
        const auto *a = dyn_cast<AccessNode>(n);
        const DataDesc *d = a ? a->state()->sdfg()->desc(a->data) : nullptr;
        return d && d->isStream();
    };
    return array.inEdges().size() == 1 && isStream(analysis::pathSource(array.inEdges().front())) &&
           std::any_of(array.outEdges().begin(), array.outEdges().end(),
                       [&](Edge *e) { return isStream(analysis::pathDestination(e)); });
}

/// Pops elements of a stream into an array. Their number is kept if they will be pushed to another stream.
void pop(Instance &in, RefId stream, RefId array, sym::Expr count, const Edge &e, tree::Block &out) {
    const auto *into = dyn_cast<AccessNode>(analysis::pathDestination(&e));
    VarId countVar;
    if (into && passesOn(*into)) {
        countVar = in.declareValue(Name(into->data.str() + "_count"), ScalarKind::Int64);
        out.add<Declare>(countVar);
        in.popped[into] = countVar;
    }
    auto *pop = out.add<StreamPop>();
    pop->stream = stream;
    pop->target = array;
    pop->count = count;
    pop->countVar = countVar;
}

} // namespace

void streamCopy(Instance &in, const MemoryPlace &src, const MemoryPlace &dst, Edge &e, tree::Block &out) {
    if (!src.valid() || !dst.valid()) {
        in.error(diag::Id::NoPlace, analysis::placeOf(e), e.memlet.data.str());
        return;
    }
    bool fromStream = src.desc && src.desc->isStream(), toStream = dst.desc && dst.desc->isStream();
    if (fromStream && toStream) {
        in.error(diag::Id::LowerUnsupported, analysis::placeOf(e), "a copy from stream to stream", "pop into a container first");
        return;
    }
    auto subsetOf = [&](const MemoryPlace &p, bool source) {
        auto s = source ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
        return s ? inVariables(in, *s) : inVariables(in, p.desc->fullSubset());
    };
    const MemoryPlace &array = fromStream ? dst : src;
    sym::Subset inArray = subsetOf(array, !fromStream), inStream = subsetOf(fromStream ? src : dst, fromStream);
    RefId arraySlot = addressAt(in, array, startOffset(array, inArray));
    RefId streamSlot = elementAt(in, fromStream ? src : dst, startOffset(fromStream ? src : dst, inStream));
    sym::Expr count = printable(in, inArray.numElements());
    const bool moves = fromStream || !count.isOne() || in.popped.count(analysis::pathSource(&e)) != 0; // unconverted
    if (moves && analysis::differ(src.type, dst.type)) {
        in.error(diag::Id::LowerUnsupported, analysis::placeOf(e),
                 "a copy between a stream and an array of another type, " + src.type.str() + " and " + dst.type.str(),
                 "give both the same type, or let a map move the elements");
        return;
    }
    if (fromStream)
        return pop(in, streamSlot, arraySlot, count, e, out);
    const auto popped = in.popped.find(analysis::pathSource(&e));
    if (popped != in.popped.end())
        count = sym::Expr::symbol(in.varName(popped->second));
    auto *push = out.add<StreamPush>();
    push->stream = streamSlot;
    push->count = count;
    if (count.isOne())
        push->value = py::asStored(dst.type, read(in, array, startOffset(array, inArray)));
    else
        push->source = arraySlot;
}

} // namespace sdfgc::tree::lowering
