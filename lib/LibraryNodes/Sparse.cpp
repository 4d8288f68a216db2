// Products with a sparse matrix in compressed rows: CSRMM and CSRMV (format reference 7.8).
//
//   c[i, :] = alpha * sum over p in rows[i] .. rows[i + 1] of vals[p] * b[cols[p], :] + beta * cin[i, :]
//
// One tasklet with a loop over the rows, in parallel at top level. Each row of the result is accumulated in memory, along the rows
// of b. On the device, the tasklet calls its library (runtime-headers/sdfgc/rt/gpu_sparse.h), which adds to the old contents of the
// result: a separate addend is copied there first, and matrices without unit stride get packed copies.
#include "Contraction.h"
#include "Dense.h"
#include "Expanders.h"

namespace sdfgc::libnodes {

using namespace ir;

namespace {

class SparseProduct {
public:
    SparseProduct(State &s, LibraryNode &n, pass::Context &c)
        : x_(s, n, c), dense_(x_, x_.output("_c").type), how_(*analysis::combinationOf(n)) {}

    bool run(bool transposed) {
        for (Name v : {Name("_a_rows"), Name("_a_cols"), Name("_a_vals")})
            if (!bindVector(v))
                return x_.refuse("`" + v.str() + "` must be a contiguous vector");
        Operand b = x_.input("_b"), c = x_.output("_c");
        auto mb = b ? dense_.bind("_b", b) : std::nullopt, mc = c ? dense_.bind("_c", c) : std::nullopt;
        if (!mb || !mc)
            return x_.refuse("`_b` and `_c` must be matrices or vectors");
        if (transposed) {
            std::swap(mb->rows, mb->columns);
            std::swap(mb->rowStride, mb->columnStride);
        }
        Coefficient beta = coefficient(x_, how_.beta);
        std::optional<Matrix> addend;
        if (!beta.isZero()) {
            addend = how_.addend.empty() ? mc : dense_.bind(how_.addend, x_.input(how_.addend));
            if (!addend)
                return x_.refuse("`" + how_.addend.str() + "` must be a matrix or a vector");
        }
        std::string wcr = c.edge->memlet.wcr;
        if (x_.where() == Where::Device) {
            const bool inPlace = addend && (addend->data == mc->data || sameMemory(x_.input(how_.addend), c));
            onDevice(*mb, *mc, inPlace ? std::nullopt : addend, beta, wcr);
            return true;
        }
        Matrix target = wcr.empty() ? *mc : dense_.temporary("_product", *mc);
        std::vector<Name> inputs{"_a_rows", "_a_cols", "_a_vals", "_b"};
        if (addend)
            inputs.push_back(addend->data);
        x_.code(x_.addState("product"), "product", inputs, {target.data}, text(*mb, target, addend, beta));
        if (!wcr.empty())
            dense_.copy(target, *mc, wcr);
        x_.took("pure", "a loop over the rows");
        x_.finish();
        return true;
    }

private:
    static bool isReady(const Matrix &m) { return m.contiguousRows() || m.contiguousColumns(); }

    void onDevice(Matrix b, const Matrix &c, const std::optional<Matrix> &addend, const Coefficient &beta, const std::string &wcr) {
        if (!isReady(b)) {
            Matrix packed = dense_.temporary("_copy", b);
            dense_.copy(b, packed);
            b = packed;
        }
        const bool direct = wcr.empty() && isReady(c);
        const Matrix target = direct ? c : dense_.temporary("_product", c);
        if (addend || (!direct && !beta.isZero()))
            dense_.copy(addend ? *addend : c, target);
        std::vector<Name> inputs{"_a_rows", "_a_cols", "_a_vals", b.data};
        if (!beta.isZero())
            inputs.push_back(target.data);
        auto word = [&](const char *hint, sym::Expr e) { return x_.word(hint, e); };
        LibraryCall call;
        call.environment = "GpuSparse";
        call.function = "gpuSparse.multiply";
        call.arguments = {word("m", c.rows),
                          word("n", c.columns),
                          word("k", b.rows),
                          word("count", x_.inner().desc("_a_vals")->numElements()),
                          coefficient(x_, how_.alpha).text,
                          "_in_a_rows",
                          "_in_a_cols",
                          "_in_a_vals",
                          "_in" + b.data.str(),
                          word("s", b.rowStride),
                          word("s", b.columnStride),
                          beta.text,
                          "_out" + target.data.str(),
                          word("s", target.rowStride),
                          word("s", target.columnStride)};
        x_.call(x_.addState("product"), "product", inputs, {target.data}, call);
        if (!direct)
            dense_.copy(target, c, wcr);
        x_.took(platform::titleOf("gpusparse", x_.context().options.vendor()), "vectors and matrices in device memory");
        x_.finish();
    }

    bool bindVector(Name connector) {
        Operand o = x_.input(connector);
        if (!o || o.rank() > 1 || (o.rank() == 1 && !o.strides[0].isOne()))
            return false;
        x_.bind(connector, o);
        return true;
    }
    /// A container as a pointer: one element is a value.
    std::string pointer(const char *direction, Name n) {
        return (x_.inner().desc(n)->numElements().isOne() ? "&" : "") + std::string(direction) + n.str();
    }
    std::string element(const char *base, const Matrix &m, const char *row) {
        return std::string(base) + "[" + row + " * " + x_.word("s", m.rowStride) + " + _j * " + x_.word("s", m.columnStride) + "]";
    }

    std::string text(const Matrix &b, const Matrix &c, const std::optional<Matrix> &addend, const Coefficient &beta) {
        std::string type = c.type.cppName(), columns = x_.word("n", c.columns);
        Coefficient alpha = coefficient(x_, how_.alpha);
        std::string out = "auto *_rows = " + pointer("_in", "_a_rows") + "; auto *_cols = " + pointer("_in", "_a_cols") + ";\n";
        out += "auto *_vals = " + pointer("_in", "_a_vals") + "; auto *_bp = " + pointer("_in", "_b") +
               "; auto *_cp = " + pointer("_out", c.data) + ";\n";
        if (addend)
            out += "auto *_dp = " + pointer("_in", addend->data) + ";\n";
        if (x_.parallel())
            out += "#pragma omp parallel for\n";
        out += "for (long long _i = 0; _i < " + x_.word("m", c.rows) + "; ++_i) {\n    for (long long _j = 0; _j < " + columns +
               "; ++_j)\n        " + element("_cp", c, "_i") + " = ";
        out += addend ? type + "(" + beta.text + ") * " + element("_dp", *addend, "_i") : type + "(0)";
        out += ";\n    for (long long _p = _rows[_i]; _p < _rows[_i + 1]; ++_p) {\n        const " + type + " _v = ";
        out += (alpha.isOne() ? "" : type + "(" + alpha.text + ") * ") + type + "(_vals[_p]);\n";
        return out + "        for (long long _j = 0; _j < " + columns + "; ++_j)\n            " + element("_cp", c, "_i") +
               " += _v * " + type + "(" + element("_bp", b, "_cols[_p]") + ");\n    }\n}";
    }

    Expansion x_;
    Dense dense_;
    const analysis::Combination how_;
};

} // namespace

bool expandCSRMM(State &s, LibraryNode &n, pass::Context &c) {
    const json::Value *transposed = n.properties.find("transB");
    return SparseProduct(s, n, c).run(transposed && transposed->asBool());
}

bool expandCSRMV(State &s, LibraryNode &n, pass::Context &c) { return SparseProduct(s, n, c).run(false); }

} // namespace sdfgc::libnodes
