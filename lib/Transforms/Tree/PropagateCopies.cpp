// Replaces constants that are copies of other constants.
//
//     const double dx = neg_x[i] + pos[j];           const double dx = neg_x[i] + pos[j];
//     const double dx_1 = dx;              becomes   const bool far = dx * dx > limit;
//     const bool far = dx_1 * dx_1 > limit;
//
// A single walk through the function: in each scope, a declaration that is a copy is replaced with its original in
// everything that follows. Parameters passed by value that the function never changes count as constants.
//
// Not handled: copies that are mentioned in verbatim C++ text.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

using py::ExprKind;
using py::ExprRef;

class Propagator {
public:
    explicit Propagator(Function &f) : f_(f) {}

    /// Returns whether there was a copy.
    bool run() {
        const Effects all = effectsOf(f_);
        for (const VarId p : f_.params)
            if (const Variable &v = f_.vars[p]; v.kind == VarKind::Value && !all.changes(v.name))
                constants_[v.name] = v.type;
        block(f_.body);
        return changed_;
    }

    void block(Block &b) {
        const auto outerConstants = constants_;
        const auto outerCopies = copies_;
        bool any = false;
        for (NodePtr &n : b.body) {
            if (n->kind != TreeKind::RawTasklet) // otherwise its own names shadow outer ones
                replaceIn(*n);
            if (n->kind == TreeKind::Declare)
                any |= declared(static_cast<const Declare &>(*n));
            forEachBlock(*n, [this](Block &inner) { block(inner); });
        }
        if (any)
            dropUnused(b);
        constants_ = outerConstants;
        copies_ = outerCopies;
    }

    // ---- visitor of rebind()
    void var(VarId &) {}
    void slot(RefId &s) {
        if (!s)
            return;
        MemRef &r = f_.refs[s];
        forEachSize(r, [this](sym::Expr &size) { sym(size); });
    }
    void sym(sym::Expr &e) {
        if (!symbols_.empty())
            e = sym::substitute(e, symbols_);
    }
    void expr(ExprRef &e) {
        if (e)
            e = py::rewrite(py::substitute(e, copies_), [this](const ExprRef &x) { return replaced(x); });
    }
    void stmt(py::StmtRef &s) {
        if (s)
            s = py::rewrite(py::substitute(std::vector<py::StmtRef>{s}, copies_), [this](const ExprRef &x) {
                    return replaced(x);
                }).front();
    }

private:
    using Copies = std::map<Name, ExprRef>;

    /// The name of the single variable that an expression is, or none.
    Name variableOf(const py::Expr &e) const {
        if (e.kind == ExprKind::Name)
            return e.name;
        if (e.kind != ExprKind::MemRef || !e.args.empty())
            return {};
        const MemRef &r = f_.refs[refOf(e)];
        const Variable &v = f_.vars[r.var];
        return v.kind == VarKind::Value && r.offset.isZero() && !r.address && !r.pop && !r.castTo ? v.name : Name();
    }

    /// For references; names are handled by py::substitute, which knows callees and parameters of lambdas.
    ExprRef replaced(const ExprRef &e) {
        if (e->kind != ExprKind::MemRef)
            return e;
        RefId s = refOf(*e);
        slot(s);
        const Name n = variableOf(*e);
        auto it = n ? copies_.find(n) : copies_.end();
        return it == copies_.end() ? e : it->second;
    }

    void replaceIn(Node &n) {
        if (copies_.empty())
            return;
        symbols_.clear();
        for (const auto &[from, to] : copies_)
            symbols_[from] = sym::Expr::symbol(variableOf(*to));
        rebind(n, *this);
    }

    /// Records a constant, and whether it is a copy of another one.
    bool declared(const Declare &d) {
        const Variable &v = f_.vars[d.var];
        copies_.erase(v.name);
        constants_.erase(v.name);
        if (!v.isConst || v.kind != VarKind::Value || !d.init)
            return false;
        constants_[v.name] = v.type;
        const Name origin = variableOf(*d.init);
        auto it = origin ? constants_.find(origin) : constants_.end();
        if (it == constants_.end() || it->second != v.type || !v.type.isScalar())
            return false;
        copies_[v.name] = d.init;
        changed_ = true;
        return true;
    }

    void dropUnused(Block &b) {
        EffectTable table(f_);
        std::unordered_set<Name> used;
        for (auto n = b.body.rbegin(); n != b.body.rend(); ++n) {
            if ((*n)->kind == TreeKind::Declare) {
                const Variable &v = f_.vars[static_cast<const Declare &>(**n).var];
                if (copies_.count(v.name) && !used.count(v.name)) {
                    n->reset();
                    continue;
                }
            }
            const Effects &mentions = table.of(**n);
            for (Name name : mentions.names)
                if (copies_.count(name))
                    used.insert(name);
        }
        std::erase_if(b.body, [](const NodePtr &n) { return !n; });
    }

    Function &f_;
    std::map<Name, Type> constants_; // of the surrounding scopes
    Copies copies_;                  // name to the constant that it copies
    std::map<Name, sym::Expr> symbols_;
    bool changed_ = false;
};

class PropagateCopies : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &) override { return Propagator(f).run(); }
};

} // namespace

std::unique_ptr<pass::Pass> createPropagateCopies() { return std::make_unique<PropagateCopies>(); }

} // namespace sdfgc::transforms
