// compare-sizes: check during initialisation that all ranks agree on the sizes of collective calls.
//
// A collective call hangs or corrupts memory if ranks disagree about its size. The same goes for the shape of a process
// grid. These sizes depend on symbols that each rank passes to its own initialiser.
//
//   before   Allreduce a[0:N]; ProcessGrid P x 2
//   after    the same, and in the initialiser   __state->mpi.agree({{"N", N}, {"P", P}});
//
// The check compares the symbols in shapes of process grids and sub-arrays, and those in the subsets of calls on all
// ranks of the world whose ranks have equal parts. A program without such symbols gets no check.
//
// Not handled: messages; Gatherv and similar calls, whose parts may differ; calls on grids and communicators of a
// subset of the ranks, whose parts may differ from those of other ranks; sizes in nested SDFGs, unless they are mapped
// to symbols of the program; symbols that the program assigns.
#include "sdfgc/Analysis/Communication.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

class Sizes {
public:
    explicit Sizes(const SDFG &root) : root_(root) {}

    /// Symbols to compare, by name.
    std::set<Name> symbols() {
        for (const auto &[name, d] : root_.arrays)
            if (d.kind == DataKind::ProcessGrid || d.kind == DataKind::SubArray)
                for (const sym::Expr &e : d.shape)
                    add(e, root_);
        for (const SDFG *g : allSDFGs(root_))
            for (const State *s : allStates(*g))
                for (const LibraryNode *n : nodesOf<LibraryNode>(*s))
                    if (const analysis::Communication *c = analysis::communicationOf(*n);
                        c && c->parts == analysis::Parts::Equal && isOnWorld(*n))
                        node(*n, *g);
        if (!found_.empty()) // symbols that the program itself assigns are not passed to the initialiser
            std::erase_if(found_, [given = analysis::requiredSymbols(root_)](Name n) { return !given.contains(n); });
        return found_;
    }

private:
    static bool isOnWorld(const LibraryNode &n) {
        const json::Value *handle = n.properties.find("fcomm"), *grid = n.properties.find("grid");
        const auto isSet = [](const json::Value *v) { return v && !v->text().empty() && v->text() != "null"; };
        return !n.inEdge("_grid") && !n.inEdge("_comm") && !isSet(handle) && !isSet(grid);
    }

    void node(const LibraryNode &n, const SDFG &g) {
        const auto edge = [&](const Edge *e, const char *connector) {
            if (e && (e->srcConn == connector || e->dstConn == connector) && e->memlet.subset)
                for (const sym::Range &r : e->memlet.subset->dims)
                    add(r.size(), g);
        };
        edge(n.inEdge("_inbuffer"), "_inbuffer");
        edge(n.outEdge("_outbuffer"), "_outbuffer");
    }

    /// Adds the symbols of an expression; a symbol of a nested SDFG is replaced with the value it is mapped to.
    void add(const sym::Expr &e, const SDFG &g) {
        for (const Name n : e.freeSymbols()) {
            const sym::Expr *outer = g.parentNode ? g.parentNode->mapped(n) : nullptr;
            if (outer)
                add(*outer, *g.parentNode->state()->sdfg());
            else if (g.isRoot() && !n.view().starts_with("__dace_comm_"))
                found_.insert(n);
        }
    }

    const SDFG &root_;
    std::set<Name> found_;
};

class CompareSizes : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &) override {
        if (!option<bool>("check"))
            return false;
        std::string values;
        for (const Name n : Sizes(root).symbols())
            values += (values.empty() ? "{\"" : ", {\"") + n.str() + "\", " + n.str() + "}";
        if (values.empty())
            return false;
        TargetCode code;
        code.target = "frame";
        code.code = {"__state->mpi.agree({" + values + "});", Language::CPP};
        root.initCode.insert(root.initCode.begin(), std::move(code));
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createCompareSizes() { return std::make_unique<CompareSizes>(); }

} // namespace sdfgc::transforms
