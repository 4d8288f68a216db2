// Lowers an entire program from the graph to a module. Where to find what:
//
//     Program/      what all functions share: LoweredProgram, ModuleParts (interface, types, constants), UserCode (code blocks),
//                   FunctionNames; ProgramFunction; Instance (the SDFG that is read, the function that is written); Measurements;
//                   DataProbes
//     Expressions/  Symbols, SymbolicToPython, Expressions (Python text)
//     Memory/       MemoryPlace; to find it: Places, Views, Elements; to have it: Containers, Reservations
//     Flow/         ControlFlow, UnstructuredFlow (labels and jumps); States (order, scopes, nodes), Nested (SDFGs in SDFGs);
//                   Maps, Reductions, Consume, Loops; Blocks (braces); Fences
//     Kernels/      Kernels, GridKernels (persistent ones), KernelFunctions (from body to function), KernelBodies, KernelArrays;
//                   HostMemory (warnings)
//     Copies/       Copies, CopySide, StreamCopies, DeviceCopies, Fills, LibraryNodes (of copies and fills)
//     Tasklets/     Tasklets, TaskletConnections, TaskletStores; in Python: TaskletPython, TaskletPlan, TaskletBinding,
//                   TaskletStatements, TaskletNames; in C++: TaskletCpp, TaskletText; LibraryCalls
//
// Steps are functions that take the Instance they work in and add to a block of statements. They share nothing else: state needed
// by several of them belongs to the program, a function or an SDFG. If the steps for one construct have state of their own, they
// form a class that lives as long as the construct is being lowered. Each step has a header for its topic, so the includes show the
// calls; States, Nested and ControlFlow call each other, since SDFGs nest.
#include "sdfgc/Lower/Lower.h"

#include "Lower/Flow/Fences.h"
#include "Lower/Kernels/HostMemory.h"
#include "Lower/Program/ModuleParts.h"
#include "Lower/Program/ProgramFunction.h"
#include "Lower/Program/UserCode.h"

#include <algorithm>

namespace sdfgc::tree {

namespace lowering {
namespace {

/// The caller's containers may have unknown sizes (`?`) as long as no code needs them.
void refuseUndefinedSizes(const LoweredProgram &program) {
    auto isUndefined = [](sym::Expr e) { return e.isUndefined(); };
    std::string names;
    for (const auto &[name, d] : program.root.arrays)
        if (std::any_of(d.shape.begin(), d.shape.end(), isUndefined) ||
            std::any_of(d.strides.begin(), d.strides.end(), isUndefined))
            names += (names.empty() ? "`" : ", `") + name.str() + "`";
    if (!names.empty()) // otherwise it is arithmetic on zero sizes, in loops that do not run
        program.error(diag::Id::UndefinedSizeUsed, {"", 0, 0, "", elementName(program.root), {}}, names);
}

} // namespace
} // namespace lowering

std::unique_ptr<Module> lower(ir::SDFG &root, pass::Context &context) {
    using namespace lowering;
    const std::size_t errors = context.diags.errorCount();
    LoweredProgram program(root, context);
    program.module->name = root.name;
    program.module->source = context.options.file;
    program.module->anyMemory = context.options.gpu() && context.options.arguments == pass::Arguments::Auto;
    addStructs(program);
    addInterface(program);
    addConstants(program);
    const std::vector<std::string> callCode = takeCodeBlocks(program);
    if (context.options.gpu())
        warnOfHostMemory(program);
    if (context.diags.errorCount() == errors)
        addProgramFunction(program, callCode);
    program.ignored.report(context.diags, context.options.file);
    if (program.usesUndefinedSize)
        refuseUndefinedSizes(program);
    for (const auto &f : program.module->functions)
        for (const auto &[loop, variable] : addFences(*f))
            context.done({"function " + f->name.str(), context.sourceOf(*f, *loop)},
                         "keeps the iterations of the loop over " + variable.str() + " in order");
    return context.diags.errorCount() == errors ? std::move(program.module) : nullptr;
}

} // namespace sdfgc::tree
