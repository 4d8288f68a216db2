// Blocks of statements around lowered code.
#include "Blocks.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

void braceIfDeclaring(Block &block) {
    block.braces |=
        std::any_of(block.body.begin(), block.body.end(), [](const NodePtr &n) { return n->kind == TreeKind::Declare; });
}

} // namespace sdfgc::tree::lowering
