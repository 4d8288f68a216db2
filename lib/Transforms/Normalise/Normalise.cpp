#include "Transforms/Normalise/Normalise.h"

namespace sdfgc::transforms {

bool ForEachSdfg::run(ir::SDFG &root, pass::Context &) {
    const auto mode = options.find("mode");
    if (mode != options.end() && std::get<std::string>(mode->second) == "forward")
        return false;
    bool changed = false;
    for (ir::SDFG *g : ir::allSDFGs(root))
        changed |= change_(*g);
    if (changed)
        root.renumber();
    return changed;
}

} // namespace sdfgc::transforms
