// hoist-divisions: compute divisions of indices before the loops that do not change them.
//
//     for (i = 0; i < N; ++i)                                 for (i = 0; i < N; ++i) {
//         for (j = 0; j < M; ++j)                                 const int64_t row = floormod(i - 1, N);
//             v[M * i + j] = u[M * floormod(i - 1, N) + j];  ->   for (j = 0; j < M; ++j)
//                                                                     v[M * i + j] = u[M * row + j];
//                                                             }
//
// Python's division rounds down, and gives 0 for a divisor of zero. That takes branches, and compilers leave them in the loop:
// each access then divides, and the loop is not vectorised, because accesses do not walk along memory. A stencil on a torus whose
// inner loop computes no remainders of its own (peel-periodic) took 12 times as long.
//
// For every loop from the outside to the inside, the pass finds the divisions by symbols in the indices inside, and declares those
// that are the same in all iterations in front of the loop, in text order. So each goes as far out as possible. Statements beside
// the loop use the constant as well.
//
// Legal when:
//   - the loop neither changes nor declares a variable of the expression;
//   - all its variables are signed integers, and it only adds, multiplies, compares and divides. Such an expression has no effects;
//   - all divisors are positive, because loops around the declaration run: N is in a loop from 0 to N - 1. So the expression may be
//     computed even if the loop runs no iteration, or if a branch inside would not have reached it. A division by zero is an error
//     of a graph, which must not appear where the graph computes none.
// The same elements are accessed: class F0.
//
// Not handled: divisions by constants, which compilers hoist; divisions of C, which only have nonnegative operands; divisions in
// code and in data-dependent indices; loops of kernels; between loops that a team shares as one (`collapse`); blocks with labels,
// because a goto must not jump over a declaration.
#include "EachReference.h"
#include "FunctionNames.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/SymbolicToPython.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

using sym::SymbolicKind;

/// Replaces the offset of every reference in a statement and inside it with what `change` makes of it. Strides of data-dependent
/// indices stay.
template <class F> void changeOffsets(Function &f, Node &n, const F &change) {
    EachReference each([&](RefId &r) {
        const sym::Expr offset = change(f.refs[r].offset);
        if (offset == f.refs[r].offset)
            return;
        MemRef other = f.refs[r];
        other.offset = offset;
        r = f.refs.add(std::move(other));
    });
    rebindAll(n, each);
}

/// Do statements with these effects leave the variables of an expression as they are?
bool keeps(const Effects &effects, sym::Expr e) {
    const std::vector<Name> &symbols = e.freeSymbols();
    return std::none_of(symbols.begin(), symbols.end(),
                        [&](Name s) { return effects.changes(s) || effects.declared.count(s) != 0; });
}

bool isDivision(sym::Expr e) {
    return e.kind() == SymbolicKind::Mod || e.kind() == SymbolicKind::FloorDiv || e.kind() == SymbolicKind::CeilDiv;
}

constexpr std::size_t reach = 16; // statements before and after a loop that may share what is hoisted out of it

class DivisionHoister {
public:
    DivisionHoister(const Module &m, Function &f, pass::Context &context) : module_(m), f_(f), context_(context), table_(f) {}

    /// Returns whether anything changed.
    bool run() {
        block(f_.body, 0);
        return changed_;
    }

private:
    /// `collapsed`: loops that must stay perfectly nested in the one around the block.
    void block(Block &b, int collapsed) {
        const bool open = collapsed == 0 && !hasLabel(b);
        for (std::size_t k = 0; k < b.body.size(); ++k) {
            Node &n = *b.body[k];
            const For *loop = dyn_cast<For>(&n);
            if (open && (loop || n.kind == TreeKind::Loop))
                k = hoist(b, k);
            const int inside = loop && loop->omp ? loop->omp->collapse - 1 : std::max(collapsed - 1, 0);
            const bool counts = loop && !loop->descending && keepsItsRange(*loop);
            if (counts)
                running_.push_back(loop->end - loop->begin);
            forEachBlock(n, [&](Block &inner) { block(inner, inside); });
            if (counts)
                running_.pop_back();
        }
    }

    bool keepsItsRange(const For &loop);
    bool isPositive(sym::Expr e) const;
    bool isSignedInteger(Name n);
    bool isArithmetic(sym::Expr e);
    void collect(sym::Expr e, const Effects &loop, std::vector<sym::Expr> &out);
    std::pair<std::size_t, std::size_t> span(Block &b, std::size_t at, sym::Expr e);
    bool uses(Node &n, sym::Expr e);
    std::size_t hoist(Block &b, std::size_t at);
    VarId declare(sym::Expr e);

    const Module &module_;
    Function &f_;
    pass::Context &context_;
    EffectTable table_;
    std::optional<NameScopes> names_; // of the function, once one is needed
    std::vector<sym::Expr> running_;  // last minus first value of the loops around the block: at least zero
    std::map<Name, bool> integers_;   // are all variables of the name signed integers?
    bool changed_ = false;
};

/// Do the bounds of a loop have the same values in its body as before it?
bool DivisionHoister::keepsItsRange(const For &loop) {
    const Effects &effects = table_.of(loop);
    return keeps(effects, loop.begin) && keeps(effects, loop.end);
}

/// Is a divisor positive, because an iteration of a loop around it runs?
bool DivisionHoister::isPositive(sym::Expr e) const {
    return std::any_of(running_.begin(), running_.end(), [&](sym::Expr r) { return (e - 1 - r).asInt().value_or(-1) >= 0; });
}

bool DivisionHoister::isSignedInteger(Name n) {
    if (integers_.empty())
        for (const Variable &v : f_.vars) {
            const bool is = v.kind == VarKind::Value && v.type.isScalar() && v.type.isSigned();
            const auto [entry, isNew] = integers_.emplace(v.name, is);
            entry->second = entry->second && is;
        }
    const auto found = integers_.find(n);
    return found != integers_.end() && found->second;
}

/// Can the expression be computed at any time, whatever the values of its variables?
bool DivisionHoister::isArithmetic(sym::Expr e) {
    switch (e.kind()) {
    case SymbolicKind::Integer:
        return true;
    case SymbolicKind::Symbol:
        return isSignedInteger(e.name());
    case SymbolicKind::Add:
    case SymbolicKind::Mul:
    case SymbolicKind::Min:
    case SymbolicKind::Max:
        return std::all_of(e.operands().begin(), e.operands().end(), [this](sym::Expr o) { return isArithmetic(o); });
    case SymbolicKind::Mod:
    case SymbolicKind::FloorDiv:
    case SymbolicKind::CeilDiv:
        return (e.operands()[1].asInt().value_or(0) > 0 || isPositive(e.operands()[1])) &&
               std::all_of(e.operands().begin(), e.operands().end(), [this](sym::Expr o) { return isArithmetic(o); });
    default:
        return false;
    }
}

/// Adds the largest divisions that can be hoisted out of a loop with these effects.
void DivisionHoister::collect(sym::Expr e, const Effects &loop, std::vector<sym::Expr> &out) {
    if (isDivision(e) && keeps(loop, e) && isPositive(e.operands()[1]) && isArithmetic(e)) {
        if (std::find(out.begin(), out.end(), e) == out.end())
            out.push_back(e);
        return;
    }
    for (const sym::Expr o : e.operands())
        collect(o, loop, out);
}

VarId DivisionHoister::declare(sym::Expr e) {
    if (!names_)
        names_.emplace(namesOf(module_, f_, table_.of(f_.body)));
    const std::vector<Name> &divided = e.operands()[0].freeSymbols(), &all = e.freeSymbols();
    const std::string stem = divided.size() == 1 ? divided.front().str() + "_" : all.size() == 1 ? all.front().str() + "_" : "";
    Variable v;
    v.type = Type(ScalarKind::Int64);
    v.name = names_->declare(Name(stem + (e.kind() == SymbolicKind::Mod ? "remainder" : "quotient")));
    v.isConst = true;
    return f_.vars.add(std::move(v));
}

/// The statements around one of a block, within reach, in which the variables of an expression keep their values: from the first to
/// the last that uses the expression.
std::pair<std::size_t, std::size_t> DivisionHoister::span(Block &b, std::size_t at, sym::Expr e) {
    std::size_t first = at, last = at;
    for (std::size_t k = at; k-- > 0 && at - k <= reach && keeps(table_.of(*b.body[k]), e);)
        first = uses(*b.body[k], e) ? k : first;
    for (std::size_t k = at + 1; k < b.body.size() && k - at <= reach && keeps(table_.of(*b.body[k]), e); ++k)
        last = uses(*b.body[k], e) ? k : last;
    return {first, last};
}

bool DivisionHoister::uses(Node &n, sym::Expr e) {
    bool found = false;
    changeOffsets(f_, n, [&](sym::Expr offset) {
        sym::rewrite(offset, [&](sym::Expr inner) {
            found = found || inner == e;
            return inner;
        });
        return offset;
    });
    return found;
}

/// Hoists what the loop at a place of the block does not change; returns the place of the loop afterwards.
std::size_t DivisionHoister::hoist(Block &b, std::size_t at) {
    Node &loop = *b.body[at];
    std::vector<sym::Expr> found;
    const Effects &effects = table_.of(loop);
    changeOffsets(f_, loop, [&](sym::Expr offset) {
        collect(offset, effects, found);
        return offset;
    });
    if (found.empty() || !context_.mayChange(context_.loop(f_, loop), "computes " + std::to_string(found.size()) +
                                                                          (found.size() == 1 ? " division" : " divisions") +
                                                                          " of indices once, in front of it"))
        return at;
    for (const sym::Expr e : found) {
        const auto [first, last] = span(b, at, e);
        auto declaration = std::make_unique<Declare>(declare(e));
        declaration->origin = b.body[first]->origin;
        declaration->init =
            py::lowerOperators(pythonOf(e, [](Name n) { return py::name(n, ScalarKind::Int64); }), py::Semantics::Symbolic);
        const sym::Expr value = sym::Expr::symbol(f_.vars[declaration->var].name);
        for (std::size_t k = first; k <= last; ++k)
            changeOffsets(f_, *b.body[k], [&](sym::Expr offset) {
                return sym::rewrite(offset, [&](sym::Expr inner) { return inner == e ? value : inner; });
            });
        b.body.insert(b.body.begin() + static_cast<std::ptrdiff_t>(first), std::move(declaration));
        ++at;
    }
    changed_ = true;
    return at;
}

class HoistDivisions : public pass::FunctionPass {
    bool run(Function &f, const Module &m, pass::Context &context) override {
        return !f.kernel && !f.device && DivisionHoister(m, f, context).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createHoistDivisions() { return std::make_unique<HoistDivisions>(); }

} // namespace sdfgc::transforms
