// mark-root-arguments: mark arrays that only the root of a call needs as optional.
//
//   before   argument A: float64[N]     A -> Scatter._inbuffer       (all that the program does with A)
//   after    argument A: float64[N] (optional)
//
// Only the root of a Scatter reads the entire array, and only the root of a Gather writes it. Other ranks have to pass
// an array as well, unless the interface marks it as optional.
//
// Not handled: arguments with any other reads or writes, and arguments passed to a nested SDFG.
#include "sdfgc/Analysis/Communication.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

bool isRoots(const Node &node, Name connector) {
    const auto *l = dyn_cast<LibraryNode>(&node);
    const analysis::Communication *c = l ? analysis::communicationOf(*l) : nullptr;
    return c && c->isForRoot(connector);
}

/// Do all edges of an access node connect to operands of the root?
bool isForRoot(const AccessNode &n) {
    return std::all_of(n.outEdges().begin(), n.outEdges().end(), [](const Edge *e) { return isRoots(*e->dst, e->dstConn); }) &&
           std::all_of(n.inEdges().begin(), n.inEdges().end(), [](const Edge *e) { return isRoots(*e->src, e->srcConn); });
}

class MarkRootArguments : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &) override {
        std::map<Name, bool> found; // accessed arguments, and whether only root operands access them
        for (State *s : allStates(root))
            for (const AccessNode *n : nodesOf<AccessNode>(*s))
                if (const DataDesc *d = root.desc(n->data); d && !d->transient && d->kind == DataKind::Array)
                    found.try_emplace(n->data, true).first->second &= isForRoot(*n);
        std::erase_if(found, [](const auto &argument) { return !argument.second; });
        if (found.empty())
            return false;
        for (const Name n : analysis::containersReadByControlFlow(root))
            found.erase(n);
        bool changed = false;
        for (const auto &[name, isRoots] : found)
            if (DataDesc *d = root.desc(name); d->optional != true) {
                d->optional = true;
                changed = true;
            }
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createMarkRootArguments() { return std::make_unique<MarkRootArguments>(); }

} // namespace sdfgc::transforms
