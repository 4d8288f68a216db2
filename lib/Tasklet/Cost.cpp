#include "sdfgc/Tasklet/Cost.h"

#include "Tasklet/Functions.h"

#include <algorithm>
#include <array>

namespace sdfgc::py {
namespace {

constexpr int64_t division = 8, function = 32;
constexpr std::array<std::string_view, 11> simple{"abs",  "ceil", "conj", "copysign", "fabs", "floor",
                                                  "imag", "max",  "min",  "real",     "round"};

/// Adds up the costs that it sees; `known` becomes false at the first unknown cost.
class Counter {
public:
    void block(const std::vector<StmtRef> &statements) {
        for (const StmtRef &s : statements)
            statement(*s);
    }
    void statement(const Stmt &s) {
        switch (s.kind) {
        case StmtKind::While:
        case StmtKind::For:
        case StmtKind::Raw:
            known = false;
            return;
        case StmtKind::AugAssign:
            add(costOf(s.op));
            break;
        default:
            break;
        }
        for (const ExprRef &target : s.targets)
            expression(target);
        expression(s.value);
        if (s.kind == StmtKind::Assert)
            expression(s.extra);
        block(s.body);
        block(s.orelse);
    }

    Operations total;
    bool known = true;

private:
    void add(int64_t operations) {
        total.all += operations;
        total.inFunctions += operations == function ? function : 0;
    }
    static int64_t costOf(Op op) {
        switch (op) {
        case Op::TrueDiv:
        case Op::FloorDiv:
        case Op::IntFloor:
        case Op::Mod:
        case Op::CDiv:
        case Op::CMod:
            return division;
        case Op::Pow:
            return function;
        default:
            return 1;
        }
    }
    /// `x ** 2` is a product.
    static bool isSmallPower(const Expr &e) {
        return e.op == Op::Pow && e.args[1]->kind == ExprKind::Int && (e.args[1]->text == "2" || e.args[1]->text == "3");
    }
    /// The parser limits the depth of expressions.
    void expression(const ExprRef &e) {
        if (!e)
            return;
        switch (e->kind) {
        case ExprKind::Unary:
        case ExprKind::Binary:
            add(isSmallPower(*e) ? 1 : costOf(e->op));
            break;
        case ExprKind::BoolOp:
        case ExprKind::Compare:
            total.all += static_cast<int64_t>(e->args.size()) - 1;
            break;
        case ExprKind::IfExp:
            add(1);
            break;
        case ExprKind::Call:
            call(*e);
            break;
        case ExprKind::Raw:
            known = false;
            break;
        default:
            break;
        }
        for (const ExprRef &a : e->args)
            expression(a);
        for (const Keyword &k : e->keywords)
            expression(k.value);
    }
    /// The callee may be qualified: `math.sqrt`. Conversions (`dace.float64(x)`) are as cheap as an addition.
    void call(const Expr &e) {
        const Expr &callee = *e.args[0];
        const std::string_view name = callee.name.str();
        const detail::Function *f = detail::findFunction(name);
        if (f && f->header != detail::FunctionHeader::Stdio && f->header != detail::FunctionHeader::Omp)
            add(std::find(simple.begin(), simple.end(), name) != simple.end() ? 1 : function);
        else if (scalarTypeByName(name))
            add(1);
        else
            known = false;
    }
};

} // namespace

std::optional<Operations> countOperations(const std::vector<StmtRef> &block) {
    Counter c;
    c.block(block);
    return c.known ? std::optional(c.total) : std::nullopt;
}

std::optional<int64_t> operations(const std::vector<StmtRef> &block) {
    const auto count = countOperations(block);
    return count ? std::optional(count->all) : std::nullopt;
}

} // namespace sdfgc::py
