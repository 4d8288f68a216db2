// The kinds of diagnostics: one row of Diagnostics.def each, with code, severity, message and hint. Messages start in
// lower case, have no full stop, and include the values. Message and hint are fmt format strings: {0}, {1} stand for
// text, {0:d} for an integer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sdfgc::diag {

enum class Severity : uint8_t { Remark, Note, Warning, Error };

enum class Id : uint16_t {
#define SDFGC_DIAG(Name, Code, Severity, Message, Hint) Name,
#include "sdfgc/Diag/Diagnostics.def"
#undef SDFGC_DIAG
};

struct Info {
    std::string_view name, code;
    Severity severity;
    std::string_view message, hint;
};

namespace detail {

inline constexpr Info kinds[] = {
#define SDFGC_DIAG(Name, Code, Sev, Message, Hint) {#Name, Code, Severity::Sev, Message, Hint},
#include "sdfgc/Diag/Diagnostics.def"
#undef SDFGC_DIAG
};

/// Returns one more than the highest argument number in a format string: {0} and {2:d} give 3. `{{` is a brace.
constexpr std::size_t slots(std::string_view format) {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 1 < format.size(); ++i) {
        if (format[i] != '{')
            continue;
        const char next = format[++i];
        if (next >= '0' && next <= '9' && static_cast<std::size_t>(next - '0') >= count)
            count = static_cast<std::size_t>(next - '0') + 1;
    }
    return count;
}

} // namespace detail

/// The number of kinds: ids are 0 ... kindCount() - 1.
constexpr std::size_t kindCount() { return std::size(detail::kinds); }
constexpr const Info &info(Id id) { return detail::kinds[static_cast<std::size_t>(id)]; }

/// The number of arguments that a report of this kind takes.
constexpr std::size_t argumentCount(Id id) {
    const std::size_t message = detail::slots(info(id).message), hint = detail::slots(info(id).hint);
    return message > hint ? message : hint;
}

} // namespace sdfgc::diag
