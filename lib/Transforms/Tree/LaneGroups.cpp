#include "LaneGroups.h"

#include "sdfgc/Tree/Rebind.h"

namespace sdfgc::transforms {

using namespace tree;

using py::ExprKind;
using py::ExprRef;

namespace {

/// A visitor of rebind() that replaces variables by elements of arrays.
class LaneRenamer {
public:
    LaneRenamer(Function &f, const Lanes &lanes) : f_(f), lanes_(lanes) {}
    void var(VarId &) {}
    void sym(sym::Expr &) {}
    void slot(RefId &r) {
        if (const auto found = r ? lanes_.arrays.find(f_.vars[f_.refs[r].var].name) : lanes_.arrays.end();
            found != lanes_.arrays.end())
            r = elementOf(found->second, f_.refs[r].offset);
    }
    void expr(ExprRef &e) {
        if (e)
            e = py::replace(e, [this](const ExprRef &x) { return replacement(x); });
    }
    void stmt(py::StmtRef &s) {
        if (s)
            s = py::replace(std::vector{s}, [this](const ExprRef &x) { return replacement(x); }).at(0);
    }
    /// The element of a lane for an element of the variable.
    RefId elementOf(VarId array, sym::Expr offset) {
        MemRef m;
        m.var = array;
        m.offset = lanes_.count * offset + lanes_.number;
        return f_.refs.add(std::move(m));
    }

private:
    ExprRef replacement(const ExprRef &x) {
        const bool isName = x->kind == ExprKind::Name;
        if (!isName && x->kind != ExprKind::MemRef)
            return nullptr;
        const auto found = lanes_.arrays.find(isName ? x->name : f_.vars[f_.refs[refOf(*x)].var].name);
        if (found == lanes_.arrays.end())
            return nullptr;
        const sym::Expr offset = isName ? 0 : f_.refs[refOf(*x)].offset;
        return memRef(elementOf(found->second, offset), f_.vars[found->second].type);
    }

    Function &f_;
    const Lanes &lanes_;
};

class LaneGrouper {
public:
    LaneGrouper(Function &f, const LanePlan &plan, const Lanes &lanes) : f_(f), plan_(plan), lanes_(lanes), renamer_(f, lanes) {}

    std::vector<NodePtr> groups(Block &b) {
        std::vector<NodePtr> out, group;
        for (NodePtr &n : b.body)
            add(n, out, group);
        finish(out, group);
        return out;
    }

private:
    void add(NodePtr &n, std::vector<NodePtr> &out, std::vector<NodePtr> &group) {
        auto *d = dyn_cast<Declare>(n.get());
        const bool isUnrolled = plan_.unrolled.count(n.get()) != 0;
        Block *inner = isUnrolled                  ? nullptr
                       : n->kind == TreeKind::For  ? &static_cast<For &>(*n).body
                       : n->kind == TreeKind::Loop ? &static_cast<Loop &>(*n).body
                                                   : nullptr;
        if (inner) {
            finish(out, group);
            std::vector<NodePtr> inside = groups(*inner);
            inner->body = std::move(inside);
            counter(*n);
            out.push_back(std::move(n));
        } else if (d && plan_.counters.count(f_.vars[d->var].name)) {
            return; // the loops declare it
        } else if (const auto found = d ? lanes_.arrays.find(f_.vars[d->var].name) : lanes_.arrays.end();
                   found != lanes_.arrays.end()) {
            declare(*d, found->second, out, group);
        } else if (n->kind == TreeKind::Comment && group.empty()) {
            out.push_back(std::move(n));
        } else {
            unroll(*n);
            rebindAll(*n, renamer_);
            group.push_back(std::move(n));
        }
    }

    /// Ends a group. Comments at its end are about the statements after it.
    void finish(std::vector<NodePtr> &out, std::vector<NodePtr> &group) {
        std::vector<NodePtr> comments;
        for (; !group.empty() && group.back()->kind == TreeKind::Comment; group.pop_back())
            comments.push_back(std::move(group.back()));
        if (!group.empty())
            out.push_back(lanes_.loop(std::move(group)));
        group.clear();
        std::move(comments.rbegin(), comments.rend(), std::back_inserter(out));
    }

    void declare(Declare &d, VarId array, std::vector<NodePtr> &out, std::vector<NodePtr> &group) {
        auto whole = std::make_unique<Declare>(array);
        whole->comment = d.comment;
        whole->origin = d.origin;
        out.push_back(std::move(whole));
        if (!d.init)
            return;
        renamer_.expr(d.init);
        auto start = std::make_unique<Code>();
        start->origin = d.origin;
        start->stmts.push_back(py::assign(memRef(renamer_.elementOf(array, 0), f_.vars[array].type), d.init));
        group.push_back(std::move(start));
    }

    void unroll(Node &n) {
        if (const auto found = plan_.unrolled.find(&n); found != plan_.unrolled.end()) {
            auto *l = dyn_cast<For>(&n);
            auto *region = dyn_cast<Loop>(&n);
            (l ? l->unroll : region->unroll) = found->second > 1;
            (l ? l->unrollFactor : region->unrollFactor) = found->second > 1 ? found->second : 0;
            counter(n);
        }
        forEachBlock(n, [this](Block &b) {
            for (NodePtr &inner : b.body)
                unroll(*inner);
        });
    }

    /// Lets a loop declare its variable.
    void counter(Node &n) {
        auto *region = dyn_cast<Loop>(&n);
        if (!region || region->declares)
            return;
        const VarId old = plan_.counters.at(region->init->targets[0]->name);
        Variable v = f_.vars[old];
        v.comment.clear();
        region->declares = f_.vars.add(std::move(v));
        replaceVariable(f_, n, old, region->declares);
    }

    Function &f_;
    const LanePlan &plan_;
    const Lanes &lanes_;
    LaneRenamer renamer_;
};

} // namespace

std::map<Name, VarId> laneArrays(Function &f, NameScopes &names, const LanePlan &plan, int64_t count) {
    std::map<Name, VarId> arrays;
    for (const Name n : plan.expanded) {
        const Variable &one = f.vars[plan.variables.at(n)];
        Variable array;
        array.type = one.type;
        array.name = names.declare(Name(n.str() + "_lanes"));
        array.kind = VarKind::Stack;
        array.count = one.kind == VarKind::Stack ? count * one.count : sym::Expr(count);
        array.comment = one.comment;
        arrays.emplace(n, f.vars.add(std::move(array)));
    }
    return arrays;
}

std::vector<NodePtr> laneGroups(Function &f, Block &b, const LanePlan &plan, const Lanes &lanes) {
    return LaneGrouper(f, plan, lanes).groups(b);
}

} // namespace sdfgc::transforms
