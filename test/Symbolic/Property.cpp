// Random expressions compared with a naive exact evaluator that is independent of simplification. The seeds are fixed, so every run
// is the same.
#include "Symbolic/Exact.h"
#include "Symbolic/Helpers.h"

#include <random>

using namespace sdfgc;
using namespace sdfgc::sym;
using namespace sdfgc::exact;

namespace {

/// An expression as written: the operators with their operands, not simplified.
struct Tree {
    SymbolicKind kind;
    int64_t n = 0, d = 1; // Rational
    const char *name = nullptr;
    std::vector<Tree> ops;
};

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}
    int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    int between(int lo, int hi) { return lo + pick(hi - lo + 1); }

    Tree tree(int depth) {
        static const char *names[] = {"a", "b", "c"};
        if (depth == 0 || pick(8) == 0) {
            if (pick(3) == 0)
                return {SymbolicKind::Rational, between(-9, 9), pick(4) == 0 ? between(1, 4) : 1};
            return {.kind = SymbolicKind::Symbol, .name = names[pick(3)]};
        }
        static const SymbolicKind kinds[] = {SymbolicKind::Add,
                                             SymbolicKind::Add,
                                             SymbolicKind::Add,
                                             SymbolicKind::Mul,
                                             SymbolicKind::Mul,
                                             SymbolicKind::Mul,
                                             SymbolicKind::FloorDiv,
                                             SymbolicKind::CeilDiv,
                                             SymbolicKind::Mod,
                                             SymbolicKind::Floor,
                                             SymbolicKind::Ceil,
                                             SymbolicKind::Abs,
                                             SymbolicKind::Min,
                                             SymbolicKind::Max,
                                             SymbolicKind::Pow,
                                             SymbolicKind::Select,
                                             SymbolicKind::Rational /* quotient */,
                                             SymbolicKind::BitAnd,
                                             SymbolicKind::BitXor,
                                             SymbolicKind::Shr,
                                             SymbolicKind::Shl};
        Tree t{kinds[pick(std::size(kinds))]};
        switch (t.kind) {
        case SymbolicKind::Floor:
        case SymbolicKind::Ceil:
        case SymbolicKind::Abs:
            t.ops = {tree(depth - 1)};
            break;
        case SymbolicKind::Pow:
            t.ops = {tree(depth - 1), pick(3) ? Tree{SymbolicKind::Rational, between(-2, 3)} : tree(depth - 1)};
            break;
        case SymbolicKind::Shl:
        case SymbolicKind::Shr:
            t.ops = {tree(depth - 1), {SymbolicKind::Rational, between(0, 3)}};
            break;
        case SymbolicKind::Select:
            t.ops = {condition(depth - 1), tree(depth - 1), tree(depth - 1)};
            break;
        case SymbolicKind::Rational:
            t.d = 0;
            [[fallthrough]]; // a division, see evaluate and build
        default:
            t.ops = {tree(depth - 1),
                     pick(2) && (t.kind == SymbolicKind::FloorDiv || t.kind == SymbolicKind::Mod || t.kind == SymbolicKind::CeilDiv)
                         ? Tree{SymbolicKind::Rational, between(-2, 8)}
                         : tree(depth - 1)};
        }
        return t;
    }

    Tree condition(int depth) {
        static const SymbolicKind kinds[] = {SymbolicKind::Eq,  SymbolicKind::Ne, SymbolicKind::Lt,
                                             SymbolicKind::Le,  SymbolicKind::Gt, SymbolicKind::Ge,
                                             SymbolicKind::And, SymbolicKind::Or, SymbolicKind::Not};
        Tree t{kinds[pick(depth > 0 ? 9 : 6)]};
        if (t.kind == SymbolicKind::Not)
            t.ops = {condition(depth - 1)};
        else if (t.kind == SymbolicKind::And || t.kind == SymbolicKind::Or)
            t.ops = {condition(depth - 1), condition(depth - 1)};
        else
            t.ops = {tree(std::max(depth - 1, 0)), tree(std::max(depth - 1, 0))};
        return t;
    }

private:
    std::mt19937 random_;
};

using Binding = std::map<Name, int64_t>;

Value evaluateTree(const Tree &t, const Binding &at) {
    if (t.kind == SymbolicKind::Symbol)
        return Rational{at.at(t.name), 1};
    if (t.kind == SymbolicKind::Rational && t.ops.empty())
        return make(t.n, t.d);
    std::vector<Rational> v;
    for (const Tree &op : t.ops) {
        Value x = evaluateTree(op, at);
        if (!x)
            return std::nullopt;
        v.push_back(*x);
    }
    const bool tests = (t.kind >= SymbolicKind::Eq && t.kind <= SymbolicKind::Ge) || t.kind == SymbolicKind::And ||
                       t.kind == SymbolicKind::Or || t.kind == SymbolicKind::Not;
    if (tests)
        std::transform(v.begin(), v.end(), v.begin(), truncatedValue);
    switch (t.kind) {
    case SymbolicKind::Add:
        return add(v[0], v[1]);
    case SymbolicKind::Mul:
        return multiply(v[0], v[1]);
    case SymbolicKind::Rational:
        return divide(v[0], v[1]);
    case SymbolicKind::Pow:
        return isInteger(v[1]) && v[1].n < 8 && v[1].n > -8 ? power(v[0], static_cast<int64_t>(v[1].n)) : std::nullopt;
    case SymbolicKind::Floor:
        return floorOf(v[0]);
    case SymbolicKind::Ceil:
        return negate(floorOf(*negate(v[0])));
    case SymbolicKind::Abs:
        return v[0].n < 0 ? negate(v[0]) : v[0];
    case SymbolicKind::Min:
        return less(v[0], v[1]) ? v[0] : v[1];
    case SymbolicKind::Max:
        return less(v[0], v[1]) ? v[1] : v[0];
    case SymbolicKind::Select:
        return truncatedValue(v[0]).n ? v[1] : v[2];
    case SymbolicKind::Eq:
        return truth(!less(v[0], v[1]) && !less(v[1], v[0]));
    case SymbolicKind::Ne:
        return truth(less(v[0], v[1]) || less(v[1], v[0]));
    case SymbolicKind::Lt:
        return truth(less(v[0], v[1]));
    case SymbolicKind::Le:
        return truth(!less(v[1], v[0]));
    case SymbolicKind::Gt:
        return truth(less(v[1], v[0]));
    case SymbolicKind::Ge:
        return truth(!less(v[0], v[1]));
    case SymbolicKind::And:
        return truth(v[0].n && v[1].n);
    case SymbolicKind::Or:
        return truth(v[0].n || v[1].n);
    case SymbolicKind::Not:
        return truth(!v[0].n);
    case SymbolicKind::FloorDiv:
    case SymbolicKind::CeilDiv:
    case SymbolicKind::Mod: {
        Value q = divide(v[0], v[1]);
        if (!q)
            return std::nullopt;
        if (t.kind == SymbolicKind::CeilDiv)
            return negate(floorOf(*negate(*q)));
        if (t.kind == SymbolicKind::FloorDiv)
            return floorOf(*q);
        Value whole = multiply(v[1], floorOf(*q));
        return whole ? add(v[0], *negate(*whole)) : std::nullopt;
    }
    default:
        return integers(t.kind, v[0], v[1]);
    }
}

Expr build(const Tree &t) {
    std::vector<Expr> e;
    for (const Tree &op : t.ops)
        e.push_back(build(op));
    switch (t.kind) {
    case SymbolicKind::Symbol:
        return Expr::symbol(t.name);
    case SymbolicKind::Rational:
        return t.ops.empty() ? Expr::rational(t.n, t.d) : e[0] / e[1];
    case SymbolicKind::Add:
        return e[0] + e[1];
    case SymbolicKind::Mul:
        return e[0] * e[1];
    case SymbolicKind::Pow:
        return pow(e[0], e[1]);
    case SymbolicKind::Floor:
        return floor(e[0]);
    case SymbolicKind::Ceil:
        return ceil(e[0]);
    case SymbolicKind::Abs:
        return abs(e[0]);
    case SymbolicKind::Min:
        return min(e);
    case SymbolicKind::Max:
        return max(e);
    case SymbolicKind::Select:
        return select(e[0], e[1], e[2]);
    case SymbolicKind::And:
        return logicalAnd(e);
    case SymbolicKind::Or:
        return logicalOr(e);
    case SymbolicKind::Not:
        return logicalNot(e[0]);
    case SymbolicKind::FloorDiv:
        return floorDiv(e[0], e[1]);
    case SymbolicKind::CeilDiv:
        return ceilDiv(e[0], e[1]);
    case SymbolicKind::Mod:
        return mod(e[0], e[1]);
    case SymbolicKind::BitAnd:
    case SymbolicKind::BitXor:
    case SymbolicKind::Shl:
    case SymbolicKind::Shr:
        return bitwise(t.kind, e[0], e[1]);
    default:
        return compare(t.kind, e[0], e[1]);
    }
}

Binding randomBinding(Generator &g) { return {{"a", g.between(-7, 9)}, {"b", g.between(-7, 9)}, {"c", g.between(1, 9)}}; }

std::string show(const Binding &at) {
    std::string s;
    for (const auto &[name, v] : at)
        s += name.str() + "=" + std::to_string(v) + " ";
    return s;
}

/// If the tree has a value, the simplified expression must have the same value.
void requireSameValue(const Tree &t, Expr e, const Binding &at) {
    Value expected = evaluateTree(t, at);
    if (!expected)
        return;
    std::optional<int64_t> found = evaluate(e, at);
    INFO(e.str() << " at " << show(at));
    const auto wanted = static_cast<int64_t>(truncatedValue(*expected).n);
    if (found != wanted)
        CHECK(std::to_string(wanted) == (found ? std::to_string(*found) : "nothing"));
}

/// The value, if no quotient had to be truncated: then the value of a multiple is a multiple.
std::optional<int64_t> evaluateInteger(Expr e, const Binding &at) {
    constexpr int64_t multiple = int64_t(720720) * 720720; // a multiple of most denominators here
    std::optional<int64_t> value = evaluate(e, at), many = evaluate(e * multiple, at);
    return value && many && *many % multiple == 0 && *many / multiple == *value ? value : std::nullopt;
}

} // namespace

TEST_CASE("simplification keeps the value", "[property]") {
    Generator g(20240607);
    for (int round = 0; round < 6000; ++round) {
        Tree t = g.tree(g.between(1, 4));
        Expr e = build(t);
        if (e.overflowed())
            continue;
        for (int k = 0; k < 12; ++k)
            requireSameValue(t, e, randomBinding(g));
    }
}

TEST_CASE("printing and parsing are inverse", "[property]") {
    Generator g(11);
    for (int round = 0; round < 4000; ++round) {
        Expr e = build(g.tree(g.between(1, 4)));
        if (e.overflowed())
            continue;
        std::string dace = printDace(e, {}), people = e.str();
        if (P(dace) != e || P(people) != e) {
            INFO(dace);
            CHECK(P(dace) == e);
            CHECK(P(people) == e);
        }
    }
}

TEST_CASE("substitution commutes with evaluation", "[property]") {
    Generator g(7);
    int compared = 0;
    for (int round = 0; round < 3000; ++round) {
        Tree t = g.tree(3);
        Expr e = build(t), replacement = build(g.tree(2));
        Expr substituted = substitute(e, {{"a", replacement}});
        if (substituted.overflowed())
            continue;
        for (int k = 0; k < 5; ++k) {
            Binding at = randomBinding(g), inner = at;
            std::optional<int64_t> a = evaluateInteger(replacement, at); // substitution is exact
            if (!a || *a > 1000 || *a < -1000)
                continue;
            inner["a"] = *a;
            // The tree determines whether there is a value: a simplified form may have one where the written form divides by zero.
            if (!evaluateTree(t, inner))
                continue;
            std::optional<int64_t> expected = evaluate(e, inner), found = evaluate(substituted, at);
            ++compared;
            if (expected != found) {
                INFO(e.str() << " with a = " << replacement.str() << " is " << substituted.str() << " at " << show(at));
                CHECK(expected.value_or(-99999) == found.value_or(-99999));
            }
        }
    }
    CHECK(compared > 3000);
}

TEST_CASE("what is proven holds", "[property]") {
    Generator g(99);
    Assumptions facts;
    facts["a"].nonnegative = true;
    facts["b"].positive = true;
    int decided = 0;
    for (int round = 0; round < 4000; ++round) {
        Tree x = g.tree(g.between(0, 3)), y = g.tree(g.between(0, 3));
        Expr a = build(x), b = build(y);
        if (a.overflowed() || b.overflowed())
            continue;
        Truth lessThan = isLess(a, b, facts), lessEqual = isLessEqual(a, b, facts), equal = isEqual(a, b, facts);
        decided += (lessThan != Truth::Unknown) + (equal != Truth::Unknown);
        for (int k = 0; k < 15; ++k) {
            Binding at{{"a", g.between(0, 9)}, {"b", g.between(1, 9)}, {"c", g.between(-9, 9)}};
            Value v = evaluateTree(x, at), w = evaluateTree(y, at);
            if (!v || !w)
                continue;
            v = truncatedValue(*v);
            w = truncatedValue(*w);
            bool below = less(*v, *w), above = less(*w, *v);
            bool wrong = lessThan == (below ? Truth::False : Truth::True) || lessEqual == (above ? Truth::True : Truth::False) ||
                         equal == (below || above ? Truth::True : Truth::False);
            if (wrong) {
                INFO(a.str() << " against " << b.str() << " at " << show(at) << ": " << lessThan << " " << lessEqual << " "
                             << equal);
                CHECK_FALSE(wrong);
            }
        }
    }
    CHECK(decided > 800);
}

TEST_CASE("fractions have the value of the expression", "[property]") {
    Generator g(5);
    for (int round = 0; round < 3000; ++round) {
        Tree t = g.tree(g.between(1, 4));
        Expr e = build(t);
        auto [n, d] = asFraction(e);
        if (e.overflowed() || n.overflowed())
            continue;
        for (int k = 0; k < 5; ++k) {
            Binding at = randomBinding(g);
            Value expected = evaluateTree(t, at);
            std::optional<int64_t> above = evaluateInteger(n, at), below = evaluateInteger(d, at);
            if (!expected || !above || !below || *below == 0)
                continue;
            Value found = make(*above, *below);
            if (!found || found->n != expected->n || found->d != expected->d) {
                INFO(e.str() << " as (" << n.str() << ") / (" << d.str() << ") at " << show(at));
                CHECK(false);
            }
        }
    }
}

TEST_CASE("texts of random tokens are read or refused", "[property]") {
    static const char *tokens[] = {"$N", "M",    "A",  "1",    "2.5", "7i64",   "-",   "+",       "*",   "/",    "//", "%",
                                   "**", "(",    ")",  "(",    ")",   "[",      "]",   ",",       ".",   "<",    "==", "and",
                                   "or", "not ", "if", "else", "is ", "None",   "Min", "floor",   "Mod", "$s.x", "~",  "<<",
                                   "&",  "|",    "oo", "?",    "j",   "symbol", "f",   "SymExpr", " ",   "9e99", "$"};
    std::mt19937 random(4242);
    int read = 0;
    for (int round = 0; round < 60000; ++round) {
        std::string text;
        for (int k = 1 + static_cast<int>(random() % 9); k > 0; --k)
            text += std::string(tokens[random() % std::size(tokens)]) + (random() % 2 ? " " : "");
        ParseResult r = parse(text);
        if (!r.expr) {
            if (r.error.empty() || r.offset > text.size())
                FAIL(text);
            continue;
        }
        ++read;
        if (r.expr->overflowed())
            continue;
        std::string printed = printDace(*r.expr, {});
        if (P(printed) != *r.expr) {
            INFO(text << " is " << printed);
            CHECK(P(printed) == *r.expr);
        }
    }
    CHECK(read > 3000);
}
