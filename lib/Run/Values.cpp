#include "sdfgc/Run/Values.h"

#include "sdfgc/Types/SmallFloat.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace sdfgc::run {
namespace {

template <class T> void append(std::string &out, T v) { out.append(reinterpret_cast<const char *>(&v), sizeof v); }

template <class T> bool storeInteger(const Number &n, std::string &out) {
    if (!n.isInteger || (std::is_unsigned_v<T> && n.integer < 0))
        return false;
    if (sizeof(T) < 8 && (n.integer < static_cast<int64_t>(std::numeric_limits<T>::min()) ||
                          n.integer > static_cast<int64_t>(std::numeric_limits<T>::max())))
        return false;
    append(out, static_cast<T>(n.integer));
    return true;
}

template <class T> T load(std::string_view bytes) {
    T v{};
    std::memcpy(&v, bytes.data(), std::min(sizeof v, bytes.size()));
    return v;
}

std::string shortest(double v, bool single) {
    if (std::isnan(v))
        return "nan";
    char text[40];
    const auto end = single ? std::to_chars(text, text + sizeof text, static_cast<float>(v)).ptr
                            : std::to_chars(text, text + sizeof text, v).ptr;
    return std::string(text, end);
}

std::optional<double> parseReal(std::string_view t) {
    if (t.starts_with('+'))
        t.remove_prefix(1);
    double v = 0;
    const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), v);
    return error == std::errc() && end == t.data() + t.size() && !t.empty() ? std::optional(v) : std::nullopt;
}

/// `1+2j`, `3j`: the sign between the parts is neither at the start nor after an `e`.
std::optional<Number> parseComplex(std::string_view t) {
    t.remove_suffix(1);
    std::size_t split = 0;
    for (std::size_t i = 1; i < t.size(); ++i)
        if ((t[i] == '+' || t[i] == '-') && t[i - 1] != 'e' && t[i - 1] != 'E')
            split = i;
    const auto real = split ? parseReal(t.substr(0, split)) : std::optional(0.0);
    const auto imaginary = parseReal(t.substr(split));
    if (!real || !imaginary)
        return std::nullopt;
    return Number{false, 0, {*real, *imaginary}};
}

} // namespace

std::optional<Number> parseNumber(std::string_view text) {
    if (text == "true" || text == "True")
        return Number{true, 1, 1};
    if (text == "false" || text == "False")
        return Number{true, 0, 0};
    if (text.empty())
        return std::nullopt;
    int64_t whole = 0;
    const std::string_view digits = text.substr(text[0] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    if (error == std::errc() && end == digits.data() + digits.size())
        return Number{true, whole, static_cast<double>(whole)};
    if (text.back() == 'j' && text.size() > 1)
        return parseComplex(text);
    if (const auto v = parseReal(text)) {
        const bool isWhole = std::floor(*v) == *v && std::fabs(*v) < 0x1p53;
        return Number{isWhole, isWhole ? static_cast<int64_t>(*v) : 0, *v};
    }
    return std::nullopt;
}

bool store(Type type, const Number &n, std::string &out) {
    if (n.value.imag() != 0 && !type.isComplex())
        return false;
    const double v = n.value.real();
    if (isSmallFloat(type.scalar())) {
        const uint32_t bits = narrow(type.scalar(), v);
        if (type.bytes() == 2)
            append(out, static_cast<uint16_t>(bits));
        else
            append(out, static_cast<uint8_t>(bits));
        return true;
    }
    switch (type.scalar()) {
    case ScalarKind::Bool:
        append(out, static_cast<uint8_t>(v != 0));
        return n.isInteger && (n.integer == 0 || n.integer == 1);
    case ScalarKind::Int8:
        return storeInteger<int8_t>(n, out);
    case ScalarKind::Int16:
        return storeInteger<int16_t>(n, out);
    case ScalarKind::Int32:
        return storeInteger<int32_t>(n, out);
    case ScalarKind::Int64:
        return storeInteger<int64_t>(n, out);
    case ScalarKind::UInt8:
        return storeInteger<uint8_t>(n, out);
    case ScalarKind::UInt16:
        return storeInteger<uint16_t>(n, out);
    case ScalarKind::UInt32:
        return storeInteger<uint32_t>(n, out);
    case ScalarKind::UInt64:
        return storeInteger<uint64_t>(n, out);
    case ScalarKind::Float32:
        return append(out, static_cast<float>(v)), true;
    case ScalarKind::Float64:
        return append(out, v), true;
    case ScalarKind::Complex64:
        return append(out, std::complex<float>(n.value)), true;
    case ScalarKind::Complex128:
        return append(out, n.value), true;
    default:
        return false;
    }
}

double valueOf(Type type, std::string_view bytes) {
    if (isSmallFloat(type.scalar()))
        return widen(type.scalar(), type.bytes() == 2 ? load<uint16_t>(bytes) : load<uint8_t>(bytes));
    switch (type.scalar()) {
    case ScalarKind::Bool:
    case ScalarKind::UInt8:
        return load<uint8_t>(bytes);
    case ScalarKind::Int8:
        return load<int8_t>(bytes);
    case ScalarKind::Int16:
        return load<int16_t>(bytes);
    case ScalarKind::Int32:
        return load<int32_t>(bytes);
    case ScalarKind::Int64:
        return static_cast<double>(load<int64_t>(bytes));
    case ScalarKind::UInt16:
        return load<uint16_t>(bytes);
    case ScalarKind::UInt32:
        return load<uint32_t>(bytes);
    case ScalarKind::UInt64:
        return static_cast<double>(load<uint64_t>(bytes));
    case ScalarKind::Float32:
    case ScalarKind::Complex64:
        return load<float>(bytes);
    default:
        return load<double>(bytes);
    }
}

std::string shapeText(const std::vector<int64_t> &shape) {
    std::string out;
    for (int64_t s : shape)
        out += (out.empty() ? "" : ", ") + std::to_string(s);
    return "[" + out + "]";
}

std::string textOf(Type type, std::string_view bytes) {
    if (type.isBool())
        return load<uint8_t>(bytes) ? "True" : "False";
    if (type.isComplex()) {
        const bool single = type.scalar() == ScalarKind::Complex64;
        const std::size_t half = bytes.size() / 2;
        const Type part = single ? ScalarKind::Float32 : ScalarKind::Float64;
        const std::string imaginary = shortest(valueOf(part, bytes.substr(half)), single);
        return "(" + shortest(valueOf(part, bytes), single) + (imaginary[0] == '-' ? "" : "+") + imaginary + "j)";
    }
    if (type.isFloat())
        return shortest(valueOf(type, bytes), type.scalar() != ScalarKind::Float64);
    if (type.scalar() == ScalarKind::UInt64)
        return std::to_string(load<uint64_t>(bytes));
    return type.scalar() == ScalarKind::Int64 ? std::to_string(load<int64_t>(bytes))
                                              : std::to_string(static_cast<int64_t>(valueOf(type, bytes)));
}

Random::Random(uint64_t seed) {
    for (uint64_t &word : state_) { // splitmix64
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        word = z ^ (z >> 31);
    }
}

uint64_t Random::next() { // xoshiro256**
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9, t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

} // namespace sdfgc::run
