#include "Tasklet/Numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace sdfgc::py::detail {

namespace {

int digitValue(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    return (c | 0x20) - 'a' + 10;
}

std::string withoutLeadingZeros(std::string_view digits) {
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? "0" : std::string(digits.substr(first));
}

} // namespace

std::string toDecimal(std::string_view digits, int base) {
    if (base == 10)
        return withoutLeadingZeros(digits);
    // Schoolbook conversion in limbs of nine decimal digits, least significant first.
    constexpr uint64_t limb = 1'000'000'000;
    std::vector<uint32_t> limbs{0};
    for (char c : digits) {
        uint64_t carry = static_cast<uint64_t>(digitValue(c));
        for (uint32_t &l : limbs) {
            const uint64_t v = uint64_t(l) * static_cast<uint64_t>(base) + carry;
            l = static_cast<uint32_t>(v % limb);
            carry = v / limb;
        }
        if (carry)
            limbs.push_back(static_cast<uint32_t>(carry));
    }
    std::string text;
    for (auto it = limbs.rbegin(); it != limbs.rend(); ++it) {
        const std::string part = std::to_string(*it);
        text += std::string(9 - part.size(), '0') + part;
    }
    return withoutLeadingZeros(text);
}

std::string floatToken(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    std::array<char, 64> buffer;
    // Python switches to exponents outside 1e-4 .. 1e16, to_chars by length, so the form is chosen here.
    const double magnitude = std::fabs(value);
    const bool exponent = value != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
    const auto form = exponent ? std::chars_format::scientific : std::chars_format::fixed;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form).ptr;
    std::string text(buffer.data(), end);
    if (!exponent && text.find('.') == std::string::npos)
        text += ".0";
    return text;
}

double floatValue(std::string_view token) { return std::strtod(std::string(token).c_str(), nullptr); }

std::optional<uint64_t> unsignedValue(std::string_view digits) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

} // namespace sdfgc::py::detail
