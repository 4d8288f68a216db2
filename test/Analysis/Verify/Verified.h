// Verifying a graph in a test.
#pragma once

#include "Graphs.h"

#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::test {

/// The names of the reported kinds, sorted, without duplicates: `CopySizes MemletRank`; empty for a clean graph.
inline std::string reported(const SDFG &g, Level level = Level::Loaded) {
    diag::Engine d;
    bool ok = analysis::verify(g, level, d);
    if (ok != !d.hasErrors())
        return "result and diagnostics disagree";
    std::set<std::string_view> kinds;
    for (const diag::Diagnostic &x : d.all())
        kinds.insert(diag::info(x.id).name);
    std::string out;
    for (std::string_view k : kinds)
        out += (out.empty() ? "" : " ") + std::string(k);
    return out;
}
inline std::string reported(Graph &g, Level level = Level::Loaded) { return reported(g.g, level); }

/// The message of the only diagnostic, with its hint after ` | `.
inline std::string message(Graph &g, Level level = Level::Loaded) {
    diag::Engine d;
    analysis::verify(g.g, level, d);
    return d.all().size() == 1 ? d.all()[0].message + " | " + d.all()[0].hint : std::to_string(d.all().size()) + " diagnostics";
}

} // namespace sdfgc::test
