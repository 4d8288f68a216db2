// Normalising: what can be written in several ways is written in one before a graph is differentiated.
//
// Each pass of this folder does one thing for every SDFG of a program, nested ones included. The functions do the same for one SDFG, for
// graphs that passes make after the rows of pipelines/differentiate.yaml have run.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

// Each returns whether it changed anything; the passes of the same names say what they do.
bool countLoops(ir::SDFG &g);
bool nameSizes(ir::SDFG &g);
bool nameElements(ir::SDFG &g);
bool whileLoops(ir::SDFG &g);
bool nameAccesses(ir::SDFG &g);
bool joinArguments(ir::SDFG &g);

/// All of the above with an SDFG and what is nested in it, in the order of pipelines/differentiate.yaml.
void normalise(ir::SDFG &g);

/// A pass that does the same with each SDFG. Passes with the option `mode` do nothing for tangents: they run along with the program, and
/// it does not matter to them how loops are written.
class ForEachSdfg : public pass::GraphPass {
public:
    explicit ForEachSdfg(bool (*change)(ir::SDFG &)) : change_(change) {}
    bool run(ir::SDFG &root, pass::Context &context) override;

private:
    bool (*change_)(ir::SDFG &);
};

} // namespace sdfgc::transforms
