// Passes judged by what they do to results: after each pass that changed the program, the graph or from `lower` on the tree is
// executed again on the same small inputs (Inputs.h), and what differs (Compare.h) is an error.
//
// A pass that repairs graphs (PassInfo::repairs) is not compared: inputs are chosen anew after it.
//
// A difference alone convicts nobody: a second look asks whether the program leaves the order of these values open, and whether it
// gives the same results twice without the pass. If so, the difference is a warning (SD8302) that says why, and the judging ends.
//
// An input with which the program has faults from the start says nothing about passes and is left out; so are inputs for which one
// execution takes longer than the limit. A program that the interpreter does not know ends the judging with a warning.
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
    int count = 9;                              // inputs that a program is executed on
    double seconds = 5;                         // for one execution; an input that takes longer is left out
    std::string folder;                         // where a reproducer goes (writeReproducer)
    std::string file;                           // the graph's, for diagnostics
    std::vector<std::string> arguments;         // of the command line that asks for this, for the reproducer
    interpret::NativeCompiler native = nullptr; // for tasklets in C++; programs with some are not judged without one
    /// Takes a line about what is done (`isDone`: was done): `fuse-maps (12 of 40): 9 inputs agree`.
    std::function<void(const std::string &line, bool isDone)> progress = nullptr;
    void say(const std::string &line, bool isDone = true) const {
        if (progress)
            progress(line, isDone);
    }
};

/// A graph or a tree as a file has it.
struct ProgramText {
    std::string text;
    bool isTree = false;
};

/// What is left of a pass that changes results.
struct Reproducer {
    const ProgramText &before, &after;
    const Input &input;
    std::string pass;    // with its options, as --passes takes it
    std::string options; // of the command line that the pass depends on: `--target cuda`
    std::string judging; // those that --validate depends on: `--validate-seed 7`
};
/// Writes `before.sdfgt`, `after.sdfgt` (trees: `.sdfgtree`), the folder `input` (writeInput) and `command`, calls of sdfgc in that
/// folder that show the difference, shrink the graph and so on.
Result<void> writeReproducer(const Reproducer &r, const std::string &folder);

/// Inputs that a program can be executed on, with what it does on each.
struct Judged {
    Input input;
    Execution execution;
};
/// Does the program give other results when it is executed once more, with its memory at other addresses? Says which; else empty.
/// `make` makes a subject.
std::string changesFromRunToRun(const Judged &judged, const std::function<std::unique_ptr<Subject>()> &make);

/// Takes from the series those inputs on which the program has no fault, `options.count` at most. Where there are none, `*why` says
/// why.
std::vector<Judged> usableInputs(InputMaker series, Subject &subject, const ValidateOptions &options, std::string *why);

class Validator : public pass::Instrumentation {
public:
    /// Both must outlive the run.
    Validator(const pass::Pipeline &pipeline, const pass::Registry &registry, ValidateOptions options)
        : pipeline_(pipeline), registry_(registry), options_(std::move(options)) {}
    void begin(const pass::Program &, pass::Context &) override;
    void before(const pass::Program &, const pass::Event &, pass::Context &context) override { changesBefore_ = context.changes; }
    void after(const pass::Program &, const pass::Event &, bool changed, pass::Context &) override;
    /// Inputs that are still in use.
    std::size_t inputs() const { return inputs_.size(); }

private:
    interpret::Options interpreterOptions(const pass::Context &) const;
    void notValidated(pass::Context &, const std::string &passes, const std::string &why);
    void start(const pass::Program &, pass::Context &, const std::string &passes);
    void keep(const pass::Program &);
    void compareAfter(const pass::Program &, const pass::Event &, pass::Context &);
    bool isRepaired() const;
    struct Step;
    static bool orderCounts(const Judged &before, const Execution &after, const Reductions &reductions);
    bool judge(Judged &, const Step &);
    bool endsLater(const Judged &, const Step &) const;
    std::string doubt(const Judged &, const Difference &, const Step &) const;
    std::unique_ptr<Subject> subjectBefore(const pass::Context &) const;
    void report(const Judged &, const std::string &what, const std::string &element, const pass::Program &after,
                const pass::Event &, pass::Context &);

    const pass::Pipeline &pipeline_;
    const pass::Registry &registry_;
    ValidateOptions options_;
    ProgramText before_;                     // the program that the next one is compared with
    Reductions reductions_;                  // of that program
    Name stream_;                            // whose elements the program it began with leaves in any order
    std::set<interpret::FaultKind> excused_; // what that program may do although it is a fault in others
    std::vector<Judged> inputs_;
    std::string why_;           // there are no inputs
    int64_t changesBefore_ = 0; // that passes before the current one have counted
    bool stopped_ = false;
};

} // namespace sdfgc::validate
