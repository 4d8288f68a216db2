// Blocks of statements around lowered code.
#include "Blocks.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

void braceIfDeclaring(Block &block, const Block &body) {
    block.braces |= std::any_of(body.body.begin(), body.body.end(), [](const NodePtr &n) { return n->kind == TreeKind::Declare; });
}

} // namespace sdfgc::tree::lowering
