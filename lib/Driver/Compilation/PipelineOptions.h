// The pipeline that the options select, and running its passes.
#pragma once

#include "Driver/CommandLine/Options.h"
#include "Driver/Session.h"
#include "sdfgc/Pass/Pipeline.h"

namespace sdfgc::driver {

/// All passes of sdfgc.
const pass::Registry &passRegistry();

/// The pipeline that the options select; by default, the target's own. Nothing after errors.
std::optional<pass::Pipeline> choosePipeline(Session &session, const PipelineOptions &options, const pass::CompileOptions &compile);

/// Runs the pipeline that the options select; by default, the target's own for a graph, and no passes for a tree from a file.
/// Appends the files that were read to `*files` if given. `graphOnly`: only the passes before `lower`. Returns false after errors.
bool runPasses(Session &session, pass::Program &program, const PipelineOptions &options, pass::Context &context,
               std::vector<std::string> *files = nullptr, bool graphOnly = false);

/// A graph from a file starts at the level `loaded`. A graph that was dumped in the middle of a pipeline has a higher level, from
/// which --passes may continue, so the highest level whose rules hold is determined.
void raiseLevel(ir::SDFG &graph);

/// The schedule tree at the end of the pipeline. Null after errors, and if the passes end with a graph, which is reported.
std::unique_ptr<tree::Module> lowered(Session &session, pass::Program program, const PipelineOptions &options,
                                      pass::Context &context, std::vector<std::string> *files = nullptr);

/// The input file (unless it is standard input) and, for a graph, the files of its external parts. Must be called before passes,
/// which may inline these parts.
std::vector<std::string> inputFiles(const std::string &path, const Input &input);
/// Can the input be compiled for the target? If not, reports this and returns false (targets::accepts).
bool accepts(Session &session, const Input &input, const pass::CompileOptions &compile);
/// A Makefile rule: `output` depends on `files`, without duplicates.
std::string dependencyRule(const std::string &output, const std::vector<std::string> &files);

} // namespace sdfgc::driver
