// One program during lowering from the graph to the schedule tree: the state shared by all of its functions.
//
// A LoweredProgram is created by lower() (Lower.cpp), is reachable through every Instance, and finally gives up its module. State of one
// generated function is in FunctionContext, state of one SDFG in Instance (Instance.h).
#pragma once

#include "FunctionNames.h"

#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Pass/Ignored.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tree/NameScopes.h"
#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree::lowering {

/// The state of one program.
struct LoweredProgram {
    /// A program without functions. `root` and `context` must outlive it.
    LoweredProgram(ir::SDFG &root, pass::Context &context);

    ir::SDFG &root;
    pass::Context &context;
    std::unique_ptr<Module> module; // grows while the graph is walked; never null
    FunctionNames functionNames;
    std::set<Name> fields;                              // of the module, by name
    std::unique_ptr<analysis::StreamSteps> streamSteps; // see steps()
    std::unique_ptr<analysis::DeviceLoops> loops;       // see deviceLoops()
    bool usesUndefinedSize = false;                     // a printed expression contains an unknown size (`?`)

    /// Dimensions for which a remark states that `--checks` does not know their size.
    std::set<std::pair<const ir::DataDesc *, std::size_t>> openSizes;

    /// The memory accesses of device operations; computed on first use. Does not change the graph.
    analysis::StreamSteps &steps();
    /// The loops and branches that the device decides; also computed on first use.
    const analysis::DeviceLoops &deviceLoops();

    pass::IgnoredRequests ignored; // reported by lower()
    /// Notes that an element in a kernel is not measured, though the graph asks for it (anything but No_Instrumentation).
    void ignoreInKernel(ir::Instrumentation wish, const std::string &element, const diag::Location &place);
    /// Names for a new function: an open scope with those at global scope that variables must not hide, the structures.
    NameScopes names() const;

    /// Reports an error. A place without a file refers to the file of the graph. The lowering continues, but its result is dropped
    /// if there were errors.
    void error(diag::Message message, diag::Location place) const;
    template <class... Args>
    void error(diag::MessageKind<std::type_identity_t<Args>...> kind, diag::Location place, const Args &...args) const {
        error(diag::Message(kind, args...), std::move(place));
    }
    /// Reports a warning, with places as in error().
    void warn(diag::Message message, diag::Location place) const { error(std::move(message), std::move(place)); }
};

} // namespace sdfgc::tree::lowering
