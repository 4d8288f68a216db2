// The format itself is implemented in a runtime header, which programs also use to read files.
#include "sdfgc/Run/Npy.h"

#include "sdfgc/rt/npy.h"

namespace sdfgc::run {

std::string Dtype::name() const { return npy::Dtype{kind, size}.name(); }

std::optional<Dtype> dtypeOf(Type t) {
    const std::optional<int64_t> bytes = t.bytes();
    if (!t.isScalar() || !bytes || *bytes < 1)
        return std::nullopt;
    const int size = static_cast<int>(*bytes);
    switch (t.scalar()) {
    case ScalarKind::BFloat16:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
        return Dtype{'u', size};
    case ScalarKind::String:
    case ScalarKind::PyObject:
        return std::nullopt;
    default:
        break;
    }
    if (t.isBool())
        return Dtype{'b', 1};
    if (t.isComplex())
        return Dtype{'c', size};
    if (t.isFloat())
        return Dtype{'f', size};
    return Dtype{t.isUnsigned() ? 'u' : 'i', size};
}

int64_t NpyArray::elements() const { return std::max(npy::elements(shape), int64_t(0)); }

Result<NpyArray> parseNpy(std::string_view file) {
    npy::Array array;
    if (const std::string wrong = npy::parse(file, array); !wrong.empty())
        return Failure{wrong};
    return NpyArray{{array.dtype.kind, array.dtype.size}, std::move(array.shape), std::move(array.data)};
}

std::string npyText(const NpyArray &a) { return npy::header({a.dtype.kind, a.dtype.size}, a.shape) + a.data; }

} // namespace sdfgc::run
