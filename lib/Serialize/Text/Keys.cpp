#include "Serialize/Text/Keys.h"

#include "Serialize/Text/Words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sdfgc::serialize::text {
namespace {

constexpr std::string_view kLibraries = "dace.libraries.";

constexpr std::pair<std::string_view, std::string_view> kReductions[] = {
    {"+", "(lambda x, y: (x + y))"},     {"*", "(lambda x, y: (x * y))"},     {"-", "(lambda x, y: (x - y))"},
    {"min", "(lambda x, y: min(x, y))"}, {"max", "(lambda x, y: max(x, y))"}, {"and", "(lambda x, y: (x and y))"},
    {"or", "(lambda x, y: (x or y))"},
};
constexpr std::array<std::string_view, 4> kModes = {"Unset", "Plain", "Atomic", "Reduction"};

} // namespace

std::string fullClass(std::string_view path) {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos || path.find('.', dot + 1) != std::string_view::npos)
        return std::string(path);
    std::string module(path.substr(dot + 1));
    std::transform(module.begin(), module.end(), module.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::string(kLibraries) + std::string(path.substr(0, dot)) + ".nodes." + module + std::string(path.substr(dot));
}

std::string shortClass(const std::string &path) {
    if (path.starts_with(kLibraries)) {
        const std::size_t from = kLibraries.size();
        const std::string shorter = path.substr(from, path.find('.', from) - from) + path.substr(path.rfind('.'));
        if (fullClass(shorter) == path)
            return shorter;
    }
    return fullClass(path) == path ? path : std::string();
}

std::string_view wcrWord(std::string_view lambda) {
    for (const auto &[word, text] : kReductions)
        if (text == lambda)
            return word;
    return {};
}

std::string_view wcrLambda(std::string_view word) {
    for (const auto &[symbol, text] : kReductions)
        if (symbol == word)
            return text;
    return {};
}

std::string_view wcrModeName(ir::WcrMode m) { return kModes[static_cast<std::size_t>(m)]; }

std::optional<ir::WcrMode> parseWcrMode(std::string_view word) {
    auto at = std::find(kModes.begin(), kModes.end(), word);
    if (at == kModes.end())
        return std::nullopt;
    return static_cast<ir::WcrMode>(at - kModes.begin());
}

} // namespace sdfgc::serialize::text
