#include "sdfgc/Tree/Flow.h"

#include <algorithm>

namespace sdfgc::tree {

bool assignsWhole(const Function &f, const EffectTable &table, const py::StmtRef &s, Name n) {
    if (s->kind != py::StmtKind::Assign || s->targets.size() != 1 || table.inExpr(s->value).has(n))
        return false;
    const py::Expr &target = *s->targets[0];
    if (target.kind == py::ExprKind::Name)
        return target.name == n;
    if (target.kind != py::ExprKind::MemRef || !target.args.empty())
        return false;
    const MemRef &r = f.refs[refOf(target)];
    return f.vars[r.var].name == n && r.offset.isZero() && !r.castTo && !r.address && !r.pop;
}

bool startsLoop(const Function &f, const EffectTable &table, const Node &n, Name name) {
    if (n.kind != TreeKind::Loop)
        return false;
    const auto &l = static_cast<const Loop &>(n);
    return l.form != Loop::DoWhile && l.init && assignsWhole(f, table, l.init, name);
}

namespace {

class FlowAnalysis {
public:
    FlowAnalysis(const Function &f, EffectTable &table, Name n) : f_(f), table_(table), n_(n) {}

    Flow block(const Block &b) {
        Flow result = Flow::Maybe;
        for (const NodePtr &s : b.body) {
            if (s->kind == TreeKind::Label && table_.of(b).has(n_))
                return Flow::Read;
            if (result != Flow::Maybe || !table_.of(*s).has(n_))
                continue;
            result = statement(*s);
        }
        return result;
    }

private:
    Flow statement(Node &s) {
        switch (s.kind) {
        case TreeKind::Block:
            return block(static_cast<Block &>(s));
        case TreeKind::Measure:
            return block(static_cast<Measure &>(s).body);
        case TreeKind::GraphRegion:
            return block(static_cast<GraphRegion &>(s).body);
        case TreeKind::Code:
            return code(static_cast<Code &>(s));
        case TreeKind::If:
            return branches(static_cast<If &>(s));
        case TreeKind::For:
        case TreeKind::Loop:
            return loop(s);
        default:
            return Flow::Read;
        }
    }

    Flow code(const Code &c) {
        if (!c.locals.empty())
            return Flow::Read;
        auto mentions = [&](const py::StmtRef &s) {
            Code one;
            one.stmts = {s};
            return table_.own(one).has(n_);
        };
        auto first = std::find_if(c.stmts.begin(), c.stmts.end(), mentions);
        return first != c.stmts.end() && assignsWhole(f_, table_, *first, n_) ? Flow::Assigned : Flow::Read;
    }

    Flow branches(If &s) {
        if (table_.own(s).has(n_))
            return Flow::Read;
        bool all = !s.branches.empty() && !s.branches.back().condition;
        for (const If::Branch &b : s.branches) {
            const Flow inside = block(*b.body);
            if (inside == Flow::Read)
                return Flow::Read;
            all = all && inside == Flow::Assigned;
        }
        return all ? Flow::Assigned : Flow::Maybe;
    }

    /// The body may not run at all; when it runs again, it starts with the state after the previous iteration.
    Flow loop(Node &s) {
        if (startsLoop(f_, table_, s, n_))
            return Flow::Assigned;
        if (table_.own(s).has(n_))
            return Flow::Read;
        bool reads = false;
        forEachBlock(s, [&](Block &b) { reads = reads || block(b) == Flow::Read; });
        return reads ? Flow::Read : Flow::Maybe;
    }

    const Function &f_;
    EffectTable &table_;
    Name n_;
};

} // namespace

Flow valueFlow(const Function &f, EffectTable &table, const Block &b, Name n) { return FlowAnalysis(f, table, n).block(b); }

} // namespace sdfgc::tree
