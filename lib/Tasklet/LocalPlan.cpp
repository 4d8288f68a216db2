#include "Tasklet/LocalPlan.h"
#include "Tasklet/AstUtil.h"

#include <algorithm>

namespace sdfgc::py::detail {

namespace {

// The first thing that a statement or block does to a name.
enum class Flow : uint8_t {
    Untouched,
    Assigned, // on every path, before any read
    Other,    // read, or assigned on some paths only
};

bool isTarget(const Expr &target, Name n) {
    if (target.kind == ExprKind::Tuple)
        return std::any_of(target.args.begin(), target.args.end(), [&](const ExprRef &t) { return isTarget(*t, n); });
    return target.kind == ExprKind::Name && target.name == n;
}

// Does the statement assign n without reading it?
bool defines(const Stmt &s, Name n) {
    if (s.kind != StmtKind::Assign && s.kind != StmtKind::AnnAssign)
        return false;
    const bool target = std::any_of(s.targets.begin(), s.targets.end(), [&](const ExprRef &t) { return isTarget(*t, n); });
    return target && !(s.value && mentions(*s.value, n));
}

Flow flow(const std::vector<StmtRef> &block, Name n);

Flow flow(const Stmt &s, Name n) {
    if (!mentions(s, n))
        return Flow::Untouched;
    if (defines(s, n))
        return s.kind == StmtKind::AnnAssign && !s.value ? Flow::Other : Flow::Assigned;
    if (s.kind != StmtKind::If || mentions(*s.value, n))
        return Flow::Other;
    return flow(s.body, n) == Flow::Assigned && flow(s.orelse, n) == Flow::Assigned ? Flow::Assigned : Flow::Other;
}

Flow flow(const std::vector<StmtRef> &block, Name n) {
    for (const StmtRef &s : block)
        if (const Flow f = flow(*s, n); f != Flow::Untouched)
            return f;
    return Flow::Untouched;
}

bool headerMentions(const Stmt &s, Name n) {
    bool found = false;
    forEachExpr(s, [&](const Expr &e) { found = found || mentions(e, n); });
    return found;
}

// Is it a loop over n, where n is local to the loop?
bool ownsVariable(const Stmt &s, Name n) {
    return s.kind == StmtKind::For && isTarget(*s.targets[0], n) && !mentions(*s.value, n) && !assigns(s.body, n);
}

class Planner {
public:
    explicit Planner(const std::vector<StmtRef> &block) { number(block); }

    LocalPlan plan;

    void place(const std::vector<StmtRef> &block, Name n, int firstId) {
        std::vector<std::pair<const Stmt *, int>> uses;
        int id = firstId;
        for (const StmtRef &s : block) {
            if (mentions(*s, n))
                uses.emplace_back(s.get(), id);
            id += size(*s);
        }
        if (uses.empty())
            return;
        if (std::all_of(uses.begin(), uses.end(), [&](const auto &u) { return ownsVariable(*u.first, n); })) {
            for (const auto &u : uses)
                plan.loops.insert(u.second);
            return;
        }
        const auto &[first, number] = uses[0];
        if (uses.size() == 1 && descend(*first, n, number))
            return;
        if (canInitialise(*first, n))
            plan.initialised[number].insert(n);
        else
            plan.before[number].push_back(n);
    }

    // `auto [x, y] = f()` declares all or none.
    void settleTuples(const std::vector<const Stmt *> &order) {
        for (auto it = plan.initialised.begin(); it != plan.initialised.end();) {
            const Stmt &s = *order[static_cast<std::size_t>(it->first)];
            const bool tuple = s.targets[0]->kind == ExprKind::Tuple;
            if (tuple && it->second.size() != s.targets[0]->args.size()) {
                for (Name n : it->second)
                    plan.before[it->first].push_back(n);
                it = plan.initialised.erase(it);
            } else {
                ++it;
            }
        }
    }

private:
    std::map<const Stmt *, int> sizes_; // statements in a statement, itself included

    int number(const std::vector<StmtRef> &block) {
        int total = 0;
        for (const StmtRef &s : block)
            total += sizes_[s.get()] = 1 + number(s->body) + number(s->orelse);
        return total;
    }
    int size(const Stmt &s) const { return sizes_.at(&s); }

    static bool canInitialise(const Stmt &s, Name n) { return s.targets.size() == 1 && defines(s, n); }

    // If all uses are in the blocks of one statement, each block can hold its own declaration, provided that no value passes
    // between them.
    bool descend(const Stmt &s, Name n, int id) {
        if ((s.body.empty() && s.orelse.empty()) || headerMentions(s, n))
            return false;
        const bool loop = s.kind != StmtKind::If;
        const Flow inBody = flow(s.body, n), inElse = flow(s.orelse, n);
        if (loop && inBody != Flow::Assigned && !loopOwned(s.body, n))
            return false;
        if (inBody != Flow::Untouched)
            place(s.body, n, id + 1);
        if (inElse != Flow::Untouched) {
            int bodySize = 0;
            for (const StmtRef &b : s.body)
                bodySize += size(*b);
            place(s.orelse, n, id + 1 + bodySize);
        }
        return true;
    }

    // Is every use in the block inside a loop over that variable?
    static bool loopOwned(const std::vector<StmtRef> &block, Name n) {
        return std::all_of(block.begin(), block.end(), [&](const StmtRef &s) { return !mentions(*s, n) || ownsVariable(*s, n); });
    }
};

void collect(const std::vector<StmtRef> &block, std::vector<const Stmt *> &out) {
    for (const StmtRef &s : block) {
        out.push_back(s.get());
        collect(s->body, out);
        collect(s->orelse, out);
    }
}

} // namespace

bool mentions(const Expr &e, Name n) {
    if (e.kind == ExprKind::Name)
        return e.name == n;
    bool found = false;
    forEachChild(e, [&](const Expr &c) { found = found || mentions(c, n); });
    return found;
}

bool mentions(const Stmt &s, Name n) {
    const auto in = [&](const StmtRef &c) { return mentions(*c, n); };
    return headerMentions(s, n) || std::any_of(s.body.begin(), s.body.end(), in) ||
           std::any_of(s.orelse.begin(), s.orelse.end(), in);
}

bool assigns(const std::vector<StmtRef> &block, Name n) { return blockNames(block).written.count(n) > 0; }

std::vector<const Stmt *> inOrder(const std::vector<StmtRef> &block) {
    std::vector<const Stmt *> out;
    collect(block, out);
    return out;
}

LocalPlan planLocals(const std::vector<StmtRef> &block, const std::map<Name, Type> &locals) {
    Planner planner(block);
    for (const auto &local : locals)
        planner.place(block, local.first, 0);
    planner.settleTuples(inOrder(block));
    return std::move(planner.plan);
}

} // namespace sdfgc::py::detail
