#include "sdfgc/Diag/Reason.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sdfgc::diag {
namespace {

constexpr std::array reasons{
    ReasonInfo{}, // None
#define SDFGC_REASON(Name, Code, Meaning, Hint) ReasonInfo{Code, Meaning, Hint},
#include "sdfgc/Diag/Reasons.def"
#undef SDFGC_REASON
};

} // namespace

const ReasonInfo &info(Why why) { return reasons[static_cast<std::size_t>(why)]; }

const std::vector<Why> &allReasons() {
    static const std::vector<Why> all{
#define SDFGC_REASON(Name, Code, Meaning, Hint) Why::Name,
#include "sdfgc/Diag/Reasons.def"
#undef SDFGC_REASON
    };
    return all;
}

std::optional<Why> findReason(std::string_view code) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    for (const Why why : allReasons())
        if (std::ranges::equal(info(why).code, code, same))
            return why;
    return std::nullopt;
}

} // namespace sdfgc::diag
