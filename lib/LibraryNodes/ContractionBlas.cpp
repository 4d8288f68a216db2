// Contractions of two operands as calls of BLAS.
//
// Labels fall into four groups by where they occur:
//
//   both factors and the result   batch    a loop around the call
//   first factor and result       m
//   second factor and result      n
//   both factors only             k
//
// Labels of one group merge into one dimension if they are laid out like one in both operands that have them. Outer labels of m and
// n that do not merge (a broadcast matrix) become batches. With m, n and k the call is gemm, without m or n gemv, with k alone dot.
// On the device the calls are those of runtime-headers/sdfgc/rt/gpu_blas.h, a batch is one call, and a transposition is geam. Every
// matrix needs unit stride in one dimension; which one decides between the normal and the transposed form. A result that is
// contiguous by columns is computed as its own transpose.
#include "Contraction.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

namespace {

/// Up to this many multiplications, a call costs more than it gains. In a batch, every product is a call.
constexpr int64_t smallProduct = 16 * 16 * 16;

/// One dimension of a call: a size, and its stride in each of the two operands that have it.
struct Dim {
    sym::Expr size = 1, first = 0, second = 0;
    bool present = false;
};

/// Merges the labels into one dimension of both operands; fails if they are not laid out like one.
std::optional<Dim> merged(std::vector<int> labels, const Factor &a, const Factor &b, const std::vector<sym::Expr> &sizes) {
    Dim d;
    // From the innermost label outwards, in the order of the first operand.
    for (auto l = labels.rbegin(); l != labels.rend(); ++l) {
        sym::Expr sa = a.stride(*l), sb = b.stride(*l);
        if (!d.present)
            d = {1, sa, sb, true};
        else if (!(sa == d.first * d.size) || !(sb == d.second * d.size))
            return std::nullopt;
        d.size = d.size * sizes[static_cast<std::size_t>(*l)];
    }
    return d;
}

struct Call {
    const Factor *a, *b;
    Dim m, n, k; // strides: m in (a, c), n in (b, c), k in (a, b)
    std::vector<int> batch;
};

/// How a matrix of `rows` x `columns` with these strides is passed: transposed or not, and its leading dimension.
struct Layout {
    bool transposed;
    sym::Expr leading;
};
std::optional<Layout> layoutOf(sym::Expr rows, sym::Expr rowStride, sym::Expr columns, sym::Expr columnStride) {
    if (columnStride.isOne() && sym::isLess(rowStride, columns) != sym::Truth::True)
        return Layout{false, rowStride};
    if (rowStride.isOne() && sym::isLess(columnStride, rows) != sym::Truth::True)
        return Layout{true, columnStride};
    return std::nullopt;
}

class Product {
public:
    Product(Expansion &x, const Contraction &c, const Factor &target, bool overwrite)
        : x_(x), c_(c), target_(target), overwrite_(overwrite), type_(target.operand.type), letter_(blasLetter(type_)) {}

    std::optional<LibraryCall> run(std::string &why) {
        why = unsuitable();
        if (!why.empty())
            return std::nullopt;
        if (c_.factors.size() == 1)
            return transposition(why);
        Call call{&c_.factors[0], &c_.factors[1], {}, {}, {}, {}};
        why = classify(call);
        if (!why.empty())
            return std::nullopt;
        auto made = call.m.present && call.n.present ? gemm(call) : call.m.present || call.n.present ? gemv(call) : dot(call);
        why = made ? routine(*made) : "no unit stride that BLAS could use";
        return made;
    }

private:
    bool device() const { return x_.where() == Where::Device; }
    std::string unsuitable() const;
    std::optional<LibraryCall> transposition(std::string &why);
    LibraryCall onDevice(const Call &c, const Layout &a, const Layout &b, const Layout &target);
    std::string classify(Call &call) const;
    std::optional<LibraryCall> gemm(Call c);
    std::optional<LibraryCall> gemv(Call c);
    std::optional<LibraryCall> dot(const Call &c);
    bool complex() const { return type_.isComplex(); }
    std::string word(const char *hint, sym::Expr e) { return x_.word(hint, e); }
    /// A leading dimension or increment. BLAS requires it to be positive even for empty operands; the device wrappers ensure that
    /// themselves.
    std::string leading(const char *hint, sym::Expr e) {
        return word(hint, device() || sym::isLess(0, e) == sym::Truth::True ? e : sym::max({1, e}));
    }

    /// `_in_a + _p0 * 64 + ...`: start of the matrix of a batch.
    std::string start(const std::string &base, const Factor &f, const std::vector<int> &batch) {
        std::string out = base;
        for (int l : batch)
            if (sym::Expr s = f.stride(l); !s.isZero())
                out += " + _p" + std::to_string(l) + " * " + word("s", s);
        return out;
    }
    std::string in(const Factor &f, const std::vector<int> &batch) { return start("_in" + f.connector.str(), f, batch); }
    std::string out(const std::vector<int> &batch) { return start("_out" + target_.connector.str(), target_, batch); }

    /// BLAS takes real coefficients by value and complex ones by address.
    std::string alpha() const { return coefficient(c_.alpha.text); }
    std::string beta() const { return coefficient(overwrite_ ? "0" : "1"); }
    std::string coefficient(const std::string &value) const {
        if (type_.isComplex())
            return "by_address(" + typedLiteral(type_, value) + ")";
        return value.find_first_not_of("0123456789") == std::string::npos ? value + ".0" : value;
    }

    /// A call of the host's BLAS or of the device's, for each index of these labels.
    LibraryCall call(const std::string &name, std::vector<std::string> arguments, const std::vector<int> &loops = {}) {
        LibraryCall c;
        c.environment = device() ? "GpuBlas" : "OpenBLAS";
        c.function = device() ? "gpuBlas." + name : "cblas_" + std::string(1, letter_) + name;
        c.arguments = std::move(arguments);
        for (int l : loops)
            c.loops.emplace_back("_p" + std::to_string(l), word("b", c_.sizes[static_cast<std::size_t>(l)]));
        return c;
    }
    /// The routine's name, for remarks.
    static std::string routine(const LibraryCall &c) { return c.function.substr(c.function.find('.') + 1); }

    Expansion &x_;
    const Contraction &c_;
    const Factor &target_;
    bool overwrite_;
    Type type_;
    char letter_;
};

std::string Product::unsuitable() const {
    if (x_.node().implementation == "pure")
        return "the node requests it";
    if (x_.where() == Where::Kernel)
        return "a kernel cannot call BLAS";
    // CUDA and ROCm include a BLAS; the emulation of both calls the host's BLAS.
    const pass::CompileOptions &options = x_.context().options;
    if (!options.has("openblas") && (!device() || options.emulate))
        return "the toolchain has no BLAS";
    if (device() && options.vendor() == platform::Device::OpenCl)
        return "OpenCL has no BLAS of its own";
    if (c_.factors.size() != 2 && !(c_.factors.size() == 1 && device()))
        return "BLAS multiplies two operands";
    return unfitForLibraries(c_, target_);
}

std::string Product::classify(Call &call) const {
    std::vector<int> m, n, k;
    for (int l = 0; l < static_cast<int>(c_.sizes.size()); ++l) {
        for (const Factor *f : {call.a, call.b, &target_})
            if (std::count(f->labels.begin(), f->labels.end(), l) > 1)
                return "an operand is read along a diagonal";
        bool a = call.a->has(l), b = call.b->has(l), c = target_.has(l);
        if (a && b && c)
            call.batch.push_back(l);
        else if (a && c)
            m.push_back(l);
        else if (b && c)
            n.push_back(l);
        else if (a && b)
            k.push_back(l);
        else if (a || b)
            return "a dimension of one operand alone is summed";
    }
    if (k.empty())
        return "an outer product";
    auto inOrderOf = [](std::vector<int> labels, const Factor &f) {
        std::sort(labels.begin(), labels.end(), [&](int x, int y) {
            return std::find(f.labels.begin(), f.labels.end(), x) < std::find(f.labels.begin(), f.labels.end(), y);
        });
        return labels;
    };
    // If rows or columns do not merge into one dimension, each index of the outer ones gets its own product.
    auto mergedOrBatch = [&](std::vector<int> labels, const Factor &f) {
        labels = inOrderOf(std::move(labels), f);
        auto d = merged(labels, f, target_, c_.sizes);
        for (; !d && labels.size() > 1; d = merged(labels, f, target_, c_.sizes)) {
            call.batch.insert(call.batch.begin(), labels.front());
            labels.erase(labels.begin());
        }
        return d;
    };
    auto dm = mergedOrBatch(m, *call.a), dn = mergedOrBatch(n, *call.b),
         dk = merged(inOrderOf(k, *call.a), *call.a, *call.b, c_.sizes);
    if (!dm || !dn || !dk)
        return "dimensions that do not merge into one";
    call.m = *dm;
    call.n = *dn;
    call.k = *dk;
    if (auto n = (call.m.size * call.n.size * call.k.size).asInt(); n && *n <= smallProduct)
        return (call.batch.empty() ? "a small product of " : "small products of ") + std::to_string(*n) + " multiplications";
    for (const Dim *d : {&call.m, &call.n, &call.k})
        if (sym::isLess(d->first, 0) == sym::Truth::True || sym::isLess(d->second, 0) == sym::Truth::True)
            return "an operand is read backwards";
    return "";
}

std::string transposed(bool t) { return cppWord(t ? "CblasTrans" : "CblasNoTrans"); }
std::string op(bool t) { return cppWord(t ? "sdfgc::gpu::Op::Transpose" : "sdfgc::gpu::Op::None"); }
const std::string byRows = cppWord("CblasRowMajor");

std::optional<LibraryCall> Product::gemm(Call c) {
    if (!c.n.second.isOne()) {
        // By columns: the transpose of the result is the product of the transposes, in reverse order.
        std::swap(c.a, c.b);
        std::swap(c.m, c.n);
        std::swap(c.k.first, c.k.second);
    }
    auto la = layoutOf(c.m.size, c.m.first, c.k.size, c.k.first), lb = layoutOf(c.k.size, c.k.second, c.n.size, c.n.first),
         lc = layoutOf(c.m.size, c.m.second, c.n.size, c.n.second);
    if (!la || !lb || !lc || lc->transposed)
        return std::nullopt;
    if (device())
        return onDevice(c, *la, *lb, *lc);
    return call("gemm",
                {byRows, transposed(la->transposed), transposed(lb->transposed), word("m", c.m.size), word("n", c.n.size),
                 word("k", c.k.size), alpha(), in(*c.a, c.batch), leading("lda", la->leading), in(*c.b, c.batch),
                 leading("ldb", lb->leading), beta(), out(c.batch), leading("ldc", lc->leading)},
                c.batch);
}

std::optional<LibraryCall> Product::gemv(Call c) {
    if (!c.m.present) {
        std::swap(c.a, c.b);
        std::swap(c.m, c.n);
        std::swap(c.k.first, c.k.second);
    }
    auto la = layoutOf(c.m.size, c.m.first, c.k.size, c.k.first);
    if (!la)
        return std::nullopt;
    if (device() && !c.batch.empty()) // a vector is a matrix of one column
        return onDevice(c, *la, {false, c.k.second}, {false, c.m.second});
    // BLAS counts rows and columns of the matrix as it is stored.
    sym::Expr rows = la->transposed ? c.k.size : c.m.size, columns = la->transposed ? c.m.size : c.k.size;
    std::vector<std::string> arguments{
        transposed(la->transposed),  word("m", rows),   word("n", columns),          alpha(), in(*c.a, c.batch),
        leading("lda", la->leading), in(*c.b, c.batch), leading("incx", c.k.second), beta(),  out(c.batch),
        leading("incy", c.m.second)};
    if (device()) {
        arguments[0] = op(la->transposed);
        arguments[3] = c_.alpha.text;
        arguments[8] = overwrite_ ? "0" : "1";
    } else {
        arguments.insert(arguments.begin(), byRows);
    }
    LibraryCall made = call("gemv", std::move(arguments), c.batch);
    if (!device())
        made.terms = c.k.size; // BLAS returns early if a dimension is 0
    return made;
}

std::optional<LibraryCall> Product::dot(const Call &c) {
    if (!c.batch.empty() || !overwrite_ || !c_.alpha.isOne())
        return std::nullopt;
    std::vector<std::string> arguments{word("n", c.k.size), in(*c.a, {}), word("incx", c.k.first), in(*c.b, {}),
                                       word("incy", c.k.second)};
    const bool returns = !device() && !complex();
    if (!returns)
        arguments.push_back(out({}));
    LibraryCall made = call(!device() && complex() ? "dotu_sub" : "dot", std::move(arguments));
    if (returns)
        made.result = target_.connector;
    return made;
}

/// One call for a batch whose matrices lie at equal distances; loops around it for the other labels.
LibraryCall Product::onDevice(const Call &c, const Layout &a, const Layout &b, const Layout &target) {
    std::vector<int> loops = c.batch;
    sym::Expr count = 1, strideA = 0, strideB = 0, strideC = 0;
    while (!loops.empty()) {
        const int l = loops.back();
        const sym::Expr size = c_.sizes[static_cast<std::size_t>(l)], da = c.a->stride(l), db = c.b->stride(l),
                        dc = target_.stride(l);
        const bool first = loops.size() == c.batch.size();
        if (!first && !(da == strideA * count && db == strideB * count && dc == strideC * count))
            break;
        if (first) {
            strideA = da;
            strideB = db;
            strideC = dc;
        }
        count *= size;
        loops.pop_back();
    }
    const bool batched = !c.batch.empty();
    std::vector<std::string> arguments{op(a.transposed),    op(b.transposed),    word("m", c.m.size),
                                       word("n", c.n.size), word("k", c.k.size), c_.alpha.text};
    auto add = [&](const std::string &matrix, sym::Expr leading, sym::Expr stride) {
        arguments.insert(arguments.end(), {matrix, word("ld", leading)});
        if (batched)
            arguments.push_back(word("s", stride));
    };
    add(in(*c.a, loops), a.leading, strideA);
    add(in(*c.b, loops), b.leading, strideB);
    arguments.emplace_back(overwrite_ ? "0" : "1");
    add(out(loops), target.leading, strideC);
    if (batched)
        arguments.push_back(word("batch", count));
    return call(batched ? "gemmStridedBatched" : "gemm", std::move(arguments), loops);
}

/// A matrix into its transpose: a kernel that copies element by element would read or write along columns.
std::optional<LibraryCall> Product::transposition(std::string &why) {
    const Factor &from = c_.factors[0];
    const std::vector<int> labels = c_.kept();
    why = "one kernel reads and writes everything once";
    if (!overwrite_ || labels.size() != 2 || !c_.summed().empty() || (c_.addend.operand && !c_.beta.isZero()))
        return std::nullopt;
    const int row = labels[0], column = labels[1];
    const sym::Expr rows = c_.sizes[static_cast<std::size_t>(row)], columns = c_.sizes[static_cast<std::size_t>(column)];
    auto source = layoutOf(rows, from.stride(row), columns, from.stride(column)),
         target = layoutOf(rows, target_.stride(row), columns, target_.stride(column));
    if (!source || !target || !source->transposed || target->transposed)
        return std::nullopt;
    const std::string ldb = leading("ldb", target->leading);
    LibraryCall made = call("geam", {op(true), op(false), word("m", rows), word("n", columns), c_.alpha.text, in(from, {}),
                                     leading("lda", source->leading), "0", out({}), ldb, out({}), ldb});
    why = routine(made);
    return made;
}

} // namespace

std::string unfitForLibraries(const Contraction &c, const Factor &target) {
    const Type type = target.operand.type;
    if (!blasLetter(type))
        return "BLAS has no routine for " + type.str();
    for (const Factor &f : c.factors)
        if (!(f.operand.type == type))
            return "operands of different types";
    const bool number = c.alpha.value.isInteger() || c.alpha.value.kind() == sym::SymbolicKind::Float;
    return number || (c.alpha.value.isSymbol() && !type.isComplex()) ? "" : "the coefficient is an expression";
}

std::optional<LibraryCall> blasProduct(Expansion &x, const Contraction &c, const Factor &target, bool overwrite, std::string &why) {
    return Product(x, c, target, overwrite).run(why);
}

} // namespace sdfgc::libnodes
