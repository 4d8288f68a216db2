#include "Symbolic/Helpers.h"

using namespace sdfgc;
using namespace sdfgc::sym;

namespace {
const Expr N = Expr::symbol("N"), M = Expr::symbol("M"), i = Expr::symbol("i");
constexpr Truth yes = Truth::True, no = Truth::False, open = Truth::Unknown;
const std::vector<Expr> shape{N, M};
const Subset whole = Subset::full(shape);
} // namespace

TEST_CASE("sizes of ranges", "[subset]") {
    auto size = [](const char *text) { return S(text).dims[0].size(); };
    CHECK(size("0:N") == N);
    CHECK(size("1:N - 1") == N - 2);
    CHECK(size("i") == Expr(1));
    CHECK(size("0:N:2") == floorDiv(N + 1, 2));
    CHECK(size("0:N:4:4") == 4 * floorDiv(N + 3, 4));
    CHECK(size("0:10:3") == Expr(4));
    CHECK(size("9:-1:-1") == Expr(10));
    CHECK(size("9:-1:-2") == Expr(5));
    CHECK(size("0:N:M") == ceilDiv(N, M));
    CHECK(S("0:N:4:4").dims[0].steps() == floorDiv(N + 3, 4));
    CHECK(S("i:i + 1:1:4").dims[0].size() == Expr(4));
    CHECK(S("0:0").dims[0].size() == Expr(0));
}

TEST_CASE("basic properties", "[subset]") {
    CHECK(Subset::full(shape) == S("0:N, 0:M"));
    CHECK(Subset::point(std::vector<Expr>{i, N}) == S("i, N"));
    CHECK(Subset().isOneElement());
    CHECK(Subset().numElements() == Expr(1));
    CHECK(S("i, 3").isOneElement());
    CHECK_FALSE(S("0:N").isOneElement());
    CHECK(S("0:N, 2:M, i").numElements() == N * (M - 2));
    CHECK(S("0:N, i, 5:6, 0:M").nonUnitDims() == std::vector<std::size_t>{0, 3});
    CHECK(S("0:N, i").begins() == std::vector<Expr>{0, i});
    CHECK(S("0:N, i").sizes() == std::vector<Expr>{N, 1});
    CHECK(S("0:N, i:i + 4:M").freeSymbols() == std::set<Name>{"M", "N", "i"});
    CHECK(S("0:N, i").substituted({{"i", N}, {"N", Expr(4)}}) == S("0:4, N"));
    CHECK(S("0:N, i").offsetBy(std::vector<Expr>{1, -i}) == S("1:N + 1, 0"));
    CHECK(S("0:N").dims[0].isPoint() == false);
    CHECK(S("i:i + 1:1:4").dims[0].isPoint() == false);
}

TEST_CASE("text of subsets", "[subset]") {
    for (const char *text : {"0:N, i, 2:M:2", "0:N:4:4", "9:-1:-1", "i + 1", ""})
        CHECK(S(text).str() == text);
}

TEST_CASE("covers", "[subset]") {
    auto covered = [](const char *a, const char *b, const Assumptions &facts = {}) { return covers(S(a), S(b), facts); };
    CHECK(covered("0:N", "0:N") == yes);
    CHECK(covered("0:N, 0:M", "1:N - 1, 0:M") == yes);
    CHECK(covered("1:N - 1", "0:N", positive({"N"})) == no);
    CHECK(covered("1:N - 1", "0:N") == open); // 0:N may be empty
    CHECK(covered("0:N", "i") == open);
    CHECK(covered("0:N", "min(max(i, 0), N - 1)") == open); // N may be 0
    CHECK(covered("0:N", "min(max(i, 0), N - 1)", positive({"N"})) == yes);
    CHECK(covered("0:10", "3:7") == yes);
    CHECK(covered("0:10", "3:11") == no);
    CHECK(covered("0:10", "-1") == no);
    CHECK(covered("0:10:2", "4") == yes);
    CHECK(covered("0:10:2", "5") == open);
    CHECK(covered("0:20:2", "4:12:4") == yes);
    CHECK(covered("0:20:2", "4:12:3") == open);
    CHECK(covered("0:20:2", "4:12") == open);
    CHECK(covered("0:10", "9:-1:-1") == yes);
    CHECK(covered("9:-1:-1", "0:10") == yes);
    CHECK(covered("0:16:4:4", "3:9") == yes);
    CHECK(covered("0:20", "0:16:4:4") == yes);
    CHECK(covered("0:15", "0:16:4:4") == no);
    CHECK(covered("0:N", "0:0") == yes);
    CHECK(covered("0:10, 0:10", "3, 12:12") == yes); // nothing to cover
    CHECK(covered("0:N, 0:N", "0:N") == open);
    CHECK(covered("32*i:32*i + 32", "32*i + 5") == yes);
    CHECK(covered("0:N", "0:4*(N // 4)") == yes);
}

TEST_CASE("intersects", "[subset]") {
    auto meet = [](const char *a, const char *b, const Assumptions &facts = {}) { return intersects(S(a), S(b), facts); };
    CHECK(meet("0:5", "5:10") == no);
    CHECK(meet("0:6", "5:10") == yes);
    CHECK(meet("i", "i + 1") == no);
    CHECK(meet("i", "i") == yes);
    CHECK(meet("i", "N") == open);
    CHECK(meet("0:N", "N:M") == no);
    CHECK(meet("0:N", "0:N") == open); // may be empty
    CHECK(meet("0:N", "0:N", positive({"N"})) == yes);
    CHECK(meet("0:N:2", "1:N:2") == no);
    CHECK(meet("0:N:2", "2*i + 1") == no);
    CHECK(meet("0:10:2", "4") == open);
    CHECK(meet("0:5, i", "3:7, i + 1") == no);
    CHECK(meet("0:5, i", "3:7, i") == yes);
    CHECK(meet("0:5, i", "3:7, N") == open);
    CHECK(meet("0:8:4:4", "7") == yes);
    CHECK(meet("0:8:4:4", "8") == no);
    CHECK(meet("0", "0:0") == no);
    CHECK(meet("0:5", "0:5, 0:5") == open);
}

TEST_CASE("bounding boxes", "[subset]") {
    CHECK(boundingBox(S("0:5"), S("3:9")) == S("0:9"));
    CHECK(boundingBox(S("0:N, i"), S("0:N, i + 2")) == S("0:N, i:i + 3"));
    CHECK(boundingBox(S("0:10:2"), S("4:20:2")) == S("0:20:2"));
    CHECK(boundingBox(S("0:10:2"), S("1:9:2")) == S("0:10"));
    CHECK(boundingBox(S("0:N"), S("0:M")) == S("0:max(N, M)"));
    CHECK(boundingBox(S("5:-1:-1"), S("3")) == S("0:6"));
    CHECK(boundingBox(S("0:8:4:4"), S("9")) == S("0:10"));
}

TEST_CASE("propagation of affine subsets is exact", "[subset]") {
    Range all = S("0:N").dims[0];
    auto over = [&](const char *subset, const Range &range, const Assumptions &facts = {}) {
        return propagate(S(subset), "i", range, whole, facts);
    };
    CHECK(over("i", all) == S("0:N"));
    CHECK(over("i + 1", all) == S("1:N + 1"));
    CHECK(over("i, 0:M", all) == S("0:N, 0:M"));
    CHECK(over("0:M", all) == S("0:M"));
    CHECK(over("N - 1 - i", all) == S("0:N"));
    CHECK(over("2*i", all) == S("0:2*N - 1:2"));
    CHECK(over("i - 1:i + 2", all) == S("-1:N + 1"));
    CHECK(over("0:i + 1", all) == S("0:N"));
    CHECK(over("i:N", all) == S("0:N"));
    CHECK(over("32*i:32*i + 32", all) == S("0:32*N"));
    CHECK(over("i", S("0:N:4").dims[0]) == S("0:4*((N + 3) // 4) - 3:4"));
    CHECK(over("i:i + 1:1:4", S("0:16:4").dims[0]) == S("0:13:4:4"));
    CHECK(over("i", S("9:-1:-1").dims[0]) == S("0:10"));
    CHECK(over("i:min(N, i + 32)", S("0:N:32").dims[0], positive({"N"})).dims[0].begin == Expr(0));
    CHECK(over("M*i", all, positive({"M"})) == S("0:M*(N - 1) + 1:M"));
    CHECK(over("i // 4", S("0:64").dims[0]).dims[0].end == Expr(15));
    CHECK(over("i:i + 8:2", S("0:10:2").dims[0]) == S("0:16:2"));
    CHECK(over("i:i + 8:2", S("0:10").dims[0]) == S("0:17"));
    CHECK(over("M*i", S("0:10").dims[0]).dims[0].begin == min({Expr(0), 9 * M}));
    CHECK(over("9 - i:-1:-1", S("0:5").dims[0]) == S("0:10"));
}

TEST_CASE("propagation of others gives the whole dimension", "[subset]") {
    Range all = S("0:N").dims[0];
    CHECK(propagate(S("i*i, i"), "i", all, whole) == S("0:N, 0:N"));
    CHECK(propagate(S("A[i], i"), "i", all, whole) == S("0:N, 0:N"));
    CHECK(propagate(S("0:N:i"), "i", all, whole) == S("0:N"));
    CHECK(propagate(S("i, i*i, i*i"), "i", all, whole).dims[2].end.isUndefined()); // beyond the given range
    const Subset shifted = S("-2:N - 2, 1:N + 1");                                 // indices do not start at 0
    CHECK(propagate(S("i - 2, i + 1"), "i", all, shifted) == shifted);
    CHECK(propagate(S("i, i*i"), "i", all, shifted) == S("0:N, 1:N + 1"));
    CHECK(propagate(S("i*i, N"), "i", all, shifted) == S("-2:N - 2, N"));
}
