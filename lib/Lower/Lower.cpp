// A whole program: from the graph to a module.
//
// Where to find what:
//
//     the module        ModuleParts (interface, types, constants), UserCode (code blocks), ProgramFunction, FunctionNames
//     where we are      Program, Instance (the function that is written, the SDFG that is read)
//     names             Symbols, SymbolicToPython, Expressions (Python text); MemoryPlace, Places, Views, Elements (memory)
//     memory            Containers (declarations), Reservations (sizes that the program computes), KernelArrays
//     control flow      ControlFlow, UnstructuredFlow (labels and jumps)
//     dataflow          States (order, scopes, nodes), Nested (SDFGs in SDFGs), DataProbes, Blocks
//     maps              Maps, Reductions, Consume; for GPUs Kernels, GridKernels, DeviceMaps, SpreadLoops, KernelFunctions
//     library nodes     LibraryNodes, Copies, StreamCopies, DeviceCopies, Fills
//     tasklets          Tasklets, and from there TaskletConnections, TaskletPython, TaskletStores, TaskletCpp, TaskletCall
//
// Steps are functions that take the Instance they work in and the block that they add to. What they share is state of the program,
// of a function or of an SDFG, and stands in those three structs; classes are what has state of its own besides.
#include "sdfgc/Lower/Lower.h"

#include "ModuleParts.h"
#include "ProgramFunction.h"
#include "UserCode.h"

#include <algorithm>

namespace sdfgc::tree {

namespace lowering {
namespace {

/// Containers of the caller may have sizes that nobody knows (`?`) as long as no code needs them.
void refuseUndefinedSizes(const Program &program) {
    auto isUndefined = [](sym::Expr e) { return e.isUndefined(); };
    std::string names;
    for (const auto &[name, d] : program.root.arrays)
        if (std::any_of(d.shape.begin(), d.shape.end(), isUndefined) ||
            std::any_of(d.strides.begin(), d.strides.end(), isUndefined))
            names += (names.empty() ? "`" : ", `") + name.str() + "`";
    if (!names.empty()) // else it is arithmetic on sizes of zero, in loops that do not run
        program.error(diag::Id::UndefinedSizeUsed, {"", 0, 0, "", elementName(program.root), {}}, names);
}

} // namespace
} // namespace lowering

std::unique_ptr<Module> lower(ir::SDFG &root, pass::Context &context) {
    using namespace lowering;
    const std::size_t errors = context.diags.errorCount();
    Program program(root, context);
    program.module->name = root.name;
    program.module->source = context.options.file;
    addInterface(program);
    addStructs(program);
    addConstants(program);
    const std::vector<std::string> callCode = takeCodeBlocks(program);
    if (context.diags.errorCount() == errors)
        addProgramFunction(program, callCode);
    if (program.usesUndefinedSize)
        refuseUndefinedSizes(program);
    return context.diags.errorCount() == errors ? std::move(program.module) : nullptr;
}

} // namespace sdfgc::tree
