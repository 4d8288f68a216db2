// Options of subcommands that run passes, and the run itself.
#pragma once

#include "Driver/Session.h"
#include "sdfgc/Build/Toolchain.h"
#include "sdfgc/Pass/Pipeline.h"
#include "sdfgc/Validate/Validator.h"

namespace sdfgc::driver {

/// What the program is compiled for.
struct TargetOptions {
    std::string target = "cpu", compat = "none", fpModel = "strict", reductions = "any", optimize = "2", gpuGraph;
    bool emulate = false, emulateMpi = false, checks = false;
    int gpuStreams = 4;
    std::vector<std::string> gpuArch;
    void addTo(CommandLine &line);
    pass::CompileOptions compileOptions(const std::string &file) const;
};

/// Which compiler the result is for.
struct ToolchainChoice {
    std::string compiler, file;
    void addTo(CommandLine &line);
    /// Describes the toolchain and enters in `compile` which libraries it has. Where it is not `needed` and the command line names
    /// none, a machine without compiler is no fault.
    std::optional<build::Toolchain> find(Session &session, pass::CompileOptions &compile, bool needed) const;
};

/// Which passes run and what is shown of it.
struct PipelineOptions {
    std::string pipeline;                 // a file or the name of an installed pipeline
    std::optional<std::string> passes;    // the text form; empty: none
    std::vector<std::string> distribute;  // NAME=block:DIM: arguments of which every rank has a part
    std::vector<std::string> passOptions; // PASS.OPTION=VALUE, on top of what the pipeline says
    std::string dumpDir, stopAfter, startAfter, remarks;
    std::string printFilter; // part of the name of what is printed
    std::vector<std::string> printBefore, printAfter;
    int passLimit = -1; // changes of the optimiser; negative: as many as there are
    bool explainMissed = false;
    bool printAfterAll = false, printAfterChange = false, printAfterFailure = false, verifyText = false, timePasses = false;
    bool validate = false;
    double validateTimeout = 5;
    int validateSeed = 0;
    std::string validateFolder; // empty: <name>.validate
    bool noNative = false;      // the interpreter compiles no tasklets in C++
    const ToolchainChoice *taskletToolchain = nullptr;
    void addTo(CommandLine &line);
    /// `toolchain`, which must outlive the options, compiles tasklets in C++ for --validate.
    void addValidationTo(CommandLine &line, const ToolchainChoice &toolchain);
    /// What --validate does with a program of this name, from this file.
    validate::ValidateOptions validateOptions(Name program, const std::string &file) const;
    /// Do they say which passes run?
    bool choosePasses() const { return passes || !pipeline.empty() || !distribute.empty() || !startAfter.empty(); }
};

/// All passes of sdfgc.
const pass::Registry &passRegistry();

/// The pipeline that the options choose: the target's own when they choose none. Nothing after errors.
std::optional<pass::Pipeline> choosePipeline(Session &session, const PipelineOptions &options, const pass::CompileOptions &compile);

/// Runs the pipeline that the options choose over the program; when they choose none, the target's own over a graph, and no passes
/// over a tree from a file. Files that were read are appended to `*files` when given. `graphOnly`: the passes in front of `lower` only. Returns false after errors.
bool runPasses(Session &session, pass::Program &program, const PipelineOptions &options, pass::Context &context,
               std::vector<std::string> *files = nullptr, bool graphOnly = false);

/// A graph from a file is taken as `loaded`. One that was dumped in the middle of a pipeline fulfils more: --passes may go on from
/// there, so the highest level whose rules hold is found out.
void raiseLevel(ir::SDFG &graph);

/// The schedule tree that the pipeline ends with. Null after errors, and (reported) where the passes stop at a graph.
std::unique_ptr<tree::Module> lowered(Session &session, pass::Program program, const PipelineOptions &options,
                                      pass::Context &context, std::vector<std::string> *files = nullptr);

/// The input's own file (unless it is standard input) and, of a graph, those of its external parts. Call it before passes, which may
/// inline the parts.
std::vector<std::string> inputFiles(const std::string &path, const Input &input);
/// Can the input be compiled for the target? Reports and returns false when not (targets::accepts).
bool accepts(Session &session, const Input &input, const pass::CompileOptions &compile);
/// Rule of a Makefile: `output` depends on `files`, each named once.
std::string dependencyRule(const std::string &output, const std::vector<std::string> &files);

} // namespace sdfgc::driver
