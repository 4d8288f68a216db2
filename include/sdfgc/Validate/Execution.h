// A program executed on an input, whatever executes it: the interpreter for graphs and for trees, and what else can tell results and
// faults.
#pragma once

#include "sdfgc/Interpret/Interpret.h"
#include "sdfgc/Run/Arguments.h"

namespace sdfgc::validate {

struct Execution {
    std::vector<std::string> memory; // of every argument after the run, in the order of run::Arguments::all
    std::vector<interpret::Report> faults;
    bool timedOut = false;
    double seconds = 0;
    int64_t held = 0; // bytes of the program's own containers, as interpret::Program::memory counts them
};

/// A program that can be executed.
class Subject {
public:
    virtual ~Subject() = default;
    /// Runs it once, from a new start: nothing is left of earlier runs. The input is not changed. `unwritten`: what is in every byte of
    /// the program's own memory where nothing has written.
    virtual Execution run(const run::Arguments &input, uint8_t unwritten = 0) = 0;
};

/// Runs it. Where it reads memory that nothing has written, runs it again with other bytes there: if no result changes, such reads are
/// not faults, since passes copy containers of which only a part has values.
Execution execute(Subject &subject, const run::Arguments &input);

/// A copy of the graph in the interpreter. Null, and reported, where it knows not all of the graph.
std::unique_ptr<Subject> interpreted(const ir::SDFG &graph, const interpret::Options &options, diag::Engine &diags);
/// The same of a verified schedule tree, which is not changed while the subject lives.
std::unique_ptr<Subject> interpreted(std::shared_ptr<const tree::Module> tree, const interpret::Options &options,
                                     diag::Engine &diags);

} // namespace sdfgc::validate
