// Graphs in JSON (`.sdfg`), of every version of the format.
#include "../Mutator.h"
#include "Graphs.h"
#include "Target.h"

namespace sdfgc::fuzz {

void runInput(std::string_view input) { requireRoundTrips(std::string(input)); }

std::string damaged(const std::string &input, uint64_t seed, std::size_t most) {
    Mutator mutator(seed, most);
    std::optional<json::Value> graph = json::parse(input);
    return graph ? mutator.mutate(std::move(*graph)) : mutator.damageBytes(input);
}

} // namespace sdfgc::fuzz
