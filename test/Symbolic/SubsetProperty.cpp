// Random subsets compared with enumerated sets of elements.
#include "Symbolic/Helpers.h"

#include <random>

using namespace sdfgc;
using namespace sdfgc::sym;

namespace {

using Binding = std::map<Name, int64_t>;
using Points = std::set<int64_t>;

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}
    int between(int lo, int hi) { return lo + static_cast<int>(random_() % static_cast<unsigned>(hi - lo + 1)); }

    /// `c0 + c1 * i + c2 * N`
    Expr affine(bool withI) {
        Expr e = between(-3, 6);
        if (withI)
            e = e + Expr(between(-2, 3)) * Expr::symbol("i");
        if (between(0, 2) == 0)
            e = e + Expr::symbol("N");
        return e;
    }

    Range range(bool withI) {
        Range r{affine(withI), 0};
        if (between(0, 2) == 0) {
            r.end = r.begin;
        } else {
            r.end = between(0, 1) ? r.begin + between(-1, 8) : affine(withI) + 4;
            static const int steps[] = {1, 1, 1, 2, 3, 4, -1, -2};
            r.step = steps[between(0, 7)];
            if (r.step.numerator() < 0)
                std::swap(r.begin, r.end);
            else if (between(0, 4) == 0)
                r.tile = r.step;
        }
        return r;
    }

private:
    std::mt19937 random_;
};

/// The elements of a range by definition: positions from begin by step up to end, each with `tile` elements.
Points points(const Range &r, const Binding &at) {
    int64_t begin = *evaluate(r.begin, at), end = *evaluate(r.end, at), step = *evaluate(r.step, at), tile = *evaluate(r.tile, at);
    Points result;
    for (int64_t p = begin; step > 0 ? p <= end : p >= end; p += step)
        for (int64_t t = 0; t < tile; ++t)
            result.insert(p + t);
    return result;
}

bool contains(const Points &a, const Points &b) { return std::includes(a.begin(), a.end(), b.begin(), b.end()); }

bool meet(const Points &a, const Points &b) {
    return std::any_of(a.begin(), a.end(), [&](int64_t p) { return b.count(p) != 0; });
}

std::string show(const Range &a, const Range &b) { return Subset{{a}}.str() + " and " + Subset{{b}}.str(); }

} // namespace

TEST_CASE("sizes count the elements", "[property]") {
    Generator g(3);
    for (int round = 0; round < 2000; ++round) {
        Range r = g.range(false);
        Binding at{{"N", g.between(0, 9)}};
        Points all = points(r, at);
        std::optional<int64_t> size = evaluate(r.size(), at);
        INFO(Subset{{r}}.str());
        REQUIRE(size);
        if (!all.empty()) // for an empty range, the formula may be negative
            CHECK(*size == static_cast<int64_t>(all.size()));
        else
            CHECK(*size <= 0);
    }
}

TEST_CASE("proven relations of subsets hold", "[property]") {
    Generator g(17);
    Assumptions facts;
    facts["N"].nonnegative = true;
    int decided = 0;
    for (int round = 0; round < 6000; ++round) {
        Range a = g.range(true), b = g.range(true);
        Truth covered = covers({{a}}, {{b}}, facts), shared = intersects({{a}}, {{b}}, facts);
        Range box = boundingBox({{a}}, {{b}}).dims[0];
        decided += (covered != Truth::Unknown) + (shared != Truth::Unknown);
        for (int k = 0; k < 6; ++k) {
            Binding at{{"N", g.between(0, 9)}, {"i", g.between(-5, 5)}};
            Points x = points(a, at), y = points(b, at);
            INFO(show(a, b) << ": covers " << covered << ", intersects " << shared << ", box " << Subset{{box}}.str());
            if (covered != Truth::Unknown && (covered == Truth::True) != contains(x, y))
                CHECK(false);
            if (shared != Truth::Unknown && (shared == Truth::True) != meet(x, y))
                CHECK(false);
            // The bounding box of nonempty ranges contains both.
            if (!x.empty() && !y.empty() && !(contains(points(box, at), x) && contains(points(box, at), y)))
                CHECK(false);
        }
    }
    CHECK(decided > 1500);
}

TEST_CASE("propagation contains the union of all iterations", "[property]") {
    Generator g(23);
    int exactCount = 0, total = 0;
    for (int round = 0; round < 4000; ++round) {
        Range moving = g.range(true), values = g.range(false);
        values.tile = 1;
        Range whole = propagate({{moving}}, "i", values, {}).dims[0];
        for (int k = 0; k < 4; ++k) {
            Binding at{{"N", g.between(0, 9)}};
            Points all;
            bool anyEmpty = false;
            for (int64_t i : points(values, at)) {
                at["i"] = i;
                Points some = points(moving, at);
                anyEmpty = anyEmpty || some.empty();
                all.insert(some.begin(), some.end());
            }
            at.erase("i");
            if (all.empty() || anyEmpty)
                continue;
            INFO(Subset{{moving}}.str() << " over i in " << Subset{{values}}.str() << " is " << Subset{{whole}}.str());
            Points found = points(whole, at);
            ++total;
            exactCount += found == all;
            if (!contains(found, all))
                CHECK(false);
        }
    }
    CHECK(exactCount * 2 > total);
}
