// expand-library-nodes: replace library nodes with maps, tasklets and nested SDFGs.
//
//   before   A, B -> MatMul -> C
//   after    A, B -> nested SDFG { init map; map over i, j, k with conflict resolution } -> C
//
// Repeated until no node expands, since an expansion may contain other library nodes:
//   1. collect the library nodes of every state, in node order, outer SDFGs before inner ones;
//   2. look up each node by class and library; unknown ones, and those of other targets, are errors that name the node;
//   3. the definition's expander replaces the node, and a remark states the chosen implementation and the reason.
//
// Nodes with operands in device memory use the device's libraries, or pure expansions, which become kernels. Nodes with
// neither (libnodes::whyOnHost) run on the host between copies (StageOnHost.h).
//
// The option `reductions` selects the Reduce nodes on the device that use CUB or rocPRIM (ReduceLibrary.cpp): those
// that are `CUDA (device)` in the graph (named), all that are not pure (library), or none (kernels).
//
// With --reductions ordered, expansions sum in index order (Reduce.cpp, Contraction.cpp). Libraries are still called,
// with one warning for all calls.
//
// The new elements then get schedules, storages and types by the rules of default-schedules and infer-types, since
// these depend on where an expansion ends up.
//
// Not handled: copy and fill nodes, which lowering prints directly.
#include "Transforms/Edits/Completion.h"
#include "Transforms/Edits/DevicePlacement.h"
#include "Transforms/Edits/StageOnHost.h"

#include "sdfgc/Analysis/Communication.h"
#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Transforms/Choices.h"
#include "sdfgc/Transforms/Passes.h"

#include <set>

namespace sdfgc::transforms {

using namespace ir;

namespace {

bool staysForLowering(const LibraryNode &n) { return analysis::isCopyNode(n) || analysis::isFillNode(n) || analysis::asyncOp(n); }

class ExpandLibraryNodes : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        bool changed = false;
        // Expansions nest a few levels at most; the bound only stops a definition that expands into itself.
        for (int round = 0; round < 8; ++round) {
            std::vector<LibraryNode *> nodes = collect(root);
            if (nodes.empty())
                break;
            for (LibraryNode *n : nodes)
                if (!expand(*n, context))
                    failed_ = true;
            changed = true;
            if (failed_)
                break;
            if (context.options.gpu())
                placeOnDevice(root, context);
        }
        root.renumber();
        if (changed && !failed_) {
            decideDefaults(root, context);
            inferTypes(root, context);
        }
        if (!failed_ && !context.allows(pass::FloatClass::F1))
            warnOfLibraries(root, context);
        return changed;
    }

private:
    /// Warns once about libraries with their own order of sums, including nodes that came as calls.
    static void warnOfLibraries(SDFG &root, pass::Context &context) {
        std::string names;
        std::set<const platform::Environment *> called;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (const auto &n : s->nodes())
                    if (const auto *t = dyn_cast<Tasklet>(n.get()))
                        for (const platform::Environment *e : platform::neededBy(t->environments, t->code.text()))
                            called.insert(e);
        for (const platform::Environment &e : platform::environments())
            if (called.contains(&e) && !e.libraries.empty())
                names += (names.empty() ? "" : ", ") + std::string(e.name);
        if (!names.empty())
            context.diags.report(diag::Id::ReductionsOfLibraries, diag::Location{context.options.file}, names);
    }

    static std::vector<LibraryNode *> collect(SDFG &root) {
        std::vector<LibraryNode *> out;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (const auto &n : s->nodes())
                    if (auto *l = dyn_cast<LibraryNode>(n.get()); l && !staysForLowering(*l))
                        out.push_back(l);
        return out;
    }

    /// Applies the option to a node.
    void chooseReduction(LibraryNode &n) {
        const auto reductions = option<DeviceReductions>("reductions");
        if (!analysis::isReduction(n) || libnodes::whereIs(n) != libnodes::Where::Device)
            return;
        if (reductions == DeviceReductions::Library && n.implementation != "pure")
            n.implementation = "CUDA (device)";
        if (reductions == DeviceReductions::Kernels && n.implementation == "CUDA (device)")
            n.implementation.clear();
    }

    bool expand(LibraryNode &n, pass::Context &context) {
        const libnodes::Definition *d = libnodes::find(n);
        diag::Location place = analysis::placeOf(n);
        place.file = context.options.file;
        if (!d) {
            context.diags.report(diag::Id::LibraryNodeUnknown, place, n.classPath);
            return false;
        }
        if (!d->expand) {
            context.diags.report(diag::Id::LibraryNodeRefused, place, n.classPath, context.options.target.name(), d->refusal);
            return false;
        }
        const bool inScope = !analysis::ScopeTree(*n.state()).enclosing(&n).empty();
        if (context.options.gpu() && !inScope && libnodes::whereIs(n) == libnodes::Where::Device)
            if (const std::string why = libnodes::whyOnHost(n, context.options); !why.empty()) {
                context.missed(n, "computes on the host, between copies", {diag::Why::Library, why});
                if (!analysis::communicationOf(n)) // messages are handled by the host on every target
                    context.diags.report(diag::Id::NodeOnHost, place, n.label, why);
                stageOnHost(n);
            }
        chooseReduction(n);
        const std::size_t errorsBefore = context.diags.errorCount();
        return d->expand(*n.state(), n, context) && context.diags.errorCount() == errorsBefore;
    }

    bool failed_ = false;
};

} // namespace

std::unique_ptr<pass::Pass> createExpandLibraryNodes() { return std::make_unique<ExpandLibraryNodes>(); }

} // namespace sdfgc::transforms
