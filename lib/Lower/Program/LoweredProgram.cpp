// State shared by all functions of a program.
#include "LoweredProgram.h"

namespace sdfgc::tree::lowering {

LoweredProgram::LoweredProgram(ir::SDFG &root, pass::Context &context)
    : root(root), context(context), module(std::make_unique<Module>()), functionNames(root) {}

analysis::StreamSteps &LoweredProgram::steps() {
    if (!streamSteps)
        streamSteps = std::make_unique<analysis::StreamSteps>(root);
    return *streamSteps;
}

const analysis::DeviceLoops &LoweredProgram::deviceLoops() {
    if (!loops)
        loops = std::make_unique<analysis::DeviceLoops>(root);
    return *loops;
}

void LoweredProgram::ignoreInKernel(ir::Instrumentation wish, const std::string &element, const diag::Location &place) {
    if (wish != ir::Instrumentation::No_Instrumentation)
        ignored.instrumentation("`" + std::string(ir::name(wish)) + "`", element, place, "a kernel is measured as a whole",
                                "measure the map of the kernel, or its state");
}

NameScopes LoweredProgram::names() const {
    NameScopes out;
    out.open();
    for (const Type t : module->structs)
        out.occupy(t.name());
    return out;
}

void LoweredProgram::error(diag::Message message, diag::Location place) const {
    if (place.file.empty())
        place.file = context.options.file;
    context.diags.report(std::move(message), std::move(place));
}

} // namespace sdfgc::tree::lowering
