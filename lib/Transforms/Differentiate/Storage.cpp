#include "Transforms/Differentiate/Storage.h"

#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace sdfgc::transforms::gradient {

using namespace ir;

Keep Strategy::of(Name data) const {
    const auto found = named.find(data);
    return found == named.end() ? otherwise : found->second;
}

std::vector<std::string> wordsOf(std::string list) {
    for (char &c : list)
        if (c == ',' || c == '+')
            c = ' ';
    return text::words(list);
}

namespace {

std::optional<Keep> keepOf(std::string_view word) {
    if (word == "auto")
        return Keep::Auto;
    if (word == "store")
        return Keep::Store;
    if (word == "recompute")
        return Keep::Recompute;
    return std::nullopt;
}

} // namespace

std::optional<Strategy> parseStrategy(const std::string &text) {
    Strategy out;
    Keep ofNames = Keep::Auto; // of the following names
    bool hasNames = false;
    for (const std::string &word : wordsOf(text)) {
        const std::size_t at = word.find('=');
        const bool begins = at != std::string::npos;
        const std::optional<Keep> keep = keepOf(word.substr(0, at));
        if (keep && !begins) {
            out.otherwise = *keep;
            hasNames = false;
            continue;
        }
        if (begins ? !keep || at + 1 == word.size() : !hasNames)
            return std::nullopt;
        if (begins)
            ofNames = *keep;
        hasNames = true;
        out.named[Name(begins ? word.substr(at + 1) : word)] = ofNames;
    }
    return out;
}

namespace {

bool hasContainer(const SDFG &g, Name n) {
    if (g.arrays.contains(n))
        return true;
    for (const State *s : allStates(g))
        for (const auto &node : s->nodes())
            if (const auto *nested = dyn_cast<NestedSDFGNode>(node.get()); nested && nested->sdfg && hasContainer(*nested->sdfg, n))
                return true;
    return false;
}

} // namespace

Name unknownIn(const Strategy &s, const SDFG &g) {
    for (const auto &[n, keep] : s.named)
        if (!hasContainer(g, n))
            return n;
    return {};
}

std::optional<int64_t> parseBytes(const std::string &text) {
    int64_t number = 0;
    const char *end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || number < 0 || end - rest > 1)
        return std::nullopt;
    static constexpr std::string_view units = "KMGT";
    if (rest == end)
        return number;
    const std::size_t unit = units.find(*rest);
    if (unit == std::string_view::npos)
        return std::nullopt;
    const int64_t factor = int64_t(1) << (10 * (unit + 1));
    return number > std::numeric_limits<int64_t>::max() / factor ? std::nullopt : std::optional(number * factor);
}

std::optional<std::map<Name, int64_t>> parseSizes(const std::string &text) {
    std::map<Name, int64_t> out;
    for (const std::string &word : wordsOf(text)) {
        const std::size_t at = word.find('=');
        int64_t value = 0;
        const char *end = word.data() + word.size();
        const auto [rest, error] = std::from_chars(word.data() + std::min(at + 1, word.size()), end, value);
        if (at == 0 || at == std::string::npos || error != std::errc() || rest != end)
            return std::nullopt;
        out[Name(word.substr(0, at))] = value;
    }
    return out;
}

sym::Expr bytesOf(const DataDesc &d) { return d.totalSize * d.dtype.bytes().value_or(0); }

sym::Expr totalOf(const Ledger &ledger) {
    sym::Expr all = 0;
    for (const Stored &s : ledger)
        all = all + s.bytes;
    return all;
}

void checkLimit(const MemoryLimit &limit, const Ledger &ledger, pass::Context &context) {
    const sym::Expr all = totalOf(ledger);
    const std::optional<int64_t> total = sym::evaluate(all, limit.sizes);
    if (total && *total >= 0 && *total <= limit.bytes)
        return;
    std::vector<std::pair<int64_t, const Stored *>> largest;
    for (const Stored &s : ledger)
        largest.emplace_back(sym::evaluate(s.bytes, limit.sizes).value_or(std::numeric_limits<int64_t>::max()), &s);
    std::stable_sort(largest.begin(), largest.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    std::string text;
    for (std::size_t k = 0; k < std::min<std::size_t>(largest.size(), 3); ++k)
        text += (k ? ", `" : "`") + largest[k].second->tape.str() + "` " + largest[k].second->bytes.str();
    diag::Location place = largest.front().second->place;
    place.file = context.options.file;
    std::string unknown;
    for (const Name n : all.freeSymbols())
        if (!limit.sizes.count(n))
            unknown += (unknown.empty() ? "`" : ", `") + n.str() + "`";
    const std::string needed = all.str() + (total && !all.isInteger() ? " = " + std::to_string(*total) : "");
    context.diags.report(
        diag::Id::GradientMemory, place, needed, std::to_string(limit.bytes), text,
        !unknown.empty() ? "give a value for " + unknown
                         : "recompute values (`strategy=recompute=NAME`), cut loops (`checkpoints=auto`), or allow more memory");
}

} // namespace sdfgc::transforms::gradient
