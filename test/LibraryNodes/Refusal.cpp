// Nodes with invalid operands or properties are refused with a reason, and never expanded to something else.
#include "../Graphs.h"

#include "sdfgc/LibraryNodes/LibraryNodes.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

struct NodeTest : Graph {
    LibraryNode *n;
    explicit NodeTest(const std::string &path) : n(library("dace.libraries." + path, "node")) {}
    NodeTest &in(const std::string &connector, const std::string &shape, Type t = ScalarKind::Float64) {
        std::string name = "in" + connector;
        array(name, shape, t);
        s->connect(access(name), {}, n, Name(connector), Memlet::simple(Name(name), g.desc(Name(name))->fullSubset()));
        return *this;
    }
    NodeTest &out(const std::string &connector, const std::string &shape, Type t = ScalarKind::Float64,
                  const std::string &wcr = "") {
        std::string name = "out" + connector;
        array(name, shape, t);
        Memlet m = Memlet::simple(Name(name), g.desc(Name(name))->fullSubset());
        m.wcr = wcr;
        s->connect(n, Name(connector), access(name), {}, std::move(m));
        return *this;
    }
    NodeTest &set(const std::string &property, json::Value v) {
        n->properties.set(property, std::move(v));
        return *this;
    }
    /// The reason for the refusal; empty if the node was expanded.
    std::string refusal() {
        diag::Engine diags;
        pass::CompileOptions options;
        pass::Context context(diags, options);
        const libnodes::Definition *d = libnodes::find(*n);
        REQUIRE(d);
        if (d->expand(*s, *n, context))
            return "";
        REQUIRE(diags.all().size() == 1);
        return diags.all().front().message;
    }
};

json::Value list(std::vector<int> values) {
    json::Value v = json::Value::array();
    for (int i : values)
        v.push(i);
    return v;
}

} // namespace

TEST_CASE("products of operands that do not fit") {
    using Catch::Matchers::Contains;
    CHECK_THAT(NodeTest("blas.nodes.gemm.Gemm").in("_a", "4, 5").in("_b", "5, 7").in("_alpha", "1").out("_c", "4, 7").refusal(),
               Contains("`_alpha` is not one of its operands"));
    CHECK_THAT(NodeTest("blas.nodes.dot.Dot").in("_x", "4").in("_y", "4").in("_z", "4").out("_result", "1").refusal(),
               Contains("`_z` is not one of its operands"));
    CHECK_THAT(NodeTest("blas.nodes.gemm.Gemm").in("_a", "4, 5").in("_b", "6, 7").out("_c", "4, 7").refusal(), Contains("shapes"));
    CHECK_THAT(NodeTest("blas.nodes.gemm.Gemm").in("_a", "4, 5").out("_c", "4, 7").refusal(), Contains("missing"));
    CHECK_THAT(NodeTest("blas.nodes.gemv.Gemv").in("_A", "4, 5").in("_x", "4").out("_y", "4").refusal(), Contains("shapes"));
    CHECK_THAT(NodeTest("blas.nodes.dot.Dot").in("_x", "4").in("_y", "5").out("_result", "1").refusal(), Contains("shapes"));
    CHECK_THAT(NodeTest("blas.nodes.ger.Ger").in("_x", "4").in("_y", "5").out("_res", "4, 5").refusal(), Contains("missing"));
    CHECK_THAT(NodeTest("blas.nodes.axpy.Axpy").in("_x", "4").in("_y", "4, 4").out("_res", "4").refusal(), Contains("shapes"));
    CHECK_THAT(
        NodeTest("blas.nodes.batched_matmul.BatchedMatMul").in("_a", "2, 4, 5").in("_b", "3, 5, 6").out("_c", "2, 4, 6").refusal(),
        Contains("shapes"));
    CHECK(NodeTest("blas.nodes.gemm.Gemm").in("_a", "N, 5").in("_b", "5, M").out("_c", "N, M").refusal() == "");
}

TEST_CASE("tensor nodes with wrong axes") {
    using Catch::Matchers::Contains;
    auto dot = [](std::vector<int> left, std::vector<int> right) {
        return NodeTest("linalg.nodes.tensordot.TensorDot")
            .in("_left_tensor", "4, 5")
            .in("_right_tensor", "5, 6")
            .out("_out_tensor", "4, 6")
            .set("left_axes", list(left))
            .set("right_axes", list(right))
            .refusal();
    };
    CHECK(dot({1}, {0}) == "");
    CHECK_THAT(dot({1}, {1}), Contains("axes"));
    CHECK_THAT(dot({2}, {0}), Contains("axes"));
    CHECK_THAT(dot({-1}, {0}), Contains("axes"));
    CHECK_THAT(dot({0, 1}, {0}), Contains("axes"));
    auto transpose = [](std::vector<int> axes) {
        return NodeTest("linalg.nodes.ttranspose.TensorTranspose")
            .in("_inp_tensor", "4, 5")
            .out("_out_tensor", "5, 4")
            .set("axes", list(axes))
            .refusal();
    };
    CHECK(transpose({1, 0}) == "");
    CHECK_THAT(transpose({1, 1}), Contains("axes"));
    CHECK_THAT(transpose({0}), Contains("axes"));
}

TEST_CASE("einsum texts that do not fit the operands") {
    using Catch::Matchers::Contains;
    auto einsum = [](const std::string &text) {
        return NodeTest("blas.nodes.einsum.Einsum")
            .in("a", "4, 5")
            .in("b", "5, 6")
            .out("c", "4, 6")
            .set("einsum_str", text)
            .refusal();
    };
    CHECK(einsum("ij,jk->ik") == "");
    CHECK(einsum("ij,jk") == "");
    CHECK_THAT(einsum("ij,jk,kl->il"), Contains("operands"));
    CHECK_THAT(einsum("...j,jk->...k"), Contains("notation"));
    CHECK_THAT(einsum("ijk,jk->ik"), Contains("dimensions"));
    CHECK_THAT(einsum("ij,jk->ikl"), Contains("dimensions"));
    CHECK_THAT(einsum("ij,jk->il"), Contains("no input"));
    CHECK_THAT(einsum(""), Contains("operands"));
}

TEST_CASE("reductions whose output or function does not fit") {
    using Catch::Matchers::Contains;
    auto reduce = [](const std::string &out, json::Value axes, const std::string &wcr, json::Value identity,
                     const std::string &outer = "") {
        return NodeTest("standard.nodes.reduce.Reduce")
            .in("", "4, 5")
            .out("", out, ScalarKind::Float64, outer)
            .set("axes", std::move(axes))
            .set("wcr", wcr)
            .set("identity", std::move(identity))
            .refusal();
    };
    const std::string sum = "lambda a, b: a + b", custom = "lambda a, b: a * b + 1";
    CHECK(reduce("4", list({1}), sum, "0") == "");
    CHECK_THAT(reduce("4, 5", list({1}), sum, "0"), Contains("dimensions"));
    CHECK_THAT(reduce("4", {}, sum, "0"), Contains("dimensions"));
    CHECK(reduce("4", list({1}), custom, {}) == "");
    CHECK_THAT(reduce("4", list({1}), custom, {}, sum), Contains("neutral"));
    CHECK_THAT(reduce("4", list({1}), sum, "unknown"), Contains("is not a symbol"));
    CHECK_THAT(NodeTest("standard.nodes.reduce.Reduce").in("", "4, 5").refusal(), Contains("one input and one output"));
}

TEST_CASE("matrices of the wrong kind") {
    using Catch::Matchers::Contains;
    const Type i = ScalarKind::Int32;
    CHECK_THAT(NodeTest("linalg.nodes.inv.Inv").in("_ain", "4, 4", i).out("_aout", "4, 4", i).refusal(), Contains("not supported"));
    CHECK_THAT(NodeTest("linalg.nodes.inv.Inv").in("_ain", "2, 4, 4").out("_aout", "2, 4, 4").refusal(),
               Contains("is not a matrix"));
    CHECK_THAT(NodeTest("lapack.nodes.getrf.Getrf")
                   .in("_xin", "4, 4")
                   .out("_xout", "4, 4")
                   .out("_ipiv", "4")
                   .out("_res", "1", i)
                   .refusal(),
               Contains("int32"));
    // A batch: pivots in one dimension, an info, other nodes.
    CHECK_THAT(NodeTest("lapack.nodes.getrf.Getrf").in("_xin", "2, 4, 4").out("_xout", "2, 4, 4").out("_ipiv", "8", i).refusal(),
               Contains("contiguous"));
    CHECK_THAT(NodeTest("lapack.nodes.getrf.Getrf")
                   .in("_xin", "2, 4, 4")
                   .out("_xout", "2, 4, 4")
                   .out("_ipiv", "2, 4", i)
                   .out("_res", "1", i)
                   .refusal(),
               Contains("not available for a batch"));
    CHECK_THAT(NodeTest("lapack.nodes.getrf.Getrf").in("_xin", "2, 4, 4").out("_xout", "4, 4").out("_ipiv", "2, 4", i).refusal(),
               Contains("numbers of matrices"));
    CHECK_THAT(NodeTest("lapack.nodes.getrs.Getrs")
                   .in("_a", "2, 4, 4")
                   .in("_ipiv", "2, 4", i)
                   .in("_rhs_in", "3, 4")
                   .out("_rhs_out", "3, 4")
                   .refusal(),
               Contains("numbers of matrices"));
    CHECK_THAT(NodeTest("fft.nodes.fft.FFT").in("_inp", "4").out("_out", "4").refusal(), Contains("complex"));
    CHECK_THAT(NodeTest("sparse.nodes.csrmv.CSRMV")
                   .in("_a_rows", "4", i)
                   .in("_a_cols", "4", i)
                   .in("_a_vals", "4")
                   .out("_c", "3")
                   .refusal(),
               Contains("_b"));
}

TEST_CASE("distributed products of what PBLAS does not know") {
    using Catch::Matchers::Contains;
    const Type i = ScalarKind::Int32;
    struct Pgemm : NodeTest {
        explicit Pgemm(const std::string &name = "pgemm.Pgemm") : NodeTest("pblas.nodes." + name) {
            g.symbols.set("Px", ScalarKind::Int32);
            g.symbols.set("Py", ScalarKind::Int32);
            set("m", "N").set("n", "4").set("k", "M");
        }
    };
    auto product = [&](const std::string &a, Type t = ScalarKind::Float64, Type blocks = ScalarKind::Int32) {
        return Pgemm()
            .in("_a", a, t)
            .in("_b", "4, 4")
            .in("_a_block_sizes", "2", blocks)
            .in("_b_block_sizes", "2", i)
            .out("_c", "4, 4")
            .refusal();
    };
    CHECK(product("4, 4") == "");
    CHECK(product("4, 1") == "");
    CHECK_THAT(product("4"), Contains("`_a` must be a matrix, and has 1 dimension"));
    CHECK_THAT(product("4, 4, 4"), Contains("`_a` must be a matrix, and has 3 dimensions"));
    CHECK_THAT(product("4, 4", ScalarKind::Float16), Contains("PBLAS has no routines for elements of type float16"));
    CHECK_THAT(product("4, 4", i), Contains("PBLAS has no routines for elements of type int32"));
    CHECK_THAT(product("4, 4", ScalarKind::Float32), Contains("float32 and float64: PBLAS does not convert"));
    CHECK_THAT(product("4, 4", ScalarKind::Float64, ScalarKind::Float64), Contains("`_a_block_sizes` must be integers"));
    CHECK_THAT(Pgemm().set("k", "").in("_a", "4, 4").refusal(), Contains("its property `k` is not a size"));
    CHECK_THAT(Pgemm("pgemv.Pgemv").set("transa", "C").in("_a", "4, 4").refusal(), Contains("`transa` is `C`"));
    CHECK_THAT(Pgemm("pgemv.Pgemv").in("_a", "4, 4").in("_a_block_sizes", "2", i).in("_b", "4, 4").refusal(),
               Contains("`_b` must be a vector, and has 2 dimensions"));
    auto scatter = [&](const std::string &to, const std::string &numbers) {
        return Pgemm("pgeadd.BlockCyclicScatter")
            .in("_inbuffer", "4, 4")
            .in("_block_sizes", "2", i)
            .out("_outbuffer", to)
            .out("_gdescriptor", numbers, i)
            .refusal();
    };
    CHECK(scatter("2, 2", "9") == "");
    CHECK_THAT(scatter("2", "9"), Contains("one of its buffers is a vector and the other a matrix"));
    CHECK_THAT(scatter("2, 2", "8"), Contains("`_gdescriptor` must be nine contiguous int32"));
    CHECK_THAT(NodeTest("pblas.nodes.pgemm.Pgemm").refusal(), Contains("no symbols Px and Py"));
}

TEST_CASE("stencils whose code is not understood") {
    using Catch::Matchers::Contains;
    auto stencil = [](const std::string &code) {
        json::Value v = json::Value::object();
        v.set("string_data", code);
        return NodeTest("stencil.stencil.Stencil").in("a", "4, 5").out("b", "4, 5").set("code", std::move(v)).refusal();
    };
    CHECK(stencil("b[0, 0] = a[-1, 0] + a[1, 0]") == "");
    CHECK_THAT(stencil("b[0, 0] = a[0]"), Contains("offset per iterator"));
    CHECK_THAT(stencil("b[0, 0] = a[i, 0]"), Contains("constant offset"));
    CHECK_THAT(stencil("b[0, 0] = ("), Contains("is not Python"));
    CHECK_THAT(stencil("x = a[0, 0]"), Contains("writes no output"));
}

TEST_CASE("triangles that do not fit what they stand next to") {
    using Catch::Matchers::Contains;
    auto trsm = [](const std::string &a, const std::string &b, bool left) {
        return NodeTest("blas.nodes.trsm.Trsm").in("_a", a).in("_b", b).out("_c", b).set("left", left).refusal();
    };
    CHECK(trsm("4, 4", "4, 7", true) == "");
    CHECK(trsm("4, 4", "7, 4", false) == "");
    CHECK_THAT(trsm("4, 4", "4, 7", false), Contains("do not match"));
    CHECK_THAT(trsm("4, 4", "7, 4", true), Contains("do not match"));
    CHECK_THAT(trsm("4, 5", "4, 7", true), Contains("do not match"));
    CHECK_THAT(NodeTest("blas.nodes.trsm.Trsm").in("_a", "4, 4").out("_c", "4, 4").refusal(), Contains("`_b` is missing"));
}
