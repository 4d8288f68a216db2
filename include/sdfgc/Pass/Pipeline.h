// Pipelines: which passes run, in which order, with which options (contract C4), and the manager that runs them.
#pragma once

#include "sdfgc/Pass/Pass.h"

#include <iosfwd>
#include <optional>

namespace sdfgc::pass {

struct Step {
    std::string pass;
    OptionValues options; // as given
    int line = 0, column = 0;
};
struct Pipeline {
    std::string name; // file name, or "--passes"
    std::vector<Step> steps;
};

/// Reads a YAML pipeline (includes resolved relative to the file, `when:` conditions evaluated against the options). Errors with line and
/// column: unknown pass (nearest suggested), unknown option, wrong type, impossible level order.
std::optional<Pipeline> readPipeline(const std::string &path, const Registry &r, const CompileOptions &o, diag::Engine &d);
/// Text form `a,b{k=v},c`.
std::optional<Pipeline> parsePipeline(std::string_view text, const Registry &r, diag::Engine &d);
/// The text form of a pipeline; parsePipeline(print(p)) equals p.
std::string print(const Pipeline &p);

struct RunOptions {
    std::vector<std::string> printBefore, printAfter; // pass names
    bool printAfterAll = false, printAfterChange = false, printAfterFailure = false;
    std::string dumpDir;   // numbered graphs, one per pass
    std::string stopAfter, startAfter;
    bool verify = true;    // after every pass
    bool timePasses = false;
    std::ostream *out = nullptr;                                       // where prints go
    std::function<std::string(const ir::SDFG &)> printGraph;           // text form
    std::function<bool(const ir::SDFG &, const std::string &path)> saveGraph; // for dumpDir
};
struct PassTime {
    std::string pass;
    double seconds = 0, verifySeconds = 0;
    bool changed = false;
};

/// Runs a pipeline: checks levels, runs each pass, verifies at the level reached, prints, dumps, times. Returns false when a pass or the
/// verifier reported an error; the diagnostic names the pass after which the graph was broken.
bool run(ir::SDFG &root, const Pipeline &p, const Registry &r, Context &c, const RunOptions &o, std::vector<PassTime> *times = nullptr);

} // namespace sdfgc::pass
