#include "Validate/Values.h"

#include <cmath>
#include <limits>

namespace sdfgc::validate {
namespace {

/// Floating-point numbers at the limits of a type, NaN first; `store` rounds them to the type.
constexpr double specials[] = {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               0.0,
                               -0.0,
                               1.0,
                               -1.0};
struct Ends {
    double largest, subnormal;
};
Ends endsOf(Type t) {
    switch (t.scalar()) {
    case ScalarKind::Float64:
    case ScalarKind::Complex128:
        return {std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()};
    case ScalarKind::Float16:
        return {65504, 0x1p-24};
    case ScalarKind::Float8E4M3FN:
        return {448, 0x1p-9};
    case ScalarKind::Float8E5M2:
        return {57344, 0x1p-16};
    case ScalarKind::BFloat16:
        return {0x1.FEp127, 0x1p-133};
    default:
        return {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()};
    }
}

template <class T> void appendBytes(std::string &out, T v, std::size_t size) {
    out.append(reinterpret_cast<const char *>(&v), size); // the lowest bytes: memory is little-endian
}

} // namespace

std::string_view name(Values v) {
    constexpr std::string_view names[] = {"plain", "ordered", "real", "special", "extreme"};
    return names[static_cast<std::size_t>(v)];
}

void Filler::fill(run::Argument &a) {
    if (a.isNull)
        return;
    turn_ = below(64);
    if (!a.isArray) {
        a.data.clear();
        append(a.type, static_cast<int64_t>(below(4)), a.data);
        return;
    }
    const std::size_t size = static_cast<std::size_t>(a.dtype.size) * static_cast<std::size_t>(a.lanes);
    int64_t position = 0;
    run::forEachElement(a.shape, a.strides, [&](int64_t offset) {
        std::string element;
        for (int64_t lane = 0; lane < a.lanes; ++lane)
            append(a.type, position++, element);
        a.data.replace(static_cast<std::size_t>(offset) * size, size, element);
    });
}

void Filler::append(Type type, int64_t position, std::string &out) {
    if (type.isBool())
        return appendBytes(out, static_cast<uint8_t>(below(2)), 1);
    if (type.isInteger())
        return appendBytes(out, integer(type, position), static_cast<std::size_t>(*type.bytes()));
    if (type.isComplex())
        turn_ += static_cast<uint64_t>(position % 2); // both real and imaginary parts get special ones
    const double first = real(type, position);
    run::store(type, {false, 0, type.isComplex() ? std::complex(first, real(type, position)) : std::complex(first, 0.0)}, out);
}

double Filler::real(Type type, int64_t position) {
    if (values_ >= Values::Special && turn_++ % 2 == 0) {
        const Ends ends = endsOf(type);
        const double more[] = {ends.subnormal, -ends.subnormal, ends.largest, -ends.largest};
        const uint64_t choices = std::size(specials) + (values_ == Values::Extreme ? 4 : 2), choice = turn_ / 2 % choices;
        const double chosen = choice < std::size(specials) ? specials[choice] : more[choice - std::size(specials)];
        return finite_ && !(std::fabs(chosen) <= 1) ? 1 : chosen;
    }
    switch (values_) {
    case Values::Ordered:
        return static_cast<double>(position) * 0.5;
    case Values::Real:
        return random_.unit() * 4 - 1;
    default:
        return (static_cast<double>(below(33)) - 16) * 0.25;
    }
}

uint64_t Filler::integer(Type type, int64_t position) {
    const auto bits = static_cast<unsigned>(*type.bytes() * 8);
    if (values_ == Values::Extreme && turn_++ % 2 == 0) {
        const uint64_t top = uint64_t(1) << (bits - 1), all[] = {top, top - 1, ~uint64_t(0), 0, 1, top + 1};
        return all[turn_ / 2 % std::size(all)];
    }
    switch (values_) {
    case Values::Ordered:
        return static_cast<uint64_t>(std::min(position, indices_ - 1));
    case Values::Real:
        return type.isSigned() && below(2) ? ~below(4) : below(4) + 1;
    default:
        return below(static_cast<uint64_t>(indices_));
    }
}

} // namespace sdfgc::validate
