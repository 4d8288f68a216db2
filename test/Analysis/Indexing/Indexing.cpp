// The loops of library nodes, as einsum notations: a letter per dimension, `1` for a loop of one element, `.` for none.
#include "Graphs.h"

#include "sdfgc/Analysis/Indexing.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::Combination;
using analysis::Indexed;
using analysis::IndexedOperand;
using analysis::Indexing;

namespace {

/// A node whose operands are subsets of arrays of the same name.
struct NodeCase : Graph {
    LibraryNode *n;
    explicit NodeCase(const std::string &path) : n(library("dace.libraries." + path, "node")) {}
    NodeCase &in(const std::string &connector, const std::string &shape, const std::string &subset = "") {
        const std::string name = "in" + connector;
        array(name, shape);
        s->connect(access(name), {}, n, Name(connector), memletOf(name, subset));
        return *this;
    }
    NodeCase &out(const std::string &connector, const std::string &shape, const std::string &subset = "") {
        const std::string name = "out" + connector;
        array(name, shape);
        s->connect(n, Name(connector), access(name), {}, memletOf(name, subset));
        return *this;
    }
    NodeCase &set(const std::string &property, json::Value v) {
        n->properties.set(property, std::move(v));
        return *this;
    }
    NodeCase &list(const std::string &property, const std::vector<int> &values) {
        json::Value v = json::Value::array();
        for (const int i : values)
            v.push(i);
        return set(property, std::move(v));
    }

    Indexed indexed() const { return analysis::indexingOf(*n); }
    Combination how() const { return *analysis::combinationOf(*n); }
    /// `ij,jk->ik`, with the addend as `+ij`; or why there is none.
    std::string text() const {
        const Indexed x = indexed();
        if (!x)
            return x.why;
        std::string out;
        for (const IndexedOperand &f : x->factors)
            out += (out.empty() ? "" : ",") + letters(*x, f);
        out += "->" + letters(*x, x->result);
        return x->addend ? out + "+" + letters(*x, *x->addend) : out;
    }

private:
    Memlet memletOf(const std::string &name, const std::string &subset) {
        return subset.empty() ? Memlet::simple(Name(name), g.desc(Name(name))->fullSubset()) : memlet(name + "[" + subset + "]");
    }
    static std::string letters(const Indexing &x, const IndexedOperand &o) {
        std::string out;
        for (const int l : o.labels)
            out += l == Indexing::none ? '.' : x.isUnit(l) ? '1' : x.labels[static_cast<std::size_t>(l)].letter;
        return out;
    }
};

NodeCase matmul(const std::string &a, const std::string &b, const std::string &c) {
    NodeCase n("blas.nodes.matmul.MatMul");
    n.in("_a", a).in("_b", b).out("_c", c);
    return n;
}

} // namespace

TEST_CASE("products of matrices and vectors follow NumPy") {
    CHECK(matmul("M, K", "K, N", "M, N").text() == "ba,ac->bc");
    CHECK(matmul("M, K", "K", "M").text() == "ba,a->b");
    CHECK(matmul("K", "K, N", "N").text() == "a,ab->b");
    CHECK(matmul("K", "K", "1").text() == "a,a->.");
    CHECK(matmul("4, 5", "6, 7", "4, 7").text() ==
          "the shapes of its operands do not match: _a[0:4, 0:5], _b[0:6, 0:7] -> _c[0:4, 0:7]");
    CHECK(matmul("M, K", "K, N", "M").text().starts_with("the shapes of its operands do not match"));
    CHECK(NodeCase("blas.nodes.matmul.MatMul").in("_a", "M, K").out("_c", "M").text() == "an operand is missing");
}

TEST_CASE("leading dimensions of products broadcast") {
    CHECK(matmul("B, M, K", "B, K, N", "B, M, N").text() == "bca,bad->bcd");
    CHECK(matmul("B, M, K", "K, N", "B, M, N").text() == "bca,ad->bcd");
    CHECK(matmul("1, M, K", "B, K, N", "B, M, N").text() == ".ca,bad->bcd");
    CHECK(matmul("2, M, K", "3, K, N", "2, M, N").text().starts_with("the shapes of its operands do not match"));
}

TEST_CASE("dimensions of one element may be left out") {
    CHECK(matmul("1, K", "K, N", "1, N").text() == "1a,ac->1c");
    CHECK(matmul("1, K", "K, N", "N").text() == "1a,ac->c");
    NodeCase row("blas.nodes.matmul.MatMul");
    row.in("_a", "M, K").in("_b", "P, K", "3, 0:K").out("_c", "P, M", "2, 0:M");
    CHECK(row.text() == "ba,.a->.b");
}

TEST_CASE("a product with transposed operands") {
    NodeCase n = matmul("K, M", "N, K", "M, N");
    n.set("transA", json::Value(true)).set("transB", json::Value(true));
    CHECK(n.text() == "ab,ca->bc");
    NodeCase gemv("blas.nodes.gemv.Gemv");
    gemv.in("_A", "K, M").in("_x", "K").out("_y", "M").set("transA", json::Value(true));
    CHECK(gemv.text() == "ab,a->b");
}

TEST_CASE("addends") {
    NodeCase gemm("blas.nodes.gemm.Gemm");
    gemm.in("_a", "M, K").in("_b", "K, N").in("_c", "M, N").out("_c", "M, N").set("beta", json::Value("2"));
    CHECK(gemm.text() == "ba,ac->bc+bc");
    CHECK(gemm.how().addend == Name("_c"));
    CHECK_FALSE(gemm.how().keepsOld());
    gemm.in("_cin", "N"); // precedes `_c`, and is added to each row
    CHECK(gemm.text() == "ba,ac->bc+c");
    CHECK(gemm.indexed()->others == std::vector{Name("_c")});
    NodeCase ger("blas.nodes.ger.Ger");
    CHECK(ger.in("_x", "M").in("_y", "N").out("_res", "M, N").text() == "an operand is missing");
    CHECK(ger.in("_A", "M, N").text() == "a,b->ab+ab");
    CHECK(ger.how().isBeta(1));
    NodeCase axpy("blas.nodes.axpy.Axpy");
    axpy.in("_x", "N").in("_y", "N").out("_res", "N");
    CHECK(axpy.text() == "a->a+a");
    CHECK(axpy.how().alpha == "a");
    CHECK(axpy.set("a", json::Value("2.5")).how().alpha == "2.5");
    NodeCase dot("blas.nodes.dot.Dot"); // here `_y` is a factor
    CHECK(dot.in("_x", "N").in("_y", "N").out("_result", "1").text() == "a,a->.");
}

TEST_CASE("what a result keeps of its old contents") {
    NodeCase n = matmul("M, K", "K, N", "M, N");
    CHECK_FALSE(n.how().keepsOld());
    CHECK_FALSE(n.set("beta", json::Value("0.0")).how().keepsOld());
    CHECK(n.set("beta", json::Value("beta")).how().keepsOld());
    CHECK(n.set("beta", json::Value(0.5)).how().keepsOld());
    NodeCase reduce("standard.nodes.reduce.Reduce");
    reduce.in("", "N").out("", "1").set("wcr", json::Value("lambda a, b: max(a, b)"));
    CHECK(reduce.how().keepsOld());
    CHECK(reduce.how().function == "lambda a, b: max(a, b)");
    CHECK_FALSE(reduce.set("identity", json::Value(0)).how().keepsOld());
    CHECK(reduce.how().start == "0");
}

TEST_CASE("letters of einsum are kept") {
    const auto einsum = [](const std::string &notation) {
        NodeCase n("blas.nodes.einsum.Einsum");
        return n.in("x", "4, 5").in("b", "5, 6").out("c", "4, 6").set("einsum_str", json::Value(notation)).text();
    };
    CHECK(einsum("jk, ij -> ik") == "jk,ij->ik"); // in the order of connectors
    CHECK(einsum("pq,ap") == "pq,ap->aq");
    CHECK(einsum("jk,ij,kl->il") == "`jk,ij,kl->il` has 3 operands, the node 2");
    CHECK(einsum("jk,ijk->ik") == "operand `x` does not have the dimensions `ijk`");
    CHECK(einsum("...j,jk->k") == "`...j,jk->k` is not einsum notation made of letters");
    NodeCase trace("blas.nodes.einsum.Einsum");
    trace.in("a", "N, N").out("c", "1").set("einsum_str", json::Value("ii->"));
    CHECK(trace.text() == "ii->.");
    CHECK(trace.indexed()->hasOwnNames);
}

TEST_CASE("products of tensors over paired axes") {
    NodeCase n("linalg.nodes.tensordot.TensorDot");
    n.in("_left_tensor", "I, J, K").in("_right_tensor", "K, L").out("_out_tensor", "L, J, I");
    n.list("left_axes", {2}).list("right_axes", {0}).list("permutation", {2, 1, 0});
    CHECK(n.text() == "bca,ad->dcb");
    CHECK(n.list("left_axes", {3}).text() == "its paired axes do not match its operands");
}

TEST_CASE("transpositions") {
    CHECK(NodeCase("linalg.nodes.transpose.Transpose").in("_inp", "M, N").out("_out", "N, M").text() == "ab->ba");
    NodeCase n("linalg.nodes.ttranspose.TensorTranspose");
    n.in("_inp_tensor", "I, J, K").out("_out_tensor", "K, I, J").list("axes", {2, 0, 1});
    CHECK(n.text() == "abc->cab");
    CHECK(n.indexed()->dimsInResult(n.indexed()->factors[0]) == std::vector{1, 2, 0});
    CHECK(n.list("axes", {0, 0, 1}).text() == "its axes are not a permutation of the 3 dimensions of its input");
}

TEST_CASE("reductions") {
    const auto reduce = [](const std::string &from, const std::string &to, const std::vector<int> &axes) {
        NodeCase n("standard.nodes.reduce.Reduce");
        n.in("", from).out("", to);
        if (!axes.empty())
            n.list("axes", axes);
        return n;
    };
    CHECK(reduce("M, N", "M", {1}).text() == "ab->a");
    CHECK(reduce("M, N", "N", {-2}).text() == "ab->b");
    CHECK(reduce("M, N", "M, 1", {1}).text() == "ab->a.");
    CHECK(reduce("M, N", "1, M", {1}).text() == "ab->.a"); // an element of a row of another array
    CHECK(reduce("M, N", "1", {}).text() == "ab->.");
    CHECK(reduce("M, 1, N", "M, 1", {2}).text() == "a1c->a1");
    CHECK(reduce("M, N", "M, N", {1}).text() == "its output has 2 dimensions, its input keeps 1");
    const Indexed x = reduce("I, 1, J, K", "I, K", {1, 2}).indexed();
    CHECK(x->dimsInResult(x->factors[0]) == std::vector{0, -1, 1});
    CHECK(x->combined() == std::vector{1, 2}); // with the dimension of one element
    CHECK(x->loopsOf(x->factors[0]) == std::vector{0, 2, 3});
    NodeCase two("standard.nodes.reduce.Reduce");
    CHECK(two.in("a", "N").in("b", "N").out("c", "1").text() == "it needs one input and one output");
}

TEST_CASE("nodes are found by class and library") {
    const auto row = [](const std::string &path) {
        LibraryNode n;
        n.classPath = path;
        return analysis::libraryRow(n);
    };
    CHECK(row("dace.libraries.linalg.nodes.transpose.Transpose") == row("dace.libraries.standard.nodes.transpose.Transpose"));
    CHECK(row("dace.libraries.standard.nodes.reduce.Reduce") != row("dace.libraries.mpi.nodes.reduce.Reduce"));
    CHECK_FALSE(row("mine.Reduce"));
    LibraryNode n;
    n.classPath = "dace.libraries.mpi.nodes.reduce.Reduce"; // combines over ranks, not over dimensions
    CHECK_FALSE(analysis::isReduction(n));
    CHECK_FALSE(analysis::isIndexed(n));
    n.classPath = "dace.libraries.standard.nodes.reduce.Reduce";
    CHECK(analysis::isReduction(n));
    NodeCase csr("sparse.nodes.csrmm.CSRMM");
    CHECK(csr.in("_b", "N").in("_cin", "N").out("_c", "N").text() == "its operands have no loops in common");
    CHECK(csr.how().addend == Name("_cin"));
}
