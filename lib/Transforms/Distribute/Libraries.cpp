// Reads library nodes as loops: which dimension of which operand belongs to which loop.
//
//   MatMul, Gemm   c[b, m, n] = sum over k of a[b, m, k] * b[b, k, n]          Reduce   out[kept] = f over the others of in[all]
//   Gemv, Dot      y[m] = sum over k of A[m, k] * x[k]
#include "Transforms/Distribute/Plan.h"

#include <algorithm>

namespace sdfgc::transforms::distribution {

using namespace ir;

namespace {

using Dims = std::vector<std::size_t>;

bool isNull(const json::Value *v) { return !v || v->isNull(); }

class Description {
public:
    Description(LibraryNode &n, Item &item) : n_(n), item_(item) {}

    bool product(Name a, Name b, Name c) {
        Edge *ea = n_.inEdge(a), *eb = n_.inEdge(b), *ec = n_.outEdge(c);
        if (!ea || !eb || !ec)
            return false;
        std::optional<Dims> da = all(ea, false), db = all(eb, false), dc = all(ec, true);
        if (!da || !db || !dc)
            return false;
        if (!fit(*da, *db, *dc)) { // operands may have dimensions of one element more
            da = notOne(ea, false), db = notOne(eb, false), dc = notOne(ec, true);
            if (!fit(*da, *db, *dc))
                return false;
        }
        const bool transA = flag("transA"), transB = flag("transB");
        if (transA && da->size() > 1)
            std::swap(da->end()[-1], da->end()[-2]);
        if (transB && db->size() > 1)
            std::swap(db->end()[-1], db->end()[-2]);
        name(ea, eb, ec, *da, *db, *dc);
        return true;
    }

    bool reduce() {
        if (n_.inEdges().size() != 1 || n_.outEdges().size() != 1)
            return false;
        Edge *in = n_.inEdges().front(), *out = n_.outEdges().front();
        const std::optional<Dims> from = all(in, false);
        const json::Value *axes = n_.properties.find("axes"), *identity = n_.properties.find("identity"),
                          *wcr = n_.properties.find("wcr");
        if (!from || isNull(wcr) || !out->memlet.wcr.empty() || !all(out, true))
            return false;
        item_.uses = {use(in, false), use(out, true)};
        Use &read = item_.uses[0], &write = item_.uses[1];
        write.wcr = wcr->text();
        write.accumulates = isNull(identity);
        write.start = isNull(identity) ? "" : identity->text();
        Dims kept;
        for (std::size_t d = 0; d < from->size(); ++d) {
            const Name v = variable("d" + std::to_string(d), read.subset.dims[d]);
            index(read, d, v);
            if (isReduced(axes, d, from->size()))
                write.combined.insert(v);
            else
                kept.push_back(d);
        }
        return keepDims(write, kept, from->size());
    }

private:
    bool flag(const char *property) const {
        const json::Value *v = n_.properties.find(property);
        return !isNull(v) && v->asBool();
    }
    static bool isReduced(const json::Value *axes, std::size_t d, std::size_t rank) {
        if (isNull(axes))
            return true;
        const auto dim = static_cast<int64_t>(d), all = static_cast<int64_t>(rank);
        return std::any_of(axes->items().begin(), axes->items().end(), [&](const json::Value &a) {
            const auto n = a.asInt();
            return n && (*n == dim || *n + all == dim);
        });
    }
    /// The dimensions of the result: all of them, those that are kept, or as many of more than one element.
    bool keepDims(Use &write, const Dims &kept, std::size_t rank) {
        Dims to;
        const std::size_t mine = write.subset.rank();
        if (mine == rank)
            to = kept;
        else if (mine == kept.size())
            for (std::size_t d = 0; d < mine; ++d)
                to.push_back(d);
        else
            to = write.subset.nonUnitDims();
        if (to.size() != kept.size())
            return false;
        for (std::size_t k = 0; k < kept.size(); ++k)
            index(write, to[k], item_.variables[kept[k]].name);
        return true;
    }

    const DataDesc *desc(const Edge *e, bool writes) const {
        const auto *a = dyn_cast<AccessNode>(writes ? e->dst : e->src);
        return a ? n_.state()->sdfg()->desc(a->data) : nullptr;
    }
    static std::optional<sym::Subset> subset(const Edge *e, bool writes) { return writes ? destinationSubset(e) : sourceSubset(e); }
    /// All dimensions of an operand, if its elements follow each other along each.
    std::optional<Dims> all(const Edge *e, bool writes) const {
        const DataDesc *d = desc(e, writes);
        const std::optional<sym::Subset> s = subset(e, writes);
        if (!d || !s || s->rank() != d->rank() || e->memlet.otherSubset)
            return std::nullopt;
        Dims out;
        for (std::size_t k = 0; k < s->rank(); ++k) {
            if (!s->dims[k].step.isOne() || !s->dims[k].tile.isOne())
                return std::nullopt;
            out.push_back(k);
        }
        return out;
    }
    static Dims notOne(const Edge *e, bool writes) { return subset(e, writes)->nonUnitDims(); }
    static bool fit(const Dims &a, const Dims &b, const Dims &c) {
        const std::size_t ra = a.size(), rb = b.size(), rc = c.size();
        if (ra >= 2 && rb >= 2)
            return rc == std::max(ra, rb);
        if (ra == 1 && rb == 1)
            return rc <= 1;
        return (ra == 2 && rb == 1 && rc == 1) || (ra == 1 && rb == 2 && rc == 1);
    }

    void name(Edge *ea, Edge *eb, Edge *ec, const Dims &a, const Dims &b, const Dims &c) {
        const auto sizeOf = [](const Edge *e, bool writes, std::size_t d) { return subset(e, writes)->dims[d]; };
        const Name k = variable("k", sizeOf(ea, false, a.back()));
        Use ua = use(ea, false), ub = use(eb, false), uc = use(ec, true);
        index(ua, a.back(), k);
        index(ub, b.size() > 1 ? b.end()[-2] : b.back(), k);
        const std::size_t batch = c.size() > 2 ? c.size() - 2 : 0;
        for (std::size_t i = 0; i < batch; ++i) {
            const Name v = variable("b" + std::to_string(i), sizeOf(ec, true, c[i]));
            index(uc, c[i], v);
            indexBatch(ua, a, batch - i, v);
            indexBatch(ub, b, batch - i, v);
        }
        if (a.size() > 1) {
            const Name m = variable("m", sizeOf(ea, false, a.end()[-2]));
            index(ua, a.end()[-2], m);
            index(uc, b.size() > 1 ? c.end()[-2] : c.back(), m);
        }
        if (b.size() > 1) {
            const Name n = variable("n", sizeOf(eb, false, b.back()));
            index(ub, b.back(), n);
            index(uc, c.back(), n);
        }
        uc.wcr = "lambda a, b: a + b";
        if (readAddends(uc, *subset(ec, true))) // what is added is added once: the sum stays on one rank
            uc.wcr.clear();
        else
            uc.combined.insert(k);
        uc.accumulates = !ec->memlet.wcr.empty();
        for (Use *u : {&ua, &ub, &uc})
            item_.uses.push_back(*u);
    }
    /// The `fromEnd`-th batch dimension of an operand that has it, if it is none of one element for all.
    static void indexBatch(Use &u, const Dims &dims, std::size_t fromEnd, Name v) {
        if (dims.size() < fromEnd + 2 || u.subset.dims[dims[dims.size() - 2 - fromEnd]].size().isOne())
            return;
        index(u, dims[dims.size() - 2 - fromEnd], v);
    }
    /// Other operands have the form of the result.
    bool readAddends(const Use &result, const sym::Subset &whole) {
        const json::Value *beta = n_.properties.find("beta");
        bool adds = false;
        for (Edge *e : n_.inEdges())
            if (!e->memlet.isEmpty() && (e->dstConn == Name("_cin") || n_.outEdge(e->dstConn))) {
                Use u = use(e, false);
                for (std::size_t d = 0; d < u.subset.rank() && d < result.subset.rank(); ++d)
                    if (!(result.subset.dims[d] == whole.dims[d])) {
                        const sym::Expr at = u.subset.dims[d].begin + result.subset.dims[d].begin - whole.dims[d].begin;
                        u.subset.dims[d] = {at, at, 1, 1};
                    }
                item_.uses.push_back(u);
                adds = true;
            }
        return adds || (!isNull(beta) && beta->asInt() != 0 && beta->text() != "0.0");
    }

    Name variable(const std::string &name, const sym::Range &along) {
        const Name v("__" + name + "_of_" + n_.label);
        item_.variables.push_back({v, {0, along.size() - 1, 1, 1}, nullptr});
        return v;
    }
    static void index(Use &u, std::size_t d, Name v) {
        sym::Range &r = u.subset.dims[d];
        const sym::Expr at = r.begin + sym::Expr::symbol(v);
        r = {at, at, 1, 1};
    }
    Use use(Edge *e, bool writes) const {
        Use u;
        u.edge = e;
        u.data = cast<AccessNode>(writes ? e->dst : e->src)->data;
        u.writes = writes;
        u.subset = *subset(e, writes);
        return u;
    }

    LibraryNode &n_;
    Item &item_;
};

} // namespace

bool describe(LibraryNode &n, Item &item) {
    const std::string c = n.className(), l = n.libraryName();
    Description d(n, item);
    if (c == "Reduce" && l == "standard")
        return d.reduce();
    if (c == "MatMul" || c == "Gemm" || c == "BatchedMatMul")
        return d.product("_a", "_b", "_c");
    if (c == "Gemv")
        return d.product("_A", "_x", "_y");
    return c == "Dot" && d.product("_x", "_y", "_result");
}

} // namespace sdfgc::transforms::distribution
