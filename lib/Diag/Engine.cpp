// Messages, and the engine that records, orders and merges diagnostics.
#include "sdfgc/Diag/Diag.h"

#include <algorithm>
#include <fmt/args.h>
#include <tuple>

namespace sdfgc::diag {
namespace {

/// Names and code in a hostile graph may be megabytes long; users need the beginning. Never splits a UTF-8 character.
void shorten(std::string &text) {
    constexpr std::size_t longest = 1000;
    if (text.size() <= longest)
        return;
    const std::size_t whole = text.size();
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    text.resize(end);
    text += "... (" + std::to_string(whole) + " bytes)";
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Compares texts with numbers by value, so that nodes[9] comes before nodes[10].
int compareNatural(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (!isDigit(a[i]) || !isDigit(b[j])) {
            if (a[i] != b[j])
                return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]) ? -1 : 1;
            ++i, ++j;
            continue;
        }
        auto number = [](std::string_view s, std::size_t &at) {
            while (at < s.size() && s[at] == '0')
                ++at;
            const std::size_t from = at;
            while (at < s.size() && isDigit(s[at]))
                ++at;
            return s.substr(from, at - from);
        };
        const std::string_view x = number(a, i), y = number(b, j);
        if (x.size() != y.size())
            return x.size() < y.size() ? -1 : 1;
        if (const int c = x.compare(y))
            return c;
    }
    return static_cast<int>(i < a.size()) - static_cast<int>(j < b.size());
}

int compare(const Diagnostic &a, const Diagnostic &b) {
    const Location &p = a.place, &q = b.place;
    if (const int c = p.file.compare(q.file))
        return c;
    const auto position = std::make_tuple(p.line, p.column), other = std::make_tuple(q.line, q.column);
    if (position != other)
        return position < other ? -1 : 1;
    if (const int c = compareNatural(p.path, q.path))
        return c;
    if (const int c = compareNatural(p.element, q.element))
        return c;
    if (const int c = info(a.id).code.compare(info(b.id).code))
        return c;
    return a.message.compare(b.message);
}

} // namespace

std::vector<Info> allKinds() { return {std::begin(detail::kinds), std::end(detail::kinds)}; }

std::string pattern(std::string_view format) {
    std::string out;
    for (std::size_t i = 0; i < format.size(); ++i) {
        const bool doubled = i + 1 < format.size() && format[i + 1] == format[i];
        if (format[i] == '{' && !doubled) {
            out += "...";
            i = format.find('}', i);
        } else {
            out += format[i];
            i += doubled && (format[i] == '{' || format[i] == '}');
        }
    }
    return out;
}

Message::Message(Id id, std::initializer_list<Argument> args) : id(id) {
    const Info &kind = info(id);
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (const Argument &a : args) {
        std::string text(a.text());
        if (kind.severity != Severity::Note)
            shorten(text);
        if (a.isNumber())
            store.push_back(a.number());
        else
            store.push_back(std::move(text));
    }
    text = fmt::vformat(kind.message, store);
    hint = fmt::vformat(kind.hint, store);
}

Diagnostic &Engine::report(Message message, Location place) {
    const Info &kind = info(message.id);
    shorten(place.element);
    shorten(place.path);
    return repeat({message.id, kind.severity, std::move(place), std::move(message.text), std::move(message.hint), {}});
}

Diagnostic &Engine::repeat(Diagnostic d) {
    std::size_t &count = d.severity == Severity::Error ? errors_ : others_;
    if (count++ < limit)
        return all_.emplace_back(std::move(d));
    ++dropped_;
    return notStored_ = std::move(d);
}

std::vector<Diagnostic> Engine::sorted() const {
    std::vector<Diagnostic> result = all_;
    std::stable_sort(result.begin(), result.end(), [](const Diagnostic &a, const Diagnostic &b) { return compare(a, b) < 0; });
    auto same = [](const Diagnostic &a, const Diagnostic &b) { return compare(a, b) == 0; };
    result.erase(std::unique(result.begin(), result.end(), same), result.end());
    return result;
}

void Engine::clear() {
    all_.clear();
    errors_ = others_ = dropped_ = 0;
}

std::string Engine::summary() const {
    auto counted = [](std::size_t n, const char *what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); };
    const auto warnings = static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [](const Diagnostic &d) { return d.severity == Severity::Warning; }));
    std::string text;
    if (errors_)
        text = counted(errors_, "error");
    if (warnings)
        text += (text.empty() ? "" : " and ") + counted(warnings, "warning");
    if (dropped_)
        text += " (" + std::to_string(dropped_) + " not shown)";
    return text;
}

std::string nearest(std::string_view word, const std::vector<std::string> &known) {
    constexpr std::size_t longest = 200; // a longer word is not a misspelling of any known one
    if (word.empty() || word.size() > longest)
        return {};
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    // Optimal string alignment distance with three rows: insertion, deletion, replacement, transposition of neighbours. Differences
    // in case cost nothing.
    auto distance = [&](std::string_view other) {
        std::vector<std::size_t> before(other.size() + 1), last(other.size() + 1), row(other.size() + 1);
        for (std::size_t j = 0; j <= other.size(); ++j)
            last[j] = j;
        for (std::size_t i = 1; i <= word.size(); ++i) {
            row[0] = i;
            for (std::size_t j = 1; j <= other.size(); ++j) {
                const char a = lower(word[i - 1]), b = lower(other[j - 1]);
                row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b)});
                if (i > 1 && j > 1 && a == lower(other[j - 2]) && lower(word[i - 2]) == b)
                    row[j] = std::min(row[j], before[j - 2] + 1);
            }
            std::swap(before, last);
            std::swap(last, row);
        }
        return last[other.size()];
    };
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string &candidate : known) {
        const std::size_t least = std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
        if (candidate.empty() || candidate.size() > longest || least > bestDistance)
            continue;
        const std::size_t d = distance(candidate);
        if (d < bestDistance || (d == bestDistance && !best.empty() && candidate < best)) {
            best = candidate;
            bestDistance = d;
        }
    }
    return best;
}

} // namespace sdfgc::diag
