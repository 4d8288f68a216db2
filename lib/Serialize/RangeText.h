// Texts of ranges, as in the text form and as people write them: `i`, `0:N`, `2:M:2:4`, `0..9`.
#pragma once

#include "sdfgc/Symbolic/Subset.h"

#include <string_view>
#include <vector>

namespace sdfgc::serialize {

/// Why an expression with `sym::Expr::overflowed` is rejected: it would be written as the unknown value `?`.
inline constexpr std::string_view beyond64Bits = "a number in it is beyond 64 bits";
inline constexpr std::string_view tooManyElements = "it has more elements than 64 bits can count";

/// The parts of a range's text, in order: begin, end, step, tile; at least the first, and more than four if the text is invalid.
struct RangeText {
    explicit RangeText(std::string_view text);
    std::vector<std::string_view> parts;
    bool inclusive = false; // `begin..end` includes the end; `begin:end` does not

    /// The range with the one to four parts that were read; a single part is an index.
    sym::Range range(const std::vector<sym::Expr> &read) const;
};

} // namespace sdfgc::serialize
