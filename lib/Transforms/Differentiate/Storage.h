// What is stored for a gradient: what the user asks for, and how much it is.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::transforms::gradient {

/// What happens to a value that a gradient needs and that is overwritten.
enum class Keep : uint8_t {
    Auto,      // it is computed again where an iteration has it for itself, else stored
    Store,     // it is stored, also where it could be computed again
    Recompute, // it is computed again from what is still there; refused where that is not enough
};

struct Strategy {
    Keep otherwise = Keep::Auto;
    std::map<Name, Keep> named; // containers
    Keep of(Name data) const;
};
/// Reads `auto`, `store` and `recompute`, with commas, blanks or `+` between them; names that follow `store=` or `recompute=` are those of
/// containers. Nothing if it is of another form.
std::optional<Strategy> parseStrategy(const std::string &text);
/// The first name of a strategy that is no container of the program, nested SDFGs included; an empty one if all are.
Name unknownIn(const Strategy &s, const ir::SDFG &g);

/// The words of a list, with commas, blanks or `+` between them: lists of pass options have commas themselves.
std::vector<std::string> wordsOf(std::string list);

/// A number of bytes, `K`, `M`, `G` or `T` after it being powers of 1024. Nothing if it is of another form, negative or too large.
std::optional<int64_t> parseBytes(const std::string &text);

/// Reads values of symbols, `N=100+T=10`. Nothing if they are of another form.
std::optional<std::map<Name, int64_t>> parseSizes(const std::string &text);

/// Something that is stored: a tape.
struct Stored {
    Name tape;
    sym::Expr bytes;
    diag::Location place;
};
/// All of them, in terms of the symbols of one SDFG.
using Ledger = std::vector<Stored>;
/// The bytes of one more container.
sym::Expr bytesOf(const ir::DataDesc &d);
/// The bytes of all of them together.
sym::Expr totalOf(const Ledger &ledger);

/// At most so much may be stored.
struct MemoryLimit {
    int64_t bytes = 0;
    std::map<Name, int64_t> sizes; // values of symbols
};
/// Reports an error if more is stored, or it is not known, which names the largest tapes.
void checkLimit(const MemoryLimit &limit, const Ledger &ledger, pass::Context &context);

} // namespace sdfgc::transforms::gradient
