// Pipelines: which passes run, in which order, with which options (contract C4), and the manager that runs them.
//
// docs/user/pipelines.md documents the YAML form.
#pragma once

#include "sdfgc/Pass/Pass.h"

#include <iosfwd>
#include <optional>

namespace sdfgc::pass {

class Instrumentation;

/// A condition on the graph: it has one of these properties (or, if not wanted, none of them). Evaluated when the step
/// is reached.
struct GraphCondition {
    std::vector<std::string> anyOf; // of graphProperties()
    bool wanted = true;
};
/// Returns the properties of a graph that conditions can test: `library-nodes`, `nested-sdfgs`, `loops`, ... with their
/// meanings.
const std::vector<std::pair<std::string, std::string>> &graphProperties();
/// Does the graph, including nested SDFGs, have the property? False for an unknown one.
bool hasProperty(const ir::SDFG &root, const std::string &property);

struct PipelineStep {
    std::string pass;
    OptionValues options; // as specified
    std::string file;     // file that contains the step: a YAML file, or "--passes"
    int line = 0, column = 0;
    std::vector<GraphCondition> conditions = {}; // the step is skipped unless all hold
};
/// Steps that are repeated until a round changes nothing.
struct Group {
    std::size_t first = 0, last = 0; // half-open: steps first ... last - 1
    int64_t limit = 20;              // maximum number of rounds; reaching it is a warning
    std::string file;
    int line = 0, column = 0;
};
struct Pipeline {
    std::string name; // file name, or "--passes"
    std::vector<PipelineStep> steps;
    std::vector<Group> groups;      // in order, not nested
    std::vector<std::string> files; // all files read, in order of first use; for dependency files
};

/// Reads a YAML pipeline. Resolves includes relative to the file and evaluates `when:` conditions against the options.
/// Reports all errors with file, line and column: syntax, unknown keys, unknown passes (with a suggestion), unknown
/// options, wrong types, and recursive includes. Steps whose condition does not hold are checked as well, then omitted.
/// The order of levels depends on the graph: see checkLevels.
std::optional<Pipeline> readPipeline(const std::string &path, const Registry &r, const CompileOptions &o, diag::Engine &d);
/// Parses the text form `a,b{k=v},c[library-nodes][!gpu|streams],fixed-point{limit=9}(d,e)`, with conditions on the
/// graph in brackets. A value that contains other characters than letters, digits and `_-+./:` must be in single quotes
/// ('' is a quote); an option without a value is `true`. Reports errors with the column.
std::optional<Pipeline> parsePipeline(std::string_view text, const Registry &r, diag::Engine &d);
/// Sets an option wherever the pipeline runs the pass: `guard-parallel-maps.work=0`. Reports malformed text, unknown
/// passes and options, values of the wrong type, and passes that no step runs. Returns whether it was set.
bool setOption(Pipeline &p, const std::string &text, const Registry &r, diag::Engine &d);
/// Returns the text form of a pipeline; parsePipeline(print(p)) has the same steps.
std::string print(const Pipeline &p);

/// Checks that every pass finds the level that it needs if the graph starts at `level`. Reports each pass that does
/// not, and what to run before it. Returns the final level, or nothing after an error.
std::optional<ir::Level> checkLevels(const Pipeline &p, const Registry &r, ir::Level level, diag::Engine &d);

struct RunOptions {
    std::vector<std::string> printBefore, printAfter; // pass names
    bool printAfterAll = false, printAfterChange = false, printAfterFailure = false;
    std::string dumpDir; // numbered files: 00-input.sdfg, then NN-PASS.sdfg with the position of the pass in the pipeline,
                         // NN-PASS.sdfgtree from `lower` on; further rounds of a group: NN-PASS.2.sdfg
    /// A pass by name (its first occurrence), by position (`05`), or by both, as in the name of a dumped file
    /// (`05-infer-types`).
    std::string stopAfter, startAfter;
    /// Stops before the first pass that does not work on graphs.
    bool graphOnly = false;
    bool verify = true;                                                 // after every pass
    std::ostream *out = nullptr;                                        // destination of prints
    std::function<std::string(const Program &)> print;                  // text form
    std::function<bool(const Program &, const std::string &path)> save; // for dumpDir; reports its own errors
    std::vector<Instrumentation *> instruments;                         // the caller's observers, called after the built-in ones
    /// Returns the target's default pipeline. Called if a pass claims a level whose rules do not hold: if the default
    /// pipeline runs other passes before that one, the current pipeline is at fault.
    std::function<std::optional<Pipeline>()> usual;
};
struct PassTime {
    std::string pass;
    double seconds = 0, verifySeconds = 0;
    bool changed = false;
    int64_t peakKiB = 0; // peak memory of the process so far, after the pass
};
/// Returns a readable table, slowest pass first, with a total.
std::string timeTable(std::vector<PassTime> times);

/// Returns the peak memory of this process so far.
int64_t peakMemoryKiB();

/// Runs a pipeline: checks levels, runs each pass, verifies the level reached, prints, dumps, and measures times.
/// Returns false if a pass or the verifier reported an error; the diagnostic names the pass that broke the graph. With
/// startAfter, the graph is assumed to be the output of the passes up to there.
bool run(Program &program, const Pipeline &p, const Registry &r, Context &c, const RunOptions &o,
         std::vector<PassTime> *times = nullptr);

} // namespace sdfgc::pass
