// SD2160, SD2161: late memory is allocated on every path to a use, and memory that is released has been allocated.
#include "Forward.h"

#include <algorithm>

namespace sdfgc::tree::rules {
namespace {

/// The late variables that have memory; where paths join, those that have it on all of them.
using Allocated = std::set<VarId>;

class Memory : Forward<Allocated> {
public:
    explicit Memory(Report &r) : r_(r) {}

    void run() {
        if (std::any_of(r_.f.vars.begin(), r_.f.vars.end(), isLate))
            walk(r_.f.body, {});
    }

private:
    static bool isLate(const Variable &v) { return !v.countKnown && isOwned(v.kind); }

    Allocated meet(const Allocated &a, const Allocated &b) const override {
        Allocated both;
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
        return both;
    }
    bool runsAtLeastOnce(const Node &n) const override {
        const auto *l = dyn_cast<Loop>(&n);
        return l && (l->form == Loop::DoWhile || l->form == Loop::TestLast);
    }
    void reach(const Node &n, Allocated &now) override {
        if (reporting())
            check(n, now);
        if (const auto *d = dyn_cast<Declare>(&n)) {
            now.erase(d->var);
        } else if (const auto *a = dyn_cast<Allocate>(&n)) {
            now.insert(a->var);
        } else if (const auto *release = dyn_cast<Release>(&n)) {
            const Variable &v = r_.var(release->var);
            if (isLate(v) && now.erase(release->var) == 0 && reporting())
                r_.fault(diag::Id::TreeReleasedTwice, n, v.name.str());
        }
    }
    void check(const Node &n, const Allocated &now) {
        forEachReference(n, [&](RefId ref) {
            if (!ref)
                return;
            const VarId v = rootOf(r_.f, r_.f.refs[ref].var);
            if (isLate(r_.var(v)) && now.count(v) == 0)
                r_.fault(diag::Id::TreeNoMemory, n, r_.var(v).name.str());
        });
    }

    Report &r_;
};

} // namespace

void memory(Report &r) { Memory(r).run(); }

} // namespace sdfgc::tree::rules
