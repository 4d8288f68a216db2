// State shared by all functions of a program.
#include "Program.h"

namespace sdfgc::tree::lowering {

Program::Program(ir::SDFG &root, pass::Context &context)
    : root(root), context(context), module(std::make_unique<Module>()), functionNames(root) {}

analysis::StreamSteps &Program::steps() {
    if (!streamSteps)
        streamSteps = std::make_unique<analysis::StreamSteps>(root);
    return *streamSteps;
}

const analysis::DeviceLoops &Program::deviceLoops() {
    if (!loops)
        loops = std::make_unique<analysis::DeviceLoops>(root);
    return *loops;
}

void Program::error(diag::Message message, diag::Location place) const {
    if (place.file.empty())
        place.file = context.options.file;
    context.diags.report(std::move(message), std::move(place));
}

} // namespace sdfgc::tree::lowering
