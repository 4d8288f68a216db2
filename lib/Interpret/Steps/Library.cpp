// Library nodes by their definition (format reference section 7), not by their expansion.
#include "../Plan.h"

namespace sdfgc::interpret {

std::unique_ptr<Step> Planner::library(Scope &, const ir::LibraryNode &n) {
    refuse(ir::elementName(n), "library nodes of class " + n.className());
    return nullptr;
}

} // namespace sdfgc::interpret
