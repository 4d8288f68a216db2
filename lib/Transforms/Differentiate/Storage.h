// What is stored for a gradient: the user's choices, and the bytes needed.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::transforms::gradient {

/// How to keep a value that a gradient needs and that is overwritten.
enum class Keep : uint8_t {
    Auto,      // recompute it if it is private to an iteration, otherwise store it
    Store,     // store it, even if it could be recomputed
    Recompute, // recompute it from what still exists; refuse if that is impossible
};

struct Strategy {
    Keep otherwise = Keep::Auto;
    std::map<Name, Keep> named; // containers
    Keep of(Name data) const;
};
/// Parses `auto`, `store` and `recompute`, separated by commas, blanks or `+`; names after `store=` or `recompute=` are
/// containers. Returns nothing for other text.
std::optional<Strategy> parseStrategy(const std::string &text);
/// Returns the first name of a strategy that is not a container of the program or of its nested SDFGs, or an empty
/// name.
Name unknownIn(const Strategy &s, const ir::SDFG &g);

/// The words of a list separated by commas, blanks or `+`: lists of pass options use commas themselves.
std::vector<std::string> wordsOf(std::string list);

/// Parses a number of bytes, with an optional suffix `K`, `M`, `G` or `T` for powers of 1024. Returns nothing for other
/// text and for values that are negative or too large.
std::optional<int64_t> parseBytes(const std::string &text);

/// Parses values of symbols, such as `N=100+T=10`. Returns nothing for other text.
std::optional<std::map<Name, int64_t>> parseSizes(const std::string &text);

/// A stored tape.
struct Stored {
    Name tape;
    sym::Expr bytes;
    diag::Location place;
};
/// All tapes, in terms of the symbols of one SDFG.
using Ledger = std::vector<Stored>;
/// The size of one more container.
sym::Expr bytesOf(const ir::DataDesc &d);
/// The total size of all tapes.
sym::Expr totalOf(const Ledger &ledger);

/// The maximum size of all tapes.
struct MemoryLimit {
    int64_t bytes = 0;
    std::map<Name, int64_t> sizes; // values of symbols
};
/// Reports an error that names the largest tapes if the limit is exceeded, or if the size is unknown.
void checkLimit(const MemoryLimit &limit, const Ledger &ledger, pass::Context &context);

} // namespace sdfgc::transforms::gradient
