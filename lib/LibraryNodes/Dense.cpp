#include "Dense.h"
#include "OnDevice.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

std::vector<sym::Expr> Matrix::at(sym::Expr row, sym::Expr column, sym::Expr number) const {
    std::vector<sym::Expr> index(std::max<std::size_t>(rank, 1), 0);
    if (batchDim)
        index[*batchDim] = number;
    if (!dims.empty())
        index[dims[0]] = row;
    if (dims.size() > 1)
        index[dims[1]] = column;
    return index;
}

Dense::Dense(Expansion &x, Type type, Library library)
    : x_(x), type_(type), library_(library),
      byColumns_(x.node().implementation == "cuSolverDn" && x.node().classPath.find(".lapack.") != std::string::npos) {
    if (x.where() == Where::Device)
        why_ = whyNoDeviceSolver(x.node(), type, x.context().options);
    else if (x.node().implementation == "pure")
        why_ = "the node requests it";
    else if (x.where() == Where::Kernel)
        why_ = library == Library::Blas ? "a kernel cannot call BLAS" : "a kernel cannot call LAPACK";
    else if (library == Library::Blas && !x.context().options.has("openblas"))
        why_ = "the toolchain has no BLAS";
    else if (library == Library::Lapack && !x.context().options.has("lapacke"))
        why_ = "the toolchain has no LAPACKE";
    else if (!blasLetter(type))
        why_ = (library == Library::Blas ? "BLAS" : "LAPACK") + std::string(" has no routine for ") + type.str();
    if (!why_.empty())
        return;
    by_ = x.where() == Where::Device ? By::Device : By::Host;
    letter_ = blasLetter(type);
}

void Dense::remark() {
    const std::string_view library =
        by_ == By::Loops  ? "pure"
        : by_ == By::Host ? "OpenBLAS"
                          : platform::titleOf(library_ == Library::Blas ? "gpublas" : "gpusolver", x_.context().options.vendor());
    x_.took(library, by_ == By::Loops ? why_
                     : by_ == By::Host
                         ? (library_ == Library::Blas ? "routines of CBLAS for " : "routines of LAPACKE for ") + type_.str()
                         : "matrices of " + type_.str() + " in device memory");
}

std::optional<Matrix> Dense::bind(Name name, const Operand &o, bool batched) {
    Matrix m;
    m.data = name;
    m.type = o.type;
    m.rank = o.subset.rank();
    m.dims = o.dims;
    if (m.rank <= (batched ? 3 : 2)) {
        m.dims.resize(m.rank);
        for (std::size_t i = 0; i < m.rank; ++i)
            m.dims[i] = i;
    }
    if (batched && m.dims.size() < 2)
        return std::nullopt;
    if (batched) {
        m.batchDim = m.dims.front();
        m.dims.erase(m.dims.begin());
    }
    if (m.dims.size() > 2)
        return std::nullopt;
    if (byColumns_ && m.dims.size() == 2)
        std::swap(m.dims[0], m.dims[1]);
    x_.bindFull(name, o);
    const DataDesc *d = x_.inner().desc(name);
    if (m.batchDim) {
        m.batch = d->shape[*m.batchDim];
        m.batchStride = d->strides[*m.batchDim];
    }
    if (!m.dims.empty()) {
        m.rows = d->shape[m.dims[0]];
        m.rowStride = d->strides[m.dims[0]];
    }
    if (m.dims.size() == 2) {
        m.columns = d->shape[m.dims[1]];
        m.columnStride = d->strides[m.dims[1]];
    }
    return m;
}

Matrix Dense::temporary(std::string_view name, const Matrix &like) {
    Matrix m;
    std::vector<sym::Expr> shape{like.rows, like.columns}, strides;
    if (like.batchDim)
        shape.insert(shape.begin(), like.batch);
    m.data = x_.temporary(name, type_, shape, storage());
    m.type = type_;
    m.rank = shape.size();
    m.rows = like.rows;
    m.columns = like.columns;
    (isByColumns() ? m.columnStride : m.rowStride) = isByColumns() ? m.rows : m.columns;
    m.dims = {0, 1};
    strides = {m.rowStride, m.columnStride};
    if (like.batchDim) {
        m.batchDim = 0;
        m.batch = like.batch;
        m.batchStride = m.rows * m.columns;
        m.dims = {1, 2};
        strides.insert(strides.begin(), m.batchStride);
    }
    x_.inner().desc(m.data)->strides = strides;
    return m;
}

Matrix Dense::start(const Matrix &in, const Matrix &out, bool same, bool direct, bool symmetric) {
    direct = direct && (isReady(out) || (symmetric && out.contiguousRows() && out.type == type_ && !out.dims.empty()));
    Matrix work = direct ? out : temporary("_work", in);
    if (!(direct && same))
        copy(in, work);
    return work;
}

void Dense::end(const Matrix &work, const Matrix &out, const std::string &wcr) {
    if (work.data != out.data)
        copy(work, out, wcr);
}

namespace {

const Name row("_r"), column("_c"), number("_m");
const char *const inLoop = "_p0"; // the number of a matrix in its batch, in C++
Expansion::Params overAll(const Matrix &m) {
    Expansion::Params out{{row, m.rows}, {column, m.columns}};
    if (m.batchDim)
        out.insert(out.begin(), {number, m.batch});
    return out;
}
std::vector<sym::Expr> here(const Matrix &m) {
    return m.at(sym::Expr::symbol(row), sym::Expr::symbol(column), sym::Expr::symbol(number));
}

} // namespace

void Dense::copy(const Matrix &from, const Matrix &to, const std::string &wcr) {
    x_.mapped(x_.addState("copy"), "copy", overAll(from), {{"i", from.data, here(from), ""}}, {{"o", to.data, here(to), wcr}},
              "o = i");
}

void Dense::setIdentity(const Matrix &m) {
    x_.mapped(x_.addState("identity"), "identity", overAll(m), {}, {{"o", m.data, here(m), ""}}, "o = 1 if _r == _c else 0");
}

void Dense::clearTriangle(const Matrix &m, bool lower) {
    x_.mapped(x_.addState("clear"), "clear", overAll(m), {{"i", m.data, here(m), ""}}, {{"o", m.data, here(m), ""}},
              "o = i if _c " + std::string(lower ? "<=" : ">=") + " _r else " + typedLiteral(type_, "0"));
}

/// A connector of a tasklet in C++ as a pointer: one element of host memory is a value (Expansion::code).
std::string Dense::pointer(Name container, const char *direction) const {
    const bool value = x_.where() != Where::Device && x_.inner().desc(container)->numElements().isOne();
    return (value ? "&" : "") + std::string(direction) + container.str();
}

/// The part of a container that belongs to one matrix of a batch, in a loop over the batch.
std::string Dense::ofBatch(const std::string &pointer, const Matrix &m, sym::Expr stride) {
    return m.batchDim ? pointer + " + " + inLoop + " * " + x_.word("s", stride) : pointer;
}

/// Loops for each matrix of a batch.
std::string Dense::inBatch(const Matrix &m, std::string code) {
    if (!m.batchDim)
        return code;
    return std::string("for (long long ") + inLoop + " = 0; " + inLoop + " < " + x_.word("b", m.batch) + "; ++" + inLoop + ") {\n" +
           std::move(code) + "\n}";
}

/// The distance between rows, or columns. For a single column it is not used, but LAPACK requires at least the column's length.
std::string Dense::leading(const Matrix &m) {
    if (by_ == By::Host && library_ == Library::Blas && sym::isLess(0, m.rowStride) != sym::Truth::True)
        return x_.word("ld", sym::max({1, m.rowStride})); // positive even where there are no elements
    if (!isByColumns())
        return x_.word("ld", m.rowStride);
    return x_.word("ld", m.columns.isOne() ? m.rows : m.contiguousColumns() ? m.columnStride : m.rowStride);
}

/// For comparisons only: the square for a complex number.
std::string Dense::magnitude(const std::string &v) const {
    if (type_.isComplex())
        return "(" + v + ").real() * (" + v + ").real() + (" + v + ").imag() * (" + v + ").imag()";
    return "((" + v + ") < 0 ? -(" + v + ") : (" + v + "))";
}

/// A call of the library: the device's solver, or LAPACKE, which takes the order of elements first. The requested info is the
/// solver's last argument and LAPACKE's result. Containers that are read and written are in both lists.
void Dense::call(const char *label, std::vector<Name> inputs, std::vector<Name> outputs, Name info, const std::string &routine,
                 std::vector<std::string> arguments, const Matrix &batch) {
    LibraryCall c;
    c.arguments = std::move(arguments);
    if (info)
        outputs.push_back(info);
    if (onDevice()) {
        c.environment = "GpuSolver";
        c.function = "gpuSolver." + routine + (batch.batchDim ? "Batched" : "");
        if (batch.batchDim)
            c.arguments.push_back(x_.word("b", batch.batch));
        if (info)
            c.arguments.push_back("_out" + info.str());
    } else {
        c.environment = "LAPACKE";
        c.function = std::string("LAPACKE_") + letter_ + routine;
        c.arguments.insert(c.arguments.begin(), cppWord("LAPACK_ROW_MAJOR"));
        c.result = info;
        c.ownComplex = true;
        if (batch.batchDim)
            c.loops.emplace_back(inLoop, x_.word("b", batch.batch));
    }
    x_.call(x_.addState(label), label, inputs, outputs, c);
}

/// The same as loops.
void Dense::loops(const char *label, std::vector<Name> inputs, std::vector<Name> outputs, Name info, const std::string &code) {
    if (info)
        outputs.push_back(info);
    std::string prologue;
    for (Name n : inputs)
        if (pointer(n, "").starts_with('&') && std::find(outputs.begin(), outputs.end(), n) != outputs.end())
            prologue += "_out" + n.str() + " = _in" + n.str() + ";\n";
    x_.code(x_.addState(label), label, inputs, outputs, prologue + code);
}

namespace {

/// Replaces `$x` by its value in a text of loops.
std::string fill(std::string text, const std::vector<std::pair<std::string, std::string>> &values) {
    for (const auto &[key, value] : values)
        for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos; at += value.size())
            text.replace(at, key.size(), value);
    return text;
}

/// The loops, without the lines that compute the info if it is not requested.
std::string withInfo(const std::string &loops, Name info) {
    if (info)
        return fill(loops, {{"$info", "_out" + info.str()}});
    std::string text;
    for (std::size_t at = 0, end = 0; at < loops.size(); at = end) {
        end = std::min(loops.find('\n', at), loops.size() - 1) + 1;
        const std::string line = loops.substr(at, end - at);
        if (line.find("$info") == std::string::npos)
            text += line;
    }
    return text;
}

// Right-looking elimination with partial pivoting; pivots count from one, as in LAPACK.
const char *const factorLoops = R"(auto *_a = $a; auto *_p = $p;
$info = 0;
for (long long _k = 0; _k < $n; ++_k) {
    long long _best = _k;
    for (long long _i = _k + 1; _i < $n; ++_i)
        if ($candidate > $current)
            _best = _i;
    _p[_k] = static_cast<int>(_best + 1);
    for (long long _j = 0; _j < $n && _best != _k; ++_j) {
        auto _t = _a[_k * $ld + _j];
        _a[_k * $ld + _j] = _a[_best * $ld + _j];
        _a[_best * $ld + _j] = _t;
    }
    if (_a[_k * $ld + _k] == $T(0)) {
        if ($info == 0)
            $info = static_cast<int>(_k + 1);
        continue;
    }
    for (long long _i = _k + 1; _i < $n; ++_i) {
        $T _f = _a[_i * $ld + _k] / _a[_k * $ld + _k];
        _a[_i * $ld + _k] = _f;
        for (long long _j = _k + 1; _j < $n; ++_j)
            _a[_i * $ld + _j] -= _f * _a[_k * $ld + _j];
    }
})";

// Exchanges rows as the factorisation did, then solves with the unit lower and with the upper triangle.
const char *const solveLoops = R"(auto *_a = $a; auto *_p = $p; auto *_b = $b;
$info = 0;
for (long long _k = 0; _k < $n; ++_k)
    for (long long _j = 0; _j < $m && _p[_k] - 1 != _k; ++_j) {
        auto _t = _b[_k * $lb + _j];
        _b[_k * $lb + _j] = _b[(_p[_k] - 1) * $lb + _j];
        _b[(_p[_k] - 1) * $lb + _j] = _t;
    }
for (long long _i = 0; _i < $n; ++_i)
    for (long long _k = 0; _k < _i; ++_k)
        for (long long _j = 0; _j < $m; ++_j)
            _b[_i * $lb + _j] -= _a[_i * $ld + _k] * _b[_k * $lb + _j];
for (long long _i = $n - 1; _i >= 0; --_i) {
    for (long long _k = _i + 1; _k < $n; ++_k)
        for (long long _j = 0; _j < $m; ++_j)
            _b[_i * $lb + _j] -= _a[_i * $ld + _k] * _b[_k * $lb + _j];
    for (long long _j = 0; _j < $m; ++_j)
        _b[_i * $lb + _j] /= _a[_i * $ld + _i];
})";

// Row by row; `$low` is the index of element (i, j) of the lower factor, or of (j, i) of the upper one.
const char *const choleskyLoops = R"(auto *_a = $a;
$info = 0;
for (long long _j = 0; _j < $n; ++_j) {
    $T _d = _a[_j * $ld + _j];
    for (long long _k = 0; _k < _j; ++_k)
        _d -= $jk * $conj($jk);
    if (!($real > 0)) {
        $info = static_cast<int>(_j + 1);
        break;
    }
    _d = std::sqrt($real);
    _a[_j * $ld + _j] = _d;
    for (long long _i = _j + 1; _i < $n; ++_i) {
        $T _s = $ij;
        for (long long _k = 0; _k < _j; ++_k)
            _s -= $order;
        $ij = _s / _d;
    }
})";

// Solves row by row of the unknown, in the order of the triangle.
const char *const leftLoops = R"(auto *_a = $a; auto *_b = $b;
for (long long _q = 0; _q < $n; ++_q) {
    const long long _i = $at;
    for (long long _k = $begin; _k < $end; ++_k)
        for (long long _j = 0; _j < $m; ++_j)
            _b[_i * $lb + _j] -= $element * _b[_k * $lb + _j];
    for (long long _j = 0; _j < $m; ++_j)
        _b[_i * $lb + _j] /= _a[_i * $ld + _i];
})";

// Solves column by column; the rows of the unknown are independent.
const char *const rightLoops = R"(auto *_a = $a; auto *_b = $b;
for (long long _j = 0; _j < $m; ++_j)
    for (long long _q = 0; _q < $n; ++_q) {
        const long long _i = $at;
        for (long long _k = $begin; _k < $end; ++_k)
            _b[_j * $lb + _i] -= _b[_j * $lb + _k] * $element;
        _b[_j * $lb + _i] /= _a[_i * $ld + _i];
    })";

/// Loops without the division by the diagonal.
std::string withUnitDiagonal(std::string loops) {
    for (const char *division : {"    for (long long _j = 0; _j < $m; ++_j)\n        _b[_i * $lb + _j] /= _a[_i * $ld + _i];\n",
                                 "        _b[_j * $lb + _i] /= _a[_i * $ld + _i];\n"})
        if (const std::size_t at = loops.find(division); at != std::string::npos)
            loops.erase(at, std::string_view(division).size());
    return loops;
}

} // namespace

void Dense::factor(const Matrix &m, Name pivots, Name info) {
    const std::vector<Name> outputs{m.data, pivots};
    const std::string a = "_out" + m.data.str(), p = "_out" + pivots.str();
    if (onDevice()) {
        std::vector<std::string> arguments{order(m), a, leading(m), p};
        if (m.batchDim)
            arguments.insert(arguments.end() - 1, x_.word("s", m.batchStride));
        return call("factor", {m.data}, outputs, info, "getrf", std::move(arguments), m);
    }
    if (by_ == By::Host)
        return call("factor", {m.data}, outputs, info, "getrf",
                    {order(m), order(m), ofBatch(a, m, m.batchStride), leading(m), ofBatch(p, m, m.rows)}, m);
    loops("factor", {m.data}, outputs, info,
          inBatch(m, fill(withInfo(factorLoops, info), {{"$a", ofBatch(pointer(m.data, "_out"), m, m.batchStride)},
                                                        {"$p", ofBatch(pointer(pivots, "_out"), m, m.rows)},
                                                        {"$candidate", magnitude("_a[_i * $ld + _k]")},
                                                        {"$current", magnitude("_a[_best * $ld + _k]")},
                                                        {"$ld", leading(m)},
                                                        {"$n", order(m)},
                                                        {"$T", type_.cppName()}})));
}

void Dense::solve(const Matrix &lu, Name pivots, const Matrix &right, Name info) {
    const std::vector<Name> inputs{lu.data, pivots, right.data};
    const std::string columns = x_.word("m", right.columns), a = "_in" + lu.data.str(), p = "_in" + pivots.str(),
                      b = "_out" + right.data.str();
    if (onDevice()) {
        std::vector<std::string> arguments{cppWord("sdfgc::gpu::Op::None"), order(lu), columns, a, leading(lu)};
        if (lu.batchDim)
            arguments.push_back(x_.word("s", lu.batchStride));
        arguments.insert(arguments.end(), {p, b, leading(right)});
        if (lu.batchDim)
            arguments.push_back(x_.word("s", right.batchStride));
        return call("solve", inputs, {right.data}, info, "getrs", std::move(arguments), lu);
    }
    if (by_ == By::Host)
        return call("solve", inputs, {right.data}, info, "getrs",
                    {cppWord("'N'"), order(lu), columns, ofBatch(a, lu, lu.batchStride), leading(lu), ofBatch(p, lu, lu.rows),
                     ofBatch(b, right, right.batchStride), leading(right)},
                    lu);
    loops("solve", inputs, {right.data}, info,
          inBatch(lu, fill(withInfo(solveLoops, info), {{"$a", ofBatch(pointer(lu.data, "_in"), lu, lu.batchStride)},
                                                        {"$p", ofBatch(pointer(pivots, "_in"), lu, lu.rows)},
                                                        {"$b", ofBatch(pointer(right.data, "_out"), right, right.batchStride)},
                                                        {"$lb", leading(right)},
                                                        {"$ld", leading(lu)},
                                                        {"$n", order(lu)},
                                                        {"$m", columns}})));
}

void Dense::invert(const Matrix &lu, Name pivots, Name info) {
    if (by_ != By::Host) { // the device libraries lack getri
        Matrix inverse = temporary("_inverse", lu);
        setIdentity(inverse);
        solve(lu, pivots, inverse, info);
        copy(inverse, lu);
        return;
    }
    call("invert", {lu.data, pivots}, {lu.data}, info, "getri",
         {order(lu), ofBatch("_out" + lu.data.str(), lu, lu.batchStride), leading(lu), ofBatch("_in" + pivots.str(), lu, lu.rows)},
         lu);
}

void Dense::solveTriangle(const Matrix &a, const Triangle &t, const Matrix &right) {
    const std::vector<Name> inputs{a.data, right.data};
    if (by_ == By::Loops) {
        // Elements of op(A): of the row i for the left side, of the column i for the right one.
        const bool forward = (t.lower != t.transposed) == t.left;
        const std::string n = order(a);
        return loops("solve", inputs, {right.data}, {},
                     fill(t.unit   ? withUnitDiagonal(t.left ? leftLoops : rightLoops)
                          : t.left ? leftLoops
                                   : rightLoops,
                          {{"$at", forward ? "_q" : n + " - 1 - _q"},
                           {"$begin", forward ? "0" : "_i + 1"},
                           {"$end", forward ? "_i" : n},
                           {"$element", t.left != t.transposed ? "_a[_i * $ld + _k]" : "_a[_k * $ld + _i]"},
                           {"$a", pointer(a.data, "_in")},
                           {"$b", pointer(right.data, "_out")},
                           {"$lb", leading(right)},
                           {"$ld", leading(a)},
                           {"$n", n},
                           {"$m", x_.word("m", t.left ? right.columns : right.rows)}}));
    }
    const auto word = [&](const char *host, const char *device) { return cppWord(onDevice() ? device : host); };
    LibraryCall c;
    c.environment = onDevice() ? "GpuBlas" : "OpenBLAS";
    c.function = onDevice() ? "gpuBlas.trsm" : "cblas_" + std::string(1, letter_) + "trsm";
    const std::string one = !onDevice() && type_.isComplex() ? "by_address(" + typedLiteral(type_, "1") + ")"
                            : onDevice()                     ? "1"
                                                             : "1.0";
    c.arguments = {t.left ? word("CblasLeft", "sdfgc::gpu::Side::Left") : word("CblasRight", "sdfgc::gpu::Side::Right"),
                   t.lower ? word("CblasLower", "sdfgc::gpu::Triangle::Lower") : word("CblasUpper", "sdfgc::gpu::Triangle::Upper"),
                   t.transposed ? word("CblasTrans", "sdfgc::gpu::Op::Transpose") : word("CblasNoTrans", "sdfgc::gpu::Op::None"),
                   t.unit ? word("CblasUnit", "sdfgc::gpu::Diagonal::One") : word("CblasNonUnit", "sdfgc::gpu::Diagonal::Stored"),
                   x_.word("m", right.rows),
                   x_.word("n", right.columns),
                   one,
                   "_in" + a.data.str(),
                   leading(a),
                   "_out" + right.data.str(),
                   leading(right)};
    if (!onDevice())
        c.arguments.insert(c.arguments.begin(), cppWord("CblasRowMajor"));
    x_.call(x_.addState("solve"), "solve", inputs, {right.data}, c);
}

void Dense::factorPositive(const Matrix &m, bool lower, Name info) {
    if (by_ != By::Loops) {
        // In row-major order, the lower triangle is the upper triangle of the transposed matrix, so the transposed factor is
        // computed.
        const bool swapped = onDevice() && !m.contiguousColumns();
        const std::string triangle =
            onDevice() ? std::string("sdfgc::gpu::Triangle::") + (lower != swapped ? "Lower" : "Upper") : (lower ? "'L'" : "'U'");
        return call("cholesky", {m.data}, {m.data}, info, "potrf",
                    {cppWord(triangle), order(m), "_out" + m.data.str(), leading(m)});
    }
    auto element = [&](const char *i, const char *j) {
        return "_a[" + std::string(lower ? i : j) + " * $ld + " + (lower ? j : i) + "]";
    };
    // a(i, j) = l(i, k) conj(l(j, k)); the upper factor u(k, i) is the conjugate of l(i, k).
    std::string ik = element("_i", "_k"), jk = element("_j", "_k"), conj = type_.isComplex() ? "std::conj" : "";
    loops(
        "cholesky", {m.data}, {m.data}, info,
        fill(withInfo(choleskyLoops, info), {{"$order", lower ? ik + " * " + conj + "(" + jk + ")" : conj + "(" + jk + ") * " + ik},
                                             {"$a", pointer(m.data, "_out")},
                                             {"$jk", jk},
                                             {"$ij", element("_i", "_j")},
                                             {"$conj", conj},
                                             {"$real", type_.isComplex() ? "_d.real()" : "_d"},
                                             {"$ld", leading(m)},
                                             {"$n", order(m)},
                                             {"$T", type_.cppName()}}));
}

} // namespace sdfgc::libnodes
