// Pipelines: which passes run, in which order, with which options (contract C4), and the manager that runs them.
//
// docs/user/pipelines.md describes the YAML form for people.
#pragma once

#include "sdfgc/Pass/Pass.h"

#include <iosfwd>
#include <optional>

namespace sdfgc::pass {

class Instrumentation;

/// A condition on the graph: it has one of these properties (or, not wanted, none of them). Decided when the step is reached.
struct GraphCondition {
    std::vector<std::string> anyOf; // of graphProperties()
    bool wanted = true;
};
/// What a condition can ask of a graph: `library-nodes`, `nested-sdfgs`, `loops`, ... with what each means.
const std::vector<std::pair<std::string, std::string>> &graphProperties();
/// Has the graph, nested SDFGs included, the property? False for an unknown one.
bool hasProperty(const ir::SDFG &root, const std::string &property);

struct Step {
    std::string pass;
    OptionValues options; // as given
    std::string file;     // where the step stands: a YAML file, or "--passes"
    int line = 0, column = 0;
    std::vector<GraphCondition> conditions = {}; // all must hold, or the step is left out
};
/// Steps that are repeated until a round changes nothing.
struct Group {
    std::size_t first = 0, last = 0; // steps first ... last - 1
    int64_t limit = 20;              // of rounds; reaching it is a warning
    std::string file;
    int line = 0, column = 0;
};
struct Pipeline {
    std::string name; // file name, or "--passes"
    std::vector<Step> steps;
    std::vector<Group> groups;      // in order, none inside another
    std::vector<std::string> files; // every file that was read, in order of first use; for dependency files
};

/// Reads a YAML pipeline (includes resolved relative to the file, `when:` conditions evaluated against the options). Errors with
/// file, line and column: syntax, unknown key, unknown pass (nearest suggested), unknown option, wrong type, a file that includes
/// itself. All errors are reported. Steps whose condition does not hold are checked too, then left out. The order of levels depends
/// on the graph: see checkLevels.
std::optional<Pipeline> readPipeline(const std::string &path, const Registry &r, const CompileOptions &o, diag::Engine &d);
/// Text form `a,b{k=v},c[library-nodes][!gpu|streams],fixed-point{limit=9}(d,e)`: conditions on the graph stand in brackets. A
/// value with other characters than letters, digits and `_-+./:` stands in single quotes ('' is a quote); an option without value
/// is `true`. Errors with column.
std::optional<Pipeline> parsePipeline(std::string_view text, const Registry &r, diag::Engine &d);
/// Sets an option wherever the pipeline runs the pass: `guard-parallel-maps.work=0`. Reports text of another form, an unknown pass
/// or option, a value of another type, and a pass that no step runs; returns whether it was set.
bool setOption(Pipeline &p, const std::string &text, const Registry &r, diag::Engine &d);
/// The text form of a pipeline; parsePipeline(print(p)) has the same steps.
std::string print(const Pipeline &p);

/// Checks that every pass finds the level it needs when the graph starts at `level`. Reports each pass that does not, with what to
/// run before it. Returns the level at the end, or nothing after an error.
std::optional<ir::Level> checkLevels(const Pipeline &p, const Registry &r, ir::Level level, diag::Engine &d);

struct RunOptions {
    std::vector<std::string> printBefore, printAfter; // pass names
    bool printAfterAll = false, printAfterChange = false, printAfterFailure = false;
    std::string dumpDir; // numbered files: 00-input.sdfg, then NN-PASS.sdfg with the position of the pass in the pipeline,
                         // NN-PASS.sdfgtree from `lower` on; further rounds of a group: NN-PASS.2.sdfg
    /// A pass by name (its first occurrence), by position (`05`) or both as in the name of a dumped file (`05-infer-types`).
    std::string stopAfter, startAfter;
    /// The run ends in front of the first pass that is not one of graphs.
    bool graphOnly = false;
    bool verify = true;                                                 // after every pass
    std::ostream *out = nullptr;                                        // where prints go
    std::function<std::string(const Program &)> print;                  // text form
    std::function<bool(const Program &, const std::string &path)> save; // for dumpDir; reports its own errors
    std::vector<Instrumentation *> instruments;                         // the caller's own, called after the built-in ones
    /// The pipeline that the target has of its own. It is asked for when a pass claims a level whose rules do not hold: where others
    /// of its passes belong before that one, the pipeline that runs is at fault.
    std::function<std::optional<Pipeline>()> usual;
};
struct PassTime {
    std::string pass;
    double seconds = 0, verifySeconds = 0;
    bool changed = false;
    int64_t peakKiB = 0; // most memory that the process had so far, after the pass
};
/// Table for people, slowest pass first, with a total.
std::string timeTable(std::vector<PassTime> times);

/// The most memory that this process has had so far.
int64_t peakMemoryKiB();

/// Runs a pipeline: checks levels, runs each pass, verifies at the level reached, prints, dumps, times. Returns false when a pass
/// or the verifier reported an error; the diagnostic names the pass after which the graph was broken. With startAfter, the graph is
/// taken to be what the passes up to there leave.
bool run(Program &program, const Pipeline &p, const Registry &r, Context &c, const RunOptions &o,
         std::vector<PassTime> *times = nullptr);

} // namespace sdfgc::pass
