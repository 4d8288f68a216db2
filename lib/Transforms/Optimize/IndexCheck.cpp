//     passed = 0
//     if omp_get_max_threads() > 1 and there is enough work {
//         first, last, count = 2**62, -1, 0
//         a copy of the loop that sets first and last to the least and greatest k for which it reads idx[k] (IndexReads.h)
//         if first <= last and last - first < 4*count {                  it reads something, without large gaps
//             marks = 8 * (last - first + 1)
//             map[i = 0:marks] { seen[i] = 0 }
//             passed = 1
//             for k = first; k <= last and passed == 1; k = k + 1 {
//                 at = idx[k] + shift
//                 passed = at >= 0 and at < marks
//                 if passed == 1 {
//                     passed = seen[at] == 0
//                     seen[at] = 1
//                 }
//             }
//         }
//     }
#include "Transforms/Optimize/IndexCheck.h"

#include "sdfgc/IR/LabelName.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

using namespace ir;
using nest::DistinctIndex;

namespace {

constexpr int64_t marksOfIndex = 8;                          // there may be as many elements for each index
constexpr int64_t mostGaps = 4;                              // elements of the index array for each time that one is read
constexpr const char *greatPosition = "4611686018427387904"; // 2**62, so that differences do not overflow

class Check {
public:
    Check(const LoopRegion &like, const std::set<Name> &connectors)
        : g_(*const_cast<LoopRegion &>(like).sdfg()), like_(like), connectors_(connectors),
          base_(identifierOf(like.label, "loop_")), passed_(symbol("_distinct")) {}

    IndexCheck add(Region &r, const std::vector<DistinctIndex> &conditions, const IndexReads &reads, const std::string &when) {
        State *before = state(r, "_unchecked");
        auto *asks = r.add<ConditionalBlock>();
        asks->label = g_.freshLabel(base_ + "_check");
        asks->debugInfo = like_.debugInfo;
        r.connect(before, asks, one, {{passed_, "0"}});
        Region *content = branch(*asks, "omp_get_max_threads() > 1" + when);
        std::vector<IndexReads::Limits> limits;
        std::vector<std::pair<Name, std::string>> values;
        std::string areRead;
        for (std::size_t k = 0; k < conditions.size(); ++k) {
            limits.push_back({symbol("_first"), symbol("_last"), symbol("_count")});
            values.emplace_back(limits[k].first, greatPosition);
            values.emplace_back(limits[k].last, "-1");
            values.emplace_back(limits[k].count, "0");
            const std::string first = limits[k].first.str(), last = limits[k].last.str();
            areRead += (k == 0 ? "" : " and ") + first + " <= " + last + " and " + last + " - " + first + " < " +
                       std::to_string(mostGaps) + "*" + limits[k].count.str();
        }
        State *start = state(*content, "_unread");
        content->setStart(start);
        LoopRegion *copy = reads.addCopy(*content, limits);
        content->connect(start, copy, one, values);
        auto *found = content->add<ConditionalBlock>();
        found->label = g_.freshLabel(base_ + "_found");
        content->connect(copy, found);
        content = branch(*found, areRead);
        Block *last = nullptr;
        for (std::size_t k = 0; k < conditions.size(); ++k)
            last = check(*content, conditions[k], limits[k], last);
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

    /// Adds the check of one condition after a block, or at the beginning of the region. Returns its last block.
    Block *check(Region &r, const DistinctIndex &c, const IndexReads::Limits &limits, Block *after) {
        const Name size = symbol("_marks");
        DataDesc d = DataDesc::array(Type(ScalarKind::UInt8), {sym::Expr::symbol(size)}, true);
        d.storage = Storage::CPU_Heap;
        const Name seen = nest::addContainer(g_, base_ + "_seen", std::move(d), connectors_);
        State *start = state(r, "_unsized"), *clear = state(r, "_clear");
        r.connect(start, clear, one,
                  {{size, (marksOfIndex * (sym::Expr::symbol(limits.last) - sym::Expr::symbol(limits.first) + 1)).str()}});
        clearMarks(*clear, seen);
        if (after)
            r.connect(after, start);
        else
            r.setStart(start);
        auto *l = r.add<LoopRegion>();
        l->label = g_.freshLabel(base_ + "_indices");
        l->debugInfo = like_.debugInfo;
        r.connect(clear, l, one,
                  after ? std::vector<std::pair<Name, std::string>>() : std::vector{std::pair(passed_, std::string("1"))});
        fillLoop(*l, c, limits, seen, size);
        return l;
    }

    void fillLoop(LoopRegion &l, const DistinctIndex &c, const IndexReads::Limits &limits, Name seen, Name size) {
        const Name k = symbol("_k"), at = symbol("_at");
        l.variable = k;
        l.init = Code{k.str() + " = " + limits.first.str(), Language::Python};
        l.condition = Code{k.str() + " <= " + limits.last.str() + " and " + passed_.str() + " == 1", Language::Python};
        l.update = Code{k.str() + " = " + k.str() + " + 1", Language::Python};
        const sym::Expr position = sym::subscript(c.index, {sym::Expr::symbol(k)}) + c.shift;
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

    void clearMarks(State &s, Name seen) {
        const Name i = g_.freshName("__i");
        const sym::Subset all = g_.desc(seen)->fullSubset();
        MapEntry *m = s.addMap(s.label, {i}, all.dims, Schedule::Sequential, like_.debugInfo);
        Tasklet *t = set(s, seen, "0");
        auto *to = s.add<AccessNode>(seen);
        s.connect(m, {}, t, {}, Memlet::empty());
        s.connect(t, out_, m->exit, scopeInput(seen), element(seen, i));
        s.connect(m->exit, scopeOutput(seen), to, {}, Memlet::simple(seen, all));
    }

    SDFG &g_;
    const LoopRegion &like_;
    const std::set<Name> &connectors_;
    const std::string base_;
    const Name passed_;
    Name out_; // the connector of the last tasklet
};

} // namespace

IndexCheck addIndexCheck(Region &r, const std::vector<DistinctIndex> &conditions, const IndexReads &reads, const std::string &when,
                         const LoopRegion &like) {
    return Check(like, nest::connectorsOf(*r.sdfg())).add(r, conditions, reads, when);
}

} // namespace sdfgc::transforms
