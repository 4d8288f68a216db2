// outline-gpu-graphs: the statements of every graph become a function of their own.
//
//     graph step on 0 {                         step(A, __state->T.data(), N);
//       node 0: launch init(T, N)     becomes
//       node 1: launch norm(A, T)               step(A, T, N) graph { node 0: launch init(T, N) ... }
//     }
//
// Its parameters are all that its nodes depend on, the addresses of the program's own memory included. The program compares them with
// those of the call before: where they are the same, the graph is launched as it is (runtime-headers/sdfgc/rt/gpu_graph.h).
#include "InsertFunctions.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Outline.h"
#include "sdfgc/Tree/Walk.h"

#include <map>

namespace sdfgc::transforms {
namespace {

using namespace tree;

class Outliner {
public:
    Outliner(Module &m, Function &f, std::vector<std::unique_ptr<Function>> &added) : m_(m), f_(f), added_(added) {}

    void run() {
        for (VarId p : f_.params)
            see(p);
        block(f_.body);
    }

private:
    void see(VarId v) {
        if (v)
            visible_[f_.vars[v].name].push_back(v);
    }
    void forget(VarId v) {
        if (v)
            visible_[f_.vars[v].name].pop_back();
    }

    void block(Block &b) {
        std::vector<VarId> declared;
        for (NodePtr &n : b.body) {
            if (n->kind == Kind::Declare) {
                declared.push_back(static_cast<Declare &>(*n).var);
                see(declared.back());
            }
            if (n->kind == Kind::GraphRegion) {
                n = call(static_cast<GraphRegion &>(*n));
                continue;
            }
            const VarId header = n->kind == Kind::For    ? static_cast<For &>(*n).var
                                 : n->kind == Kind::Loop ? static_cast<Loop &>(*n).declares
                                                         : VarId();
            see(header);
            forEachBlock(*n, [this](Block &inner) { block(inner); });
            forget(header);
        }
        if (b.braces || &b == &f_.body)
            for (auto v = declared.rbegin(); v != declared.rend(); ++v)
                forget(*v);
    }

    NodePtr call(GraphRegion &g) {
        const auto typeOf = [this](Name n) {
            const auto at = visible_.find(n);
            return at == visible_.end() || at->second.empty() ? Type() : f_.vars[at->second.back()].type;
        };
        Outlined made = outline(f_, std::move(g.body), g.name, typeOf, [](const Variable &, Obstacle) {});
        made.function->comment = g.comment;
        made.function->graph = GraphInfo{g.stream, g.entries};
        made.function->needsState = true;
        auto call = std::make_unique<Call>();
        call->function = FunctionId(m_.functions.size() + added_.size());
        call->arguments = std::move(made.arguments);
        call->origin = g.origin;
        added_.push_back(std::move(made.function));
        return call;
    }

    Module &m_;
    Function &f_;
    std::vector<std::unique_ptr<Function>> &added_;
    std::map<Name, std::vector<VarId>> visible_; // variables that can be named where the walk is, innermost last
};

class OutlineGpuGraphs : public pass::TreePass {
    bool run(Module &m, pass::Context &) override {
        std::vector<std::unique_ptr<Function>> added;
        std::vector<std::size_t> before; // new functions in front of each
        for (auto &f : m.functions) {
            if (contains(f->body, Kind::GraphRegion))
                Outliner(m, *f, added).run();
            before.push_back(added.size());
        }
        if (added.empty())
            return false;
        insertFunctions(m, std::move(added), before);
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createOutlineGpuGraphs() { return std::make_unique<OutlineGpuGraphs>(); }

} // namespace sdfgc::transforms
