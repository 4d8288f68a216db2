// Parses messages of compilers.
#include "sdfgc/Build/Build.h"

#include <charconv>

namespace sdfgc::build {
namespace {

/// Reads a number at `at` and advances past it.
std::optional<int> number(std::string_view line, std::size_t &at) {
    int value = 0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
    if (error != std::errc() || value < 0)
        return std::nullopt;
    at = static_cast<std::size_t>(end - line.data());
    return value;
}

/// `: error: TEXT` at `at`.
bool severity(std::string_view line, std::size_t at, CompilerMessage &m) {
    const std::string_view rest = line.substr(std::min(at, line.size()));
    for (const auto &[word, isError] : {std::pair<std::string_view, bool>{": error: ", true},
                                        {": fatal error: ", true},
                                        {": warning: ", false},
                                        {": note: ", false}})
        if (rest.starts_with(word)) {
            m.isError = isError;
            m.text = rest.substr(word.size());
            return true;
        }
    return false;
}

/// `FILE:LINE:COLUMN: error: TEXT` or `FILE(LINE): error: TEXT`. A file name may contain the separators, so every one is tried.
std::optional<CompilerMessage> parse(std::string_view line) {
    for (std::size_t at = line.find_first_of(":(", 1); at != std::string_view::npos; at = line.find_first_of(":(", at + 1)) {
        CompilerMessage m;
        std::size_t next = at + 1;
        const std::optional<int> row = number(line, next);
        if (!row)
            continue;
        m.file = line.substr(0, at);
        m.line = *row;
        if (line[at] == '(') {
            if (line.substr(next).starts_with(")") && severity(line, next + 1, m))
                return m;
            continue;
        }
        if (severity(line, next, m))
            return m;
        if (!line.substr(next).starts_with(":"))
            continue;
        if (const std::optional<int> column = number(line, ++next)) {
            m.column = *column;
            if (severity(line, next, m))
                return m;
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<CompilerMessage> compilerMessages(std::string_view output) {
    constexpr std::size_t longest = 4000; // lines about templates; messages for people are shorter
    std::vector<CompilerMessage> out;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        if (end <= longest)
            if (std::optional<CompilerMessage> m = parse(output.substr(0, end)))
                out.push_back(std::move(*m));
        output.remove_prefix(std::min(end + 1, output.size()));
    }
    return out;
}

} // namespace sdfgc::build
