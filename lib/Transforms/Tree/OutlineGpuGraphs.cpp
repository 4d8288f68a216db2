// outline-gpu-graphs: move the statements of each GPU graph into a function.
//
//     graph step on 0 {                         step(A, __state->T.data(), N);
//       node 0: launch init(T, N)     becomes
//       node 1: launch norm(A, T)               step(A, T, N) graph { node 0: launch init(T, N) ... }
//     }
//
// The function's parameters are everything that its nodes depend on, including addresses of the program's own memory.
// The program compares them with those of the previous call and launches the graph unchanged if they are equal
// (runtime-headers/sdfgc/rt/gpu_graph.h).
#include "MovedFunctions.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Walk.h"

namespace sdfgc::transforms {
namespace {

using namespace tree;

class Outliner {
public:
    Outliner(Function &f, MovedFunctions &moved) : f_(f), moved_(moved), visible_(f) {}

    void run() { block(f_.body); }

private:
    void block(Block &b) {
        std::vector<VarId> declared;
        for (NodePtr &n : b.body) {
            if (n->kind == TreeKind::Declare) {
                declared.push_back(static_cast<Declare &>(*n).var);
                visible_.see(declared.back());
            }
            if (n->kind == TreeKind::GraphRegion) {
                n = call(static_cast<GraphRegion &>(*n));
                continue;
            }
            const VarId header = n->kind == TreeKind::For    ? static_cast<For &>(*n).var
                                 : n->kind == TreeKind::Loop ? static_cast<Loop &>(*n).declares
                                                             : VarId();
            visible_.see(header);
            forEachBlock(*n, [this](Block &inner) { block(inner); });
            visible_.forget(header);
        }
        if (b.braces || &b == &f_.body)
            for (auto v = declared.rbegin(); v != declared.rend(); ++v)
                visible_.forget(*v);
    }

    NodePtr call(GraphRegion &g) {
        Outlined made = outline(
            f_, std::move(g.body), g.name, [this](Name n) { return visible_.typeOf(n); }, [](const Variable &, Obstacle) {});
        made.function->comment = g.comment;
        made.function->graph = GraphInfo{g.stream, g.entries};
        made.function->needsState = true;
        std::unique_ptr<Call> call = moved_.add(std::move(made));
        call->origin = g.origin;
        return call;
    }

    Function &f_;
    MovedFunctions &moved_;
    VisibleVariables visible_;
};

class OutlineGpuGraphs : public pass::TreePass {
    bool run(Module &m, pass::Context &) override {
        return moveFunctions(m, [](Function &f, MovedFunctions &moved) {
            if (contains(f.body, TreeKind::GraphRegion))
                Outliner(f, moved).run();
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createOutlineGpuGraphs() { return std::make_unique<OutlineGpuGraphs>(); }

} // namespace sdfgc::transforms
