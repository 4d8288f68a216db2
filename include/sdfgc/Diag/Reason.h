// Reasons: why something was not done, as a code from a closed list (Reasons.def) and a text for people.
//
// Functions that look for what stands against a change return a Reason, an empty one if nothing does. It ends up in a remark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::diag {

enum class Why : uint8_t {
    None, // nothing stands against it
#define SDFGC_REASON(Name, Code, Meaning, Hint) Name,
#include "sdfgc/Diag/Reasons.def"
#undef SDFGC_REASON
};

struct Reason {
    Why code = Why::None;
    std::string text; // `its variable is read outside`
    explicit operator bool() const { return code != Why::None; }
};

/// What the list says of a code. For `None` all texts are empty.
struct ReasonInfo {
    std::string_view code, meaning, hint;
};
const ReasonInfo &info(Why why);
/// All codes in the order of the list.
const std::vector<Why> &allReasons();
/// A reason by its code, in capital or small letters; nothing if there is none.
std::optional<Why> findReason(std::string_view code);

} // namespace sdfgc::diag
