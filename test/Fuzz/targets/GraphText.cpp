// Graphs in their text form (`.sdfgt`).
#include "../Mutator.h"
#include "Graphs.h"
#include "Target.h"

#include "sdfgc/Serialize/Text.h"

namespace sdfgc::fuzz {

void runInput(std::string_view input) {
    if (serialize::looksLikeGraphText(input)) // anything else is read as JSON
        requireRoundTrips(std::string(input));
}

std::string damaged(const std::string &input, uint64_t seed, std::size_t most) { return Mutator(seed, most).mutateText(input); }

} // namespace sdfgc::fuzz
