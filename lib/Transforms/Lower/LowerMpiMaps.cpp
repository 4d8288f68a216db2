// lower-mpi-maps: the iterations of a map with the schedule MPI are dealt out to the ranks, in blocks.
//
//   before   map i = 0:10 (MPI)                                                   on every rank
//   after    map i = lo(rank):lo(rank + 1), lo(r) = r (10 / size) + min(r, 10 % size)      rank 0 of 4: 0, 1, 2; rank 3: 8, 9
//
// Every rank has some of the iterations, as many as the others or one more, and the arrays that it is called with: nothing is gathered. A map
// of several dimensions is dealt out along the first. DaCe runs one iteration on every rank and looks at no bound; where there are as
// many iterations as ranks, both do the same.
//
// Steps: (1) a state at the start of the program asks for rank and size, and the edge after it assigns them to the symbols
// `__dace_comm_rank` and `__dace_comm_size`, which graphs may use in shapes; (2) the first range of each map is cut to the rank's part;
// (3) the map gets the schedule Default, or Sequential if there are maps in it, which get the team of threads.
//
// Refused (SD4650): maps in other maps or in nested SDFGs, which not every rank need reach; conflict resolution across the map, whose
// terms lie on several ranks.
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

using namespace ir;

const Name rankSymbol("__dace_comm_rank"), sizeSymbol("__dace_comm_size");

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
        for (MapEntry *m : maps) {
            if (const Refusal r = refusal(*m); !r.why.empty()) {
                diag::Location place = analysis::placeOf(*m);
                place.file = context.options.file;
                context.diags.report(diag::Id::MpiMapRefused, place, m->label, r.why, r.hint);
                return false;
            }
            dealOut(*m);
        }
        askForRank(root);
        return true;
    }

private:
    struct Refusal {
        std::string why, hint;
    };
    static Refusal refusal(const MapEntry &m) {
        const State &s = *m.state();
        if (analysis::ScopeTree(s).scopeOf(&m))
            return {"it stands in another map, and not every rank may reach it", "give the outermost map the schedule MPI"};
        if (s.sdfg()->parentNode)
            return {"it stands in a nested SDFG, and not every rank may reach it", "inline the nested SDFG"};
        for (const Edge *e : analysis::ScopeTree(s).exitOf(&m)->outEdges())
            if (!e->memlet.wcr.empty())
                return {"iterations on several ranks combine what they write to `" + e->memlet.data.str() + "`",
                        "let every rank combine its own part, and add a node Allreduce"};
        return {};
    }

    static void dealOut(MapEntry &m) {
        sym::Range &r = m.ranges.front();
        const sym::Expr count = r.size(), rank = sym::Expr::symbol(rankSymbol), size = sym::Expr::symbol(sizeSymbol);
        const auto first = [&](const sym::Expr &of) { // iteration with which the part of a rank begins
            return of * sym::floorDiv(count, size) + sym::min({of, count - size * sym::floorDiv(count, size)});
        };
        const sym::Expr begin = r.begin;
        r.begin = begin + first(rank) * r.step;
        r.end = begin + (first(rank + 1) - 1) * r.step;
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

    static void askForRank(SDFG &g) {
        Block *start = g.start();
        State *s = g.addStateBefore(start, g.freshLabel("rank"));
        InterstateEdge &edge = *g.outEdges(s).front();
        const std::pair<Name, const char *> asked[] = {{rankSymbol, "rank"}, {sizeSymbol, "size"}};
        for (const auto &[symbol, function] : asked) {
            const Name container = g.freshName("_mpi_" + std::string(function));
            g.arrays.set(container, DataDesc::scalar(ScalarKind::Int64, true));
            auto *t = s->add<Tasklet>();
            t->label = function;
            t->code = {"_out = mpi." + std::string(function) + "()", Language::Library};
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
