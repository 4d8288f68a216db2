#include "Index.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sdfgc::random {
namespace {

template <class Bounds> Index combined(std::string text, bool isAtom, Bounds bounds) {
    Index out;
    out.text = std::move(text);
    out.isAtom = isAtom;
    for (std::size_t k = 0; k < kSizes; ++k)
        std::tie(out.low[k], out.high[k]) = bounds(k);
    return out;
}

using Pair = std::pair<int64_t, int64_t>;

int64_t floorDivision(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

} // namespace

Index Index::constant(int64_t value) {
    return combined(std::to_string(value), value >= 0, [&](std::size_t) { return Pair(value, value); });
}

Index Index::symbol(std::string name, Values low, Values high) {
    return combined(std::move(name), true, [&](std::size_t k) { return Pair(low[k], high[k]); });
}

Index Index::below(std::string name, const Index &bound) {
    return combined(std::move(name), true, [&](std::size_t k) { return Pair(0, bound.high[k] - 1); });
}

bool Index::fits(const Index &extent) const { return isAtLeast(0) && isBelow(extent); }

bool Index::isBelow(const Index &other) const {
    for (std::size_t k = 0; k < kSizes; ++k)
        if (low[k] <= high[k] && high[k] >= other.low[k])
            return false;
    return true;
}

bool Index::isAtLeast(int64_t least) const {
    for (std::size_t k = 0; k < kSizes; ++k)
        if (low[k] <= high[k] && low[k] < least)
            return false;
    return true;
}

Index operator+(const Index &a, const Index &b) {
    return combined(a.text + " + " + b.text, false,
                    [&](std::size_t k) { return Pair(a.low[k] + b.low[k], a.high[k] + b.high[k]); });
}

Index operator-(const Index &a, const Index &b) {
    return combined(a.text + " - " + b.factor(), false,
                    [&](std::size_t k) { return Pair(a.low[k] - b.high[k], a.high[k] - b.low[k]); });
}

Index operator+(const Index &a, int64_t b) {
    if (b == 0)
        return a;
    if (b < 0)
        return a - -b;
    return a + Index::constant(b);
}

Index operator-(const Index &a, int64_t b) {
    if (b == 0)
        return a;
    return b < 0 ? a + Index::constant(-b) : a - Index::constant(b);
}

Index operator*(int64_t factor, const Index &a) {
    return combined(std::to_string(factor) + " * " + a.factor(), false, [&](std::size_t k) {
        const int64_t x = factor * a.low[k], y = factor * a.high[k];
        return factor < 0 ? Pair(y, x) : Pair(x, y);
    });
}

Index minimum(const Index &a, const Index &b) {
    return combined("Min(" + a.text + ", " + b.text + ")", true,
                    [&](std::size_t k) { return Pair(std::min(a.low[k], b.low[k]), std::min(a.high[k], b.high[k])); });
}

Index floorOf(const Index &a, int64_t divisor) {
    return combined("int_floor(" + a.text + ", " + std::to_string(divisor) + ")", true,
                    [&](std::size_t k) { return Pair(floorDivision(a.low[k], divisor), floorDivision(a.high[k], divisor)); });
}

Index ceilOf(const Index &a, int64_t divisor) {
    return combined("int_ceil(" + a.text + ", " + std::to_string(divisor) + ")", true,
                    [&](std::size_t k) { return Pair(-floorDivision(-a.low[k], divisor), -floorDivision(-a.high[k], divisor)); });
}

Index remainder(const Index &a, const Index &divisor) {
    return combined(a.factor() + " % " + divisor.factor(), false, [&](std::size_t k) {
        const bool none = a.low[k] > a.high[k];
        return none ? Pair(0, -1) : Pair(0, divisor.high[k] - 1);
    });
}

std::string joined(const std::vector<std::string> &parts, std::string_view between) {
    std::string out;
    for (const std::string &p : parts) {
        if (!out.empty() || &p != &parts.front())
            out += between;
        out += p;
    }
    return out;
}

} // namespace sdfgc::random
