#include "sdfgc/Platform/Dialects.h"

#include "sdfgc/Support/Text.h"

#include <algorithm>

namespace sdfgc::platform {

std::span<const Dialect> dialects() {
    static constexpr Dialect table[] = {
#define SDFGC_DIALECT(Name, Title, Which, Compiler, Variables, Customary, Language, Suffix, Words, Prefixes)                       \
    {Name, Title, Device::Which, Compiler, Variables, Customary, Language, Suffix, Words, Prefixes},
#include "sdfgc/Platform/Dialects.def"
    };
    return table;
}

namespace {

template <class F> const Dialect *firstThat(const F &fits) {
    const auto at = std::find_if(dialects().begin(), dialects().end(), fits);
    return at == dialects().end() ? nullptr : &*at;
}

} // namespace

const Dialect *dialect(std::string_view target) {
    return firstThat([&](const Dialect &d) { return d.name == target; });
}

const Dialect *dialectOfFile(std::string_view path) {
    return firstThat([&](const Dialect &d) { return path.ends_with(d.suffix); });
}

const Dialect *dialectOfWord(std::string_view word) {
    auto begins = [&](std::string_view beginnings, bool beforeCapital) {
        const std::vector<std::string> all = text::words(beginnings);
        return std::any_of(all.begin(), all.end(), [&](const std::string &b) {
            return word.starts_with(b) &&
                   (!beforeCapital || (word.size() > b.size() && word[b.size()] >= 'A' && word[b.size()] <= 'Z'));
        });
    };
    return firstThat([&](const Dialect &d) { return begins(d.words, true) || begins(d.prefixes, false); });
}

} // namespace sdfgc::platform
