#include "sdfgc/Support/FloatText.h"

#include <charconv>

namespace sdfgc {

std::string floatText(double v) {
    char buffer[32];
    auto [end, ec] = std::to_chars(buffer, buffer + sizeof buffer, v);
    std::string text(buffer, end);
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text;
}

} // namespace sdfgc
