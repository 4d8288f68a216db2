#include "Run/Generated.h"

#include <cmath>

namespace sdfgc::run {

bool isGenerator(const std::string &v) {
    return isShared(v) || v == "zeros" || v == "range" || v == "null" || v == "random" || v.starts_with("random:");
}

std::optional<std::pair<double, double>> boundsOf(const std::string &v) {
    const std::size_t colon = v.find(':', 7);
    if (colon == std::string::npos)
        return std::nullopt;
    const auto low = parseNumber(std::string_view(v).substr(7, colon - 7)),
               high = parseNumber(std::string_view(v).substr(colon + 1));
    if (!low || !high || !(low->value.real() < high->value.real()))
        return std::nullopt;
    return std::pair(low->value.real(), high->value.real());
}

Number counted(Type t, int64_t i) {
    if (t.isBool())
        i %= 2;
    else if (const auto size = t.bytes(); t.isInteger() && size && *size < 8)
        i &= (int64_t(1) << (*size * 8 - (t.isSigned() ? 1 : 0))) - 1;
    return {true, i, static_cast<double>(i)};
}

Number drawn(const std::string &value, Type t, Random &random) {
    const auto given = value.starts_with("random:") ? boundsOf(value) : std::nullopt;
    const auto [low, high] = given.value_or(std::pair(0.0, t.isInteger() ? 10.0 : 1.0));
    const double one = low + random.unit() * (high - low);
    if (t.isBool()) {
        const int bit = random.unit() < 0.5;
        return {true, bit, static_cast<double>(bit)};
    }
    if (t.isInteger()) {
        const double whole = std::floor(one);
        return {true, static_cast<int64_t>(whole), whole};
    }
    return {false, 0, t.isComplex() ? std::complex(one, low + random.unit() * (high - low)) : std::complex(one, 0.0)};
}

uint64_t seedOf(uint64_t seed, const std::string &argument) { // FNV-1a
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (char c : argument)
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

} // namespace sdfgc::run
