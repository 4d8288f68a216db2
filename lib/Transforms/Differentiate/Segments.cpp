#include "Transforms/Differentiate/Segments.h"

#include "Transforms/Differentiate/Differentiate.h"
#include "Transforms/Differentiate/LoopsForMaps.h"
#include "Transforms/Differentiate/SplitUpdates.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sdfgc::transforms::gradient {

using namespace ir;

// ---- requested segments

std::optional<Segments> parseSegments(const std::string &text) {
    Segments out;
    for (const std::string &word : wordsOf(text)) {
        const std::size_t equals = word.find('=');
        if (equals == 0)
            return std::nullopt;
        const bool isNamed = equals != std::string::npos;
        std::vector<int64_t> &lengths = out[isNamed ? Name(word.substr(0, equals)) : allLoops];
        lengths.clear();
        const char *at = word.data() + (isNamed ? equals + 1 : 0), *const end = word.data() + word.size();
        while (true) {
            int64_t length = 0;
            const auto [rest, error] = std::from_chars(at, end, length);
            if (error != std::errc() || length < 1 || (rest != end && *rest != '/'))
                return std::nullopt;
            lengths.push_back(length);
            if (rest == end)
                break;
            at = rest + 1;
        }
    }
    return out;
}

// ---- segments for a limit

namespace {

/// A loop that can be cut, and its trip count.
struct Candidate {
    Name name;
    int64_t trips;
};

/// Outermost loops with enough iterations, with their labels.
std::vector<Candidate> candidates(SDFG &g, const std::map<Name, int64_t> &sizes) {
    std::vector<Candidate> out;
    constexpr int64_t few = 4;
    for (LoopRegion *l : loopsToCut(g)) {
        const auto trips = sym::evaluate(analysis::countedLoop(*l)->trips(), sizes);
        if (trips && *trips >= few)
            out.push_back({l->label.empty() ? l->variable : Name(l->label), *trips});
    }
    return out;
}

/// Segments of all loops on the given number of levels, with equally many on each level.
Segments onLevels(const std::vector<Candidate> &loops, int levels) {
    Segments out;
    for (const Candidate &c : loops)
        for (int level = levels; level > 0; --level) {
            const double length = std::pow(static_cast<double>(c.trips), static_cast<double>(level) / (levels + 1));
            out[c.name].push_back(static_cast<int64_t>(std::ceil(length)));
        }
    return out;
}

/// Runs the passes between cut-into-segments and differentiate.
bool prepare(SDFG &g, const Request &request, pass::Context &context) {
    normalise(g, context);
    changeParts(g, request, Mode::Reverse, [&context](SDFG &part, const Request &r) {
        loopsForMaps(part, r, context);
        return true;
    });
    bool changed = false;
    return splitUpdates(g, request, Mode::Reverse, changed, context);
}

/// The number of bytes that would be stored; nothing if unknown.
std::optional<int64_t> storedWith(const Segments &segments, const MemoryLimit &limit, const SDFG &g, const Request &request,
                                  const pass::Context &context) {
    const std::unique_ptr<SDFG> copy = ir::clone(g);
    diag::Engine diags;
    pass::Context trial(diags, context.options);
    Ledger ledger;
    if (!cutIntoSegments(*copy, segments, trial) || !prepare(*copy, request, trial) ||
        !differentiate(*copy, request, trial, ledger))
        return std::nullopt;
    return sym::evaluate(totalOf(ledger), limit.sizes);
}

} // namespace

Segments segmentsFor(const MemoryLimit &limit, const SDFG &g, const Request &request, const pass::Context &context) {
    const auto stored = [&](const Segments &s) { return storedWith(s, limit, g, request, context); };
    std::optional<int64_t> least = stored({});
    if (!least || *least <= limit.bytes) // unknown sizes are reported when the program itself is differentiated
        return {};
    const std::vector<Candidate> loops = candidates(*ir::clone(g), limit.sizes);
    Segments best;
    constexpr int most = 4; // levels: each further one saves little and costs as much time as the previous one
    for (int levels = 1; levels <= most && *least > limit.bytes; ++levels) {
        const Segments all = onLevels(loops, levels);
        const std::optional<int64_t> bytes = stored(all);
        if (bytes && *bytes < *least) {
            least = bytes;
            best = all;
        }
    }
    for (const Candidate &c : loops) { // those that need not be cut
        Segments fewer = best;
        if (fewer.erase(c.name) == 0)
            continue;
        const std::optional<int64_t> bytes = stored(fewer);
        if (bytes && *bytes <= std::max(limit.bytes, *least))
            best = fewer;
    }
    return best;
}

} // namespace sdfgc::transforms::gradient
