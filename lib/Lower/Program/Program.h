// One program on its way from the graph to the schedule tree: what all of its functions share.
//
// A Program is made by lower() (Lower.cpp), reached through every Instance, and gives up its module in the end. What belongs to one
// generated function is in FunctionContext, what belongs to one SDFG in Instance (Instance.h).
#pragma once

#include "FunctionNames.h"

#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree::lowering {

/// The state of one program.
struct Program {
    /// A program without functions. `root` and `context` live as long as it does.
    Program(ir::SDFG &root, pass::Context &context);

    ir::SDFG &root;
    pass::Context &context;
    std::unique_ptr<Module> module; // grows while the graph is walked; never null
    FunctionNames functionNames;
    std::set<Name> fields;                              // of the module, by name
    std::unique_ptr<analysis::StreamSteps> streamSteps; // see steps()
    std::unique_ptr<analysis::DeviceLoops> loops;       // see deviceLoops()
    bool usesUndefinedSize = false;                     // some expression that is printed has a size that nobody knows (`?`)

    /// Dimensions with a remark that `--checks` does not know their size.
    std::set<std::pair<const ir::DataDesc *, std::size_t>> openSizes;

    /// What the operations of the device touch; made when it is first asked for. The graph stays as it is.
    analysis::StreamSteps &steps();
    /// The loops and branches that the device decides on; likewise.
    const analysis::DeviceLoops &deviceLoops();

    /// Reports an error. A place without a file is in the file of the graph. The lowering goes on after it: what it makes is
    /// dropped where errors were reported.
    void error(diag::Message message, diag::Location place) const;
    template <class... Args>
    void error(diag::Kind<std::type_identity_t<Args>...> kind, diag::Location place, const Args &...args) const {
        error(diag::Message(kind, args...), std::move(place));
    }
    /// Reports a warning, with its place as error() does.
    void warn(diag::Message message, diag::Location place) const { error(std::move(message), std::move(place)); }
};

} // namespace sdfgc::tree::lowering
