// Blocks of statements around lowered code.
#include "Blocks.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

TimedElement timedNode(const Instance &in, const ir::Node &n) {
    return {in.state->parent()->cfgId, static_cast<int>(in.state->id()), static_cast<int>(n.id())};
}

Block &timed(const Instance &in, std::string name, TimedElement element, Block &out) {
    auto *timer = out.add<Timer>();
    timer->name = std::move(name);
    timer->cfg = element.cfg;
    timer->state = element.state;
    timer->node = element.node;
    in.recordsTimes();
    return timer->body;
}

void braceIfDeclaring(Block &block, const Block &body) {
    block.braces |= std::any_of(body.body.begin(), body.body.end(), [](const NodePtr &n) { return n->kind == TreeKind::Declare; });
}

} // namespace sdfgc::tree::lowering
