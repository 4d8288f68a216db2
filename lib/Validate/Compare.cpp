#include "sdfgc/Validate/Compare.h"

#include "sdfgc/Run/Values.h"

#include <algorithm>
#include <cmath>

namespace sdfgc::validate {
namespace {

/// The floating-point type of the parts of a complex number; any other type itself.
Type partOf(Type t) {
    return t.scalar() == ScalarKind::Complex64 ? Type(ScalarKind::Float32) : t.isComplex() ? Type(ScalarKind::Float64) : t;
}

struct Format {
    int precision; // bits of the significand, including the leading one
    double largest;
};
Format formatOf(Type t) {
    switch (t.scalar()) {
    case ScalarKind::Float64:
        return {53, std::numeric_limits<double>::max()};
    case ScalarKind::Float16:
        return {11, 65504};
    case ScalarKind::BFloat16:
        return {8, 0x1.FEp127};
    case ScalarKind::Float8E4M3FN:
        return {4, 448};
    case ScalarKind::Float8E5M2:
        return {3, 57344};
    default:
        return {24, std::numeric_limits<float>::max()};
    }
}

class Comparison {
public:
    Comparison(const run::Arguments &input, const Execution &before, const Execution &after, pass::FloatClass allowed)
        : input_(input), before_(before), after_(after), allowed_(allowed) {}

    std::optional<Difference> run() {
        if (before_.timedOut || after_.timedOut)
            return std::nullopt;
        for (std::size_t k = 0; k < input_.all.size(); ++k)
            if (before_.memory[k] != after_.memory[k])
                if (std::optional<Difference> found = in(k))
                    return found;
        return std::nullopt;
    }

private:
    std::optional<Difference> in(std::size_t k) {
        const run::Argument &a = input_.all[k];
        size_ = static_cast<std::size_t>(a.dtype.size) * static_cast<std::size_t>(a.lanes);
        if (allowed_ != pass::FloatClass::F0 && (a.type.isFloat() || a.type.isComplex()))
            scale_ = std::max({scaleOf(a, a.data), scaleOf(a, before_.memory[k]), scaleOfInput()});
        std::optional<Difference> found;
        const auto look = [&](int64_t offset) {
            const std::size_t at = static_cast<std::size_t>(offset) * size_;
            const std::string_view x = std::string_view(before_.memory[k]).substr(at, size_),
                                   y = std::string_view(after_.memory[k]).substr(at, size_);
            if (!equal(a.type, x, y))
                found = Difference{a.name, {}, offset, textOf(a, x), textOf(a, y), partOf(a.type).isFloat(), {}};
            return found.has_value();
        };
        int64_t position = 0;
        run::forEachElement(a.shape, a.strides, [&](int64_t offset) {
            if (!found && look(offset) && a.isArray)
                found->index = indexOf(a.shape, position);
            ++position;
        });
        for (int64_t offset = 0; !found && offset < a.elements; ++offset)
            look(offset); // padding
        return found;
    }

    bool equal(Type type, std::string_view x, std::string_view y) const {
        if (x == y)
            return true;
        const Type part = partOf(type);
        if (!part.isFloat())
            return false;
        const auto step = static_cast<std::size_t>(*part.bytes());
        for (std::size_t at = 0; at < x.size(); at += step) {
            const std::string_view one = x.substr(at, step), other = y.substr(at, step);
            if (one == other)
                continue;
            const double a = run::valueOf(part, one), b = run::valueOf(part, other);
            const bool same = (std::isnan(a) && std::isnan(b)) || (allowed_ != pass::FloatClass::F0 && near(part, a, b, scale_));
            if (!same)
                return false;
        }
        return true;
    }

    static std::vector<int64_t> indexOf(const std::vector<int64_t> &shape, int64_t position) {
        std::vector<int64_t> index(shape.size());
        for (std::size_t d = shape.size(); d-- > 0; position /= shape[d])
            index[d] = position % shape[d];
        return index;
    }

    static std::string textOf(const run::Argument &a, std::string_view element) {
        std::string out;
        for (std::size_t at = 0; at < element.size(); at += static_cast<std::size_t>(a.dtype.size))
            out += (at ? ", " : "") + run::textOf(a.type, element.substr(at, static_cast<std::size_t>(a.dtype.size)));
        return a.lanes > 1 ? "(" + out + ")" : out;
    }

    /// The largest finite magnitude.
    static double scaleOf(const run::Argument &a, std::string_view memory) {
        const Type part = partOf(a.type);
        if (!part.isFloat())
            return 0;
        double most = 0;
        const auto step = static_cast<std::size_t>(*part.bytes());
        for (std::size_t at = 0; at + step <= memory.size(); at += step)
            if (const double v = std::fabs(run::valueOf(part, memory.substr(at, step))); std::isfinite(v))
                most = std::max(most, v);
        return most;
    }

    double scaleOfInput() const {
        double most = 0;
        for (const run::Argument &a : input_.all)
            most = std::max(most, scaleOf(a, a.data));
        return most;
    }

    const run::Arguments &input_;
    const Execution &before_, &after_;
    pass::FloatClass allowed_;
    std::size_t size_ = 0; // of an element, in bytes
    double scale_ = 0;
};

bool samePlace(const interpret::Report &a, const interpret::Report &b) { return a.kind == b.kind && a.element == b.element; }

} // namespace

bool near(Type type, double a, double b, double scale) {
    const Format f = formatOf(type);
    if (scale * scale > f.largest && (!std::isfinite(a) || !std::isfinite(b)))
        return true;
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    const double tolerance = std::ldexp(1.0, std::min(13 - f.precision, -2));
    if (std::isinf(a) || std::isinf(b)) {
        const double finite = std::isinf(a) ? b : a, infinite = std::isinf(a) ? a : b;
        return a == b || (std::isfinite(finite) && std::signbit(finite) == std::signbit(infinite) &&
                          std::fabs(finite) >= f.largest * (1 - tolerance));
    }
    return std::fabs(a - b) <= tolerance * std::max({std::fabs(a), std::fabs(b), scale});
}

bool isFinite(const run::Arguments &input, const Execution &execution) {
    const auto finite = [](Type part, std::string_view memory) {
        const auto step = static_cast<std::size_t>(*part.bytes());
        for (std::size_t at = 0; at + step <= memory.size(); at += step)
            if (!std::isfinite(run::valueOf(part, memory.substr(at, step))))
                return false;
        return true;
    };
    for (std::size_t k = 0; k < input.all.size(); ++k)
        if (const Type part = partOf(input.all[k].type);
            part.isFloat() && !(finite(part, input.all[k].data) && finite(part, execution.memory[k])))
            return false;
    return true;
}

std::string Difference::text() const {
    if (fault)
        return fault->element + ": " + fault->what;
    std::string place = container.str();
    for (std::size_t d = 0; d < index.size(); ++d)
        place += (d ? ", " : "[") + std::to_string(index[d]);
    return place + (index.empty() ? "" : "]") + " is " + after + ", and was " + before;
}

std::optional<Difference> compare(const run::Arguments &input, const Execution &before, const Execution &after,
                                  pass::FloatClass allowed, const std::set<interpret::FaultKind> &excused) {
    for (const interpret::Report &r : after.faults)
        if (!excused.contains(r.kind) &&
            std::none_of(before.faults.begin(), before.faults.end(), [&](const auto &b) { return samePlace(b, r); }))
            return Difference{.fault = r};
    return Comparison(input, before, after, allowed).run();
}

} // namespace sdfgc::validate
