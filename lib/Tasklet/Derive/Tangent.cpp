// Forward mode: computes the tangent of each value, in the order of the steps. With zero tangents, the result shows what a block
// clears.
#include "Tasklet/Derive/Derivation.h"
#include "Tasklet/Derive/Simplify.h"
#include "Tasklet/Functions.h"

namespace sdfgc::py {

using namespace detail;

namespace {

class Tangent : Derivation {
public:
    Tangent(const std::vector<StmtRef> &block, const Signature &signature, bool zero = false)
        : Derivation(block, signature), zero_(zero) {}

    Derivative run() {
        const std::vector<DerivationStep> primal = builder_.top;
        forward(primal);
        std::set<Name> assigned, results;
        for (Name n : signature_.activeOutputs) {
            const auto it = straight_.values.find(n.str());
            const bool whole = it != straight_.values.end() && !straight_.partial.count(n);
            if (whole)
                put(gradientOf(n), builder_.converted(of(it->second), typeOfConnector(n)));
            if (whole || straight_.stored.count(n) || (it != straight_.values.end()))
                results.insert(n);
        }
        for (Name n : results)
            assigned.insert(signature_.gradient(n));
        Derivative d = finished(std::move(assigned));
        d.results = std::move(results);
        return d;
    }

private:
    bool zero_;
    std::map<Name, ExprRef> tangents_; // of values

    ExprRef of(const ExprRef &leaf) const {
        if (zero_ || !isActive(leaf))
            return intLit(0);
        const auto it = tangents_.find(leaf->name);
        return it != tangents_.end() ? it->second : signature_.activeInputs.count(leaf->name) ? gradientOf(leaf->name) : intLit(0);
    }

    void forward(const std::vector<DerivationStep> &steps) {
        for (const DerivationStep &s : steps) {
            if (s.kind == DerivationStep::Kind::Let)
                let(s);
            else if (s.kind == DerivationStep::Kind::Branch)
                branch(s);
            else if (s.kind == DerivationStep::Kind::Store)
                store(*s.target, s.value);
            else if (s.kind == DerivationStep::Kind::Define)
                define(s);
        }
    }

    void let(const DerivationStep &s) {
        if (zero_ || !straight_.active.count(s.name))
            return;
        if (s.value->kind == ExprKind::Subscript) {
            tangents_[s.name] = builder_.leaf(gradientOf(*s.value), "t_" + builder_.plainName(s.name));
            return;
        }
        if (s.value->kind == ExprKind::IfExp) {
            const ExprRef taken = builder_.converted(of(s.value->args[1]), builder_.typeOf(s.value));
            const ExprRef other = builder_.converted(of(s.value->args[2]), builder_.typeOf(s.value));
            tangents_[s.name] = builder_.leaf(choice(s.value->args[0], taken, other), "t_" + builder_.plainName(s.name));
            return;
        }
        ExprRef t = intLit(0);
        const Type type = builder_.typeOf(name(s.name));
        const bool infinite = canBeInfinite(*s.value, builder_);
        forEachOperand(s, [&](const ExprRef &operand, const ExprRef &partial) {
            const ExprRef along = of(operand);
            ExprRef term = product(partial, along);
            if (infinite && !isLiteral(*along) && !isLiteral(*partial)) // zero stays zero
                term = choice(compare(Op::Ne, along, intLit(0)), term, intLit(0));
            t = sum(t, builder_.converted(term, type));
        });
        tangents_[s.name] = builder_.leaf(t, "t_" + builder_.plainName(s.name));
    }

    void store(const Expr &target, const ExprRef &value) {
        const Name root = rootName(target);
        if (signature_.activeOutputs.count(root))
            put(gradientOf(target), builder_.converted(of(value), typeOfConnector(root)));
    }

    void define(const DerivationStep &s) {
        const ExprRef target = *parseExpr(s.name.view()).value;
        if (target->kind == ExprKind::Subscript)
            store(*target, s.value);
        else if (signature_.activeOutputs.count(s.name))
            put(gradientOf(s.name), builder_.converted(of(s.value), typeOfConnector(s.name)));
    }

    void branch(const DerivationStep &s) {
        DerivationStep twin;
        twin.kind = DerivationStep::Kind::Branch;
        twin.value = s.value;
        twin.thenScope = s.thenScope; // values computed under the same condition are still available
        twin.otherScope = s.otherScope;
        builder_.within(twin.then, twin.thenScope, [&] { forward(s.then); });
        builder_.within(twin.other, twin.otherScope, [&] { forward(s.other); });
        for (const Join &j : s.joins) {
            if (zero_ || !straight_.active.count(j.result))
                continue;
            const Name result = builder_.fresh("t_" + builder_.plainName(j.result));
            const Type t = builder_.typeOf(name(j.result));
            builder_.define(result, t);
            twin.joins.push_back({result, j.then ? of(j.then) : nullptr, j.other ? of(j.other) : nullptr});
            tangents_[j.result] = name(result, t);
        }
        builder_.push(std::move(twin));
    }
};

} // namespace

DerivativeOr tangentOf(const std::vector<StmtRef> &block, const Signature &signature) {
    try {
        return Tangent(block, signature).run();
    } catch (const Refusal &r) {
        return r.error;
    }
}

DerivativeOr clearingOf(const std::vector<StmtRef> &block, const Signature &signature) {
    try {
        return Tangent(block, signature, true).run();
    } catch (const Refusal &r) {
        return r.error;
    }
}

} // namespace sdfgc::py
