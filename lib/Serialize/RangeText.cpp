#include "RangeText.h"

#include "sdfgc/Support/Text.h"

namespace sdfgc::serialize {

RangeText::RangeText(std::string_view text) : parts(sdfgc::text::splitOutsideBrackets(text, ':')) {
    const std::string_view first = parts[0];
    const std::size_t dots = first.find("..");
    inclusive = dots != std::string_view::npos;
    if (inclusive) {
        parts[0] = sdfgc::text::trimmed(first.substr(0, dots));
        parts.insert(parts.begin() + 1, sdfgc::text::trimmed(first.substr(dots + 2)));
    }
}

sym::Range RangeText::range(const std::vector<sym::Expr> &read) const {
    sym::Range r;
    r.begin = read[0];
    r.end = read.size() == 1 ? read[0] : inclusive ? read[1] : read[1] - 1;
    if (read.size() > 2)
        r.step = read[2];
    if (read.size() > 3)
        r.tile = read[3];
    return r;
}

} // namespace sdfgc::serialize
