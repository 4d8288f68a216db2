#include "sdfgc/Analysis/Costs/Messages.h"

#include "sdfgc/Analysis/Communication.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/LibraryCalls.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace sdfgc::analysis {
namespace {

using namespace ir;

constexpr const char *size = "__dace_comm_size"; // the graph's name for the number of ranks

/// Parses a formula that a person or the graph wrote; a symbol `unknown` if it is invalid.
sym::Expr parsed(const std::string &text) {
    const sym::ParseResult r = sym::parse(text);
    return r.expr ? *r.expr : sym::Expr::symbol(Name("unknown"));
}

SizeExpr productOf(const std::vector<sym::Expr> &factors) {
    sym::Expr out = 1;
    for (const sym::Expr &f : factors)
        out *= f;
    return out;
}

/// Ranks that make a call together: `groups` groups of `ranks`.
struct Group {
    SizeExpr ranks, groups = 1;
};

/// A process grid as the program creates it: its dimensions, or for a subgrid the dimensions that are kept.
struct Grid {
    std::vector<sym::Expr> shape;
    Group group;
};

// ---- the model

Traffic fromRoot(const Group &g, const SizeExpr &bytes) {
    const SizeExpr others = g.ranks - 1;
    return {g.groups * others, g.groups * others * bytes, others, others * bytes};
}
/// Also used for reductions to the root: one message from each of the other ranks.
Traffic toRoot(const Group &g, const SizeExpr &bytes) {
    const SizeExpr others = g.ranks - 1, any = min(others, 1);
    return {g.groups * others, g.groups * others * bytes, any, any * bytes};
}
Traffic toAll(const Group &g, const SizeExpr &bytes) {
    const SizeExpr others = g.ranks - 1, all = g.groups * g.ranks * others;
    return {all, all * bytes, others, others * bytes};
}
/// Rank 0 gathers from all ranks and sends to all.
Traffic thereAndBack(const Group &g, const SizeExpr &bytes) {
    const SizeExpr others = g.ranks - 1, all = g.groups * 2 * others;
    return {all, all * bytes, others, others * bytes};
}
/// Two calls in sequence. In `both`, the same rank sends most in either call; in `apart`, no rank sends in both.
Traffic both(const Traffic &a, const Traffic &b) {
    return {a.messages + b.messages, a.bytes + b.bytes, a.mostMessages + b.mostMessages, a.mostBytes + b.mostBytes};
}
Traffic apart(const Traffic &a, const Traffic &b) {
    return {a.messages + b.messages, a.bytes + b.bytes, max(a.mostMessages, b.mostMessages), max(a.mostBytes, b.mostBytes)};
}

/// An array in blocks over a grid, with the properties that resolve-process-grids stores in a node.
struct Blocks {
    std::vector<sym::Expr> shape, block;
    std::vector<std::size_t> along;
    std::size_t grid = 0;

    static std::optional<Blocks> of(const LibraryNode &n, const char *property) {
        const json::Value *v = n.properties.find(property);
        if (!v || !v->isObject())
            return std::nullopt;
        Blocks out;
        for (const json::Value &item : v->get("shape")->items())
            out.shape.push_back(parsed(item.text()));
        for (const json::Value &item : v->get("block")->items())
            out.block.push_back(parsed(item.text()));
        for (const json::Value &item : v->get("along")->items())
            out.along.push_back(static_cast<std::size_t>(item.asInt().value_or(0)));
        out.grid = static_cast<std::size_t>(v->get("grid")->asInt().value_or(0));
        return out;
    }
    /// The number of ranks of the grid that hold the same block.
    SizeExpr copies(const Grid &g) const {
        SizeExpr out = 1;
        for (std::size_t d = 0; d < g.shape.size(); ++d)
            if (std::find(along.begin(), along.end(), d) == along.end())
                out = out * SizeExpr(g.shape[d]);
        return out;
    }
    /// Number of elements of rank 0's block, which is the largest.
    SizeExpr first() const {
        SizeExpr out = 1;
        for (std::size_t d = 0; d < shape.size(); ++d)
            out = out * min(block[d], shape[d]);
        return out;
    }
};

Traffic dealtOut(const Blocks &b, const Grid &g, int64_t bytesEach, bool scatters) {
    const SizeExpr others = g.group.ranks - 1, each = bytesEach;
    const SizeExpr bytes = each * (productOf(b.shape) * b.copies(g) - b.first());
    if (scatters)
        return {others, bytes, others, bytes};
    const SizeExpr any = min(others, 1);
    return {others, bytes, any, any * each * b.first()};
}

/// The number of pairs of a block of `a` elements and a block of `b` elements of an array of `n` that overlap: each overlap starts
/// where a block of either kind starts.
SizeExpr overlaps(sym::Expr n, sym::Expr a, sym::Expr b) {
    if (a == b)
        return ceilDiv(n, a);
    const auto x = a.asInt(), y = b.asInt();
    if (x && y && *x > 0 && *y > 0)
        return ceilDiv(n, a) + ceilDiv(n, b) - ceilDiv(n, SizeExpr(std::lcm(*x, *y)));
    const Name i("i");
    const SizeExpr begin = SizeExpr(sym::Expr::symbol(i) * a), end = min(begin + a, n);
    return sumOver(i, 0, ceilDiv(n, a), ceilDiv(end, b) - floorDiv(begin, b));
}

Traffic redistributed(const Blocks &from, const Blocks &to, const Grid &target, int64_t bytesEach) {
    SizeExpr pairs = to.copies(target), each = bytesEach, most = pairs, room = from.first() * pairs;
    for (std::size_t d = 0; d < from.shape.size(); ++d) {
        pairs = pairs * overlaps(from.shape[d], from.block[d], to.block[d]);
        // The maximum number of target blocks that one block overlaps.
        most = most * min(ceilDiv(from.block[d], to.block[d]) + 1, ceilDiv(from.shape[d], to.block[d]));
    }
    return {pairs, each * productOf(from.shape) * to.copies(target), most, each * room};
}

// ---- the graph

class MessageCollector {
public:
    MessageCollector(SDFG &root, Name ranks) : ranks_(sym::Expr::symbol(ranks)) {
        world_.ranks = SizeExpr(ranks_);
        readGrids(root);
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (const auto &n : s->nodes())
                    if (const auto *l = dyn_cast<LibraryNode>(n.get()); l && communicationOf(*l))
                        out_.push_back(all(*l));
    }
    std::vector<NodeTraffic> take() { return std::move(out_); }

private:
    // Grids are created by calls that resolve-process-grids has inserted at the start of the program, in the order of their
    // numbers.
    void readGrids(SDFG &root) {
        for (State *s : allStates(root))
            for (const auto &n : s->nodes())
                if (const auto *t = dyn_cast<Tasklet>(n.get()); t && t->code.language() == Language::Library) {
                    std::string why;
                    if (const std::optional<LibraryCall> call = libraryCall(*t, why))
                        readGrid(*call);
                }
    }
    void readGrid(const LibraryCall &call) {
        const bool isPart = call.function == "mpi.make_part";
        if (call.function != "mpi.make_grid" && !isPart)
            return;
        const auto number = [&](std::size_t i) {
            return i < call.arguments.size() && call.arguments[i].value ? expression(call.arguments[i]) : sym::Expr(0);
        };
        const auto list = [&](std::size_t i) {
            std::vector<sym::Expr> out;
            for (const LibraryArgument &part : i < call.arguments.size() ? call.arguments[i].parts : std::vector<LibraryArgument>())
                out.push_back(expression(part));
            return out;
        };
        const auto at = static_cast<std::size_t>(number(1).asInt().value_or(0));
        grids_.resize(std::max(grids_.size(), at + 1));
        Grid &g = grids_[at];
        if (!isPart) {
            g.shape = list(2);
            g.group.ranks = productOf(g.shape);
            return;
        }
        const Grid &parent = grids_[static_cast<std::size_t>(number(2).asInt().value_or(0))];
        const std::vector<sym::Expr> kept = list(3);
        std::vector<sym::Expr> across;
        for (std::size_t d = 0; d < std::min(kept.size(), parent.shape.size()); ++d)
            (kept[d].isZero() ? across : g.shape).push_back(parent.shape[d]);
        const bool all = number(4).asInt().value_or(-1) < 0;
        g.group = {productOf(g.shape), all ? productOf(across) : SizeExpr(1)};
    }
    static sym::Expr expression(const LibraryArgument &a) { return a.value ? parsed(py::print(*a.value)) : sym::Expr(0); }

    const Grid *gridAt(const LibraryNode &n, const char *property) const {
        const json::Value *v = n.properties.find(property);
        const std::optional<int64_t> number = v ? v->asInt() : std::nullopt;
        return number && *number >= 0 && static_cast<std::size_t>(*number) < grids_.size()
                   ? &grids_[static_cast<std::size_t>(*number)]
                   : nullptr;
    }

    /// The number of bytes at a connector.
    static SizeExpr bytesAt(const LibraryNode &n, const char *connector, bool isInput) {
        Edge *e = isInput ? n.inEdge(Name(connector)) : n.outEdge(Name(connector));
        const auto subset = !e ? std::nullopt : isInput ? sourceSubset(e) : destinationSubset(e);
        const DataDesc *d = e ? n.state()->sdfg()->desc(e->memlet.data) : nullptr;
        if (!d || !subset)
            return 0;
        return SizeExpr(subset->numElements()) * SizeExpr(d->dtype.bytes().value_or(0));
    }
    static int64_t bytesEach(const LibraryNode &n) {
        const Edge *e = n.inEdge(Name("_inp_buffer"));
        const DataDesc *d = e ? n.state()->sdfg()->desc(e->memlet.data) : nullptr;
        return d ? d->dtype.bytes().value_or(0) : 0;
    }

    /// Are the counts of the node's parts, or the participating ranks, known only at run time?
    static bool dependsOnData(const LibraryNode &n) {
        return communicationOf(n)->parts == Parts::Counted || n.inEdge(Name("_comm")) || n.properties.contains("fcomm");
    }

    Traffic once(const LibraryNode &n) const {
        const Communication &call = *communicationOf(n);
        if (call.parts == Parts::Ranges)
            return ofRanges(n, call.messages);
        if (call.parts == Parts::Blocks)
            return ofBlocks(n, call.messages);
        const Grid *grid = gridAt(n, "grid");
        const Group &who = grid ? grid->group : world_;
        const SizeExpr in = bytesAt(n, "_inbuffer", true), out = bytesAt(n, "_outbuffer", false);
        if (call.parts == Parts::Counted)
            return ofCounts(call.messages, who, in, out);
        switch (call.messages) {
        case Messages::OneEach: {
            const SizeExpr bytes = bytesAt(n, "_buffer", true), all = who.groups * who.ranks;
            return {all, all * bytes, 1, bytes};
        }
        case Messages::FromRoot: // a scattering root's own buffer is the entire array
            return fromRoot(who, out);
        case Messages::ToRoot:
            return toRoot(who, in);
        case Messages::ThereAndBack:
            return thereAndBack(who, in);
        case Messages::ToAll:
            return toAll(who, in);
        case Messages::Exchange:
            return toAll(who, floorDiv(in, who.ranks));
        default:
            return {};
        }
    }

    /// Parts whose sizes are data: at most an entire buffer.
    static Traffic ofCounts(Messages kind, const Group &who, const SizeExpr &in, const SizeExpr &out) {
        const SizeExpr others = who.ranks - 1, messages = who.groups * others, any = min(others, 1);
        if (kind == Messages::FromRoot)
            return {messages, who.groups * in, others, in};
        if (kind == Messages::ToRoot)
            return {messages, who.groups * out, any, in};
        const SizeExpr all = messages * who.ranks;
        if (kind == Messages::ToAll)
            return {all, messages * out, others, others * in};
        return {all, who.groups * who.ranks * in, others, in};
    }

    /// Parts of ceil(whole / P) positions, and neighbouring elements. All ranks but one have a preceding part.
    Traffic ofRanges(const LibraryNode &n, Messages kind) const {
        const Edge *e = n.outEdge(Name("_outbuffer"));
        const auto subset = e ? destinationSubset(e) : std::nullopt;
        const json::Value *d = n.properties.find("dimension");
        const auto at = static_cast<std::size_t>(d ? d->asInt().value_or(0) : 0);
        if (!subset || at >= subset->rank())
            return {};
        const auto property = [&](const char *name) {
            const json::Value *v = n.properties.find(name);
            return SizeExpr(v ? parsed(v->text()) : sym::Expr(0));
        };
        sym::Expr elements = 1; // at one position
        for (std::size_t i = 0; i < subset->rank(); ++i)
            if (i != at)
                elements *= subset->dims[i].size();
        const SizeExpr ranks(ranks_),
            whole = property("whole"), each = ceilDiv(whole, ranks),
            slice = SizeExpr(elements) * SizeExpr(n.state()->sdfg()->desc(e->memlet.data)->dtype.bytes().value_or(0));
        if (kind == Messages::ToAll)
            return {ranks * (ranks - 1), (ranks - 1) * bytesAt(n, "_outbuffer", false), ranks - 1, (ranks - 1) * slice * each};
        const SizeExpr before = property("before"), after = property("after");
        const SizeExpr others = ranks - 1, neighbours = ceilDiv(before, each) + ceilDiv(after, each),
                       bytes = slice * (before + after);
        return {others * neighbours, others * bytes, neighbours, bytes};
    }

    Traffic ofBlocks(const LibraryNode &n, Messages kind) const {
        if (const std::optional<Blocks> from = Blocks::of(n, "from"), to = Blocks::of(n, "to");
            from && to && to->grid < grids_.size())
            return redistributed(*from, *to, grids_[to->grid], bytesEach(n));
        const bool scatters = kind == Messages::FromRoot;
        const std::optional<Blocks> blocks = Blocks::of(n, "subarray");
        const Grid *grid = gridAt(n, scatters ? "scatter_grid" : "gather_grid");
        if (!blocks || !grid)
            return {};
        Traffic out = dealtOut(*blocks, *grid, bytesEach(n), scatters);
        if (const Grid *second = gridAt(n, scatters ? "bcast_grid" : "reduce_grid"))
            return scatters ? both(out, fromRoot(second->group, bytesAt(n, "_out_buffer", false)))
                            : apart(out, toRoot(second->group, bytesAt(n, "_inp_buffer", true)));
        return out;
    }

    /// The total over all executions of the node.
    NodeTraffic all(const LibraryNode &n) const {
        NodeTraffic out;
        out.element = n.className() + " `" + n.label + "` (state " + n.state()->label + ")";
        out.traffic = once(n);
        const Communication &call = *communicationOf(n);
        out.mostIsBound = (call.parts == Parts::Blocks && call.messages == Messages::Exchange) ||
                          (call.parts == Parts::Ranges && call.messages == Messages::ToAll);
        out.atMost =
            call.messages == Messages::Neighbours || dependsOnData(n); // the first and last parts of an array have fewer neighbours
        if (call.messages == Messages::Uncounted) {
            out.uncounted = "is not counted: ScaLAPACK decides which messages it sends";
            return out;
        }
        const Node *at = &n;
        while (at) {
            const State &s = *at->state();
            for (const Node *scope : ScopeTree(s).enclosing(at))
                overScope(*scope, out);
            overControlFlow(s, out);
            const SDFG &g = *s.sdfg();
            at = g.parentNode;
            if (at)
                change(out, [&](const SizeExpr &e) { return outward(e, *g.parentNode); });
        }
        change(out, [&](const SizeExpr &e) { return substitute(e, {{Name(size), SizeExpr(ranks_)}}); });
        return out;
    }

    template <class F> static void change(NodeTraffic &n, const F &f) {
        Traffic &t = n.traffic;
        for (SizeExpr *e : {&t.messages, &t.bytes, &t.mostMessages, &t.mostBytes})
            *e = f(*e);
    }

    static SizeExpr outward(const SizeExpr &e, const NestedSDFGNode &n) {
        std::map<Name, SizeExpr> values;
        for (const auto &[inner, outer] : n.symbolMapping)
            values.emplace(inner, SizeExpr(outer));
        return substitute(e, values);
    }

    static sym::Assumptions factsIn(const SDFG &g) {
        sym::Assumptions out = factsOf(g);
        for (const Name n : freeSymbols(g))
            out[n].nonnegative = true;
        return out;
    }

    static void overScope(const Node &scope, NodeTraffic &out) {
        const auto *m = dyn_cast<MapEntry>(&scope);
        if (!m) {
            out.uncounted = "is counted once: it is inside a consume scope";
            return;
        }
        const sym::Assumptions facts = factsIn(*m->state()->sdfg());
        for (std::size_t d = m->params.size(); d-- > 0;) {
            const sym::Range &r = m->ranges[d];
            const LoopHeader dim{.variable = m->params[d], .first = r.begin, .step = r.step, .count = r.size()};
            change(out, [&](const SizeExpr &e) { return repeated(e, dim, facts); });
        }
    }

    /// Applies every region around a state, starting with the innermost.
    static void overControlFlow(const State &s, NodeTraffic &out) {
        const SDFG *g = s.sdfg();
        for (const Region *r = s.parent(); r; r = r->parent()) {
            change(out, [&](const SizeExpr &e) { return assigned(e, *g); });
            out.atMost = out.atMost || r->conditional() || mayPass(*r);
            if (r->kind() == BlockKind::Unstructured)
                out.uncounted = "is counted once: it is in unstructured control flow";
            if (const auto *l = dyn_cast<LoopRegion>(r))
                overLoop(*l, out);
            if (r == g)
                break;
        }
    }

    static void overLoop(const LoopRegion &l, NodeTraffic &out) {
        const sym::Assumptions facts = factsIn(*l.sdfg());
        const LoopHeader header = tripCountOf(l, facts);
        if (!header.counted()) {
            out.uncounted = "is counted once: loop " + l.label + " cannot be counted: " + std::string(text(header.why));
            return;
        }
        out.atMost = out.atMost || !header.exact;
        change(out, [&](const SizeExpr &e) { return repeated(e, header, facts); });
    }

    /// The sum of a formula over the iterations of a loop, or of a dimension of a map.
    static SizeExpr repeated(const SizeExpr &e, const LoopHeader &header, const sym::Assumptions &facts) {
        const std::vector<Name> names = e.names();
        if (std::find(names.begin(), names.end(), header.variable) == names.end())
            return e * SizeExpr(header.count);
        const Name k("__iteration");
        const SizeExpr value = SizeExpr(header.valueIn(sym::Expr::symbol(k)));
        return sumOver(k, 0, SizeExpr(header.count), substitute(e, {{header.variable, value}}), facts);
    }

    /// Replaces symbols that a single edge of an SDFG assigns, and that have no earlier value, with the assigned value.
    static SizeExpr assigned(const SizeExpr &e, const SDFG &g) {
        std::map<Name, std::vector<std::string>> texts;
        for (const Region *r : allRegions(g))
            for (const auto &edge : r->edges())
                for (const auto &[name, text] : edge->assignments)
                    texts[name].push_back(text);
        if (texts.empty())
            return e;
        for (const Name given : freeSymbols(g))
            texts.erase(given);
        SizeExpr out = e;
        for (std::size_t round = 0; round <= texts.size(); ++round) {
            std::map<Name, SizeExpr> values;
            for (const Name n : out.names())
                if (const auto at = texts.find(n); at != texts.end() && at->second.size() == 1)
                    if (const sym::ParseResult p = sym::parse(at->second.front()); p.expr && !p.expr->dependsOn(n))
                        values.emplace(n, SizeExpr(*p.expr));
            if (values.empty())
                break;
            out = substitute(out, values);
        }
        return out;
    }

    /// Can control leave the region early: by a jump in it or in a nested region, or by conditions on its edges?
    static bool mayPass(const Region &r) {
        const std::vector<const Block *> blocks = allBlocks(r);
        return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return isJump(b->kind()); }) ||
               std::any_of(r.edges().begin(), r.edges().end(), [](const auto &e) { return !e->isUnconditional(); });
    }

    sym::Expr ranks_;
    Group world_;
    std::vector<Grid> grids_;
    std::vector<NodeTraffic> out_;
};

} // namespace

std::vector<NodeTraffic> trafficOf(SDFG &root, Name ranks) { return MessageCollector(root, ranks).take(); }

} // namespace sdfgc::analysis
