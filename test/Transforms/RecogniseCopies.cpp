// recognise-copies: which kernels are copies and fills, and which must stay kernels.
#include "GraphBuilder.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// to[written] = from[taken] (or a value) by a kernel over `dims`; A, B are N x M in device memory, T is M x N, F is N x M of
/// another type.
struct Kernel {
    SDFG g{"f"};
    State *s;
    MapEntry *m;
    Tasklet *t;
    AccessNode *target = nullptr;

    using Dims = std::vector<std::pair<std::string, sym::Range>>;
    static Dims all() { return {{"i", range("0", "N - 1")}, {"j", range("0", "M - 1")}}; }

    Kernel(Dims dims, const std::string &from, std::vector<sym::Range> taken, const std::string &to,
           std::vector<sym::Range> written, const std::string &code = "y = x") {
        for (const char *name : {"A", "B"})
            array(g, name, {expr("N"), expr("M")}, true);
        array(g, "T", {expr("M"), expr("N")}, true);
        array(g, "F", {expr("N"), expr("M")}, true, ScalarKind::Float32);
        for (auto &[name, d] : g.arrays)
            d.storage = Storage::GPU_Global;
        for (const char *symbol : {"N", "M", "K"})
            g.symbols.set(symbol, ScalarKind::Int64);
        s = state(g);
        m = map(s, std::move(dims), Schedule::GPU_Device);
        t = tasklet(s, code);
        if (from.empty()) {
            s->connect(m, "", t, "", Memlet::empty());
        } else {
            s->connect(s->add<AccessNode>(Name(from)), "", m, "IN_x", memlet(from, g.desc(Name(from))->fullSubset().dims));
            s->connect(m, "OUT_x", t, "x", memlet(from, std::move(taken)));
        }
        target = s->add<AccessNode>(Name(to));
        s->connect(t, "y", m->exit, "IN_y", memlet(to, std::move(written)));
        s->connect(m->exit, "OUT_y", target, "", memlet(to, g.desc(Name(to))->fullSubset().dims));
    }
    bool recognised() {
        PassRun pass(transforms::createRecogniseCopies());
        return pass(g);
    }
    /// The edge into the target.
    const Memlet &result() const { return target->inEdges().front()->memlet; }
};

} // namespace

TEST_CASE("recognise-copies: a whole array, element by element") {
    Kernel k(Kernel::all(), "A", {at("i"), at("j")}, "B", {at("i"), at("j")});
    REQUIRE(k.recognised());
    CHECK(k.s->nodes().size() == 2);
    CHECK(k.result().data == Name("A"));
    CHECK(k.result().subset->str() == "0:N, 0:M");
    CHECK(k.result().otherSubset->str() == "0:N, 0:M");
    CHECK_FALSE(k.recognised());
}

TEST_CASE("recognise-copies: what was before the map is before the copy") {
    Kernel k(Kernel::all(), "A", {at("i"), at("j")}, "B", {at("i"), at("j")});
    auto *before = k.s->add<AccessNode>(Name("B")), *after = k.s->add<AccessNode>(Name("T"));
    k.s->connect(before, "", k.m, "", Memlet::empty());
    k.s->connect(k.m->exit, "", after, "", Memlet::empty());
    REQUIRE(k.recognised());
    CHECK(before->outEdges().front()->dst == k.target);
    CHECK(after->inEdges().front()->src == k.target);
}

TEST_CASE("recognise-copies: rows of a part, with offsets and fixed indices") {
    Kernel part({{"j", range("0", "M - 1")}}, "A", {at("3"), at("j")}, "B", {at("K"), at("j")});
    REQUIRE(part.recognised());
    CHECK(part.result().subset->str() == "3, 0:M");
    CHECK(part.result().otherSubset->str() == "K, 0:M");
    Kernel shifted({{"i", range("0", "N - 1")}, {"j", range("0", "15")}}, "A", {at("i"), at("j + 2")}, "B", {at("i"), at("j")});
    REQUIRE(shifted.recognised());
    CHECK(shifted.result().subset->str() == "0:N, 2:18");
}

TEST_CASE("recognise-copies: zeros are filled in, other values are not") {
    for (const char *code : {"y = 0", "y = 0.0"}) {
        Kernel k(Kernel::all(), "", {}, "B", {at("i"), at("j")}, code);
        REQUIRE(k.recognised());
        const auto *fill = dyn_cast<LibraryNode>(k.target->inEdges().front()->src);
        REQUIRE(fill);
        CHECK(fill->className() == "FillLibraryNode");
        CHECK(k.result().subset->str() == "0:N, 0:M");
    }
    for (const char *code : {"y = 1", "y = -0.0", "y = i", "y = 0 + j"})
        CHECK_FALSE(Kernel(Kernel::all(), "", {}, "B", {at("i"), at("j")}, code).recognised());
}

TEST_CASE("recognise-copies: what computes, converts, transposes or repeats stays a kernel") {
    const auto element = [] { return std::vector<sym::Range>{at("i"), at("j")}; };
    CHECK_FALSE(Kernel(Kernel::all(), "A", element(), "B", element(), "y = x + 1").recognised());
    CHECK_FALSE(Kernel(Kernel::all(), "A", element(), "F", element()).recognised());
    CHECK_FALSE(Kernel(Kernel::all(), "A", element(), "T", {at("j"), at("i")}).recognised());
    CHECK_FALSE(Kernel(Kernel::all(), "A", {at("0"), at("j")}, "B", element()).recognised());         // a row, again and again
    CHECK_FALSE(Kernel(Kernel::all(), "A", element(), "B", {at("i"), at("M - 1 - j")}).recognised()); // backwards
    CHECK_FALSE(Kernel(Kernel::all(), "A", element(), "A", {at("i"), at("(j + 1) % M")}).recognised());
    CHECK_FALSE(Kernel({{"i", range("0", "N - 1")}}, "A", {at("i"), at("3")}, "B", {at("i"), at("3")}).recognised()); // a column
    CHECK_FALSE(
        Kernel({{"i", range("0", "N - 1")}, {"j", range("0", "i")}}, "A", element(), "B", element()).recognised()); // a triangle
}

TEST_CASE("recognise-copies: a box of which two sides may be empty stays a kernel") {
    const auto element = [] { return std::vector<sym::Range>{at("i"), at("j")}; };
    CHECK_FALSE(Kernel({{"i", range("3", "K")}, {"j", range("5", "K")}}, "A", element(), "B", element()).recognised());
    CHECK(Kernel({{"i", range("3", "K")}, {"j", range("0", "M - 1")}}, "A", element(), "B", element()).recognised());
}

TEST_CASE("recognise-copies: resolved, shared and timed maps are left alone") {
    const auto kernel = [] { return Kernel(Kernel::all(), "A", {at("i"), at("j")}, "B", {at("i"), at("j")}); };
    Kernel resolved = kernel(), sized = kernel(), timed = kernel(), host = kernel(), two = kernel();
    resolved.t->outEdges().front()->memlet.wcr = "lambda a, b: a + b";
    CHECK_FALSE(resolved.recognised());
    sized.m->gpuBlockSize = {32, 1, 1};
    CHECK_FALSE(sized.recognised());
    timed.m->instrument = Instrumentation::Timer;
    CHECK_FALSE(timed.recognised());
    host.m->schedule = Schedule::Sequential;
    CHECK_FALSE(host.recognised());
    Tasklet *other = tasklet(two.s, "z = 0");
    two.s->connect(two.m, "", other, "", Memlet::empty());
    two.s->connect(other, "z", two.m->exit, "IN_z", memlet("T", {at("j"), at("i")}));
    CHECK_FALSE(two.recognised());
}
