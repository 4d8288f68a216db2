// Maps: iterations run in lexicographic order, but only a sequential schedule guarantees it.
#include "../Plan.h"

namespace sdfgc::interpret {

namespace {

class MapStep final : public NodeStep {
public:
    MapStep(Planner &p, Scope &outer, const ir::MapEntry &m) : scope_(outer.graph, &outer), site_(p.site(m)) {
        dynamicRanges(p, outer, m);
        parallel_ = m.schedule != ir::Schedule::Sequential && m.schedule != ir::Schedule::Unrolled;
        for (std::size_t d = 0; d < m.params.size(); ++d) {
            Builder b = p.builder(scope_, p.symbolicDivision(), site_);
            Dimension one;
            one.begin = b.roundedDown(m.ranges[d].begin);
            // `j < n` is the range 0:n, whose last value n - 1 may overflow, for example if `n` is an element of an array.
            if (const auto by = m.ranges[d].step.asInt(); by && *by != 0)
                one.past = *by > 0 ? 1 : -1;
            one.end = b.roundedDown(m.ranges[d].end + one.past);
            one.step = b.integer(m.ranges[d].step);
            one.range = p.finish(b, ir::elementName(m));
            const Operand parameter{ScalarKind::Int64, p.machine.allocate(sizeof(int64_t))};
            one.parameter = &as<int64_t>(parameter.at);
            scope_.parameters[m.params[d]] = parameter; // later ranges may mention it
            dimensions_.push_back(std::move(one));
        }
        p.body(body_, outer.graph, scope_, *m.state(), &m);
    }

    void run(Machine &m) override {
        m.order.task();
        dynamic_.run(m);
        if (parallel_)
            m.order.enterMap();
        loop(0, m);
        if (parallel_)
            m.order.leave();
    }

private:
    struct Dimension {
        Code range;
        const int64_t *begin, *end, *step;
        int64_t *parameter;
        int64_t past = 0; // distance of `end` from the last value in the range
    };

    void dynamicRanges(Planner &p, Scope &outer, const ir::MapEntry &m) {
        Builder b = p.builder(outer, p.symbolicDivision(), site_);
        for (const ir::Edge *e : m.inEdges()) {
            if (e->memlet.isEmpty() || !ir::isDynamicRange(e->dstConn))
                continue;
            Container *c = Planner::containerAtSource(outer, *e);
            if (!c) {
                p.refuse(ir::elementName(m), "a range that is read from something other than a container");
                continue;
            }
            const auto subset = Planner::subsetAtSource(*e);
            const Access *x = p.access(b, *c, subset, p.site(m, &e->memlet));
            Operand value = b.load(x, c->type);
            if (c->type.isFloat())
                value = b.callFunction("floor", {value});
            const Operand kept = b.reserve(c->type.isInteger() || c->type.isFloat() ? Type(ScalarKind::Int64) : c->type);
            b.copy(kept, b.convert(value, kept.type));
            scope_.parameters[e->dstConn] = kept;
        }
        dynamic_ = p.finish(b, ir::elementName(m));
    }

    void loop(std::size_t d, Machine &m) {
        Dimension &x = dimensions_[d];
        x.range.run(m);
        const int64_t begin = *x.begin, end = *x.end, step = *x.step;
        if (step == 0) {
            m.report(FaultKind::ZeroStep, site_, "the step of a map is 0");
            return;
        }
        const bool innermost = d + 1 == dimensions_.size();
        const auto isInside = [&x, end, step](int64_t i) {
            return x.past != 0 ? (step > 0 ? i < end : i > end) : (step > 0 ? i <= end : i >= end);
        };
        for (int64_t i = begin; isInside(i) && m.goesOn(); i += step) {
            *x.parameter = i;
            if (!innermost) {
                loop(d + 1, m);
                continue;
            }
            if (parallel_)
                m.order.iteration();
            body_.run(m);
        }
    }

    Scope scope_;
    const Site *site_;
    bool parallel_;
    Code dynamic_;
    std::vector<Dimension> dimensions_;
    Body body_;
};

} // namespace

std::unique_ptr<NodeStep> Planner::map(Scope &scope, const ir::MapEntry &m) {
    if (m.schedule == ir::Schedule::MPI)
        refuse(ir::elementName(m), "maps over processes");
    if (m.schedule == ir::Schedule::GPU_Warp)
        refuse(ir::elementName(m), "maps over warps, which the pass resolve-thread-guards resolves");
    return std::make_unique<MapStep>(*this, scope, m);
}

} // namespace sdfgc::interpret
