// `.sdfg` / `.sdfgz` files to IR and back (format reference section 1); their text form is that of Text.h.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sdfgc::serialize {

struct Limits {
    uint64_t fileBytes = uint64_t(4) << 30;
    uint64_t inflatedBytes = uint64_t(8) << 30;
    int depth = 2000; // nesting of JSON values
};

/// Reads a graph in its text form, or of any version (0.9 to 2.x) in JSON, plain or gzip by content, upgrades it to the current
/// form (1.11), loads external nested SDFGs relative to the file, pairs scopes. On error reports file, line, JSON path and what was
/// expected, and returns null. Warnings for what is unknown and kept.
std::unique_ptr<ir::SDFG> readFile(const std::string &path, diag::Engine &d, const Limits &l = {});
std::unique_ptr<ir::SDFG> readText(std::string text, const std::string &nameForDiagnostics, diag::Engine &d, const Limits &l = {});

struct WriteOptions {
    int indent = -1;       // -1 compact
    bool compress = false; // gzip
};
/// Text that DaCe 2.x reads: defaults omitted, symbolic strings in `$` form, unknown attributes written back. Deterministic.
std::string writeText(const ir::SDFG &g, const WriteOptions &o = {});
/// Atomic write, in the text form where the name ends so. Returns false and reports on failure.
bool writeFile(const ir::SDFG &g, const std::string &path, diag::Engine &d, const WriteOptions &o = {});

/// The first difference of two graphs in what files keep, as `path: value against value`; nothing when they are equal. Not
/// compared: the version of DaCe that wrote the file, and numbers that are positions (ids, cfgId). Ids must be current
/// (SDFG::renumber). `difference(*readText(writeText(g)), g)` is nothing for every graph that was read from JSON or passes the
/// verifier, but for facts about symbols that no expression mentions: JSON has no place for them.
std::optional<std::string> difference(const ir::SDFG &a, const ir::SDFG &b);

} // namespace sdfgc::serialize
