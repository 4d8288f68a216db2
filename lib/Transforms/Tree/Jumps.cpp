#include "Jumps.h"

#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace tree;

bool jumpsOut(const Node &n, bool inLoop) {
    switch (n.kind) {
    case TreeKind::Return:
    case TreeKind::Goto:
    case TreeKind::Label:
        return true;
    case TreeKind::Break:
    case TreeKind::Continue:
        return !inLoop;
    default:
        break;
    }
    const bool loop = inLoop || n.kind == TreeKind::For || n.kind == TreeKind::Loop;
    bool result = false;
    forEachBlock(n, [&](const Block &b) {
        result = result || std::any_of(b.body.begin(), b.body.end(), [loop](const NodePtr &s) { return jumpsOut(*s, loop); });
    });
    return result;
}

bool leavesIteration(const Block &body) { return jumpsOut(body, false); }

} // namespace sdfgc::transforms
