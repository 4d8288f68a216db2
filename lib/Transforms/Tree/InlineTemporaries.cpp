// Moves sums and products with long names to their only use.
//
//     const double A_slice_plus_A_slice = A[i] + A[i + 1];                             B[i] = 0.5 * (A[i] + A[i + 1] + A[i + 2]);
//     const double A_slice_A_slice_plus_A_slice = A_slice_plus_A_slice + A[i + 2];  ->
//     B[i] = 0.5 * A_slice_A_slice_plus_A_slice;
//
// The front end names a value after the expression that it computes. When the array of such values is contracted, a
// constant with that name remains in each iteration.
//
// Legal when:
//   - the constant, all operands of its value and all operations have the same type: a floating-point type, or an
//     integer of at least 32 bits. Values that are narrower than the type in which C++ computes, or of mixed types, may
//     change if they are not stored;
//   - its value only adds, subtracts, multiplies or, for floating-point types, divides, and calls nothing;
//   - only other such constants are between the constant and its use, so no read moves past a write;
//   - the use is an operand of such operations, or is itself the value of a declaration, an assignment or a plain
//     update.
//
// C++ compilers see the same operations on the same values in the same order with -ffp-contract=fast or off, which
// ignore statement boundaries.
//
// Not handled: names shorter than `length` characters, which a person may have chosen; expressions that would have more
// than `operands` operands; blocks with labels.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

using py::ExprKind;
using py::ExprRef;
using py::Op;

bool isInlinedType(Type t) {
    if (!t.isScalar())
        return false;
    switch (t.scalar()) {
    case ScalarKind::Int32:
    case ScalarKind::Int64:
    case ScalarKind::UInt32:
    case ScalarKind::UInt64:
    case ScalarKind::Float32:
    case ScalarKind::Float64:
        return true;
    default:
        return false;
    }
}

/// Is it an operation that C++ performs unchanged, on operands of its type?
bool isArithmetic(const py::Expr &e) {
    if (e.kind == ExprKind::Unary)
        return e.op == Op::Neg;
    const bool divides = e.op == Op::TrueDiv || e.op == Op::CDiv;
    return e.kind == ExprKind::Binary &&
           (e.op == Op::Add || e.op == Op::Sub || e.op == Op::Mul || (divides && e.type.isScalar() && e.type.isFloat()));
}

int operandsOf(const py::Expr &e) {
    if (!isArithmetic(e))
        return 1;
    int count = 0;
    for (const ExprRef &a : e.args)
        count += operandsOf(*a);
    return count;
}

class Inliner {
public:
    Inliner(Function &f, int64_t length, int64_t operands) : f_(f), table_(f), length_(length), operands_(operands) {}

    /// Returns whether a constant was inlined.
    bool run() {
        block(f_.body);
        return changed_;
    }

private:
    void block(Block &b) {
        for (const NodePtr &n : b.body)
            forEachBlock(*n, [this](Block &inner) { block(inner); });
        if (hasLabel(b))
            return;
        for (std::size_t i = b.body.size(); i-- > 0;)
            if (isTemporary(*b.body[i]) && inlined(b, i)) {
                table_.forget(*b.body[i]);
                b.body.erase(b.body.begin() + static_cast<std::ptrdiff_t>(i));
            }
    }

    static bool isElement(const MemRef &r) { return !r.pop && !r.address && !r.castTo; }

    /// Does an index contain no calls?
    static bool isIndex(const ExprRef &e) {
        const bool isPlain = e->kind == ExprKind::Int || e->kind == ExprKind::Name || e->kind == ExprKind::MemRef ||
                             e->kind == ExprKind::Unary || e->kind == ExprKind::Binary;
        return isPlain && std::all_of(e->args.begin(), e->args.end(), isIndex);
    }

    /// Is it the value of the constant?
    bool isUse(const py::Expr &e, VarId v) const {
        if (e.kind == ExprKind::Name)
            return e.name == f_.vars[v].name;
        return e.kind == ExprKind::MemRef && f_.refs[refOf(e)].var == v && isElement(f_.refs[refOf(e)]) && e.args.empty();
    }

    /// Does an expression only have operations and operands of the given type?
    bool isPure(const py::Expr &e, Type t) const {
        switch (e.kind) {
        case ExprKind::Int:
        case ExprKind::Float:
        case ExprKind::Name:
            return e.type == t;
        case ExprKind::MemRef:
            return e.type == t && isElement(f_.refs[refOf(e)]) && std::all_of(e.args.begin(), e.args.end(), isIndex);
        default:
            return e.type == t && isArithmetic(e) &&
                   std::all_of(e.args.begin(), e.args.end(), [&](const ExprRef &a) { return isPure(*a, t); });
        }
    }

    bool isPureConstant(const Node &n) const {
        if (n.kind != TreeKind::Declare)
            return false;
        const auto &d = static_cast<const Declare &>(n);
        const Variable &v = f_.vars[d.var];
        return v.kind == VarKind::Value && v.isConst && d.init && isInlinedType(v.type) && isPure(*d.init, v.type);
    }

    bool isTemporary(const Node &n) const {
        if (!isPureConstant(n))
            return false;
        const auto &d = static_cast<const Declare &>(n);
        const std::string_view name = f_.vars[d.var].name.view();
        return isArithmetic(*d.init) && (static_cast<int64_t>(name.size()) >= length_ || name.starts_with("__"));
    }

    /// The value that a statement computes once, before any other effect; null if there is none.
    ExprRef valueOf(const Node &n) const {
        if (n.kind == TreeKind::Declare) {
            const auto &d = static_cast<const Declare &>(n);
            return f_.vars[d.var].kind == VarKind::Value ? d.init : nullptr;
        }
        if (n.kind == TreeKind::Update) {
            const auto &u = static_cast<const Update &>(n);
            return u.atomic || u.byBlock || u.lambda || u.old ? nullptr : u.value;
        }
        const py::Stmt *s = assignmentOf(n);
        return s ? s->value : nullptr;
    }

    static const py::Stmt *assignmentOf(const Node &n) {
        if (n.kind != TreeKind::Code)
            return nullptr;
        const auto &stmts = static_cast<const Code &>(n).stmts;
        const bool single = stmts.size() == 1 && stmts[0]->kind == py::StmtKind::Assign && stmts[0]->targets.size() == 1;
        return single && !stmts[0]->old ? stmts[0].get() : nullptr;
    }

    static void setValue(Node &n, const ExprRef &value) {
        if (n.kind == TreeKind::Declare) {
            static_cast<Declare &>(n).init = value;
        } else if (n.kind == TreeKind::Update) {
            static_cast<Update &>(n).value = value;
        } else {
            auto &stmts = static_cast<Code &>(n).stmts;
            auto copy = std::make_shared<py::Stmt>(*stmts[0]);
            copy->value = value;
            stmts = {std::move(copy)};
        }
    }

    /// Returns the expression with the constant replaced by its value, if the constant is an operand of arithmetic in
    /// its type, or the entire expression.
    ExprRef replaced(const ExprRef &e, const Declare &d) const {
        if (isUse(*e, d.var))
            return e->type == d.init->type ? d.init : e;
        if (!isArithmetic(*e) || e->type != d.init->type)
            return e;
        auto copy = std::make_shared<py::Expr>(*e);
        for (ExprRef &a : copy->args)
            a = replaced(a, d);
        return copy;
    }

    bool inlined(Block &b, std::size_t at) {
        const auto &d = static_cast<const Declare &>(*b.body[at]);
        const Name name = f_.vars[d.var].name;
        std::size_t user = at + 1;
        while (user < b.body.size() && isPureConstant(*b.body[user]) && !table_.of(*b.body[user]).has(name))
            ++user;
        if (user == b.body.size())
            return false;
        Node &n = *b.body[user];
        const ExprRef value = valueOf(n);
        if (!value || uses(value, d.var) != 1 || operandsOf(*value) + operandsOf(*d.init) - 1 > operands_ || hides(b, at, user))
            return false;
        for (std::size_t k = user + 1; k < b.body.size(); ++k)
            if (table_.of(*b.body[k]).has(name))
                return false;
        change(n, replaced(value, d));
        if (table_.of(n).has(name)) { // in an index, or in a position other than those listed above
            change(n, value);
            return false;
        }
        if (n.origin.empty())
            n.origin = d.origin;
        return changed_ = true;
    }

    /// Replaces the value of a statement. The effects of surrounding statements must not have been queried yet.
    void change(Node &n, const ExprRef &value) {
        setValue(n, value);
        table_.forget(n);
    }

    int uses(const ExprRef &e, VarId v) const {
        int count = 0;
        py::rewrite(e, [&](const ExprRef &x) {
            count += isUse(*x, v);
            return x;
        });
        return count;
    }

    /// Does a declaration in between have the name of an operand?
    bool hides(const Block &b, std::size_t at, std::size_t user) {
        const Effects &own = table_.of(*b.body[at]);
        for (std::size_t k = at + 1; k <= user; ++k)
            if (b.body[k]->kind == TreeKind::Declare && own.has(f_.vars[static_cast<const Declare &>(*b.body[k]).var].name))
                return true;
        return false;
    }

    Function &f_;
    EffectTable table_;
    const int64_t length_, operands_;
    bool changed_ = false;
};

class InlineTemporaries : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &) override {
        return Inliner(f, option<int64_t>("length"), option<int64_t>("operands")).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createInlineTemporaries() { return std::make_unique<InlineTemporaries>(); }

} // namespace sdfgc::transforms
