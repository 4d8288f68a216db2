// For a condition on the elements first to last of `idx`, as indices of `A`:
//
//     passed = 0
//     if omp_get_max_threads() > 1 and N <= 16 * (last - first + 1) {
//         if idx is not None {                                                only if it is an argument: callers may leave it out
//             map[i = 0:N] { seen[i] = 0 }
//             passed = 1
//             for k = max(first, 0); k <= min(last, M - 1) and passed == 1; k = k + 1 {
//                 at = factor * idx[k] + rest
//                 passed = at >= 0 and at < N
//                 if passed == 1 {
//                     passed = seen[at] == 0
//                     seen[at] = 1
//                 }
//             }
//         }
//     }
//
// M and N are the sizes of `idx`, and of `A` in the dimension with the index.
#include "Transforms/Optimize/IndexCheck.h"

#include "sdfgc/IR/LabelName.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

using namespace ir;
using nest::DistinctIndex;

namespace {

constexpr int64_t mostCleared = 16; // marks for each index
constexpr int64_t operationsOfIndex = 6;

sym::Expr lengthOf(const DistinctIndex &c) { return c.last - c.first + 1; }

class Check {
public:
    Check(const LoopRegion &like, const std::set<Name> &connectors)
        : g_(*const_cast<LoopRegion &>(like).sdfg()), like_(like), connectors_(connectors),
          base_(identifierOf(like.label, "loop_")), passed_(symbol("_distinct")) {}

    IndexCheck add(Region &r, const std::vector<DistinctIndex> &conditions) {
        State *before = state(r, "_unchecked");
        auto *asks = r.add<ConditionalBlock>();
        asks->label = g_.freshLabel(base_ + "_check");
        asks->debugInfo = like_.debugInfo;
        r.connect(before, asks, one, {{passed_, "0"}});
        Region *content = branch(*asks, conditionOf(conditions));
        for (const DistinctIndex &c : conditions)
            if (!g_.desc(c.index)->transient) {
                auto *isThere = content->add<ConditionalBlock>();
                isThere->label = g_.freshLabel(base_ + "_given");
                content = branch(*isThere, c.index.str() + " is not None");
            }
        Block *last = nullptr;
        for (const DistinctIndex &c : conditions)
            last = check(*content, c, last);
        return {before, asks, passed_};
    }

private:
    const Code one{"1", Language::Python};

    Name symbol(const std::string &suffix) {
        const Name n = g_.freshName(base_ + suffix);
        g_.symbols.set(n, Type(ScalarKind::Int64));
        return n;
    }

    State *state(Region &r, const std::string &suffix) {
        auto *s = r.add<State>();
        s->label = g_.freshLabel(base_ + suffix);
        s->debugInfo = like_.debugInfo;
        return s;
    }

    /// Adds a branch. Its region starts with the first block that is added to it.
    Region *branch(ConditionalBlock &c, const std::string &condition) {
        Region *r = c.addBranch(Code{condition, Language::Python}, std::make_unique<Region>());
        r->label = g_.freshLabel(c.label + "_branch");
        return r;
    }

    /// Are there threads, and few enough marks to be cleared?
    std::string conditionOf(const std::vector<DistinctIndex> &conditions) const {
        std::string out = "omp_get_max_threads() > 1";
        for (const DistinctIndex &c : conditions) {
            const sym::Expr isFew = sym::compare(sym::SymbolicKind::Le, sizeOf(c), mostCleared * lengthOf(c));
            if (isFew.kind() != sym::SymbolicKind::Bool)
                out += " and " + isFew.str();
        }
        return out;
    }

    sym::Expr sizeOf(const DistinctIndex &c) const { return g_.desc(c.data)->fullSubset().dims[c.dim].size(); }

    /// Adds the check of one condition after a block, or at the beginning of the region. Returns its last block.
    Block *check(Region &r, const DistinctIndex &c, Block *after) {
        const sym::Expr size = sizeOf(c), lowest = g_.desc(c.data)->fullSubset().dims[c.dim].begin;
        DataDesc d = DataDesc::array(Type(ScalarKind::UInt8), {size}, true);
        d.storage = Storage::CPU_Heap;
        const Name seen = nest::addContainer(g_, base_ + "_seen", std::move(d), connectors_);
        State *clear = state(r, "_clear");
        clearMarks(*clear, seen, size);
        if (after)
            r.connect(after, clear);
        else
            r.setStart(clear);
        auto *l = r.add<LoopRegion>();
        l->label = g_.freshLabel(base_ + "_indices");
        l->debugInfo = like_.debugInfo;
        r.connect(clear, l, one,
                  after ? std::vector<std::pair<Name, std::string>>() : std::vector{std::pair(passed_, std::string("1"))});
        fillLoop(*l, c, seen, size, lowest);
        return l;
    }

    void fillLoop(LoopRegion &l, const DistinctIndex &c, Name seen, sym::Expr size, sym::Expr lowest) {
        const sym::Range all = g_.desc(c.index)->fullSubset().dims.front();
        const Name k = symbol("_k"), at = symbol("_at");
        l.variable = k;
        l.init = Code{k.str() + " = " + sym::max({c.first, all.begin}).str(), Language::Python};
        l.condition =
            Code{k.str() + " <= " + sym::min({c.last, all.end}).str() + " and " + passed_.str() + " == 1", Language::Python};
        l.update = Code{k.str() + " = " + k.str() + " + 1", Language::Python};
        const sym::Expr position = c.factor * sym::subscript(c.index, {sym::Expr::symbol(k)}) + c.rest - lowest;
        State *reads = state(l, "_reads"), *tests = state(l, "_tests");
        l.setStart(reads);
        l.connect(reads, tests, one, {{at, position.str()}});
        auto *inside = l.add<ConditionalBlock>();
        inside->label = g_.freshLabel(base_ + "_inside");
        l.connect(tests, inside, one, {{passed_, at.str() + " >= 0 and " + at.str() + " < " + size.str()}});
        Region *marks = branch(*inside, passed_.str() + " == 1");
        State *looks = state(*marks, "_looks"), *sets = state(*marks, "_sets");
        marks->connect(looks, sets, one, {{passed_, seen.str() + "[" + at.str() + "] == 0"}});
        marks->setStart(looks);
        Tasklet *t = set(*sets, seen, "1");
        sets->connect(t, out_, sets->add<AccessNode>(seen), {}, element(seen, at));
    }

    static Memlet element(Name container, Name at) {
        const sym::Expr index = sym::Expr::symbol(at);
        return Memlet::simple(container, sym::Subset::point(std::span(&index, 1)));
    }

    /// Adds a tasklet with a mark as output.
    Tasklet *set(State &s, Name seen, const std::string &value) {
        out_ = g_.freshName("__out");
        Tasklet *t = s.addTasklet("set_" + seen.str(), {out_.str() + " = " + value, Language::Python});
        t->addOut(out_, g_.desc(seen)->dtype);
        t->debugInfo = like_.debugInfo;
        return t;
    }

    void clearMarks(State &s, Name seen, sym::Expr size) {
        const Name i = g_.freshName("__i");
        MapEntry *m = s.addMap(s.label, {i}, {{0, size - 1}}, Schedule::Sequential, like_.debugInfo);
        Tasklet *t = set(s, seen, "0");
        auto *to = s.add<AccessNode>(seen);
        s.connect(m, {}, t, {}, Memlet::empty());
        s.connect(t, out_, m->exit, scopeInput(seen), element(seen, i));
        s.connect(m->exit, scopeOutput(seen), to, {}, Memlet::simple(seen, g_.desc(seen)->fullSubset()));
    }

    SDFG &g_;
    const LoopRegion &like_;
    const std::set<Name> &connectors_;
    const std::string base_;
    const Name passed_;
    Name out_; // the connector of the last tasklet
};

} // namespace

IndexCheck addIndexCheck(Region &r, const std::vector<DistinctIndex> &conditions, const LoopRegion &like) {
    return Check(like, nest::connectorsOf(*r.sdfg())).add(r, conditions);
}

sym::Expr costOfCheck(const std::vector<DistinctIndex> &conditions) {
    sym::Expr out = 0;
    for (const DistinctIndex &c : conditions)
        out += operationsOfIndex * lengthOf(c);
    return out;
}

} // namespace sdfgc::transforms
