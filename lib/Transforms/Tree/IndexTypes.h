// The indices of a kernel: which variables they are, what bounds them, and how they get a type of their own (VersionIndices.cpp says
// what for).
#pragma once

#include "sdfgc/Symbolic/Magnitude.h"
#include "sdfgc/Tree/Effects.h"

#include <map>
#include <set>

namespace sdfgc::transforms {

/// Finds the indices of a kernel and bounds them; then gives them their type.
class IndexTypes {
public:
    /// Indices have 32 bits if neither they nor the threads of a launch, times the step between theirs, exceed this (IndexRange in
    /// gpu_program.h).
    static constexpr int64_t mostNarrow = int64_t(1) << 30;

    explicit IndexTypes(tree::Function &f)
        : f_(f), table_(f), inText_(table_.of(f.body).inText), magnitudes_([this](Name n) { return rangeOf(n); }) {}

    /// Without parameters that are not in `inSizes`, if given. Returns whether all indices are bounded.
    bool analyse(const std::set<Name> *inSizes);
    /// The names of variables in sizes.
    const std::set<Name> &inSizes() const { return inSizes_; }
    /// Returns whether anything is to be changed.
    bool isWorthwhile() const;
    /// Is the bound a number that 32 bits hold?
    bool alwaysFit() const { return magnitudes_.greatest().expr().isInteger(); }
    /// The greatest step between iterations of neighbouring threads.
    int64_t stride() const { return stride_; }
    /// Makes the changes. `index` is the name of their type.
    void apply(Name index);
    /// Gives the indices 32 bits in any case.
    void applyNarrow();

    // ---- the visitor of rebind
    void var(tree::VarId &) {}
    void sym(sym::Expr &e) { size(e); }
    void slot(tree::RefId &r) {
        if (r)
            reference(r, {});
    }
    void expr(py::ExprRef &e) {
        if (e)
            rewritten_.emplace_back(&e, isUpdateIndex(e) ? widenedIndex(e, f_.refs[update_->target]) : widenedInside(e));
    }
    void stmt(py::StmtRef &s) {
        if (s)
            statements_.emplace_back(&s, py::replace(std::vector{s}, [this](const py::ExprRef &e) { return widened(e); }).at(0));
    }

private:
    /// A variable in scope.
    struct Known {
        sym::SymbolRange range;
        bool isIndex = false; // its type becomes that of indices
    };

    void rewrite();
    std::optional<sym::SymbolRange> rangeOf(Name n);
    bool canBeIndex(tree::VarId v) const;
    void parameters(const std::set<Name> *inSizes);
    void know(tree::VarId v, const sym::SymbolRange &range, bool isIndex);
    void knowWide(tree::VarId v);

    void block(tree::Block &b);
    void statement(tree::Node &n);
    void loop(tree::For &f);
    bool countedLoop(tree::Loop &l);
    void declare(tree::Declare &d);
    std::optional<sym::SymbolRange> initialRange(const tree::Variable &v, const py::ExprRef &init);

    std::optional<sym::SymbolRange> size(sym::Expr e);
    void reference(tree::RefId r, const std::vector<py::ExprRef> &args);
    std::optional<sym::Expr> arithmetic(const py::Expr &e);
    template <class F> std::optional<sym::Expr> combined(const py::ExprRef &left, const py::ExprRef &right, F operation);
    py::ExprRef widened(const py::ExprRef &e);
    py::ExprRef widenedInside(const py::ExprRef &e) {
        return py::replace(e, [this](const py::ExprRef &inner) { return widened(inner); });
    }
    py::ExprRef widenedIndex(const py::ExprRef &e, const tree::MemRef &m);
    /// Is it an index of the update that is looked at?
    bool isUpdateIndex(const py::ExprRef &e) const {
        return update_ && !update_->targetIndices.empty() && &e >= &update_->targetIndices.front() &&
               &e <= &update_->targetIndices.back();
    }
    bool isIndex(const py::Expr &e) const;

    tree::Function &f_;
    tree::EffectTable table_;
    std::set<tree::VarId> referenced_;      // whose address or value references use
    const std::unordered_set<Name> inText_; // mentioned by C++ tasklets
    std::map<Name, Known> known_;
    std::set<Name> inSizes_;
    sym::Magnitudes magnitudes_;
    std::set<tree::VarId> indices_;
    std::vector<std::pair<py::ExprRef *, py::ExprRef>> rewritten_; // in place of an expression
    std::vector<std::pair<py::StmtRef *, py::StmtRef>> statements_;
    const tree::Update *update_ = nullptr;
    int64_t stride_ = 1;
    bool failed_ = false;
};

} // namespace sdfgc::transforms
