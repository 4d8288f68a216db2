// Nodes on device memory: which library function they call, and into which maps they are expanded.
#include "../Graphs.h"

#include "sdfgc/LibraryNodes/LibraryNodes.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

struct DeviceNode : Graph {
    LibraryNode *n;
    pass::CompileOptions options;
    std::vector<pass::Remark> remarks;
    explicit DeviceNode(const std::string &path) : n(library("dace.libraries." + path, "node")) {
        options.target = pass::Target("cuda");
        options.libraries.insert("openblas");
    }
    DeviceNode &in(const std::string &connector, const std::string &shape, Type t = ScalarKind::Float64) {
        std::string name = container("in" + connector, shape, t);
        s->connect(access(name), {}, n, Name(connector), all(name));
        return *this;
    }
    DeviceNode &out(const std::string &connector, const std::string &shape, Type t = ScalarKind::Float64) {
        std::string name = container("out" + connector, shape, t);
        s->connect(n, Name(connector), access(name), {}, all(name));
        return *this;
    }
    DeviceNode &set(const std::string &property, json::Value v) {
        n->properties.set(property, std::move(v));
        return *this;
    }
    std::string container(const std::string &name, const std::string &shape, Type t) {
        array(name, shape, t).storage = Storage::GPU_Global;
        return name;
    }
    Memlet all(const std::string &name) { return Memlet::simple(Name(name), g.desc(Name(name))->fullSubset()); }

    /// The code of the tasklets of the expansion that are not in Python: library calls and C++; empty if there are none.
    std::string calls() {
        expand();
        std::string text;
        for (SDFG *inner : allSDFGs(g))
            for (State *state : allStates(*inner))
                for (const auto &node : state->nodes())
                    if (auto *t = dyn_cast<Tasklet>(node.get()); t && !t->code.isPython())
                        text += t->code.text() + "\n";
        return text;
    }
    /// The outermost maps of the expansion: `label[params]`, in order.
    std::vector<std::string> kernels() {
        expand();
        std::vector<std::string> found;
        for (SDFG *inner : allSDFGs(g))
            for (State *state : allStates(*inner))
                for (const auto &node : state->nodes())
                    if (auto *m = dyn_cast<MapEntry>(node.get()); m && m->schedule == Schedule::GPU_Device)
                        found.push_back(m->label + " " + m->ranges.back().size().str());
        return found;
    }
    std::string remark() const { return remarks.empty() ? "" : remarks.back().text; }

private:
    void expand() {
        diag::Engine diags;
        pass::Context context(diags, options);
        REQUIRE(libnodes::find(*n)->expand(*s, *n, context));
        remarks = context.remarks;
    }
};

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

DeviceNode gemm(const std::string &a, const std::string &b, const std::string &c, Type t = ScalarKind::Float64) {
    DeviceNode node("blas.nodes.matmul.MatMul");
    node.in("_a", a, t).in("_b", b, t).out("_c", c, t);
    return node;
}

} // namespace

TEST_CASE("products on device memory call the device's BLAS on the node's stream") {
    CHECK(contains(gemm("64, 32", "32, 48", "64, 48").calls(),
                   "gpuBlas.gemm(\"sdfgc::gpu::Op::None\", \"sdfgc::gpu::Op::None\", 64, 48, 32, 1, _in_a, "
                   "32, _in_b, 48, 0, _out_c, 48)"));
    CHECK(contains(gemm("5, 64, 32", "5, 32, 48", "5, 64, 48").calls(), "gemmStridedBatched("));
    CHECK(contains(gemm("64, 320", "320", "64").calls(), "gpuBlas.gemv(\"sdfgc::gpu::Op::None\", 64, 320, "));
    CHECK(contains(gemm("N", "N", "1").calls(), "gpuBlas.dot(N, _in_a, 1, _in_b, 1, _out_c)"));
}

TEST_CASE("a batch of several dimensions is one call when its matrices lie at equal distances") {
    std::string text = gemm("2, 3, 64, 32", "2, 3, 32, 48", "2, 3, 64, 48").calls();
    CHECK_FALSE(contains(text, "for "));
    CHECK(contains(text, ", 6)"));
    // The second operand is the same for the outer dimension: a loop around calls that handle the inner one.
    text = gemm("2, 3, 64, 32", "3, 32, 48", "2, 3, 64, 48").calls();
    CHECK(contains(text, "for _p"));
    CHECK(contains(text, "gemmStridedBatched"));
}

TEST_CASE("transpositions on device memory are geam, with the factor") {
    DeviceNode t("linalg.nodes.transpose.Transpose");
    t.in("_inp", "40, 50").out("_out", "50, 40");
    CHECK(contains(t.calls(), "gpuBlas.geam(\"sdfgc::gpu::Op::Transpose\", \"sdfgc::gpu::Op::None\", 50, 40, 1, "
                              "_in_inp, 50, 0, _out_out, 40, _out_out, 40)"));
}

TEST_CASE("without a library, for other types and on request products on device memory are maps") {
    DeviceNode none = gemm("64, 32", "32, 48", "64, 48");
    none.options.emulate = true; // with the host's BLAS
    none.options.libraries.erase("openblas");
    CHECK(none.calls() == "");
    CHECK(contains(none.remark(), "the toolchain has no BLAS"));
    CHECK(gemm("64, 32", "32, 48", "64, 48", ScalarKind::Int32).calls() == "");
    DeviceNode pure = gemm("64, 32", "32, 48", "64, 48");
    pure.n->implementation = "pure";
    CHECK(pure.calls() == "");
    DeviceNode axpy("blas.nodes.axpy.Axpy");
    axpy.in("_x", "N").in("_y", "N").out("_res", "N");
    CHECK(axpy.calls() == "");
}

TEST_CASE("reductions on device memory: threads by shape") {
    auto reduce = [](const std::string &in, const std::string &out, json::Value axes,
                     const std::string &wcr = "lambda a, b: a + b") {
        DeviceNode n("standard.nodes.reduce.Reduce");
        n.in("", in).out("", out).set("wcr", wcr).set("axes", std::move(axes)).set("identity", "0");
        return n;
    };
    auto axes = [](int a) { return json::Value::array({json::Value(a)}); };
    using Kernels = std::vector<std::string>;
    CHECK(reduce("N, M", "N", axes(1)).kernels() == Kernels{"reduce_blocks N"});
    CHECK(reduce("1000000", "1", {}).kernels() == Kernels{"reduce_blocks 245", "combine_blocks 1"});
    CHECK(reduce("N, M", "1", {}).kernels().size() == 2);
    CHECK(reduce("5000", "1", {}).kernels() == Kernels{"reduce_blocks 1"});
    // One thread per output: the schedule is chosen later.
    CHECK(reduce("N, M", "M", axes(0)).kernels().empty());
    CHECK(reduce("N, 16", "N", axes(1)).kernels().empty());
    CHECK(reduce("N, M", "N", axes(1), "lambda a, b: a * b + 1").kernels().empty());
}

TEST_CASE("LAPACK's info is computed where somebody asks for it") {
    for (bool asked : {false, true}) {
        DeviceNode loops("lapack.nodes.potrf.Potrf"), calls("lapack.nodes.potrf.Potrf");
        loops.n->implementation = "pure";
        for (DeviceNode *n : {&loops, &calls}) {
            n->in("_xin", "N, N").out("_xout", "N, N");
            if (asked)
                n->out("_res", "1", ScalarKind::Int32);
        }
        const std::string text = loops.calls();
        CHECK(contains(text, "_out_res = 0;") == asked);
        CHECK(contains(text, "info") == false);
        calls.options.libraries.insert("lapacke");
        for (auto &[name, d] : calls.g.arrays)
            d.storage = Storage::Default;
        const std::string call = calls.calls();
        CHECK(contains(call, "LAPACKE_dpotrf"));
        CHECK(contains(call, "_out_res = LAPACKE_dpotrf") == asked);
    }
    DeviceNode cholesky("linalg.nodes.cholesky.Cholesky");
    cholesky.n->implementation = "pure";
    cholesky.in("_a", "N, N").out("_b", "N, N");
    const std::string text = cholesky.calls();
    CHECK(contains(text, "break;"));
    CHECK(!contains(text, "info"));
}

TEST_CASE("factorisations on device memory call the device's LAPACK, which counts by columns") {
    DeviceNode getrf("lapack.nodes.getrf.Getrf");
    getrf.in("_xin", "N, N").out("_xout", "N, N").out("_ipiv", "N", ScalarKind::Int32).out("_res", "1", ScalarKind::Int32);
    // Row-major matrices: copies before and after the call.
    CHECK(getrf.calls() == "gpuSolver.getrf(N, _out_work, N, _out_ipiv, _out_res)\n");
    CHECK(contains(getrf.remark(), "implementation cuSOLVER"));
    // LAPACK nodes with this name have column-major matrices.
    DeviceNode columns("lapack.nodes.getrf.Getrf");
    columns.n->implementation = "cuSolverDn";
    columns.in("_xin", "N, N").out("_xout", "N, N").out("_ipiv", "N", ScalarKind::Int32);
    CHECK(columns.calls() == "gpuSolver.getrf(N, _out_xout, N, _out_ipiv)\n");

    // A batch of matrices stored by columns: one call each.
    DeviceNode factors("lapack.nodes.getrf.Getrf"), solutions("lapack.nodes.getrs.Getrs");
    factors.n->implementation = solutions.n->implementation = "cuSolverDn";
    factors.in("_xin", "8, N, N").out("_xout", "8, N, N").out("_ipiv", "8, N", ScalarKind::Int32);
    CHECK(contains(factors.calls(), "gpuSolver.getrfBatched(N, _out_xout, N, "));
    solutions.in("_a", "8, N, N").in("_ipiv", "8, N", ScalarKind::Int32).in("_rhs_in", "8, 3, N").out("_rhs_out", "8, 3, N");
    CHECK(contains(solutions.calls(), "gpuSolver.getrsBatched(\"sdfgc::gpu::Op::None\", N, 3, _in_a, N, "));

    DeviceNode solve("linalg.nodes.solve.Solve");
    solve.in("_ain", "N, N").in("_bin", "N").out("_bout", "N");
    const std::string text = solve.calls();
    CHECK(contains(text, "gpuSolver.getrf(N, _out_copy, N, _out_pivots)"));
    CHECK(contains(text, "gpuSolver.getrs(\"sdfgc::gpu::Op::None\", N, 1, _in_copy, N, _in_pivots, _out_bout, N)"));

    // The lower triangle of a row-major matrix is the upper one of a column-major matrix: only the input is copied.
    DeviceNode cholesky("linalg.nodes.cholesky.Cholesky");
    cholesky.options.target = pass::Target("hip");
    cholesky.in("_a", "N, N").out("_b", "N, N");
    CHECK(cholesky.calls() == "gpuSolver.potrf(\"sdfgc::gpu::Triangle::Upper\", N, _out_b, N)\n");
    CHECK(contains(cholesky.remark(), "implementation hipSOLVER"));
}

TEST_CASE("what the host wants of a factorisation on the device gets a copy after it") {
    DeviceNode potrf("lapack.nodes.potrf.Potrf");
    potrf.in("_xin", "N, N").out("_xout", "N, N").out("_res", "1", ScalarKind::Int32);
    potrf.g.desc("out_res")->storage = Storage::CPU_Heap;
    CHECK(libnodes::whyOnHost(*potrf.n, potrf.options).empty());
    CHECK(contains(potrf.calls(), "N, _out_xout, N, _out_res_0)"));
    bool copied = false;
    for (SDFG *g : allSDFGs(potrf.g))
        for (State *state : allStates(*g))
            for (const auto &n : state->nodes())
                if (auto *a = dyn_cast<AccessNode>(n.get()); a && a->data == Name("_res") && !a->inEdges().empty())
                    copied = isa<AccessNode>(a->inEdges()[0]->src);
    CHECK(copied);
}

TEST_CASE("a factorisation into a sum adds its result at the end") {
    DeviceNode inv("linalg.nodes.inv.Inv");
    inv.in("_ain", "N, N").out("_aout", "N, N");
    inv.n->outEdges()[0]->memlet.wcr = "lambda a, b: a + b";
    CHECK_FALSE(contains(inv.calls(), "_out_aout"));
    bool sums = false;
    for (SDFG *g : allSDFGs(inv.g))
        for (State *state : allStates(*g))
            for (const auto &n : state->nodes())
                for (const Edge *e : n->outEdges())
                    sums = sums || (e->memlet.data == Name("_aout") && !e->memlet.wcr.empty());
    CHECK(sums);
}

TEST_CASE("sparse products on device memory are calls; an addend elsewhere is copied to the result first") {
    auto product = [](const std::string &kind, const std::string &b, const std::string &c) {
        DeviceNode n("sparse.nodes." + kind);
        n.in("_a_rows", "M + 1", ScalarKind::Int32)
            .in("_a_cols", "Z", ScalarKind::Int32)
            .in("_a_vals", "Z")
            .in("_b", b)
            .out("_c", c);
        return n;
    };
    DeviceNode matrix = product("csrmm.CSRMM", "K, N", "M, N");
    CHECK(matrix.calls() == "gpuSparse.multiply(M, N, K, Z, 1, _in_a_rows, _in_a_cols, _in_a_vals, "
                            "_in_b, N, 1, 0, _out_c, N, 1)\n");
    CHECK(contains(matrix.remark(), "implementation cuSPARSE"));
    DeviceNode vector = product("csrmv.CSRMV", "K", "M");
    vector.in("_cin", "M").set("beta", "2");
    CHECK(contains(vector.calls(), "_in_b, 1, 1, 2, _out_c, 1, 1)"));
    bool copied = false;
    for (SDFG *g : allSDFGs(vector.g))
        for (State *state : allStates(*g))
            copied = copied || state->label == "copy";
    CHECK(copied);
}

TEST_CASE("nodes of the device compute on the host where its libraries cannot") {
    auto getrf = [](Type t) {
        DeviceNode n("lapack.nodes.getrf.Getrf");
        n.in("_xin", "N, N", t).out("_xout", "N, N", t).out("_ipiv", "N", ScalarKind::Int32);
        return n;
    };
    DeviceNode half = getrf(ScalarKind::Float16), emulated = getrf(ScalarKind::Float64), pure = getrf(ScalarKind::Float64),
               host = getrf(ScalarKind::Float64);
    CHECK(contains(libnodes::whyOnHost(*half.n, half.options), "no routine for float16"));
    CHECK(libnodes::whyOnHost(*emulated.n, emulated.options).empty());
    emulated.options.emulate = true;
    CHECK(libnodes::whyOnHost(*emulated.n, emulated.options) == "the toolchain has no LAPACKE");
    pure.n->implementation = "pure";
    CHECK(libnodes::whyOnHost(*pure.n, pure.options) == "the node requests it");
    host.g.desc("in_xin")->storage = Storage::CPU_Heap;
    CHECK(libnodes::whyOnHost(*host.n, host.options) == "`in_xin` is in host memory");

    DeviceNode mixed("sparse.nodes.csrmv.CSRMV");
    mixed.in("_a_rows", "M + 1", ScalarKind::Int32)
        .in("_a_cols", "Z", ScalarKind::Int64)
        .in("_a_vals", "Z")
        .in("_b", "K")
        .out("_c", "M");
    CHECK(contains(libnodes::whyOnHost(*mixed.n, mixed.options), "of the same type"));
    DeviceNode fft("fft.nodes.FFT"), four("fft.nodes.FFT");
    fft.in("_inp", "N, M", ScalarKind::Complex128).out("_out", "N, M", ScalarKind::Complex128);
    four.in("_inp", "N, M, 2, 2", ScalarKind::Complex128).out("_out", "N, M, 2, 2", ScalarKind::Complex128);
    CHECK(libnodes::whyOnHost(*fft.n, fft.options).empty());
    CHECK(contains(libnodes::whyOnHost(*four.n, four.options), "no transforms of 4 dimensions"));
    fft.options.emulate = true;
    CHECK(libnodes::whyOnHost(*fft.n, fft.options) == "the toolchain has no FFTW");
    CHECK(libnodes::whyOnHost(*gemm("N, N", "N, N", "N, N").n, fft.options).empty());
}

TEST_CASE("Fourier transforms on device memory are done in place by the device's library") {
    DeviceNode fft("fft.nodes.FFT"), inverse("fft.nodes.IFFT");
    fft.in("_inp", "N, 8", ScalarKind::Complex128).out("_out", "N, 8", ScalarKind::Complex128);
    CHECK(fft.calls() == "gpuFft.transform(\"sdfgc::gpu::Direction::Forward\", _out_out, N, 8)\n");
    CHECK(contains(fft.remark(), "implementation cuFFT"));
    inverse.options.target = pass::Target("hip");
    inverse.in("_inp", "N", ScalarKind::Complex64).out("_out", "N", ScalarKind::Complex64).set("factor", "1/N");
    CHECK(contains(inverse.calls(), "\"sdfgc::gpu::Direction::Inverse\", _out_out, N)"));
    CHECK(contains(inverse.remark(), "implementation hipFFT"));
}

TEST_CASE("what no product of matrices computes is the library's for tensors, where the toolchain has one") {
    auto einsum = [](const std::string &text, const std::string &a, const std::string &b, const std::string &c, bool have = true) {
        DeviceNode n("blas.nodes.einsum.Einsum");
        if (have)
            n.options.libraries = {"cutensor", "hiptensor"};
        n.in("a", a);
        if (!b.empty())
            n.in("b", b);
        n.out("c", c).set("einsum_str", text);
        return n;
    };
    // The rows `ab` of the first operand do not have the layout of a single dimension in the result, and neither do the sums `cd`.
    DeviceNode mixed = einsum("acbd,dec->aeb", "64, 8, 32, 16", "16, 20, 8", "64, 20, 32");
    CHECK(contains(mixed.calls(),
                   R"(gpuTensors.contract(1, tensor(_in_op_a, "'a'", 64, 4096, "'b'", 8, 512, "'c'", 32, 16, "'d'", 16, 1), )"));
    CHECK(contains(mixed.remark(), "implementation cuTENSOR"));
    CHECK(einsum("acbd,dec->aeb", "64, 8, 32, 16", "16, 20, 8", "64, 20, 32", false).calls().empty());
    CHECK(einsum("acbd,dec->aeb", "2, 2, 2, 2", "2, 2, 2", "2, 2, 2").calls().empty()); // a kernel is equally fast
    CHECK(einsum("aab,bc->ac", "8, 8, 64", "64, 64", "8, 64").calls().empty());         // a diagonal
    CHECK(contains(einsum("ab,bc->ac", "64, 32", "32, 48", "64, 48").calls(), "gpuBlas.gemm"));

    CHECK(contains(einsum("abc->cba", "N, M, K", "", "K, M, N").calls(), "gpuTensors.permute(1, "));
    CHECK(einsum("abc->abc", "N, M, K", "", "N, M, K").calls().empty()); // a copy

    // hipTensor does not support batches, and permutes only float32.
    const char *batch = "gacbd,dgec->gaeb";
    DeviceNode cuda = einsum(batch, "2, 64, 8, 32, 16", "16, 2, 20, 8", "2, 64, 20, 32"),
               hip = einsum(batch, "2, 64, 8, 32, 16", "16, 2, 20, 8", "2, 64, 20, 32");
    DeviceNode product = einsum("acbd,dec->aeb", "64, 8, 32, 16", "16, 20, 8", "64, 20, 32"),
               doubles = einsum("abc->cba", "N, M, K", "", "K, M, N");
    DeviceNode floats("blas.nodes.einsum.Einsum");
    floats.in("a", "N, M, K", ScalarKind::Float32)
        .out("c", "K, M, N", ScalarKind::Float32)
        .set("einsum_str", "abc->cba")
        .options.libraries = {"cutensor", "hiptensor"};
    for (DeviceNode *n : {&hip, &product, &doubles, &floats})
        n->options.target = pass::Target("hip");
    CHECK(contains(cuda.calls(), "gpuTensors.contract("));
    CHECK(!contains(hip.calls(), "gpuTensors"));
    CHECK(contains(product.calls(), "gpuTensors.contract("));
    CHECK(doubles.calls().empty());
    CHECK(contains(floats.calls(), "gpuTensors.permute("));
}

TEST_CASE("a Reduce of the device that asks for it calls CUB or rocPRIM for rows") {
    auto reduce = [](const std::string &in, const std::string &out, const char *wcr, const char *identity,
                     Type outType = ScalarKind::Float64) {
        DeviceNode n("standard.nodes.reduce.Reduce");
        n.in("", in).out("", out, outType).set("wcr", json::Value(wcr));
        if (identity)
            n.set("identity", json::Value(identity));
        json::Value axes = json::Value::array();
        axes.push(json::Value(int64_t(-1)));
        n.set("axes", std::move(axes));
        n.n->implementation = "CUDA (device)";
        return n;
    };
    const char *sum = "lambda a, b: a + b";
    DeviceNode rows = reduce("N, M", "N", sum, "0");
    CHECK(rows.calls() == "gpuPrimitives.reduce(\"sdfgc::gpu::Sum()\", _in_in, N, M, _out_out)\n");
    CHECK(contains(rows.remark(), "implementation CUB"));
    DeviceNode whole = reduce("N", "1", "lambda a, b: min(a, b)", nullptr);
    whole.options.target = pass::Target("hip");
    CHECK(whole.calls() == "gpuPrimitives.reduce(\"sdfgc::gpu::Min()\", _in_in, 1, N, _out_total)\n"); // combined with the result
                                                                                                       // afterwards
    CHECK(contains(whole.remark(), "implementation rocPRIM"));
    // A different initial value needs another kernel.
    CHECK(contains(reduce("N, M", "N", sum, "1").calls(), "M, _out_total)"));

    DeviceNode custom = reduce("N, M", "N", "lambda a, b: a * b + 1", "0"),
               widened = reduce("N, M", "N", sum, "0", ScalarKind::Float32);
    CHECK(custom.calls().empty());
    CHECK(widened.calls() == "_out_total = gpuReduce.blockReduce(_in_acc, \"sdfgc::gpu::Sum()\")\n");
    CHECK(contains(widened.remarks.front().text, "input and output differ in type"));
    DeviceNode toHost = reduce("N", "1", sum, "0"), fromHost = reduce("N", "1", sum, "0");
    toHost.g.desc("out")->storage = Storage::Register; // after a twin: see below
    fromHost.g.desc("in")->storage = Storage::CPU_Heap;
    CHECK(contains(toHost.calls(), "N, _out_out)"));
    CHECK(contains(fromHost.calls(), "N, _out_out)"));
    DeviceNode other = reduce("N, M", "N", sum, "0");
    other.n->implementation = "";
    CHECK(!contains(other.calls(), "gpuPrimitives"));
}

TEST_CASE("calls of the device's libraries reach host memory through twins in device memory") {
    auto copies = [](DeviceNode &n) {
        REQUIRE(!n.calls().empty());
        std::string text;
        for (SDFG *inner : allSDFGs(n.g))
            for (State *state : allStates(*inner))
                for (const auto &e : state->edges())
                    if (const auto *from = dyn_cast<AccessNode>(e->src), *to = dyn_cast<AccessNode>(e->dst); from && to)
                        text += from->data.str() + " -> " + to->data.str() + "; ";
        return text;
    };
    DeviceNode device = gemm("N, M", "M, K", "N, K"), mixed = gemm("N, M", "M, K", "N, K");
    CHECK(copies(device).empty());
    mixed.g.desc("in_a")->storage = Storage::CPU_Heap;
    mixed.g.desc("out_c")->storage = Storage::CPU_Heap;
    CHECK(copies(mixed) == "_a -> _device_a; _device_c -> _c; ");
    DeviceNode dot("blas.nodes.dot.Dot");
    dot.in("_x", "N").in("_y", "N").out("_result", "1").g.desc("out_result")->storage = Storage::Register;
    CHECK(copies(dot) == "_device_result -> _result; ");
    DeviceNode pinned = gemm("N, M", "M, K", "N, K"); // page-locked: the device can access it
    pinned.g.desc("in_b")->storage = Storage::CPU_Pinned;
    CHECK(copies(pinned).empty());
}
