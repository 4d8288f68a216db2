// form-gpu-graphs: form regions that can be launched as one GPU graph.
//
//   before:  state copy_in { A -> gA }                 after:  state copy_in { A -> gA }
//            state a { map GPU_Device }                        state enter_graph_a {}
//            state b { map GPU_Device }                        named graph_a (gpu_graph = formed) {
//            state copy_out { gB -> B }                          state a { map GPU_Device }
//                                                                state b { map GPU_Device }
//                                                              }
//                                                              state copy_out { gB -> B }
//
// A program of many small operations spends its time in launches. The first call builds a graph; later calls launch it
// as one operation (docs/user/gpu-graphs.md). sdfgc/Analysis/Device/GraphRegions.h decides block by block what can be part of
// a graph. This pass chooses the regions:
//
//   1. A block follows the nearest mark around it (`gpu_graph` of an SDFG, a region or a loop), or the option `mode`.
//      The precedence is: `off` of an element, the command line, `auto` or `require` of an element.
//   2. Host steps between device operations are hoisted above them if they do not need their results, and sunk below
//      them if they do (GraphPhases.h). Symbol assignments between them are hoisted as well (EarlyAssignments.h).
//   3. The longest runs of blocks that can be part of a graph, and that follow each other without conditions and
//      assignments, become regions. This includes loops that the device controls (keep-loops-on-device). Loops and
//      branches of the host stay around the regions, which then launch the same graph repeatedly.
//   4. Runs of fewer than `min-nodes` or more than `max-nodes` operations stay as they are.
//   5. With `auto`, remarks name the other obstacles. With `require` these are errors, except for loops and branches on
//      host values, host computations, and copies between the caller's memory and the device. Marks inside kernels and
//      parallel maps cannot be honoured at all.
//
// The state before a region is its gate: there order-streams makes streams and the host wait for the region's inputs.
// Existing regions are kept.
#include "Transforms/GpuGraphs/EarlyAssignments.h"
#include "Transforms/GpuGraphs/GraphPhases.h"
#include "Transforms/GpuGraphs/GraphWishes.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::GraphBlock;
using analysis::GraphBlocker;
using diag::Why;

/// Blocks that become one region, in order.
struct Run {
    std::vector<Block *> blocks;
    int operations = 0;
    Region *region = nullptr; // once it has been created
    State *gate = nullptr;
    bool entered = false; // the edge between the two exists
};

struct Limits {
    int64_t least, most; // limits on operations
    int64_t entries;     // number of executable graphs that a program keeps
};

class Former {
public:
    Former(SDFG &root, const GraphWishes &wishes, Limits limits, pass::Context &context)
        : root_(root), wishes_(wishes), limits_(limits), context_(context) {
        blockers_.emplace(root);
        for (const SDFG *g : allSDFGs(root))
            for (const Block *b : allBlocks(*g))
                labels_.insert(b->label);
    }

    bool run() {
        region(root_, wishes_.general());
        for (SDFG *g : allSDFGs(root_))
            explainInside(*g);
        return changed_;
    }

private:
    void explainInside(SDFG &g);
    void region(Region &r, const GraphWish &around);
    void sort(Region &r);
    void inside(Block &b, const GraphWish &wish);
    std::vector<Run> runsOf(Region &r, const GraphWish &wish);
    bool belongs(Block &b, const GraphWish &wish);
    bool fits(const Run &run, const GraphWish &wish);
    void explain(Region &r, const GraphWish &wish);
    void demand(Block &b, const GraphWish &wish);
    void make(Region &r, std::vector<Run> &runs);
    std::string freshLabel(const std::string &wanted);

    SDFG &root_;
    const GraphWishes &wishes_;
    const Limits limits_;
    pass::Context &context_;
    std::optional<analysis::GraphBlockers> blockers_;
    std::unordered_set<std::string> labels_;
    std::vector<std::unique_ptr<Block>> replaced_; // states that were split
    bool changed_ = false;
};

void Former::region(Region &r, const GraphWish &around) {
    if (r.graph == GraphMark::Formed && !isa<SDFG>(&r))
        return;
    const GraphWish wish = wishes_.inside(r, around, &context_);
    if (!wish.isOff())
        sort(r);
    std::vector<Run> runs = wish.isOff() ? std::vector<Run>() : runsOf(r, wish);
    std::unordered_set<const Block *> taken;
    for (const Run &run : runs)
        taken.insert(run.blocks.begin(), run.blocks.end());
    for (const auto &b : r.blocks())
        if (!taken.contains(b.get()))
            inside(*b, wish);
    if (!runs.empty())
        make(r, runs);
}

/// Moves host steps out of the way of graphs.
void Former::sort(Region &r) {
    const auto fresh = [this](const std::string &label) { return freshLabel(label); };
    const auto parts = [this](State &s, Block &next) {
        const GraphBlock &is = blockers_->of(s);
        return is.operations > 0 && is.blockers.empty() && blockers_->of(next).blockers.empty();
    };
    changed_ |= assignEarly(r, parts, fresh);
    std::unordered_set<const Block *> seen;
    std::vector<StateChain> chains;
    for (Block *b : analysis::blocksInOrder(r)) {
        StateChain chain;
        for (Block *at = b; at && isa<State>(at) && !seen.contains(at) && !blockers_->isLook(*static_cast<State *>(at)) &&
                            (at == b || at->inEdges().size() == 1);
             at = analysis::onlyNext(*at)) {
            seen.insert(at);
            chain.push_back(static_cast<State *>(at));
        }
        if (!chain.empty())
            chains.push_back(std::move(chain));
    }
    bool nested = false;
    for (const StateChain &chain : chains)
        for (auto &old : sortIntoPhases(r, chain, *blockers_, limits_.least, fresh)) {
            nested = nested || !nodesOf<NestedSDFGNode>(static_cast<State &>(*old)).empty();
            replaced_.push_back(std::move(old));
        }
    changed_ = changed_ || !replaced_.empty();
    if (nested) { // facts about inner SDFGs do not apply to their copies
        root_.renumber();
        blockers_.emplace(root_);
    }
}

/// Handles the contents of a block that is not part of a graph.
void Former::inside(Block &b, const GraphWish &wish) {
    if (auto *c = dyn_cast<ConditionalBlock>(&b)) {
        for (const auto &branch : c->branches())
            region(*branch.region, wish);
    } else if (auto *r = dyn_cast<Region>(&b)) {
        region(*r, wish);
    } else if (auto *s = dyn_cast<State>(&b)) {
        for (const auto &n : s->nodes())
            if (auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg && blockers_->onHost(*nested->sdfg))
                region(*nested->sdfg, wish);
    }
}

/// Can the block be part of a graph in its region?
bool Former::belongs(Block &b, const GraphWish &wish) {
    if (const auto *r = dyn_cast<Region>(&b); r && (r->graph == GraphMark::Formed || wishes_.inside(*r, wish, &context_).isOff()))
        return false;
    return blockers_->of(b).blockers.empty() && !GraphWishes::saysOff(b);
}

std::vector<Run> Former::runsOf(Region &r, const GraphWish &wish) {
    std::vector<Run> runs;
    std::unordered_set<const Block *> seen;
    for (Block *b : analysis::blocksInOrder(r)) {
        if (seen.contains(b) || !belongs(*b, wish))
            continue;
        Run run;
        for (Block *at = b; at && !seen.contains(at) && belongs(*at, wish); at = analysis::onlyNext(*at)) {
            if (at != b && at->inEdges().size() != 1)
                break;
            seen.insert(at);
            run.blocks.push_back(at);
            run.operations += blockers_->of(*at).operations;
        }
        const auto idle = [this](Block *x) { return blockers_->of(*x).isIdle(); };
        run.blocks.erase(run.blocks.begin(), std::find_if_not(run.blocks.begin(), run.blocks.end(), idle));
        while (!run.blocks.empty() && blockers_->of(*run.blocks.back()).operations == 0)
            run.blocks.pop_back();
        if (fits(run, wish))
            runs.push_back(std::move(run));
    }
    explain(r, wish);
    return runs;
}

bool Former::fits(const Run &run, const GraphWish &wish) {
    if (run.blocks.empty())
        return false;
    const pass::Element element(*run.blocks.front());
    if (run.operations > limits_.most) {
        const diag::Reason why{Why::Budget,
                               std::to_string(run.operations) + " operations exceed max-nodes, " + std::to_string(limits_.most)};
        if (wish.mark == GraphMark::Require)
            context_.diags.report(diag::Id::GraphRequired, analysis::placeOf(*run.blocks.front()), wish.by, why.text,
                                  std::string(diag::info(why.code).hint));
        context_.missed(element, "part of no GPU graph", why);
        return false;
    }
    if (run.operations >= limits_.least)
        return true;
    context_.missed(element, "part of no GPU graph",
                    {Why::Small, std::to_string(run.operations) + (run.operations == 1 ? " operation is" : " operations are") +
                                     " fewer than min-nodes, " + std::to_string(limits_.least)});
    return false;
}

/// Issues one remark per kind of obstacle that keeps blocks of the region out of graphs; errors if a graph is required.
void Former::explain(Region &r, const GraphWish &wish) {
    std::map<Why, std::pair<const GraphBlocker *, int>> kinds;
    for (const auto &b : r.blocks()) {
        const auto *inner = dyn_cast<Region>(b.get());
        if (b->kind() == BlockKind::Conditional || (inner && (b->kind() == BlockKind::Loop || inner->graph == GraphMark::Formed)))
            continue; // on the host; inner regions have their own remarks
        if (!inner && GraphWishes::saysOff(*b))
            context_.missed(*b, "part of no GPU graph", {Why::Kept, "it contains `gpu_graph = off`"});
        const GraphBlock &is = blockers_->of(*b);
        for (const GraphBlocker &x : is.blockers) {
            if (inner && x.reason.code != Why::ControlFlow)
                continue; // the region itself specifies it
            auto &[first, count] = kinds[x.reason.code];
            first = first ? first : &x;
            ++count;
        }
        if (wish.mark == GraphMark::Require && !inner)
            demand(*b, wish);
    }
    for (const auto &[why, found] : kinds) {
        const auto &[first, count] = found;
        const std::string more = count > 1 ? " (and " + std::to_string(count - 1) + " more)" : "";
        context_.missed({first->place.element, first->place.source}, "part of no GPU graph", {why, first->reason.text + more});
    }
}

void Former::demand(Block &b, const GraphWish &wish) {
    const GraphBlock &is = blockers_->of(b);
    for (const GraphBlocker &x : is.blockers)
        if (!x.isAside)
            context_.diags.report(diag::Id::GraphRequired, x.place, wish.by, x.reason.text,
                                  std::string(diag::info(x.reason.code).hint));
}

/// Reports marks inside a kernel, or inside code that several host threads run.
void Former::explainInside(SDFG &g) {
    const diag::Reason why{Why::Shape,
                           "it runs in a kernel or on several host threads, but graphs are launched by one host thread"};
    for (const Region *r : allRegions(std::as_const(g))) {
        if ((r->graph != GraphMark::Auto && r->graph != GraphMark::Require) || blockers_->onHost(g))
            continue;
        const GraphWish wish = wishes_.inside(*r, wishes_.general(), &context_);
        if (wish.mark == GraphMark::Require)
            context_.diags.report(diag::Id::GraphRequired, analysis::placeOf(*r), wish.by, why.text,
                                  "mark the block around the map");
        context_.missed(*r, "part of no GPU graph", why);
    }
}

std::string Former::freshLabel(const std::string &wanted) {
    std::string label = wanted;
    for (int i = 1; !labels_.insert(label).second; ++i)
        label = wanted + "_" + std::to_string(i);
    return label;
}

/// Moves the blocks of all runs to separate regions, in linear time.
void Former::make(Region &r, std::vector<Run> &runs) {
    std::unordered_map<const Block *, Run *> home;
    for (Run &run : runs)
        for (const Block *b : run.blocks)
            home[b] = &run;
    const auto runOf = [&home](const Block *b) {
        const auto at = home.find(b);
        return at == home.end() ? nullptr : at->second;
    };
    Block *const start = r.start();
    Region::Content content = r.release();
    for (auto &b : content.blocks) {
        Run *run = runOf(b.get());
        if (run && !run->region) {
            const std::string first = run->blocks.front()->label, label = freshLabel("graph_" + (first.empty() ? "0" : first));
            run->gate = r.add<State>();
            run->gate->label = freshLabel("enter_" + label);
            run->region = r.add<Region>(BlockKind::Named);
            run->region->label = label;
            run->region->graph = GraphMark::Formed;
            run->region->graphEntries = limits_.entries;
        }
        (run ? run->region : &r)->adopt(std::move(b));
    }
    const auto enter = [&r](Run *run) {
        if (run && !std::exchange(run->entered, true))
            r.connect(run->gate, run->region);
    };
    enter(start ? runOf(start) : nullptr);
    for (auto &e : content.edges) {
        Run *from = runOf(e->src), *to = runOf(e->dst);
        if (from && from == to) {
            from->region->adopt(std::move(e));
            continue;
        }
        e->src = from ? from->region : e->src;
        e->dst = to ? to->gate : e->dst;
        r.adopt(std::move(e));
        if (from != to)
            enter(to);
    }
    for (Run &run : runs) {
        run.region->setStart(run.blocks.front());
        context_.done(*run.region,
                      "a GPU graph of " + std::to_string(run.operations) + (run.operations == 1 ? " operation" : " operations"));
    }
    Run *first = start ? runOf(start) : nullptr;
    if (start)
        r.setStart(first ? first->gate : start);
    changed_ = true;
}

class FormGpuGraphs : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const auto wishes = GraphWishes::of(root, option<std::optional<pass::GpuGraphMode>>("mode"), context);
        if (!wishes)
            return false;
        const Limits limits{option<int64_t>("min-nodes"), option<int64_t>("max-nodes"), option<int64_t>("entries")};
        const bool changed = Former(root, *wishes, limits, context).run();
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createFormGpuGraphs() { return std::make_unique<FormGpuGraphs>(); }

} // namespace sdfgc::transforms
