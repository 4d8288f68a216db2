// Which pipeline the options choose, and the run of its passes.
#pragma once

#include "Driver/Options.h"
#include "Driver/Session.h"
#include "sdfgc/Pass/Pipeline.h"

namespace sdfgc::driver {

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
