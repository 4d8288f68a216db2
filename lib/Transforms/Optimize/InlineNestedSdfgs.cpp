// inline-nested-sdfgs: inline nested SDFGs that have no control flow.
//
//     state {                                              state { X[i, j] = ... }
//         nested SDFG (A <-> X) {                  ->      state { X[i, j] = X[i, j] + 1 }
//             state { A[i] = ... }
//             state { A[i] = A[i] + 1 }
//         }
//     }
//
// Loop passes look at runs of states and cannot see into nested SDFGs. Front ends create nested SDFGs for calls, and
// library nodes expand to them. Symbols are replaced by the values that they are mapped to. The nested SDFG's
// containers move to the outer SDFG under fresh names, and map parameters that would shadow others are renamed.
// Innermost nested SDFGs are inlined first.
//
// Legal when:
//   - the nested SDFG is a chain of states (sdfgc/Nest/Nest.h);
//   - its arguments have the strides of the outer containers;
//   - it has no code or constants of its own.
//
// Not handled: nested SDFGs that the graph asks to keep (`no_inline`); code that runs on a GPU; with a GPU target,
// nested SDFGs that specify `gpu_graph` themselves.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

using namespace ir;
using nest::Item;

/// Inlines the nested SDFGs of one SDFG.
class Inlining {
public:
    Inlining(SDFG &g, analysis::Memories &memories, pass::Context &context)
        : g_(g), memories_(memories), context_(context), connectors_(nest::connectorsOf(g)) {}

    /// `locals`: of the map that contains the items; null outside of maps. Returns whether anything changed.
    bool inlineIn(std::vector<Item> &items, std::set<Name> *locals) {
        bool changed = false;
        std::vector<Item> out;
        for (Item &i : items) {
            if (i.map)
                changed |= inlineIn(*i.map);
            std::optional<nest::Opened> opened = i.map ? std::nullopt : open(*i.step);
            if (!opened) {
                out.push_back(std::move(i));
                continue;
            }
            changed = true;
            for (Item &inner : opened->items)
                out.push_back(std::move(inner));
            if (locals)
                locals->insert(opened->locals.begin(), opened->locals.end());
        }
        items = std::move(out);
        return changed;
    }

private:
    bool inlineIn(nest::Map &m) {
        if (isGpuSchedule(m.entry->schedule))
            return false;
        loops_.insert(loops_.end(), m.params.begin(), m.params.end());
        const bool changed = inlineIn(m.body, &m.locals);
        loops_.resize(loops_.size() - m.params.size());
        return changed;
    }

    std::optional<nest::Opened> open(const nest::Step &step) {
        const auto *node = step.nodes.size() == 1 ? dyn_cast<NestedSDFGNode>(step.nodes.front()) : nullptr;
        if (!node || !node->sdfg || mentionsGpu(*node->sdfg))
            return std::nullopt;
        const pass::Element where(*node);
        if (node->sdfg->graph != GraphMark::Unmarked && context_.options.gpu()) {
            context_.missed(where, "remains a nested SDFG", {diag::Why::Kept, "it has a separate mark for GPU graphs"});
            return std::nullopt;
        }
        nest::Opened opened = nest::open(step, g_, memories_, loops_, connectors_,
                                         [&] { return context_.mayChange(where, "is part of `" + g_.name.str() + "`"); });
        if (opened.why.code == diag::Why::PassLimit) // there already is a remark
            return std::nullopt;
        if (opened.why) {
            context_.missed(where, "remains a nested SDFG", opened.why);
            return std::nullopt;
        }
        return opened;
    }

    SDFG &g_;
    analysis::Memories &memories_;
    pass::Context &context_;
    std::set<Name> connectors_; // of all nodes
    std::vector<Name> loops_;   // parameters of the surrounding maps
};

class InlineNestedSdfgs : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            Inlining inlining(g, memories, context);
            for (nest::Run &run : runs)
                run.changed = inlining.inlineIn(run.items, nullptr);
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createInlineNestedSdfgs() { return std::make_unique<InlineNestedSdfgs>(); }

} // namespace sdfgc::transforms
