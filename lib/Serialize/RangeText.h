// Texts of ranges, as people and the text form write them: `i`, `0:N`, `2:M:2:4`, `0..9`.
#pragma once

#include "sdfgc/Symbolic/Subset.h"

#include <string_view>
#include <vector>

namespace sdfgc::serialize {

/// Why an expression is refused that `sym::Expr::overflowed`: written again, it would be the unknown value `?`.
inline constexpr std::string_view beyond64Bits = "a number in it is beyond 64 bits";
inline constexpr std::string_view tooManyElements = "it has more elements than 64 bits can count";

/// The parts of a range's text, in order: begin, end, step, tile; at least the first, and more than four when the text is wrong.
struct RangeText {
    explicit RangeText(std::string_view text);
    std::vector<std::string_view> parts;
    bool inclusive = false; // `begin..end`: the end belongs to the range; with `begin:end` it does not

    /// The range of one to four parts that were read; one alone is a single index.
    sym::Range range(const std::vector<sym::Expr> &read) const;
};

} // namespace sdfgc::serialize
