// Products of matrices and vectors (format reference 7.3).
//
//   MatMul, BatchedMatMul   NumPy's `@`:  [..., m, k] @ [..., k, n] -> [..., m, n], leading dimensions broadcast
//                           [m, k] @ [k] -> [m]     [k] @ [k, n] -> [n]     [k] @ [k] -> []
//   Gemm                    C = alpha op(A) op(B) + beta C
//   Gemv                    y = alpha op(A) x + beta y
//   Dot                     the sum of x_i y_i, nothing conjugated
//   Ger                     res = alpha x y^T + A
//   Axpy                    res = a x + y
//
// Operands have the dimensions of their memlets. A row of a matrix, `B[i, 0:K]`, may represent a vector: if the shapes do not match
// as they are, they may match without dimensions of size one.
#include "Nodes.h"

#include <numeric>

namespace sdfgc::interpret {

namespace {

/// The strides and sizes of an operand along some of its dimensions.
struct View {
    std::vector<int64_t> sizes, strides;
    std::size_t rank() const { return sizes.size(); }

    explicit View(const std::vector<int64_t> &shape) : sizes(shape), strides(rowMajorStrides(shape)) {}
    View only(const std::vector<std::size_t> &dims) const {
        View out({});
        for (const std::size_t d : dims) {
            out.sizes.push_back(sizes[d]);
            out.strides.push_back(strides[d]);
        }
        return out;
    }
    View withoutOnes() const {
        std::vector<std::size_t> dims;
        for (std::size_t d = 0; d < rank(); ++d)
            if (sizes[d] != 1)
                dims.push_back(d);
        return only(dims);
    }
    /// Interprets it as a vector or a matrix: unchanged, without dimensions of size one, or by its last dimensions if the others
    /// have size one.
    std::optional<View> ofRank(std::size_t wanted) const {
        if (rank() == wanted)
            return *this;
        if (withoutOnes().rank() == wanted)
            return withoutOnes();
        std::vector<std::size_t> last(wanted);
        std::iota(last.begin(), last.end(), rank() - std::min(rank(), wanted));
        if (rank() < wanted || product(only(last).sizes) != product(sizes))
            return std::nullopt;
        return only(last);
    }
    View transposed() const {
        std::vector<std::size_t> dims(rank());
        std::iota(dims.begin(), dims.end(), 0);
        if (rank() > 1)
            std::swap(dims[rank() - 1], dims[rank() - 2]);
        return only(dims);
    }
    /// The leading batch dimensions, aligned at their end with a batch of `n`: missing ones, and those of size one, are broadcast.
    std::vector<int64_t> batchStrides(std::size_t n, std::size_t own) const {
        std::vector<int64_t> out(n, 0);
        for (std::size_t d = 0; d < own; ++d)
            out[n - own + d] = sizes[d] == 1 ? 0 : strides[d];
        return out;
    }
};

/// A product of two operands, ready to be iterated over.
struct Plan {
    std::vector<int64_t> batch, batchA, batchB; // sizes, strides
    int64_t rows = 1, columns = 1, inner = 1;
    int64_t rowA = 0, innerA = 0, innerB = 0, columnB = 0; // strides
};

/// NumPy's `@`; nothing if the shapes do not match each other and the result.
std::optional<Plan> planOf(const View &a, const View &b, const std::vector<int64_t> &result) {
    if (a.rank() == 0 || b.rank() == 0)
        return std::nullopt;
    Plan p;
    const std::size_t ownA = a.rank() > 2 ? a.rank() - 2 : 0, ownB = b.rank() > 2 ? b.rank() - 2 : 0, n = std::max(ownA, ownB);
    p.inner = a.sizes.back();
    p.innerA = a.strides.back();
    const std::size_t k = b.rank() > 1 ? b.rank() - 2 : 0;
    p.innerB = b.strides[k];
    if (b.sizes[k] != p.inner)
        return std::nullopt;
    for (std::size_t d = 0; d < n; ++d) {
        const int64_t sizeA = d + ownA >= n ? a.sizes[d + ownA - n] : 1, sizeB = d + ownB >= n ? b.sizes[d + ownB - n] : 1;
        if (sizeA != sizeB && sizeA != 1 && sizeB != 1)
            return std::nullopt;
        p.batch.push_back(sizeA == 1 ? sizeB : sizeA);
    }
    p.batchA = a.batchStrides(n, ownA);
    p.batchB = b.batchStrides(n, ownB);
    std::vector<int64_t> shape = p.batch;
    if (a.rank() > 1) {
        shape.push_back(p.rows = a.sizes[a.rank() - 2]);
        p.rowA = a.strides[a.rank() - 2];
    }
    if (b.rank() > 1) {
        shape.push_back(p.columns = b.sizes.back());
        p.columnB = b.strides.back();
    }
    return withoutOnes(shape) == withoutOnes(result) ? std::optional(p) : std::nullopt;
}

struct Connectors {
    Name a, b, c, addend;
};

class Product final : public ScaledStep {
public:
    /// `rankA`, `rankB`: the ranks assumed for the operands; 0: any.
    Product(NodeReader &r, const Connectors &n, std::size_t rankA, std::size_t rankB)
        : ScaledStep(r, r.output(n.c), n.addend, r.text("alpha", "1"), r.text("beta", "0")), a_(keep(r.input(n.a))),
          b_(keep(r.input(n.b))), term_(r, sum_, {a_.type, b_.type}, alpha_), transA_(r.boolean("transA", false)),
          transB_(r.boolean("transB", false)), rankA_(rankA), rankB_(rankB) {
        for (const ir::Edge *e : r.node.inEdges()) // connectors may also carry streams and library handles
            if (const ir::DataDesc *d = r.node.state()->sdfg()->desc(e->memlet.data); d && d->dtype.isNumeric() &&
                                                                                      !e->dstConn.empty() && e->dstConn != n.a &&
                                                                                      e->dstConn != n.b && e->dstConn != n.addend)
                r.refuse("a product with an operand `" + e->dstConn.str() + "`");
    }

private:
    std::optional<Plan> plan() const {
        const auto tried = [&](const std::optional<View> &a, const std::optional<View> &b) {
            return a && b ? planOf(transA_ ? a->transposed() : *a, transB_ ? b->transposed() : *b, out_.shape) : std::nullopt;
        };
        const View a(a_.shape), b(b_.shape);
        if (rankA_)
            return tried(a.ofRank(rankA_), b.ofRank(rankB_));
        if (const auto p = tried(a, b))
            return p;
        if (const auto p = tried(a.ofRank(2), b.ofRank(2)))
            return p;
        return tried(a.withoutOnes(), b.withoutOnes());
    }

    void compute(Machine &m) override {
        const auto p = plan();
        if (!p) {
            mismatch(m, out_);
            return;
        }
        evaluate(m);
        const std::vector<std::byte> a = a_.readAll(m), b = b_.readAll(m);
        const int64_t bytesA = sizeOf(a_.type), bytesB = sizeOf(b_.type);
        std::vector<int64_t> batch(p->batch.size());
        for (int64_t o = 0; o < out_.count() && m.goesOn();) {
            const int64_t firstA = std::inner_product(batch.begin(), batch.end(), p->batchA.begin(), int64_t(0));
            const int64_t firstB = std::inner_product(batch.begin(), batch.end(), p->batchB.begin(), int64_t(0));
            for (int64_t i = 0; i < p->rows; ++i)
                for (int64_t j = 0; j < p->columns && m.goesOn(); ++j, ++o) {
                    begin(m, o);
                    for (int64_t k = 0; k < p->inner; ++k)
                        term_.add(m, {a.data() + (firstA + i * p->rowA + k * p->innerA) * bytesA,
                                      b.data() + (firstB + k * p->innerB + j * p->columnB) * bytesB});
                    end();
                }
            nextIndex(batch, p->batch);
        }
        writeResults(m);
    }

    Elements &a_, &b_;
    Term term_;
    const bool transA_, transB_;
    const std::size_t rankA_, rankB_;
};

class Ger final : public ScaledStep {
public:
    explicit Ger(NodeReader &r)
        : ScaledStep(r, r.output("_res"), "_A", r.text("alpha", "1"), "1"), x_(keep(r.input("_x"))), y_(keep(r.input("_y"))),
          term_(r, sum_, {x_.type, y_.type}, alpha_) {
        if (!addend_)
            r.refuse("a library node of class Ger without its input `_A`");
    }

private:
    void compute(Machine &m) override {
        if (x_.count() * y_.count() != out_.count()) {
            mismatch(m, out_);
            return;
        }
        evaluate(m);
        for (int64_t i = 0, o = 0; i < x_.count(); ++i)
            for (int64_t j = 0; j < y_.count(); ++j, ++o) {
                begin(m, o);
                term_.add(m, {x_.read(m, i), y_.read(m, j)});
                end();
            }
        writeResults(m);
    }
    Elements &x_, &y_;
    Term term_;
};

class Axpy final : public ScaledStep {
public:
    explicit Axpy(NodeReader &r)
        : ScaledStep(r, r.output("_res"), "_y", r.text("a", "a"), "1"), x_(keep(r.input("_x"))), term_(r, sum_, {x_.type}, alpha_) {
        if (!addend_)
            r.refuse("a library node of class Axpy without its input `_y`");
    }

private:
    void compute(Machine &m) override {
        if (x_.count() != out_.count()) {
            mismatch(m, out_);
            return;
        }
        evaluate(m);
        for (int64_t o = 0; o < out_.count(); ++o) {
            begin(m, o);
            term_.add(m, {x_.read(m, o)});
            end();
        }
        writeResults(m);
    }
    Elements &x_;
    Term term_;
};

} // namespace

std::unique_ptr<NodeStep> makeMatMul(NodeReader &r) {
    return std::make_unique<Product>(r, Connectors{"_a", "_b", "_c", "_cin"}, 0, 0);
}
std::unique_ptr<NodeStep> makeGemm(NodeReader &r) {
    return std::make_unique<Product>(r, Connectors{"_a", "_b", "_c", r.hasInput("_cin") ? "_cin" : "_c"}, 0, 0);
}
std::unique_ptr<NodeStep> makeGemv(NodeReader &r) { return std::make_unique<Product>(r, Connectors{"_A", "_x", "_y", "_y"}, 2, 1); }
std::unique_ptr<NodeStep> makeDot(NodeReader &r) {
    return std::make_unique<Product>(r, Connectors{"_x", "_y", "_result", Name()}, 1, 1);
}
std::unique_ptr<NodeStep> makeGer(NodeReader &r) { return std::make_unique<Ger>(r); }
std::unique_ptr<NodeStep> makeAxpy(NodeReader &r) { return std::make_unique<Axpy>(r); }

} // namespace sdfgc::interpret
