#include "Jumps.h"

#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace tree;

bool jumpsOut(const Node &n, bool inLoop) {
    switch (n.kind) {
    case Kind::Return:
    case Kind::Goto:
    case Kind::Label:
        return true;
    case Kind::Break:
    case Kind::Continue:
        return !inLoop;
    default:
        break;
    }
    const bool loop = inLoop || n.kind == Kind::For || n.kind == Kind::Loop;
    bool result = false;
    forEachBlock(n, [&](const Block &b) {
        result = result || std::any_of(b.body.begin(), b.body.end(), [loop](const NodePtr &s) { return jumpsOut(*s, loop); });
    });
    return result;
}

bool leavesIteration(const Block &body) { return jumpsOut(body, false); }

} // namespace sdfgc::transforms
