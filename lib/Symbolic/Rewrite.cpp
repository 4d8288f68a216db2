// Rewriting: every changed node is rebuilt by its simplifying constructor.
#include "Symbolic/Polynomial.h"

#include <unordered_map>

namespace sdfgc::sym {

Expr rebuilt(Expr e, const std::vector<Expr> &ops) {
    switch (e.kind()) {
    case SymbolicKind::Add: {
        SumBuilder sum;
        for (Expr term : ops)
            sum.add(term);
        return sum.finish();
    }
    case SymbolicKind::Mul: {
        ProductBuilder product;
        for (Expr factor : ops)
            product.multiply(factor);
        return product.finish();
    }
    case SymbolicKind::Pow:
        return pow(ops[0], ops[1]);
    case SymbolicKind::FloorDiv:
        return floorDiv(ops[0], ops[1]);
    case SymbolicKind::CeilDiv:
        return ceilDiv(ops[0], ops[1]);
    case SymbolicKind::Mod:
        return mod(ops[0], ops[1]);
    case SymbolicKind::Floor:
        return floor(ops[0]);
    case SymbolicKind::Ceil:
        return ceil(ops[0]);
    case SymbolicKind::Abs:
        return abs(ops[0]);
    case SymbolicKind::Min:
        return min(ops);
    case SymbolicKind::Max:
        return max(ops);
    case SymbolicKind::And:
        return logicalAnd(ops);
    case SymbolicKind::Or:
        return logicalOr(ops);
    case SymbolicKind::Not:
        return logicalNot(ops[0]);
    case SymbolicKind::Select:
        return select(ops[0], ops[1], ops[2]);
    case SymbolicKind::BitNot:
        return bitNot(ops[0]);
    case SymbolicKind::Cast:
        return cast(e.type(), ops[0]);
    case SymbolicKind::Attr:
        return attr(ops[0], e.name());
    case SymbolicKind::Subscript:
        return subscript(e.name(), ops);
    case SymbolicKind::Call:
        return call(e.name(), ops);
    case SymbolicKind::Approx:
        return approx(ops[0], ops[1]);
    case SymbolicKind::BitAnd:
    case SymbolicKind::BitOr:
    case SymbolicKind::BitXor:
    case SymbolicKind::Shl:
    case SymbolicKind::Shr:
        return bitwise(e.kind(), ops[0], ops[1]);
    default:
        return compare(e.kind(), ops[0], ops[1]); // only comparisons remain
    }
}

namespace {

/// Bottom-up: `visit` gets each original node and the same node with rewritten operands, which simplification may have turned into
/// anything. Shared nodes are rewritten once. The recursion is as deep as the expression, and makeNode bounds that depth.
template <class Skip, class Visit> class Rewriter {
public:
    Rewriter(Skip skip, Visit visit) : skip_(skip), visit_(visit) {}

    Expr operator()(Expr e) {
        if (skip_(e))
            return e;
        if (e.operands().empty())
            return visit_(e, e);
        if (auto known = done_.find(e); known != done_.end())
            return known->second;
        std::vector<Expr> ops;
        ops.reserve(e.operands().size());
        bool changed = false;
        for (Expr op : e.operands()) {
            ops.push_back((*this)(op));
            changed = changed || ops.back() != op;
        }
        Expr result = visit_(e, changed ? rebuilt(e, ops) : e);
        done_.emplace(e, result);
        return result;
    }

private:
    Skip skip_;
    Visit visit_;
    std::unordered_map<Expr, Expr> done_;
};

Expr chooseApprox(Expr e, std::size_t side) {
    auto skip = [](Expr x) { return !x.node()->has(HasApprox); };
    auto visit = [side](Expr, Expr x) { return x.kind() == SymbolicKind::Approx ? x.operands()[side] : x; };
    return Rewriter(skip, visit)(e);
}

/// The container of a Subscript (the first part of `s.x`) replaced by a symbol.
Expr renameContainer(Expr e, const std::map<Name, Expr> &replacements) {
    std::string_view whole = e.name().view();
    std::string_view root = whole.substr(0, whole.find('.'));
    auto at = replacements.find(Name(root));
    if (at == replacements.end() || !at->second.isSymbol())
        return e;
    std::span<const Expr> indices = e.operands();
    std::string renamed = at->second.name().str() + std::string(whole.substr(root.size()));
    return subscript(Name(renamed), {indices.begin(), indices.end()});
}

} // namespace

Expr substitute(Expr e, const std::map<Name, Expr> &replacements) {
    auto skip = [&](Expr x) {
        const std::vector<Name> &free = x.freeSymbols();
        if (free.size() <= replacements.size()) {
            for (Name n : free)
                if (replacements.count(n))
                    return false;
        } else {
            for (const auto &[name, value] : replacements)
                if (x.dependsOn(name))
                    return false;
        }
        return true;
    };
    // Only nodes that were symbols before are replaced, so nothing is replaced twice: floor(i / 2) with i = 2*i is i.
    auto visit = [&](Expr original, Expr x) {
        if (original.isSymbol()) {
            auto at = replacements.find(x.name());
            return at == replacements.end() ? x : at->second;
        }
        return original.kind() == SymbolicKind::Subscript ? renameContainer(x, replacements) : x;
    };
    return Rewriter(skip, visit)(e);
}

Expr exact(Expr e) { return chooseApprox(e, 0); }
Expr overApproximation(Expr e) { return chooseApprox(e, 1); }

Expr rewrite(Expr e, const std::function<Expr(Expr)> &f) {
    return Rewriter([](Expr) { return false; }, [&](Expr, Expr x) { return f(x); })(e);
}

} // namespace sdfgc::sym
