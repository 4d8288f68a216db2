// Executes a program on an input: with the interpreter for graphs and trees, or with anything else that reports results
// and faults.
#pragma once

#include "sdfgc/Interpret/Interpret.h"
#include "sdfgc/Run/Arguments.h"

namespace sdfgc::validate {

struct Execution {
    std::vector<std::string> memory; // of every argument after the run, in the order of run::Arguments::all
    std::vector<interpret::Report> faults;
    bool timedOut = false;
    double seconds = 0;
    int64_t held = 0; // bytes of the program's own containers, as counted by interpret::PreparedProgram::memory
};

/// A program that can be executed.
class Subject {
public:
    virtual ~Subject() = default;
    /// Runs it once from a clean start: nothing is left of earlier runs. The input does not change. `unwritten`: the
    /// initial value of every byte of the program's own memory.
    virtual Execution run(const run::Arguments &input, uint8_t unwritten = 0) = 0;
};

/// Runs it. If it reads uninitialised memory, runs it again with other initial bytes: if no result changes, such reads
/// are not faults, since passes copy containers that are only partly initialised.
Execution execute(Subject &subject, const run::Arguments &input);

/// Returns a copy of the graph in the interpreter. Reports an error and returns null if the interpreter does not
/// support all of it.
std::unique_ptr<Subject> interpreted(const ir::SDFG &graph, const interpret::Options &options, diag::Engine &diags);
/// The same for a verified schedule tree, which must not change during the subject's lifetime.
std::unique_ptr<Subject> interpreted(std::shared_ptr<const tree::Module> tree, const interpret::Options &options,
                                     diag::Engine &diags);

} // namespace sdfgc::validate
