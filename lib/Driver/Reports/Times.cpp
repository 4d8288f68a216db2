#include "Driver/Reports/Times.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sdfgc::driver {

Spread spreadOf(std::vector<double> values) {
    if (values.empty())
        return {};
    std::sort(values.begin(), values.end());
    const auto at = [&](double part) {
        const double position = part * static_cast<double>(values.size() - 1);
        const auto i = static_cast<std::size_t>(position);
        const double next = values[std::min(i + 1, values.size() - 1)];
        return values[i] + (position - std::floor(position)) * (next - values[i]);
    };
    return {at(0.5), values.front(), values.back(), at(0.75) - at(0.25)};
}

std::string milliseconds(double seconds) {
    char text[40];
    std::snprintf(text, sizeof text, seconds < 1e-3 ? "%.5f ms" : "%.3f ms", seconds * 1e3);
    return text;
}

std::string percent(double part, double whole) {
    char text[40];
    std::snprintf(text, sizeof text, "%.1f %%", whole > 0 ? part / whole * 100 : 0);
    return text;
}

} // namespace sdfgc::driver
