#include "Driver/Compilation/ProgramName.h"

#include "sdfgc/IR/Identifier.h"

namespace sdfgc::driver {

void ProgramName::addTo(CommandLine &line) {
    line.text("--name", name_, "NAME",
              "name of the program, its folder, library and functions (default: the graph's name; with `_grad` or `_tangent` for a "
              "derivative, `_forward` and `_backward` for its parts, `_distributed` with --distribute)");
}

bool ProgramName::apply(Session &session, Input &input) const {
    if (name_.empty())
        return true;
    if (!ir::isIdentifier(name_)) {
        session.diags.report(diag::Id::OptionValueUnknown, {}, name_, "--name", "a name has letters, digits and `_`");
        return false;
    }
    applyAfterPasses(input.graph.get(), input.tree.get());
    return true;
}

void ProgramName::applyAfterPasses(ir::SDFG *graph, tree::Module *module) const {
    if (name_.empty())
        return;
    if (graph)
        graph->name = Name(name_);
    if (module)
        module->name = Name(name_);
}

} // namespace sdfgc::driver
