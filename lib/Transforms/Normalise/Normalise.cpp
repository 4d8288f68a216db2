#include "Transforms/Normalise/Normalise.h"

namespace sdfgc::transforms {

namespace {

bool changeAll(ir::SDFG &root, bool (*change)(ir::SDFG &)) {
    bool changed = false;
    for (ir::SDFG *g : ir::allSDFGs(root))
        changed |= change(*g);
    return changed;
}

} // namespace

void normalise(ir::SDFG &g) {
    for (const auto change : {countLoops, nameSizes, nameElements, whileLoops, nameAccesses, joinArguments})
        changeAll(g, change);
}

bool ForEachSdfg::run(ir::SDFG &root, pass::Context &) {
    const auto mode = options.find("mode");
    if (mode != options.end() && std::get<std::string>(mode->second) == "forward")
        return false;
    const bool changed = changeAll(root, change_);
    if (changed)
        root.renumber();
    return changed;
}

} // namespace sdfgc::transforms
