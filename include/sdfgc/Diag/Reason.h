// Reasons: why something was not done, as a code from a closed list (Reasons.def) and a readable text.
//
// Functions that look for obstacles to a change return a Reason, which is empty if there are none. It ends up in a
// remark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::diag {

enum class Why : uint8_t {
    None, // no obstacle
#define SDFGC_REASON(Name, Code, Meaning, Hint) Name,
#include "sdfgc/Diag/Reasons.def"
#undef SDFGC_REASON
};

struct Reason {
    Why code = Why::None;
    std::string text;      // `its variable is read outside`
    std::string hint = {}; // what would help, if more is known than for the code
    explicit operator bool() const { return code != Why::None; }
};

/// The entry of a code in the list. For `None` all texts are empty.
struct ReasonInfo {
    std::string_view code, meaning, hint;
};
const ReasonInfo &info(Why why);
/// All codes in list order.
const std::vector<Why> &allReasons();
/// Finds a reason by its code, ignoring case; nothing if there is none.
std::optional<Why> findReason(std::string_view code);

} // namespace sdfgc::diag
