// Library calls, executed by their definition.
#include "Translator.h"

#include "../Values.h"

#include <complex>

namespace sdfgc::interpret {

using namespace tree;

namespace {

constexpr std::string_view rowMajor = "CblasRowMajor";

/// The arguments of a call: literal words, numbers, addresses.
struct LibraryOperands {
    std::vector<std::string> words;
    std::vector<Operand> values;
    Operand result;
    const Site *site = nullptr;

    int64_t integer(std::size_t k) const { return as<int64_t>(values[k].at); }
    Pointer pointer(std::size_t k) const { return as<Pointer>(values[k].at); }
    bool isTransposed(std::size_t k) const { return !words[k].ends_with("NoTrans") && !words[k].ends_with("::None"); }
    bool isConjugated(std::size_t k) const { return isTransposed(k) && words[k].find("Conj") != std::string::npos; }
};

/// A matrix or vector in memory, of elements T.
template <class T> class Elements {
public:
    Elements(Machine &m, Pointer at, const Site *site) : m_(m), at_(at), site_(site) {}
    T get(int64_t k) const {
        const Pointer p = address(k);
        const std::byte *at = m_.memoryAt(p, sizeof(T), site_);
        if (!at)
            return T(0);
        m_.noteRead(*p.buffer, p.offset, sizeof(T), site_);
        return as<T>(at);
    }
    void put(int64_t k, T value) const {
        const Pointer p = address(k);
        if (std::byte *at = m_.memoryAt(p, sizeof(T), site_)) {
            m_.noteWrite(*p.buffer, p.offset, sizeof(T), reinterpret_cast<const std::byte *>(&value), site_);
            as<T>(at) = value;
        }
    }

private:
    Pointer address(int64_t k) const { return {at_.buffer, at_.offset + k * static_cast<int64_t>(sizeof(T))}; }
    Machine &m_;
    Pointer at_;
    const Site *site_;
};

template <class T> T conjugated(T x, bool yes) {
    if constexpr (isComplexType<T>)
        return yes ? std::conj(x) : x;
    else
        return x;
}

/// A factor is a value, or for complex numbers its address.
template <class T> T factor(const LibraryOperands &o, std::size_t k) {
    if constexpr (isComplexType<T>)
        if (o.values[k].type.isPointer())
            return as<T>(o.pointer(k).buffer->memory + o.pointer(k).offset);
    return as<T>(o.values[k].at);
}

/// cblas_?gemm(layout, transA, transB, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)
template <class T> void gemm(Machine &machine, const LibraryOperands &o) {
    const bool rows = o.words[0] == rowMajor, ta = o.isTransposed(1), tb = o.isTransposed(2);
    const int64_t m = o.integer(3), n = o.integer(4), depth = o.integer(5), lda = o.integer(8), ldb = o.integer(10),
                  ldc = o.integer(13);
    const T alpha = factor<T>(o, 6), beta = factor<T>(o, 11);
    const Elements<T> a(machine, o.pointer(7), o.site), b(machine, o.pointer(9), o.site), c(machine, o.pointer(12), o.site);
    const auto at = [rows](int64_t i, int64_t j, int64_t ld) { return rows ? i * ld + j : j * ld + i; };
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n && machine.goesOn(); ++j) {
            T sum(0);
            for (int64_t k = 0; k < depth; ++k)
                sum += conjugated(a.get(ta ? at(k, i, lda) : at(i, k, lda)), o.isConjugated(1)) *
                       conjugated(b.get(tb ? at(j, k, ldb) : at(k, j, ldb)), o.isConjugated(2));
            c.put(at(i, j, ldc), beta == T(0) ? alpha * sum : alpha * sum + beta * c.get(at(i, j, ldc)));
        }
}

/// The position of element k in a strided vector of n elements: a negative stride counts from the end.
int64_t strided(int64_t k, int64_t n, int64_t stride) { return stride >= 0 ? k * stride : (k - n + 1) * stride; }

/// cblas_?gemv(layout, trans, m, n, alpha, A, lda, x, incx, beta, y, incy)
template <class T> void gemv(Machine &machine, const LibraryOperands &o) {
    const bool rows = o.words[0] == rowMajor, t = o.isTransposed(1);
    const int64_t m = o.integer(2), n = o.integer(3), lda = o.integer(6), incx = o.integer(8), incy = o.integer(11);
    const T alpha = factor<T>(o, 4), beta = factor<T>(o, 9);
    const Elements<T> a(machine, o.pointer(5), o.site), x(machine, o.pointer(7), o.site), y(machine, o.pointer(10), o.site);
    const int64_t results = t ? n : m, terms = t ? m : n;
    for (int64_t i = 0; i < results && machine.goesOn(); ++i) {
        T sum(0);
        for (int64_t k = 0; k < terms; ++k) {
            const int64_t row = t ? k : i, column = t ? i : k;
            sum += conjugated(a.get(rows ? row * lda + column : column * lda + row), o.isConjugated(1)) *
                   x.get(strided(k, terms, incx));
        }
        const int64_t at = strided(i, results, incy);
        y.put(at, beta == T(0) ? alpha * sum : alpha * sum + beta * y.get(at));
    }
}

/// result = cblas_?dot(n, x, incx, y, incy)
template <class T> void dot(Machine &machine, const LibraryOperands &o) {
    const int64_t n = o.integer(0), incx = o.integer(2), incy = o.integer(4);
    const Elements<T> x(machine, o.pointer(1), o.site), y(machine, o.pointer(3), o.site);
    T sum(0);
    for (int64_t k = 0; k < n && machine.goesOn(); ++k)
        sum += x.get(strided(k, n, incx)) * y.get(strided(k, n, incy));
    if (o.result)
        Elements<T>(machine, as<Pointer>(o.result.at), o.site).put(0, sum);
}

/// cblas_?axpy(n, alpha, x, incx, y, incy)
template <class T> void axpy(Machine &machine, const LibraryOperands &o) {
    const int64_t n = o.integer(0), incx = o.integer(3), incy = o.integer(5);
    const T alpha = factor<T>(o, 1);
    const Elements<T> x(machine, o.pointer(2), o.site), y(machine, o.pointer(4), o.site);
    for (int64_t k = 0; k < n && machine.goesOn(); ++k)
        y.put(strided(k, n, incy), alpha * x.get(strided(k, n, incx)) + y.get(strided(k, n, incy)));
}

/// geam(opA, opB, m, n, alpha, A, lda, beta, B, ldb, C, ldc), only on the device: C = alpha op(A) + beta op(B), all row-major
template <class T> void geam(Machine &machine, const LibraryOperands &o) {
    const int64_t m = o.integer(2), n = o.integer(3), lda = o.integer(6), ldb = o.integer(9), ldc = o.integer(11);
    const T alpha = factor<T>(o, 4), beta = factor<T>(o, 7);
    const Elements<T> a(machine, o.pointer(5), o.site), b(machine, o.pointer(8), o.site), c(machine, o.pointer(10), o.site);
    const auto part = [&](const Elements<T> &x, std::size_t op, int64_t i, int64_t j, int64_t ld) {
        return conjugated(x.get(o.isTransposed(op) ? j * ld + i : i * ld + j), o.isConjugated(op));
    };
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n && machine.goesOn(); ++j) { // operands with factor 0 are not read
            const T first = alpha == T(0) ? T(0) : alpha * part(a, 0, i, j, lda);
            c.put(i * ldc + j, beta == T(0) ? first : first + beta * part(b, 1, i, j, ldb));
        }
}

using Compute = void (*)(Machine &, const LibraryOperands &);
struct KnownFunction {
    std::string_view name; // without the library's prefix and the type letter
    uint32_t factors;      // bit mask of the arguments that are factors
    bool hasLayout;        // as the first argument on the host; the device is row-major
    Compute s, d, c, z;    // by type letter; null: not available
    Compute of(char letter) const {
        return letter == 's' ? s : letter == 'd' ? d : letter == 'c' ? c : letter == 'z' ? z : nullptr;
    }
};

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;
const KnownFunction functions[] = {
    {"gemm", 1 << 6 | 1 << 11, true, gemm<float>, gemm<double>, gemm<complex64>, gemm<complex128>},
    {"gemv", 1 << 4 | 1 << 9, true, gemv<float>, gemv<double>, gemv<complex64>, gemv<complex128>},
    {"geam", 1 << 4 | 1 << 7, false, geam<float>, geam<double>, geam<complex64>, geam<complex128>},
    {"axpy", 1 << 1, false, axpy<float>, axpy<double>, axpy<complex64>, axpy<complex128>},
    {"dot", 0, false, dot<float>, dot<double>, nullptr, nullptr},
};

Type typeOf(char letter) {
    return letter == 's'   ? ScalarKind::Float32
           : letter == 'd' ? ScalarKind::Float64
           : letter == 'c' ? ScalarKind::Complex64
                           : ScalarKind::Complex128;
}

char letterOf(Type t) {
    for (const char letter : {'s', 'd', 'c', 'z'})
        if (t == typeOf(letter))
            return letter;
    return 0;
}

struct LibraryOperation {
    LibraryOperands operands;
    Compute compute;
    Space space;
};

const Instruction *callLibraryNow(const Instruction *i, Machine &m) {
    const auto &x = *static_cast<const LibraryOperation *>(i->extra);
    const Space outer = std::exchange(m.space, x.space);
    x.compute(m, x.operands);
    m.space = outer;
    return i + 1;
}

} // namespace

/// `cblas_dgemm` on the host, `__state->gpuBlas.gemm` on the device, where the arguments determine the type.
void Translator::translate(const LibraryCall &c) {
    constexpr std::string_view hosts = "cblas_", devices = "__state->gpuBlas.";
    const bool onDevice = c.function.starts_with(devices), onHost = c.function.starts_with(hosts);
    if (c.function == "sdfgc::gpu::blockReduce")
        return blockReduce(c, Together::First);
    if (c.function == "sdfgc::gpu::blockReduceAll")
        return blockReduce(c, Together::All);
    if (c.function == "sdfgc::gpu::columnReduceAll")
        return blockReduce(c, Together::Columns);
    char letter = onHost ? c.function[hosts.size()] : 0;
    for (const LibraryCall::Argument &a : c.arguments)
        if (onDevice && a.ref && !letter)
            letter = letterOf(typeAt(a.ref));
    const std::string_view name = std::string_view(c.function).substr(onDevice ? devices.size() : onHost ? hosts.size() + 1 : 0);
    const auto known =
        std::find_if(std::begin(functions), std::end(functions), [&](const KnownFunction &f) { return f.name == name; });
    if (!(onHost || onDevice) || known == std::end(functions) || !known->of(letter)) {
        refuse("the function `" + c.function + "` of a library");
        return;
    }
    LibraryOperation x{{}, known->of(letter), onDevice ? Space::Device : Space::Host};
    if (onDevice && known->hasLayout) {
        x.operands.words.emplace_back(rowMajor);
        x.operands.values.emplace_back();
    }
    for (const LibraryCall::Argument &a : c.arguments) {
        const bool isFactor = known->factors >> x.operands.values.size() & 1;
        x.operands.words.push_back(a.word);
        x.operands.values.push_back(libraryArgument(a, isFactor ? typeOf(letter) : Type(ScalarKind::Int64)));
    }
    if (c.result)
        x.operands.result = pointerTo(c.result);
    else if (onDevice && name == "dot")
        x.operands.result = x.operands.values.back();
    x.operands.site = b().site();
    if (onDevice)
        onStream(c.stream, true);
    b().emit({callLibraryNow, nullptr, nullptr, nullptr, 1, &m_.keep(std::move(x))});
    if (onDevice)
        onStream(c.stream, false);
}

Operand Translator::libraryArgument(const LibraryCall::Argument &a, Type t) {
    if (a.ref)
        return pointerTo(a.ref);
    if (a.value)
        return b().convert(b().expression(*a.value), t);
    if (const auto bracket = a.word.find('('); bracket != std::string::npos) // `double(1)`
        return b().convert(b().constant(ScalarKind::Float64, std::strtod(a.word.c_str() + bracket + 1, nullptr)), t);
    return {};
}

// ---------------------------------------------------------------------------------------------------- threads of a block

namespace {

/// The values of a block's threads, side by side.
struct SideBySide {
    std::vector<std::byte> values;
};

/// The thread stores its value `a` of `n` bytes.
const Instruction *leaveValueNow(const Instruction *i, Machine &m) {
    auto &x = ownOf<SideBySide>(i);
    const std::size_t at = treeMachine(m).side * static_cast<std::size_t>(i->n);
    x.values.resize(std::max(x.values.size(), at + static_cast<std::size_t>(i->n)));
    std::copy_n(i->a, i->n, x.values.data() + at);
    return i + 1;
}

/// Thread `a` of the block reads the value of thread `b`.
const Instruction *takeValueNow(const Instruction *i, Machine &m) {
    const auto &x = *static_cast<const SideBySide *>(i->extra);
    const std::size_t thread = treeMachine(m).side + static_cast<std::size_t>(as<int64_t>(i->b) - as<int64_t>(i->a));
    std::copy_n(x.values.data() + thread * static_cast<std::size_t>(i->n), i->n, i->to);
    return i + 1;
}

/// The reduction of `sdfgc::gpu::Sum()`.
std::optional<py::Reduction> reductionOf(const std::string &word) {
    using py::Reduction;
    static const std::map<std::string, Reduction> all = {{"Sum", Reduction::Sum},
                                                         {"Product", Reduction::Product},
                                                         {"Min", Reduction::Min},
                                                         {"Max", Reduction::Max},
                                                         {"And", Reduction::BitAnd},
                                                         {"Or", Reduction::BitOr},
                                                         {"Xor", Reduction::BitXor},
                                                         {"LogicalAnd", Reduction::LogicalAnd},
                                                         {"LogicalOr", Reduction::LogicalOr},
                                                         {"LogicalXor", Reduction::LogicalXor}};
    const std::size_t begin = word.rfind(':') + 1, end = word.find('(');
    const auto found = end == std::string::npos ? all.end() : all.find(word.substr(begin, end - begin));
    return found != all.end() ? std::optional(found->second) : std::nullopt;
}

} // namespace

/// All threads of a block, or those of a column, combine their values, and the first one, or all of them, get the
/// result.
void Translator::blockReduce(const LibraryCall &c, Together who) {
    const bool columns = who == Together::Columns, counted = columns && c.arguments.size() == 3 && c.arguments[2].value;
    const auto reduction = c.arguments.size() == 2 || counted ? reductionOf(c.arguments[1].word) : std::nullopt;
    if (!reduction || !c.result || !c.arguments[0].value) {
        refuse("this call of the function `" + c.function + "`");
        return;
    }
    SideBySide &together = m_.keep(SideBySide());
    const Type t = typeAt(c.result);
    const int64_t bytes = sizeOf(t);
    const Operand mine = b().convert(b().expression(*c.arguments[0].value), t);
    b().emit({leaveValueNow, nullptr, mine.at, nullptr, bytes, &together});
    meet(Meeting::Block);
    const Operand zero = b().constant(ScalarKind::Int64, int64_t(0)), one = b().constant(ScalarKind::Int64, int64_t(1));
    std::optional<std::size_t> others;
    const Operand self = call(b(), number::threadInBlock, {});
    if (who == Together::First)
        others = b().jumpLater(b().compare(py::Op::Eq, self, zero));
    const Operand total = b().reserve(t), next = b().reserve(t), k = b().reserve(ScalarKind::Int64);
    // The values are those of every `step`-th thread, beginning with thread k.
    const Operand threads = blockThreads();
    const Operand step = counted   ? b().convert(b().expression(*c.arguments[2].value), ScalarKind::Int64)
                         : columns ? Builder::integerAt(m_.blockSize)
                                   : one;
    b().copy(k, counted ? b().binary(py::Op::Mod, self, step) : columns ? Builder::integerAt(m_.threadIndex) : zero);
    b().emit({takeValueNow, total.at, self.at, k.at, bytes, &together});
    const std::size_t top = b().position();
    b().copy(k, b().binary(py::Op::Add, k, step));
    const std::size_t done = b().jumpLater(b().compare(py::Op::Lt, k, threads));
    b().emit({takeValueNow, next.at, self.at, k.at, bytes, &together});
    b().copy(total, b().convert(combined(*reduction, nullptr, total, next), t));
    b().jumpBack(top);
    b().land(done);
    b().storeAt(pointerTo(c.result), total);
    if (others)
        b().land(*others);
    meet(Meeting::Block); // before the next call stores values
}

} // namespace sdfgc::interpret
