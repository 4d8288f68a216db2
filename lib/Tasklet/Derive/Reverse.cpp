// Reverse mode: from the last step to the first, adds the contribution of each value to the gradients of its operands.
#include "Tasklet/Derive/Derivation.h"
#include "Tasklet/Derive/Simplify.h"
#include "Tasklet/Functions.h"

#include <utility>

namespace sdfgc::py {

using namespace detail;

namespace {

/// `g if condition else 0`, or the other way round.
struct Guard {
    ExprRef condition;
    bool taken;
};

class Reverse : Derivation {
public:
    using Derivation::Derivation;

    Derivative run() {
        for (const auto &[key, leaf] : straight_.values)
            seed(key, leaf);
        const std::vector<DerivationStep> forward = builder_.top;
        backward(forward);
        std::set<Name> assigned, results;
        for (Name n : signature_.activeInputs)
            if (const ExprRef g = take(n)) {
                const ExprRef gradient = gradientOf(n);
                put(gradient, builder_.converted(g, typeOfConnector(n)));
                assigned.insert(gradient->name);
                results.insert(n);
            }
        Derivative d = finished(std::move(assigned));
        d.results = std::move(results);
        d.results.insert(indexed_.begin(), indexed_.end());
        d.indexed = std::move(indexed_);
        return d;
    }

private:
    std::map<Name, ExprRef> gradients_;                // of values, as far as known
    std::map<Name, std::vector<ExprRef>> storedAfter_; // by output: elements stored by later steps
    std::set<Name> storedInBranch_;                    // outputs that later steps store under a condition
    std::map<Name, Guard> zeroUnless_;                 // gradients that are zero unless the condition holds
    std::set<Name> indexed_;

    void seed(const std::string &key, const ExprRef &leaf) {
        const std::size_t bracket = key.find('[');
        const Name output(key.substr(0, bracket));
        if (!signature_.activeOutputs.count(output) || !isActive(leaf))
            return;
        if (bracket == std::string::npos)
            add(leaf, gradientOf(output));
        else
            add(leaf, gradientOf(**parseExpr(key).value));
    }

    ExprRef take(Name n) {
        const auto it = gradients_.find(n);
        if (it == gradients_.end() || isZero(*it->second))
            return nullptr;
        const ExprRef g = it->second;
        gradients_.erase(it);
        return g;
    }

    void add(const ExprRef &leaf, const ExprRef &contribution) {
        if (isZero(*contribution))
            return;
        const ExprRef c = builder_.converted(contribution, builder_.typeOf(leaf));
        const auto [it, isFirst] = gradients_.try_emplace(leaf->name, c);
        if (!isFirst)
            it->second = sum(it->second, c);
    }

    void backward(const std::vector<DerivationStep> &steps) {
        for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
            if (it->kind == DerivationStep::Kind::Let)
                let(*it);
            else if (it->kind == DerivationStep::Kind::Branch)
                branch(*it);
            else if (it->kind == DerivationStep::Kind::Store)
                store(*it);
        }
    }

    // Products must not include gradients that a choice set to zero: `0 * nan` would propagate NaN.
    static ExprRef unguarded(ExprRef g, std::vector<Guard> &guards) {
        while (g->kind == ExprKind::IfExp && (isZero(*g->args[1]) || isZero(*g->args[2]))) {
            const bool taken = isZero(*g->args[2]);
            guards.push_back({g->args[0], taken});
            g = g->args[taken ? 1 : 2];
        }
        return g;
    }

    static ExprRef guarded(ExprRef g, const std::vector<Guard> &guards) {
        if (isZero(*g))
            return g;
        for (auto it = guards.rbegin(); it != guards.rend(); ++it)
            g = it->taken ? choice(it->condition, g, intLit(0)) : choice(it->condition, intLit(0), g);
        return g;
    }

    void let(const DerivationStep &s) {
        ExprRef g = straight_.active.count(s.name) ? take(s.name) : nullptr;
        if (!g)
            return;
        if (s.value->kind == ExprKind::Subscript)
            return load(s, g);
        std::vector<Guard> guards;
        g = unguarded(g, guards);
        const bool minus = g->kind == ExprKind::Unary && g->op == Op::Neg;
        g = builder_.leaf(minus ? g->args[0] : g, "d_" + builder_.plainName(s.name));
        std::vector<Guard> ofName;
        if (const auto it = g->kind == ExprKind::Name ? zeroUnless_.find(g->name) : zeroUnless_.end(); it != zeroUnless_.end())
            ofName.push_back(it->second);
        if (canBeInfinite(*s.value, builder_) && !isLiteral(*g)) // zero stays zero
            guards.push_back({compare(Op::Ne, g, intLit(0)), true});
        g = minus ? negated(g) : g;
        forEachOperand(s, [&](const ExprRef &operand, const ExprRef &partial) {
            const ExprRef c = product(partial, g);
            add(operand, guarded(isLiteral(*partial) ? c : guarded(c, ofName), guards));
        });
    }

    void load(const DerivationStep &s, const ExprRef &g) {
        const Name root = rootName(*s.value);
        if (s.value->args[0]->kind != ExprKind::Name || !signature_.pointers.count(root))
            refuseConstruct("`" + print(*s.value) + "`", s.at);
        indexed_.insert(root);
        put(gradientOf(*s.value), builder_.converted(g, typeOfConnector(root)));
    }

    static bool certainlyDiffer(const Expr &a, const Expr &b) {
        for (std::size_t k = 1; k < a.args.size() && k < b.args.size(); ++k) {
            const auto i = intValue(*a.args[k]), j = intValue(*b.args[k]);
            if (i && j && *i != *j)
                return true;
        }
        return false;
    }

    static ExprRef sameElement(const Expr &a, const Expr &b) {
        std::vector<ExprRef> tests;
        for (std::size_t k = 1; k < a.args.size() && k < b.args.size(); ++k)
            if (!equal(*a.args[k], *b.args[k]))
                tests.push_back(compare(Op::Eq, a.args[k], b.args[k]));
        return tests.empty() ? boolLit(true) : tests.size() == 1 ? tests[0] : boolOp(Op::And, tests);
    }

    // A later store to the same element overwrites this one, unless they add up.
    void store(const DerivationStep &s) {
        const bool stays = isActive(s.value) && signature_.activeOutputs.count(s.name);
        if (signature_.sums.count(s.name)) {
            if (stays)
                add(s.value, gradientOf(*s.target));
            return;
        }
        std::vector<ExprRef> &later = storedAfter_[s.name];
        if (stays) {
            if (storedInBranch_.count(s.name))
                refuseConstruct("a store to `" + s.name.str() + "` that a later one in a branch may overwrite", s.at);
            ExprRef g = gradientOf(*s.target);
            for (const ExprRef &other : later) {
                if (certainlyDiffer(*s.target, *other))
                    continue;
                const ExprRef same = sameElement(*s.target, *other);
                g = same->kind == ExprKind::Bool ? intLit(0) : choice(same, intLit(0), g);
            }
            add(s.value, g);
        }
        later.push_back(s.target);
    }

    using Gradients = std::map<Name, ExprRef>;

    void branch(const DerivationStep &s) {
        DerivationStep reversed;
        reversed.kind = DerivationStep::Kind::Branch;
        reversed.value = s.value;
        reversed.thenScope = s.thenScope; // values computed under the same condition are still available
        reversed.otherScope = s.otherScope;
        std::map<Name, ExprRef> joined;
        for (const Join &j : s.joins)
            if (const ExprRef g = straight_.active.count(j.result) ? take(j.result) : nullptr)
                joined[j.result] = builder_.leaf(g, "d_" + builder_.plainName(j.result));
        const auto before = std::exchange(gradients_, {});
        const auto storedBefore = storedAfter_;
        Gradients then, other;
        builder_.within(reversed.then, reversed.thenScope, [&] { then = side(s, s.then, joined, true); });
        const auto storedThen = std::exchange(storedAfter_, storedBefore);
        builder_.within(reversed.other, reversed.otherScope, [&] { other = side(s, s.other, joined, false); });
        for (const auto &[output, targets] : storedThen)
            if (targets.size() > (storedBefore.count(output) ? storedBefore.at(output).size() : 0))
                storedInBranch_.insert(output);
        for (const auto &[output, targets] : storedAfter_)
            if (targets.size() > (storedBefore.count(output) ? storedBefore.at(output).size() : 0))
                storedInBranch_.insert(output);
        storedAfter_ = storedBefore;
        gradients_ = before;
        joinGradients(reversed, then, other);
    }

    // Gradients that one side of a branch contributes to values from before the branch.
    Gradients side(const DerivationStep &s, const std::vector<DerivationStep> &steps, const std::map<Name, ExprRef> &joined,
                   bool then) {
        gradients_.clear();
        for (const Join &j : s.joins) {
            const ExprRef &leaf = then ? j.then : j.other;
            if (const auto g = joined.find(j.result); g != joined.end() && isActive(leaf))
                add(leaf, g->second);
        }
        backward(steps);
        Gradients out;
        for (const auto &[n, g] : gradients_)
            if (!isZero(*g))
                out[n] = builder_.leaf(g, "d_" + builder_.plainName(n));
        return out;
    }

    void joinGradients(DerivationStep &reversed, const Gradients &then, const Gradients &other) {
        Gradients joined;
        for (const Gradients *side : {&then, &other})
            for (const auto &[n, g] : *side) {
                if (joined.count(n))
                    continue;
                const auto a = then.find(n), b = other.find(n);
                const ExprRef inThen = a == then.end() ? intLit(0) : a->second, inOther = b == other.end() ? intLit(0) : b->second;
                const Name result = builder_.fresh("d_" + builder_.plainName(n));
                const Type t = builder_.typeOf(g);
                builder_.define(result, t);
                reversed.joins.push_back({result, inThen, inOther});
                if (isZero(*inThen) || isZero(*inOther))
                    zeroUnless_[result] = {reversed.value, isZero(*inOther)};
                joined[n] = name(result, t);
            }
        if (!reversed.then.empty() || !reversed.other.empty() || !reversed.joins.empty())
            builder_.push(std::move(reversed));
        for (const auto &[n, g] : joined)
            add(name(n, builder_.typeOf(name(n))), g);
    }
};

} // namespace

DerivativeOr reverseOf(const std::vector<StmtRef> &block, const Signature &signature) {
    try {
        return Reverse(block, signature).run();
    } catch (const Refusal &r) {
        return r.error;
    }
}

} // namespace sdfgc::py
