// The layout of `sdfgc SUBCOMMAND --help`.
#include "Driver/CommandLine/CommandLine.h"

#include <algorithm>

namespace sdfgc::driver {
namespace {

constexpr std::size_t textColumn = 32, lineWidth = 100;

/// `-o, --output DIR`; long options without a short one are indented to the same column.
std::string leftSide(const OptionRow &row) {
    std::string names = row.names;
    if (std::size_t comma = names.find(','); comma != std::string::npos)
        names.insert(comma + 1, " ");
    std::string out = names.starts_with("--") ? "      " + names : "  " + names;
    return row.placeholder.empty() ? out : out + " " + row.placeholder;
}

/// The words of `text` in lines from textColumn to lineWidth; starts after `left`.
std::string wrapped(const std::string &left, const std::string &text) {
    std::string out = left, line;
    auto flush = [&] {
        out += line + "\n";
        line.clear();
    };
    if (left.size() + 2 > textColumn)
        out += "\n" + std::string(textColumn, ' ');
    else
        out += std::string(textColumn - left.size(), ' ');
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find(' ', at), text.size());
        if (!line.empty() && textColumn + line.size() + 1 + (end - at) > lineWidth) {
            flush();
            out += std::string(textColumn, ' ');
        }
        line += (line.empty() ? "" : " ") + text.substr(at, end - at);
        at = end + 1;
    }
    flush();
    return out;
}

} // namespace

std::string CommandLine::help() const {
    std::string out = "usage: " + usage_ + "\n\n" + description_ + "\n";
    std::vector<std::string> groups;
    for (const OptionRow &row : rows_)
        if (std::find(groups.begin(), groups.end(), row.group) == groups.end())
            groups.push_back(row.group);
    // Arguments first, the general options last.
    std::stable_partition(groups.begin(), groups.end(), [](const std::string &g) { return g != "General options"; });
    std::stable_partition(groups.begin(), groups.end(), [](const std::string &g) { return g == "Arguments"; });
    for (const std::string &group : groups) {
        out += "\n" + group + ":\n";
        for (const OptionRow &row : rows_)
            if (row.group == group)
                out += wrapped(leftSide(row), row.help);
    }
    return out;
}

} // namespace sdfgc::driver
