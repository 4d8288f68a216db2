// The effects of statements on a function's variables, besides reading and writing their contents.
#pragma once

#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <map>
#include <set>

namespace sdfgc::transforms {

/// How often each variable is bound to memory, and which addresses are stored. Describes the function at construction.
class Bindings {
public:
    explicit Bindings(tree::Function &f) : f_(f) { block(f.body); }

    /// The number of times a variable is declared or bound to other memory.
    int timesAssigned(tree::VarId v) const {
        const auto found = assigned_.find(v);
        return found == assigned_.end() ? 0 : found->second;
    }
    /// Is the address of the variable's memory stored in a pointer that is declared or set?
    bool isKept(tree::VarId v) const { return kept_.count(v) != 0; }

    // ---- visitor of rebind()
    void var(tree::VarId &v) { ++assigned_[v]; }
    void slot(tree::RefId &) {}
    void sym(sym::Expr &) {}
    void expr(py::ExprRef &) {}
    void stmt(py::StmtRef &) {}

private:
    void block(tree::Block &b) {
        for (tree::NodePtr &n : b.body)
            node(*n);
    }
    void node(tree::Node &n) {
        tree::rebind(n, *this);
        if (const auto *d = dyn_cast<tree::Declare>(&n); d && d->target)
            kept_.insert(tree::rootOf(f_, f_.refs[d->target].var));
        if (const auto *set = dyn_cast<tree::SetPointer>(&n); set && set->source)
            kept_.insert(tree::rootOf(f_, f_.refs[set->source].var));
        if (auto *raw = dyn_cast<tree::RawTasklet>(&n))
            for (tree::NodePtr &after : raw->after)
                node(*after);
        tree::forEachBlock(n, [this](tree::Block &inner) { block(inner); });
    }

    tree::Function &f_;
    std::map<tree::VarId, int> assigned_;
    std::set<tree::VarId> kept_;
};

/// Does a statement start a team of threads, or share its work among one?
inline bool hasThreads(const tree::Node &n) {
    if (n.kind == tree::TreeKind::ParallelRegion || n.kind == tree::TreeKind::Sections || n.kind == tree::TreeKind::Consume)
        return true;
    return n.kind == tree::TreeKind::For && static_cast<const tree::For &>(n).omp;
}

} // namespace sdfgc::transforms
