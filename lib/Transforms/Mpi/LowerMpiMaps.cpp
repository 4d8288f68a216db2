// lower-mpi-maps: distribute the iterations of maps with schedule MPI over the ranks, in blocks.
//
//   before   map i = 0:10 (MPI)                                                   on every rank
//   after    map i = lo(rank):lo(rank + 1), lo(r) = r (10 / size) + min(r, 10 % size)      rank 0 of 4: 0, 1, 2; rank 3: 8, 9
//
// Every rank runs a block of iterations; the blocks differ by at most one iteration. DaCe runs one iteration on each
// rank and ignores the bounds; the two agree if there are as many iterations as ranks. A multidimensional map is
// distributed along its first dimension or, with `dimensions`, over a grid of ranks that is as square as possible.
//
// Each rank keeps the arrays as it has written them. With `gather`, every rank sends its part to all others. Values
// that iterations combine by conflict resolution are combined over the ranks (MpiMapResults.h): each rank has the same
// result as if it had run all iterations, except for the order of sums.
//
//   1. The results of the map are combined or gathered.
//   2. The first ranges of each map are cut to the rank's part.
//   3. The map's schedule becomes Default, or Sequential if it contains maps, which then get the team of threads.
//   4. A state at the start of the program queries rank and size. The edge after it assigns them to the symbols
//      `__dace_comm_rank` and `__dace_comm_size`, which graphs may use in shapes, along with the rank's position in the
//      grid, if there is one.
//
// Not handled, and refused (SD4650): maps inside other maps or nested SDFGs, which some ranks might not reach; conflict
// resolution by a function without a neutral element; with `gather`, arrays that are not written at the distributed
// parameters.
#include "Transforms/Mpi/MpiMapResults.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

const Name rankSymbol("__dace_comm_rank"), sizeSymbol("__dace_comm_size");

/// Values queried from MPI at the start: a symbol, and the call that returns its value.
using Questions = std::map<Name, std::string>;

/// The distributed dimensions of a map, and the values needed for them.
std::vector<DealtDimension> dealt(const MapEntry &m, int64_t most, Questions &asked) {
    const auto n = static_cast<std::size_t>(std::clamp<int64_t>(most, 1, static_cast<int64_t>(m.params.size())));
    const auto ask = [&](const std::string &what, const std::string &function, std::size_t d) {
        const std::string of = std::to_string(d) + ", " + std::to_string(n);
        const Name symbol("__dace_comm_" + what + std::to_string(d) + "_of_" + std::to_string(n));
        asked[symbol] = "mpi." + function + "(" + of + ")";
        return sym::Expr::symbol(symbol);
    };
    std::vector<DealtDimension> out;
    for (std::size_t d = 0; d < n; ++d) {
        DealtDimension one{m.params[d], m.ranges[d], sym::Expr::symbol(rankSymbol), sym::Expr::symbol(sizeSymbol)};
        if (n > 1) {
            one.place = ask("place", "place", d);
            one.parts = ask("parts", "parts", d);
        }
        out.push_back(one);
    }
    for (std::size_t d = n - 1; d-- > 0;)
        out[d].inner = out[d + 1].inner * out[d + 1].parts;
    return out;
}

class LowerMpiMaps : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        std::vector<MapEntry *> maps;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (const auto &n : s->nodes())
                    if (auto *m = dyn_cast<MapEntry>(n.get()); m && m->schedule == Schedule::MPI)
                        maps.push_back(m);
        if (maps.empty())
            return false;
        Questions asked{{rankSymbol, "mpi.rank()"}, {sizeSymbol, "mpi.size()"}};
        const bool gathers = option<bool>("gather");
        for (MapEntry *m : maps) {
            const std::vector<DealtDimension> dims = dealt(*m, option<int64_t>("dimensions"), asked);
            if (const Refusal r = refusal(*m, gathers, dims); !r.why.empty()) {
                diag::Location place = analysis::placeOf(*m);
                place.file = context.options.file;
                context.diags.report(diag::Id::MpiMapRefused, place, m->label, r.why, r.hint);
                return false;
            }
            finishResults(*m, gathers, dims);
            dealOut(*m, dims);
        }
        ask(root, asked);
        return true;
    }

private:
    struct Refusal {
        std::string why, hint;
    };
    static Refusal refusal(const MapEntry &m, bool gathers, const std::vector<DealtDimension> &dims) {
        const State &s = *m.state();
        if (analysis::ScopeTree(s).scopeOf(&m))
            return {"it is in another map, so some ranks may not reach it", "give the outermost map the schedule MPI"};
        if (s.sdfg()->parentNode)
            return {"it is in a nested SDFG, so some ranks may not reach it", "inline the nested SDFG"};
        for (const Edge *e : m.exit->outEdges())
            if (const std::string why = !e->memlet.wcr.empty() ? whyNotCombined(*e)
                                        : gathers              ? whyNotGathered(*e, dims)
                                                               : "";
                !why.empty())
                return {why, e->memlet.wcr.empty() ? "remove the option `gather`"
                                                   : "combine the part of each rank locally, and add a node Allreduce"};
        return {};
    }

    static void finishResults(const MapEntry &m, bool gathers, const std::vector<DealtDimension> &dims) {
        const std::vector<Edge *> results = m.exit->outEdges();
        for (Edge *e : results) {
            if (!e->memlet.wcr.empty())
                combineOverRanks(*e);
            else if (gathers)
                gatherParts(*e, dims, sym::Expr::symbol(sizeSymbol));
        }
    }

    static void dealOut(MapEntry &m, const std::vector<DealtDimension> &dims) {
        for (std::size_t d = 0; d < dims.size(); ++d)
            m.ranges[d] = dims[d].part(dims[d].place);
        bool hasMaps = false;
        const analysis::ScopeTree scopes(*m.state());
        for (Node *n : scopes.children(&m))
            if (auto *inner = dyn_cast<MapEntry>(n)) {
                hasMaps = true;
                if (inner->schedule == Schedule::Default)
                    inner->schedule = Schedule::CPU_Multicore;
            }
        m.schedule = hasMaps ? Schedule::Sequential : Schedule::Default;
    }

    static void ask(SDFG &g, const Questions &asked) {
        Block *start = g.start();
        State *s = g.addStateBefore(start, g.freshLabel("rank"));
        InterstateEdge &edge = *s->outEdges().front();
        for (const auto &[symbol, call] : asked) {
            const std::string what = symbol.str().substr(std::string_view("__dace_comm_").size());
            const Name container = g.freshName("_mpi_" + what);
            g.arrays.set(container, DataDesc::scalar(ScalarKind::Int64, true));
            Tasklet *t = s->addTasklet(what, {"_out = " + call, Language::Library});
            t->environments = {Name("MPI")};
            s->connect(t, "_out", s->add<AccessNode>(container), {},
                       Memlet::simple(container, g.arrays.find(container)->fullSubset()));
            t->outConnector("_out")->type = ScalarKind::Int64;
            edge.assignments.emplace_back(symbol, container.str());
            g.symbols.set(symbol, ScalarKind::Int64);
        }
        s->renumber();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createLowerMpiMaps() { return std::make_unique<LowerMpiMaps>(); }

} // namespace sdfgc::transforms
