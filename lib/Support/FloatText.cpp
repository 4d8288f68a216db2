#include "sdfgc/Support/FloatText.h"

#include <charconv>
#include <cstdlib>

namespace sdfgc {

std::string floatText(double v) {
    char buffer[32];
    auto [end, ec] = std::to_chars(buffer, buffer + sizeof buffer, v);
    std::string text(buffer, end);
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text;
}

std::optional<double> numberIn(const std::string &text) {
    char *end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return end != text.c_str() && *end == '\0' ? std::optional(number) : std::nullopt;
}

} // namespace sdfgc
