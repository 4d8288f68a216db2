// Reads library nodes as loops (sdfgc/Analysis/Indexing.h): a variable per loop, and the elements of each operand in
// one iteration.
//
//   MatMul   c[m, n] = sum over k of a[m, k] * b[k, n]          Reduce   out[kept] = f over the others of in[all]
#include "Transforms/Distribute/Plan.h"

#include "sdfgc/Analysis/Indexing.h"

#include <algorithm>

namespace sdfgc::transforms::distribution {

using namespace ir;

namespace {

class Description {
public:
    Description(const LibraryNode &n, const analysis::Indexing &indexing, Item &item) : n_(n), x_(indexing), item_(item) {}

    bool run() {
        const Edge *out = n_.outEdge(x_.result.connector);
        const auto isPlainFactor = [this](const analysis::IndexedOperand &o) { return isPlain(o); };
        if (!isPlain(x_.result) || !std::all_of(x_.factors.begin(), x_.factors.end(), isPlainFactor) ||
            (x_.addend && !isPlain(*x_.addend)) || (x_.how.isReduction && !out->memlet.wcr.empty()))
            return false;
        for (std::size_t k = 0; k < x_.labels.size(); ++k)
            item_.variables.push_back({variable(static_cast<int>(k)), {0, x_.labels[k].size - 1, 1, 1}, nullptr});
        if (x_.addend)
            item_.uses.push_back(use(*x_.addend));
        for (const analysis::IndexedOperand &f : x_.factors)
            item_.uses.push_back(use(f));
        item_.uses.push_back(result(*out));
        return true;
    }

private:
    Edge *edgeOf(const analysis::IndexedOperand &o) const { return o.written ? n_.outEdge(o.connector) : n_.inEdge(o.connector); }
    static const AccessNode *endOf(const Edge &e, bool writes) { return dyn_cast<AccessNode>(writes ? e.dst : e.src); }

    /// Is an operand in a container of the state, with step one along each dimension?
    bool isPlain(const analysis::IndexedOperand &o) const {
        const Edge &e = *edgeOf(o);
        const auto *a = endOf(e, o.written);
        const DataDesc *d = a ? n_.state()->sdfg()->desc(a->data) : nullptr;
        return d && d->rank() == o.subset.rank() && !e.memlet.otherSubset &&
               std::all_of(o.subset.dims.begin(), o.subset.dims.end(),
                           [](const sym::Range &r) { return r.step.isOne() && r.tile.isOne(); });
    }

    Name variable(int label) const { return Name("__l" + std::to_string(label) + "_of_" + n_.label); }

    Use use(const analysis::IndexedOperand &o) const {
        Use u;
        u.edge = edgeOf(o);
        u.data = endOf(*u.edge, o.written)->data;
        u.writes = o.written;
        u.subset = o.subset;
        for (std::size_t d = 0; d < o.labels.size(); ++d)
            if (o.labels[d] != analysis::Indexing::none) {
                sym::Range &r = u.subset.dims[d];
                r.begin = r.end = r.begin + sym::Expr::symbol(variable(o.labels[d]));
            }
        return u;
    }

    Use result(const Edge &out) const {
        Use u = use(x_.result);
        u.accumulates = x_.how.isReduction ? !x_.how.start : !out.memlet.wcr.empty();
        u.start = x_.how.start.value_or("");
        if (!x_.how.isReduction && (x_.addend || !x_.how.isBeta(0))) // the addend is added only once, so the sum stays on one rank
            return u;
        for (const int label : x_.combined())
            u.combined.insert(variable(label));
        u.wcr = u.combined.empty() ? "" : x_.how.function;
        return u;
    }

    const LibraryNode &n_;
    const analysis::Indexing &x_;
    Item &item_;
};

} // namespace

bool describe(LibraryNode &n, Item &item) {
    const analysis::Indexed x = analysis::indexingOf(n);
    return x && x->others.empty() && Description(n, *x, item).run();
}

} // namespace sdfgc::transforms::distribution
