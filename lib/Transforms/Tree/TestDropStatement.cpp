// For tests only: a pass that is wrong on purpose. It removes the last statement of the program that writes memory, so
// that `sdfgc bisect` has a tree pass to find. Nothing else notices, because the resulting tree is still well-formed.
//
// Passes whose names begin with `test-` are not listed, documented or suggested.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

namespace sdfgc::transforms {
namespace {

using namespace tree;

bool writes(const Node &n) {
    return n.kind == TreeKind::Code || n.kind == TreeKind::Update || n.kind == TreeKind::Memcpy || n.kind == TreeKind::Fill;
}

/// Returns whether there was such a statement.
bool dropLast(Block &b) {
    for (auto n = b.body.rbegin(); n != b.body.rend(); ++n) {
        if (writes(**n)) {
            b.body.erase(std::next(n).base());
            return true;
        }
        bool dropped = false;
        forEachBlock(**n, [&](Block &inner) { dropped = dropped || dropLast(inner); });
        if (dropped)
            return true;
    }
    return false;
}

class TestDropStatement : public pass::TreePass {
    bool run(Module &m, pass::Context &) override { return dropLast(m.functions.back()->body); }
};

} // namespace

std::unique_ptr<pass::Pass> createTestDropStatement() { return std::make_unique<TestDropStatement>(); }

} // namespace sdfgc::transforms
