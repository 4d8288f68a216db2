// Reads and writes `.sdfg` / `.sdfgz` files (format reference section 1); Text.h is their text form.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/Hash.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::serialize {

struct Limits {
    uint64_t fileBytes = uint64_t(4) << 30;
    uint64_t inflatedBytes = uint64_t(8) << 30;
    int depth = 2000; // nesting of JSON values
};

/// Reads a graph in text form, or in JSON of any version (0.9 to 2.x), plain or gzip by content. Upgrades it to the
/// current form (1.11), loads external nested SDFGs relative to the file, and pairs scopes. On error, reports file,
/// line, JSON path and what was expected, and returns null. Warns about unknown attributes, which are kept.
std::unique_ptr<ir::SDFG> readFile(const std::string &path, diag::Engine &d, const Limits &l = {});
std::unique_ptr<ir::SDFG> readText(std::string text, const std::string &nameForDiagnostics, diag::Engine &d, const Limits &l = {});

/// Identifies the program in a file without reading it as a graph: files with equal digests are read as programs that
/// behave alike. White space and attributes that the reader drops (identifiers, hashes, history, presentation) do not
/// count.
struct ContentDigest {
    Digest program;                      // without positions in the user's program
    Digest withLines;                    // with them
    std::vector<std::string> otherFiles; // external nested SDFGs, which count as well
};
/// Returns nothing if the text, or an external nested SDFG, cannot be read. `path` is where the text is from.
std::optional<ContentDigest> contentDigest(std::string text, const std::string &path, const Limits &l = {});

struct WriteOptions {
    int indent = -1;       // -1 compact
    bool compress = false; // gzip
};
/// Returns text that DaCe 2.x reads: omits defaults, writes symbolic strings in `$` form, and writes unknown attributes
/// back. Deterministic.
std::string writeText(const ir::SDFG &g, const WriteOptions &o = {});
/// Writes atomically, in text form if the name has its suffix. Reports failures and returns false.
bool writeFile(const ir::SDFG &g, const std::string &path, diag::Engine &d, const WriteOptions &o = {});

/// Returns the first difference between two graphs in what files store, as `path: value against value`; nothing if they
/// are equal. Ignores the version of DaCe that wrote the file, and numbers that are positions (ids, cfgId). Ids must be
/// current (SDFG::renumber). `difference(*readText(writeText(g)), g)` is nothing for every graph that was read from
/// JSON or passes the verifier, except for facts about symbols that no expression mentions, which JSON cannot store.
std::optional<std::string> difference(const ir::SDFG &a, const ir::SDFG &b);

} // namespace sdfgc::serialize
