// Validates passes by their effect on results: after each pass that changed the program, the graph (or, from `lower`
// on, the tree) is executed again on the same small inputs (Inputs.h), and a difference (Compare.h) is an error.
//
// A pass that repairs graphs (PassInfo::repairs) is not compared; new inputs are chosen after it.
//
// A difference alone is not conclusive: a second look checks whether the program leaves the order of these values
// unspecified, and whether it gives the same results twice without the pass. If the program itself is to blame, the
// difference is a warning (SD8302) with the reason, and validation ends.
//
// An input on which the original program has faults says nothing about passes and is skipped; so is an input on which
// an execution exceeds the time limit. A program that the interpreter does not support ends validation with a warning.
#pragma once

#include "sdfgc/Pass/Instrumentation.h"
#include "sdfgc/Pass/Pipeline.h"
#include "sdfgc/Validate/Compare.h"
#include "sdfgc/Validate/Inputs.h"
#include "sdfgc/Validate/Reductions.h"

#include <functional>

namespace sdfgc::validate {

struct ValidateOptions {
    InputOptions inputs;
    int count = 9;                              // number of inputs that a program is executed on
    double seconds = 5;                         // time limit of an execution; slower inputs are skipped
    std::string folder;                         // where to write a reproducer (writeReproducer)
    std::string file;                           // the graph's, for diagnostics
    std::vector<std::string> arguments;         // command-line options with these settings, for the reproducer
    interpret::NativeCompiler native = nullptr; // for C++ tasklets; programs that contain some are not validated without one
    /// Receives a line about the progress (`isDone`: completed): `fuse-maps (12 of 40): 9 inputs agree`.
    std::function<void(const std::string &line, bool isDone)> progress = nullptr;
    void say(const std::string &line, bool isDone = true) const {
        if (progress)
            progress(line, isDone);
    }
};

/// A graph or a tree in its file form.
struct ProgramText {
    std::string text;
    bool isTree = false;
};

/// A pass that changes results, with its evidence.
struct Reproducer {
    const ProgramText &before, &after;
    const Input &input;
    std::string pass;    // with its options, in the form of --passes
    std::string options; // command-line options that the pass depends on: `--target cuda`
    std::string judging; // those that --validate depends on: `--validate-seed 7`
};
/// Writes `before.sdfgt`, `after.sdfgt` (trees: `.sdfgtree`), the folder `input` (writeInput) and `command`, calls of
/// sdfgc in that folder that show the difference, shrink the graph and so on.
Result<void> writeReproducer(const Reproducer &r, const std::string &folder);

/// Inputs on which a program can be executed, with the results.
struct Judged {
    Input input;
    Execution execution;
};
/// Does the program give other results when it is executed again, with its memory at other addresses? Returns a
/// description of the difference, or an empty string. `make` creates a subject.
std::string changesFromRunToRun(const Judged &judged, const std::function<std::unique_ptr<Subject>()> &make);

/// Returns inputs of the series on which the program has no fault, at most `options.count`. If there are none, sets
/// `*why` to the reason.
std::vector<Judged> usableInputs(InputMaker series, Subject &subject, const ValidateOptions &options, std::string *why);

class Validator : public pass::Instrumentation {
public:
    /// Both must outlive the run.
    Validator(const pass::Pipeline &pipeline, const pass::Registry &registry, ValidateOptions options)
        : pipeline_(pipeline), registry_(registry), options_(std::move(options)) {}
    void begin(const pass::Program &, pass::Context &) override;
    void before(const pass::Program &, const pass::Event &, pass::Context &context) override { changesBefore_ = context.changes; }
    void after(const pass::Program &, const pass::Event &, bool changed, pass::Context &) override;
    /// The number of inputs still in use.
    std::size_t inputs() const { return inputs_.size(); }

private:
    interpret::Options interpreterOptions(const pass::Context &) const;
    void notValidated(pass::Context &, const std::string &passes, const std::string &why);
    void start(const pass::Program &, pass::Context &, const std::string &passes);
    void keep(const pass::Program &);
    void compareAfter(const pass::Program &, const pass::Event &, pass::Context &);
    bool isRepaired() const;
    struct ValidatedStep;
    static bool orderCounts(const Judged &before, const Execution &after, const Reductions &reductions);
    bool judge(Judged &, const ValidatedStep &);
    bool endsLater(const Judged &, const ValidatedStep &) const;
    std::string doubt(const Judged &, const Difference &, const ValidatedStep &) const;
    std::unique_ptr<Subject> subjectBefore(const pass::Context &) const;
    void report(const Judged &, const std::string &what, const std::string &element, const pass::Program &after,
                const pass::Event &, pass::Context &);

    const pass::Pipeline &pipeline_;
    const pass::Registry &registry_;
    ValidateOptions options_;
    ProgramText before_;                     // the program that the next one is compared with
    Reductions reductions_;                  // of that program
    Name stream_;                            // a stream of the initial program with elements in unspecified order
    std::set<interpret::FaultKind> excused_; // faults that this program may have although they are errors in others
    std::vector<Judged> inputs_;
    std::string why_;           // why there are no inputs
    int64_t changesBefore_ = 0; // number of changes counted before the current pass
    bool stopped_ = false;
};

} // namespace sdfgc::validate
