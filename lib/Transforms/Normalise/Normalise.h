// Brings graphs to one form before they are differentiated.
//
// Each pass in this folder changes every SDFG of a program, including nested ones. The functions change a single SDFG, for
// graphs that are made after these passes have run.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

// Each does what the pass of the same name does, and returns whether it changed anything.
bool countLoops(ir::SDFG &g);
bool nameSizes(ir::SDFG &g);
bool nameElements(ir::SDFG &g);
bool whileLoops(ir::SDFG &g);
bool nameAccesses(ir::SDFG &g);
bool joinArguments(ir::SDFG &g);

/// Does all of the above for an SDFG and its nested SDFGs, in the order of pipelines/differentiate.yaml.
void normalise(ir::SDFG &g);

/// A pass that changes each SDFG in the same way. With the option `mode=forward`, it does nothing: tangents run along with
/// the program, so the form of its loops does not matter.
class ForEachSdfg : public pass::GraphPass {
public:
    explicit ForEachSdfg(bool (*change)(ir::SDFG &)) : change_(change) {}
    bool run(ir::SDFG &root, pass::Context &context) override;

private:
    bool (*change_)(ir::SDFG &);
};

} // namespace sdfgc::transforms
