// Lowering of entire expressions and of statements.
#include "Tasklet/Lower.h"

namespace sdfgc::py {

using namespace detail;

namespace {

class BlockLowering {
public:
    BlockLowering(Semantics semantics, const NonNegative &nonNegative) : semantics_(semantics), lowering_(semantics, nonNegative) {}

    std::vector<StmtRef> block(const std::vector<StmtRef> &stmts) const {
        std::vector<StmtRef> out;
        for (const StmtRef &s : stmts)
            statement(s, out);
        return out;
    }

private:
    Semantics semantics_;
    Lowering lowering_;

    ExprRef lower(const ExprRef &e) const {
        return rewrite(e, [this](const ExprRef &n) { return lowering_.node(n); });
    }

    void statement(const StmtRef &s, std::vector<StmtRef> &out) const {
        Stmt copy = *mapExprs(s, [this](const ExprRef &e) { return lower(e); });
        copy.body = block(s->body);
        copy.orelse = block(s->orelse);
        switch (s->kind) {
        case StmtKind::If:
        case StmtKind::While:
        case StmtKind::Assert:
            copy.value = lowering_.truth(copy.value);
            break;
        case StmtKind::AugAssign:
            augmented(copy);
            break;
        case StmtKind::AnnAssign:
            if (copy.value && copy.type)
                copy.value = lowering_.node(castTo(copy.type, copy.value));
            break;
        case StmtKind::Assign:
            if (splitTuple(copy, out))
                return;
            if (copy.targets.size() == 1)
                copy.value = lowering_.forStore(copy.value, copy.targets[0]->type);
            break;
        default:
            break;
        }
        out.push_back(std::make_shared<const Stmt>(std::move(copy)));
    }

    // `x op= v` stays if C++ has the operator with this meaning; otherwise it becomes `x = lowered(x op v)`.
    void augmented(Stmt &s) const {
        const ExprRef target = s.targets[0];
        Expr whole = *binary(s.op, target, s.value);
        whole.at = s.at;
        const ExprRef typed = share(std::move(whole));
        const ExprRef lowered = lowering_.binary(withType(typed, binaryType(*typed, semantics_)));
        const bool isOperator = lowered->kind == ExprKind::Binary && lowered->args[0] == target && lowered->op != Op::MatMul;
        const Type left = valueOf(target->type), result = lowered->type;
        const bool narrows = (result.isComplex() && !(left == result)) || left.isVector() != result.isVector();
        if (isOperator && !narrows) {
            s.op = lowered->op;
            s.value = lowered->args[1];
            return;
        }
        s.kind = StmtKind::Assign;
        s.op = Op::Add;
        s.value = lowering_.forStore(lowered, target->type);
    }

    // Splits `x, y = a, b` into two assignments if the first does not change what the second reads.
    bool splitTuple(const Stmt &s, std::vector<StmtRef> &out) const {
        if (s.targets.size() != 1 || s.targets[0]->kind != ExprKind::Tuple || s.value->kind != ExprKind::Tuple)
            return false;
        const auto &targets = s.targets[0]->args, &values = s.value->args;
        if (targets.size() != values.size())
            return false;
        for (std::size_t k = 0; k < targets.size(); ++k)
            for (std::size_t later = k + 1; later < targets.size(); ++later)
                if (freeNames(*values[later]).count(rootName(*targets[k])) || targets[k]->kind != ExprKind::Name)
                    return false;
        for (std::size_t k = 0; k < targets.size(); ++k)
            out.push_back(assign(targets[k], lowering_.forStore(values[k], targets[k]->type)));
        return true;
    }
};

} // namespace

ExprRef lowerOperators(const ExprRef &e, Semantics s, const std::function<bool(const Expr &)> &nonNegative) {
    const Lowering lowering(s, nonNegative);
    return rewrite(e, [&](const ExprRef &n) { return lowering.node(n); });
}

std::vector<StmtRef> lowerOperators(const std::vector<StmtRef> &block, Semantics s,
                                    const std::function<bool(const Expr &)> &nonNegative) {
    return BlockLowering(s, nonNegative).block(block);
}

} // namespace sdfgc::py
