#include "Transforms/Normalise/ConvertArguments.h"

#include "sdfgc/Analysis/Symbols/ArgumentTypes.h"

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// The single element that a scalar argument represents.
sym::Subset elementOf(const Memlet &m, const DataDesc &outer) {
    return sym::Subset::point((m.subset ? *m.subset : outer.fullSubset()).begins());
}

class Arguments {
public:
    Arguments(NestedSDFGNode &n, pass::Context &context) : n_(n), s_(*n.state()), g_(*s_.sdfg()), context_(context) {}

    bool run() {
        const std::vector<Edge *> in(n_.inEdges().begin(), n_.inEdges().end()), out(n_.outEdges().begin(), n_.outEdges().end());
        for (Edge *e : in)
            if (analysis::isConverted(*e, n_))
                convert(*e, e->dstConn);
        for (Edge *e : out)
            if (analysis::isConverted(*e, n_))
                convert(*e, e->srcConn);
        return !values_.empty();
    }

private:
    /// Inserts the argument's value between the node and the other end of an edge.
    void convert(Edge &e, Name argument) {
        const Name value = valueOf(argument);
        const bool isResult = e.src == &n_;
        auto *access = s_.add<AccessNode>(value);
        access->debugInfo = n_.debugInfo;
        Memlet moved = Memlet::simple(e.memlet.data, elementOf(e.memlet, *analysis::outerContainer(e, n_))),
               inside = element(value);
        moved.otherSubset = inside.subset;
        moved.allowOob = e.memlet.allowOob;
        moved.debugInfo = inside.debugInfo = e.memlet.debugInfo;
        if (isResult) {
            s_.connect(access, {}, e.dst, e.dstConn, std::move(moved));
            s_.connect(&n_, argument, access, {}, std::move(inside));
        } else {
            s_.connect(e.src, e.srcConn, access, {}, std::move(moved));
            s_.connect(access, {}, &n_, argument, std::move(inside));
        }
        s_.removeEdge(&e);
    }

    static Memlet element(Name value) { return Memlet::simple(value, sym::Subset::point(std::vector<sym::Expr>{0})); }

    Name valueOf(Name argument) {
        const auto known = values_.find(argument);
        if (known != values_.end())
            return known->second;
        DataDesc d = DataDesc::scalar(n_.sdfg->desc(argument)->dtype, true);
        d.storage = n_.sdfg->desc(argument)->storage;
        if (d.storage == Storage::Default)
            d.storage = Storage::Register;
        const Name value = g_.addTransient(argument.str() + "_value", std::move(d));
        context_.done(n_, "has a separate value for `" + argument.str() + "`");
        return values_[argument] = value;
    }

    NestedSDFGNode &n_;
    State &s_;
    SDFG &g_;
    pass::Context &context_;
    std::map<Name, Name> values_;
};

} // namespace

bool convertArguments(SDFG &g, pass::Context &context) {
    bool changed = false;
    for (State *s : allStates(g)) {
        bool here = false;
        for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(*s))
            here |= n->sdfg && Arguments(*n, context).run();
        if (here)
            s->renumber();
        changed |= here;
    }
    return changed;
}

} // namespace sdfgc::transforms
