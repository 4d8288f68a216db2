#include "Transforms/Mpi/MpiMapResults.h"

#include "Transforms/Edits/RankNodes.h"

#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

std::optional<py::Wcr> reductionOf(const Edge &e) {
    const py::Parsed<py::Wcr> parsed = py::parseWcr(e.memlet.wcr);
    return parsed.value ? std::optional(*parsed.value) : std::nullopt;
}

/// Calls visit for the edges inside the map that lead to an edge out of the map.
void forEachInside(const Edge &exitEdge, const std::function<void(Edge &)> &visit) {
    const Name in = analysis::pairedConnector(exitEdge.srcConn);
    for (Edge *e : exitEdge.src->inEdges())
        if (e->dstConn == in) {
            visit(*e);
            if (isa<MapExit>(e->src))
                forEachInside(*e, visit);
        }
}

/// The dimension of a subset that a parameter indexes, as its only index.
std::optional<std::size_t> dimensionOf(const sym::Subset &s, Name parameter) {
    std::optional<std::size_t> out;
    for (std::size_t d = 0; d < s.dims.size(); ++d) {
        const sym::Range &r = s.dims[d];
        if (!r.begin.dependsOn(parameter) && !r.end.dependsOn(parameter) && !r.step.dependsOn(parameter))
            continue;
        const sym::Expr offset = r.begin - sym::Expr::symbol(parameter);
        if (out || !r.size().isOne() || offset.dependsOn(parameter))
            return std::nullopt;
        out = d;
    }
    return out;
}

/// A map over the elements of a subset, which assigns each element of `to`, from that of `from` if there is one.
void overElements(State &s, const std::string &label, const sym::Subset &subset, AccessNode *from, AccessNode *to,
                  const std::string &code, const std::string &wcr) {
    std::vector<Name> params;
    sym::Subset element;
    for (std::size_t d = 0; d < subset.dims.size(); ++d) {
        params.emplace_back("__e" + std::to_string(d));
        element.dims.push_back({sym::Expr::symbol(params.back()), sym::Expr::symbol(params.back()), 1, 1});
    }
    const Operand read{from, element, subset, ""};
    elementMap(s, label, params, subset.dims, from ? &read : nullptr, {to, element, subset, wcr}, code);
}

} // namespace

sym::Range DealtDimension::part(const sym::Expr &at) const {
    const sym::Expr count = all.size();
    const auto first = [&](const sym::Expr &of) { // first iteration of a part
        return of * sym::floorDiv(count, parts) + sym::min({of, count - parts * sym::floorDiv(count, parts)});
    };
    return {all.begin + first(at) * all.step, all.begin + (first(at + 1) - 1) * all.step, all.step};
}

sym::Expr DealtDimension::placeOf(const sym::Expr &rank) const {
    const sym::Expr row = sym::floorDiv(rank, inner);
    return row - parts * sym::floorDiv(row, parts);
}

std::string whyNotCombined(const Edge &exitEdge) {
    const std::string data = "`" + exitEdge.memlet.data.str() + "`";
    const DataDesc *d = exitEdge.src->state()->sdfg()->desc(exitEdge.memlet.data);
    const std::optional<py::Wcr> r = reductionOf(exitEdge);
    if (!d || (d->kind != DataKind::Array && d->kind != DataKind::Scalar))
        return "iterations on several ranks combine their writes to " + data + ", which is not an array";
    if (!r || !py::reductionIdentity(r->kind, d->dtype))
        return "iterations on several ranks combine their writes to " + data + " by a function that has no neutral element";
    if (!analysis::identityKeepsValues(r->kind, d->dtype))
        return "iterations on several ranks combine their writes to " + data +
               " by a logical operation, which would change numbers that no iteration writes";
    return "";
}

std::string whyNotGathered(const Edge &exitEdge, const std::vector<DealtDimension> &dims) {
    std::string why;
    forEachInside(exitEdge, [&](Edge &e) {
        for (const DealtDimension &d : dims)
            if (!e.memlet.subset || !dimensionOf(*e.memlet.subset, d.parameter))
                why = "`" + exitEdge.memlet.data.str() + "` cannot be gathered: it is not written at `" + d.parameter.str() +
                      "` in one of its dimensions";
    });
    return why;
}

void combineOverRanks(Edge &exitEdge) {
    State &s = *exitEdge.src->state();
    SDFG &g = *s.sdfg();
    const Name data = exitEdge.memlet.data;
    const std::string wcr = exitEdge.memlet.wcr;
    const sym::Subset subset = *exitEdge.memlet.subset;
    DataDesc like = *g.desc(data);
    like.transient = true;
    like.lifetime = Lifetime::Scope;
    const Name part = g.addTransient(data.str() + "_part", like), total = g.addTransient(data.str() + "_total", like);
    const std::string neutral = py::print(**py::reductionIdentity(reductionOf(exitEdge)->kind, like.dtype));

    State *before = s.parent()->addStateBefore(&s, g.freshLabel("neutral"));
    overElements(*before, "neutral", subset, nullptr, before->add<AccessNode>(part), "__out = " + neutral, "");
    before->renumber();

    forEachInside(exitEdge, [&](Edge &e) { e.memlet.data = part; });
    exitEdge.memlet.data = part;
    auto *target = cast<AccessNode>(exitEdge.dst);
    auto *mine = s.add<AccessNode>(part), *all = s.add<AccessNode>(total);
    s.setDestination(&exitEdge, mine, {});
    mpiNode(s, "Allreduce", mine, subset, all, subset)->properties.set("op", wcr);
    overElements(s, "combined", subset, all, target, "__out = __inp", wcr);
}

namespace {

/// An SDFG in which each rank sends its part of a container to the others, one rank after another; a symbol holds the rank.
std::unique_ptr<SDFG> sender(const SDFG &outer, Name data, const sym::Subset &part, Name rank, const sym::Expr &size) {
    const Name root("__root");
    auto g = std::make_unique<SDFG>(Name("gather_" + data.str()));
    g->label = g->name.str();
    g->usesExplicitControlFlow = true;
    g->level = outer.level;
    g->symbolHints = outer.symbolHints;
    DataDesc d = *outer.desc(data);
    d.transient = false;
    g->arrays.set(data, d);
    g->arrays.set(root, DataDesc::scalar(ScalarKind::Int64, true));
    g->symbols.set(rank, ScalarKind::Int64);
    auto *loop = g->add<LoopRegion>();
    loop->label = "ranks";
    loop->variable = rank;
    loop->init = Code{rank.str() + " = 0", Language::Python};
    loop->condition = Code{rank.str() + " < " + size.str(), Language::Python};
    loop->update = Code{rank.str() + " = " + rank.str() + " + 1", Language::Python};
    g->setStart(loop);
    auto *send = loop->add<State>();
    send->label = "send";
    loop->setStart(send);
    Tasklet *t = send->addTasklet("root", {"o = " + rank.str()});
    auto *rootNode = send->add<AccessNode>(root);
    send->connect(t, Name("o"), rootNode, {}, Memlet::simple(root, g->desc(root)->fullSubset()));
    LibraryNode *node = mpiNode(*send, "Bcast", send->add<AccessNode>(data), part, send->add<AccessNode>(data), part);
    send->connect(rootNode, {}, node, Name("_root"), Memlet::simple(root, g->desc(root)->fullSubset()));
    return g;
}

} // namespace

void gatherParts(Edge &exitEdge, const std::vector<DealtDimension> &dims, const sym::Expr &size) {
    State &s = *exitEdge.src->state();
    SDFG &outer = *s.sdfg();
    auto *written = cast<AccessNode>(exitEdge.dst);
    const Name data = written->data, rank("__rank");
    sym::Subset part = *exitEdge.memlet.subset; // the part of the rank in `rank`
    forEachInside(exitEdge, [&](Edge &e) {
        for (const DealtDimension &d : dims) {
            const std::size_t at = *dimensionOf(*e.memlet.subset, d.parameter);
            const sym::Expr offset = e.memlet.subset->dims[at].begin - sym::Expr::symbol(d.parameter);
            const sym::Range of = d.part(d.placeOf(sym::Expr::symbol(rank)));
            part.dims[at] = {of.begin + offset, of.end + offset, of.step, 1};
        }
    });

    std::unique_ptr<SDFG> g = sender(outer, data, part, rank, size);
    auto *nested = s.add<NestedSDFGNode>();
    nested->label = g->name.str();
    g->parentNode = nested;
    nested->sdfg = std::move(g);
    analysis::passRequiredSymbols(*nested, [&outer](Name n) {
        const Type *type = outer.symbols.find(n);
        return type ? *type : Type();
    });
    auto *gathered = s.add<AccessNode>(data);
    const std::vector<Edge *> readers = written->outEdges();
    for (Edge *e : readers)
        s.setSource(e, gathered, e->srcConn);
    s.connect(written, {}, nested, data, Memlet::simple(data, outer.desc(data)->fullSubset()));
    s.connect(nested, data, gathered, {}, Memlet::simple(data, outer.desc(data)->fullSubset()));
}

} // namespace sdfgc::transforms
