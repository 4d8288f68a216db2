#include "sdfgc/Diag/Explain.h"

#include "SeverityWord.h"

#include <algorithm>
#include <array>

namespace sdfgc::diag {
namespace {

constexpr std::size_t count = kindCount();

constexpr std::array<Explanation, count> makeTable() {
    std::array<Explanation, count> table{};
#define SDFGC_EXPLAIN(Name, Cause, Example, Remedy) table[static_cast<std::size_t>(Id::Name)] = {Cause, Example, Remedy};
#include "Diag/explanations/Build.def"
#include "Diag/explanations/Driver.def"
#include "Diag/explanations/Interpret.def"
#include "Diag/explanations/LibraryNodes.def"
#include "Diag/explanations/Lower.def"
#include "Diag/explanations/Pass.def"
#include "Diag/explanations/Run.def"
#include "Diag/explanations/Serialize.def"
#include "Diag/explanations/Transforms.def"
#include "Diag/explanations/Tree.def"
#include "Diag/explanations/Validate.def"
#include "Diag/explanations/Verify.def"
#undef SDFGC_EXPLAIN
    return table;
}
constexpr std::array<Explanation, count> table = makeTable();

/// The words of one line, wrapped to `width` columns, with each line indented.
std::string wrappedLine(std::string_view text, std::size_t width, const std::string &indent) {
    std::string out, line;
    auto flush = [&] {
        if (!line.empty())
            out += indent + line + "\n";
        line.clear();
    };
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (line.size() + end + 1 + indent.size() > width)
            flush();
        line += (line.empty() ? "" : " ") + std::string(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    flush();
    return out;
}

/// The same for text of several lines: line breaks and leading blanks are kept.
std::string wrapped(std::string_view text, std::size_t width, const std::string &indent) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::size_t blanks = std::min(text.find_first_not_of(' '), end);
        out += blanks == end ? "\n" : wrappedLine(text.substr(blanks, end - blanks), width, indent + std::string(blanks, ' '));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::vector<Id> byCode() {
    std::vector<Id> ids;
    for (std::size_t i = 0; i < count; ++i)
        ids.push_back(static_cast<Id>(i));
    std::sort(ids.begin(), ids.end(), [](Id a, Id b) { return info(a).code < info(b).code; });
    return ids;
}

} // namespace

const Explanation &explanation(Id id) { return table[static_cast<std::size_t>(id)]; }

std::optional<Id> findKind(std::string_view text) {
    auto same = [](std::string_view a, std::string_view b) {
        auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
        return a.size() == b.size() &&
               std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
    };
    for (std::size_t i = 0; i < count; ++i) {
        const Info &kind = info(static_cast<Id>(i));
        if (same(text, kind.code) || same(text, kind.code.substr(2)) || same(text, kind.name))
            return static_cast<Id>(i);
    }
    return std::nullopt;
}

std::string explanationText(Id id) {
    constexpr std::size_t width = 100;
    const Info &kind = info(id);
    const Explanation &e = explanation(id);
    return std::string(kind.code) + " " + std::string(kind.name) + " (" + std::string(severityWord(kind.severity)) + ")\n" +
           wrapped(pattern(kind.message), width, "    ") + "\n" + wrapped(e.cause, width, "") + "\nExample:\n" +
           wrapped(e.example, width, "    ") + "\nWhat to do:\n" + wrapped(e.remedy, width, "    ");
}

std::string explanationPage(Id id) {
    const Info &kind = info(id);
    const Explanation &e = explanation(id);
    return "# " + std::string(kind.code) + " " + std::string(kind.name) + "\n\n" + std::string(severityWord(kind.severity)) +
           ": `` " + pattern(kind.message) + " ``\n\n" + std::string(e.cause) + "\n\n## Example\n\n```\n" + std::string(e.example) +
           "\n```\n\n## What to do\n\n" + std::string(e.remedy) + "\n";
}

std::string kindList() {
    std::string out;
    for (Id id : byCode()) {
        const Info &kind = info(id);
        std::string severity(severityWord(kind.severity));
        severity.resize(8, ' ');
        out += std::string(kind.code) + " " + severity + std::string(kind.name) + ": " + pattern(kind.message) + "\n";
    }
    return out;
}

std::string explanationIndex() {
    std::string out =
        "# Diagnostics\n\nWritten by `sdfgc explain --markdown docs/user/diagnostics`; the texts are in lib/Diag/explanations. "
        "Codes of remarks are in [remarks](remarks.md).\n\n"
        "| code | name | kind | message |\n|---|---|---|---|\n";
    for (Id id : byCode()) {
        const Info &kind = info(id);
        const std::string code(kind.code);
        std::string message = pattern(kind.message);
        std::replace(message.begin(), message.end(), '\n', ' ');
        for (std::size_t at = 0; (at = message.find('|', at)) != std::string::npos; at += 2)
            message.insert(at, "\\");
        out += "| [" + code + "](" + code + ".md) | " + std::string(kind.name) + " | " + std::string(severityWord(kind.severity)) +
               " | `` " + message + " `` |\n";
    }
    return out;
}

std::string reasonList() {
    std::string out;
    for (const Why why : allReasons()) {
        std::string code(info(why).code);
        code.resize(16, ' ');
        out += code + std::string(info(why).meaning) + "\n";
    }
    return out;
}

std::string explanationText(Why why) {
    constexpr std::size_t width = 100;
    return std::string(info(why).code) + " (of remarks)\n\n" + wrapped(info(why).meaning, width, "") + "\nWhat to do:\n" +
           wrapped(info(why).hint, width, "    ");
}

std::string reasonPage() {
    std::string out = "# Codes of remarks\n\nWritten by `sdfgc explain --markdown docs/user/diagnostics`; the texts are in "
                      "include/sdfgc/Diag/Reasons.def. Each remark on what a pass left undone has one of these codes "
                      "([the optimiser](../optimiser.md)).\n\n| code | meaning | what to do |\n|---|---|---|\n";
    for (const Why why : allReasons())
        out += "| `" + std::string(info(why).code) + "` | " + std::string(info(why).meaning) + " | " + std::string(info(why).hint) +
               " |\n";
    return out;
}

} // namespace sdfgc::diag
