// Brings graphs to one form before they are differentiated.
//
// Each of these passes changes every SDFG of a program, including nested ones.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

/// Turns the `while` loops of one SDFG that count into `for` loops, as count-loops does. Returns whether anything changed.
bool countLoops(ir::SDFG &g);

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
