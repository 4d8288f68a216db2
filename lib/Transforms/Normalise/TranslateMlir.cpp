// translate-mlir: turn tasklets in MLIR into Python.
//
//     t (MLIR): func.func @mlir_entry(%a: i32, %b: i32) -> i32 {          t: _0 = b + a
//         %0 = arith.addi %b, %a : i32                             ->         c = _0
//         return %0 : i32
//     }
//
// DaCe compiles such a tasklet with MLIR's tools, to a function that the program calls on the host. The pass translates the arithmetic
// (sdfgc/Tasklet/Mlir.h), so no tools are needed, all other passes see it, and it works in kernels.
//
// The arguments of `mlir_entry` are the input connectors by name, and its results the outputs, in the order of their names. Connectors
// get the types of the function, so that values of other types are converted, as arguments of a function in C are.
//
// Refused (SD4661): everything that is not translated, and arguments that are no connectors or that no argument takes.
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tasklet/Mlir.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// Why the arguments and the connectors are not the same; empty if they are.
std::string faultOf(const Tasklet &t, const mlir::Translation &code) {
    for (const mlir::Argument &a : code.inputs)
        if (!t.inConnector(a.name))
            return "its argument `" + a.name.str() + "` is no input of the tasklet";
    for (const Connector &c : t.inConnectors)
        if (std::none_of(code.inputs.begin(), code.inputs.end(), [&](const mlir::Argument &a) { return a.name == c.name; }))
            return "`mlir_entry` has no argument for the input `" + c.name.str() + "`";
    return "";
}

void becomePython(Tasklet &t, const mlir::Translation &code) {
    for (const mlir::Argument &a : code.inputs)
        std::find_if(t.inConnectors.begin(), t.inConnectors.end(), [&](const Connector &c) { return c.name == a.name; })->type =
            a.type;
    for (std::size_t k = 0; k < code.results.size(); ++k)
        t.outConnectors[k].type = code.results[k];
    t.code = {code.python, Language::Python};
}

class TranslateMlir : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (const auto &n : s->nodes())
                    if (auto *t = dyn_cast<Tasklet>(n.get()); t && t->code.language() == Language::MLIR) {
                        if (!translate(*t, context))
                            return false;
                        changed = true;
                    }
        return changed;
    }

    static bool translate(Tasklet &t, pass::Context &context) {
        std::vector<Name> outputs;
        for (const Connector &c : t.outConnectors)
            outputs.push_back(c.name);
        const Result<mlir::Translation> code = mlir::translate(t.code.text(), outputs);
        if (const std::string fault = code ? faultOf(t, *code) : code.error(); !fault.empty()) {
            diag::Location place = analysis::placeOf(t);
            place.file = context.options.file;
            context.diags.report(diag::Id::MlirRefused, place, t.label, fault);
            return false;
        }
        becomePython(t, *code);
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createTranslateMlir() { return std::make_unique<TranslateMlir>(); }

} // namespace sdfgc::transforms
