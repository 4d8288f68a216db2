// Random sizes: after building, closing and printing, their values are those of the term-by-term evaluation.
#include "Graphs.h"
#include "RandomNumbers.h"

#include "Analysis/Sizes/SizeBinders.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::SizeExpr;

namespace {

__extension__ using Wide = __int128;

enum class Op { Number, Name, Read, Add, Sub, Mul, Min, Max, FloorDiv, CeilDiv, Mod, Choose, Sum, Most };

/// A formula as written, term by term.
struct Term {
    Op op = Op::Number;
    int64_t number = 0;
    std::string name;             // Name, Read, Sum, Most
    sym::SymbolicKind relation{}; // Choose: first relation second ? third : fourth
    std::vector<Term> parts = {}; // Sum, Most: begin, end, body
};

/// Elements of infinite containers.
int64_t element(const std::string &name, int64_t at) {
    const auto mixed = static_cast<uint64_t>(at) * 2654435761u + static_cast<unsigned char>(name[0]) * 40503u;
    return static_cast<int64_t>(mixed >> 7) % 9 - 3;
}

class Maker {
public:
    Maker(RandomNumbers &r, std::vector<std::string> names, bool binders)
        : random_(r), names_(std::move(names)), binders_(binders) {}

    Term term(int depth) {
        if (depth == 0 || random_.oneIn(6))
            return leaf();
        switch (random_.below(binders_ ? 14 : 10)) {
        case 0:
        case 1:
            return of(Op::Add, 2, depth);
        case 2:
            return of(Op::Sub, 2, depth);
        case 3:
            return of(Op::Mul, 2, depth);
        case 4:
            return of(Op::Min, 2, depth);
        case 5:
        case 6:
            return of(Op::Max, 2, depth);
        case 7:
        case 8:
            return quotient(depth);
        case 9: {
            Term t = of(Op::Choose, 4, depth);
            t.relation =
                static_cast<sym::SymbolicKind>(static_cast<int>(sym::SymbolicKind::Lt) + static_cast<int>(random_.below(4)));
            return t;
        }
        case 10:
            return Term{.op = Op::Read, .name = random_.oneIn(2) ? "K" : "L", .parts = {term(depth - 1)}};
        default:
            return binder(depth);
        }
    }

private:
    Term leaf() {
        if (random_.oneIn(3))
            return {.op = Op::Number, .number = random_.between(-3, 4)};
        return {.op = Op::Name, .name = random_.pick(names_)};
    }
    Term of(Op op, std::size_t count, int depth) {
        Term t{.op = op};
        for (std::size_t k = 0; k < count; ++k)
            t.parts.push_back(term(depth - 1));
        return t;
    }
    Term quotient(int depth) {
        static const Op ops[] = {Op::FloorDiv, Op::CeilDiv, Op::Mod};
        const Term by =
            random_.oneIn(4) ? term(depth - 1) : Term{.op = Op::Number, .number = random_.oneIn(4) ? -2 : random_.between(1, 4)};
        return {.op = random_.pick(ops), .parts = {term(depth - 1), by}};
    }
    /// There are few names for variables, so that inner ones hide outer ones and symbols.
    Term binder(int depth) {
        static const char *variables[] = {"i", "j", "k"};
        Term t{.op = random_.oneIn(2) ? Op::Sum : Op::Most, .name = random_.pick(variables)};
        t.parts.push_back(random_.oneIn(2) ? Term{.op = Op::Number, .number = random_.between(-1, 1)}
                                           : term(depth - 2 < 0 ? 0 : depth - 2));
        t.parts.push_back(random_.oneIn(2) ? leaf() : term(depth - 2 < 0 ? 0 : depth - 2));
        const bool isNew = std::find(names_.begin(), names_.end(), t.name) == names_.end();
        if (isNew)
            names_.push_back(t.name);
        t.parts.push_back(term(depth - 1));
        if (isNew)
            names_.pop_back();
        return t;
    }

    RandomNumbers &random_;
    std::vector<std::string> names_;
    bool binders_;
};

SizeExpr built(const Term &t, const sym::Assumptions &facts) {
    std::vector<SizeExpr> p;
    for (const Term &part : t.parts)
        p.push_back(built(part, facts));
    switch (t.op) {
    case Op::Number:
        return t.number;
    case Op::Name:
        return sym::Expr::symbol(Name(t.name));
    case Op::Read:
        return sym::subscript(Name(t.name), {p[0].tree()});
    case Op::Add:
        return p[0] + p[1];
    case Op::Sub:
        return p[0] - p[1];
    case Op::Mul:
        return p[0] * p[1];
    case Op::Min:
        return analysis::min(p[0], p[1]);
    case Op::Max:
        return analysis::max(p[0], p[1]);
    case Op::FloorDiv:
        return analysis::floorDiv(p[0], p[1]);
    case Op::CeilDiv:
        return analysis::ceilDiv(p[0], p[1]);
    case Op::Mod:
        return sym::mod(p[0].tree(), p[1].tree());
    case Op::Choose:
        return sym::select(sym::compare(t.relation, p[0].tree(), p[1].tree()), p[2].tree(), p[3].tree());
    case Op::Sum:
        return analysis::sumOver(Name(t.name), p[0], p[1], p[2], facts);
    case Op::Most:
        return analysis::maxOver(Name(t.name), p[0], p[1], p[2], facts);
    }
    return {};
}

/// The value of a formula as written; empty if it has none or takes too long.
class Oracle {
public:
    explicit Oracle(const std::map<std::string, int64_t> &names) : names_(names.begin(), names.end()) {}

    std::optional<Wide> of(const Term &t) {
        if (t.op == Op::Sum || t.op == Op::Most)
            return binder(t);
        if (t.op == Op::Number)
            return t.number;
        if (t.op == Op::Name)
            return names_.at(t.name);
        const auto a = of(t.parts[0]);
        if (!a)
            return std::nullopt;
        if (t.op == Op::Read)
            return element(t.name, static_cast<int64_t>(*a));
        const auto b = of(t.parts[1]);
        if (!b)
            return std::nullopt;
        if (t.op == Op::Choose)
            return of(t.parts[holds(t.relation, *a, *b) ? 2 : 3]);
        return checked(arithmetic(t.op, *a, *b));
    }

private:
    static bool holds(sym::SymbolicKind relation, Wide a, Wide b) {
        return relation == sym::SymbolicKind::Lt   ? a < b
               : relation == sym::SymbolicKind::Le ? a <= b
               : relation == sym::SymbolicKind::Gt ? a > b
                                                   : a >= b;
    }
    static Wide floorOf(Wide a, Wide b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
    static std::optional<Wide> arithmetic(Op op, Wide a, Wide b) {
        const bool divides = op == Op::FloorDiv || op == Op::CeilDiv || op == Op::Mod;
        if (divides && b == 0)
            return std::nullopt;
        switch (op) {
        case Op::Add:
            return a + b;
        case Op::Sub:
            return a - b;
        case Op::Mul:
            return checked(a) && checked(b) && (a < limit && -limit < a && b < limit && -limit < b) ? std::optional(a * b)
                                                                                                    : std::nullopt;
        case Op::Min:
            return a < b ? a : b;
        case Op::Max:
            return a > b ? a : b;
        case Op::FloorDiv:
            return floorOf(a, b);
        case Op::CeilDiv:
            return -floorOf(-a, b);
        default:
            return a - b * floorOf(a, b);
        }
    }
    static constexpr Wide limit = Wide(1) << 63;
    static std::optional<Wide> checked(std::optional<Wide> v) {
        const Wide most = Wide(1) << 126;
        return v && *v < most && -most < *v ? v : std::nullopt;
    }
    std::optional<Wide> binder(const Term &t) {
        const auto begin = of(t.parts[0]), end = of(t.parts[1]);
        if (!begin || !end)
            return std::nullopt;
        const auto before = names_.find(t.name);
        const bool hides = before != names_.end();
        const Wide kept = hides ? before->second : 0;
        std::optional<Wide> result = 0;
        for (Wide v = *begin; result && v < *end; ++v) {
            if (--steps_ < 0)
                return std::nullopt;
            names_[t.name] = v;
            const auto x = of(t.parts[2]);
            result = !x ? std::nullopt : t.op == Op::Sum ? checked(*result + *x) : v == *begin || *x > *result ? x : result;
        }
        if (hides)
            names_[t.name] = kept;
        else
            names_.erase(t.name);
        return result;
    }

    std::map<std::string, Wide> names_;
    int steps_ = 20000;
};

analysis::SizeValues valuesOf(const std::map<std::string, int64_t> &names) {
    analysis::SizeValues v;
    for (const auto &[name, value] : names)
        v.symbols[Name(name)] = value;
    v.read = [](Name n, std::span<const int64_t> at) -> std::optional<int64_t> {
        return at.size() == 1 ? std::optional(element(n.str(), at[0])) : std::nullopt;
    };
    return v;
}

} // namespace

TEST_CASE("random sizes have the values that their terms have") {
    sym::Assumptions facts;
    facts[Name("N")].positive = true;
    facts[Name("M")].nonnegative = true;
    int compared = 0, withBinders = 0;
    for (uint64_t seed = 0; seed < 10000; ++seed) {
        RandomNumbers r(seed);
        const Term t = Maker(r, {"N", "M", "s", "i"}, true).term(5);
        const SizeExpr e = built(t, facts);
        INFO("seed " << seed << ": " << e.str());
        if (e.tree().isUndefined()) // a division by 0 that is written in the text
            continue;
        if (const auto p = analysis::unsupportedPart(e))
            FAIL(p->str());
        REQUIRE(SizeExpr(analysis::size::bindAll(expr(e.str()))) == e);
        withBinders += e.hasBinder();
        for (int k = 0; k < 4; ++k) {
            const std::map<std::string, int64_t> names{
                {"N", r.between(0, 6)}, {"M", r.between(0, 6)}, {"s", r.between(-4, 5)}, {"i", r.between(-4, 5)}};
            const auto expected = Oracle(names).of(t);
            if (!expected)
                continue;
            const auto got = analysis::evaluate(e, valuesOf(names));
            INFO(fmt::format("N={} M={} s={} i={}: {}", names.at("N"), names.at("M"), names.at("s"), names.at("i"),
                             got ? "" : got.error()));
            if (*expected < INT64_MIN || *expected > INT64_MAX) {
                REQUIRE(!got);
                continue;
            }
            REQUIRE(got);
            REQUIRE(*got == static_cast<int64_t>(*expected));
            ++compared;
        }
    }
    CHECK(compared > 30000);
    CHECK(withBinders > 1500);
}

TEST_CASE("random sizes at the ends of 64 bits are right or fail") {
    const int64_t most = INT64_MAX;
    const std::vector<int64_t> ends{most,       most - 1, -most, -most - 1, most / 2, most / 2 + 1, 1LL << 32, 3037000499,
                                    3037000500, -1,       0,     1,         3};
    int right = 0, failed = 0;
    for (uint64_t seed = 0; seed < 10000; ++seed) {
        RandomNumbers r(seed);
        const Term t = Maker(r, {"N", "M", "s"}, false).term(3);
        const SizeExpr e = built(t, {});
        const std::map<std::string, int64_t> names{{"N", r.pick(ends)}, {"M", r.pick(ends)}, {"s", r.pick(ends)}};
        const auto expected = Oracle(names).of(t);
        const auto got = analysis::evaluate(e, valuesOf(names));
        INFO("seed " << seed << ": " << e.str() << (got ? "" : ": " + got.error()));
        if (!got) {
            ++failed;
            continue;
        }
        if (!expected)
            continue;
        REQUIRE(*expected == static_cast<Wide>(*got));
        ++right;
    }
    CHECK(right > 5000);
    CHECK(failed > 500);
}

namespace {

/// Nested binders over a few values each, which begin anywhere: at symbols, outer variables or numbers, or at an offset from these.
/// Ends may be smaller than beginnings.
Term nest(RandomNumbers &r, int depth, std::vector<std::string> names) {
    if (depth == 0)
        return Maker(r, names, false).term(2);
    const auto from = [&r](const Term &t, int64_t least, int64_t most) {
        return Term{.op = Op::Add, .parts = {t, {.op = Op::Number, .number = r.between(least, most)}}};
    };
    const Term at = r.oneIn(4) ? Term{.op = Op::Number, .number = r.between(-3, 3)} : Term{.op = Op::Name, .name = r.pick(names)};
    Term t{.op = r.oneIn(2) ? Op::Sum : Op::Most, .name = std::string(1, static_cast<char>('a' + depth))};
    t.parts = {r.oneIn(2) ? at : from(at, -2, 2), r.oneIn(8) ? Term{.op = Op::Name, .name = r.pick(names)} : from(at, -3, 5)};
    names.push_back(t.name);
    t.parts.push_back(nest(r, depth - 1, std::move(names)));
    return t;
}

} // namespace

TEST_CASE("random sums and maxima, four deep, over ranges at the ends of 32 and 64 bits are right or fail") {
    const int64_t most = INT64_MAX;
    const std::vector<int64_t> ends{
        0,        1,    -1,       5, 1LL << 31, (1LL << 31) - 1, -(1LL << 31), 1LL << 32, -(1LL << 32), 1LL << 62, -(1LL << 62),
        most - 2, most, -most - 1};
    int right = 0, failed = 0, withBinders = 0;
    for (uint64_t seed = 0; seed < 10000; ++seed) {
        RandomNumbers r(seed);
        const Term t = nest(r, static_cast<int>(r.between(1, 4)), {"N", "M", "s"});
        const SizeExpr e = built(t, {});
        const std::map<std::string, int64_t> names{{"N", r.pick(ends)}, {"M", r.pick(ends)}, {"s", r.pick(ends)}};
        analysis::SizeValues values = valuesOf(names);
        values.steps = 20000;
        const auto expected = Oracle(names).of(t);
        const auto got = analysis::evaluate(e, values);
        INFO("seed " << seed << ": " << e.str() << (got ? "" : ": " + got.error()));
        withBinders += e.hasBinder();
        if (!got)
            ++failed;
        if (!got || !expected)
            continue;
        REQUIRE(*expected == static_cast<Wide>(*got));
        ++right;
    }
    CHECK(right > 5000);
    CHECK(failed > 500);
    CHECK(withBinders > 2000);
}
