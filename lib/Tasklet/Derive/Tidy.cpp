// Turns steps into statements for people: no dead values, no names for values used once, short branches as choices.
#include "Tasklet/AstUtil.h"
#include "Tasklet/Derive/Simplify.h"
#include "Tasklet/Derive/Steps.h"

#include <algorithm>
#include <unordered_map>

namespace sdfgc::py::detail {

namespace {

using Block = std::vector<StmtRef>;

constexpr std::size_t longestLine = 100;

void countNames(const Expr &e, std::map<Name, int> &uses) {
    if (e.kind == ExprKind::Name)
        ++uses[e.name];
    const Expr *callee = e.kind == ExprKind::Call ? e.args[0].get() : nullptr;
    forEachChild(e, [&](const Expr &c) {
        if (&c != callee)
            countNames(c, uses);
    });
}

bool assignsName(const Stmt &s) { return s.kind == StmtKind::Assign && s.targets[0]->kind == ExprKind::Name; }

/// Names that the statement itself reads.
std::map<Name, int> readsOf(const Stmt &s) {
    std::map<Name, int> uses;
    if (s.value)
        countNames(*s.value, uses);
    if (!s.targets.empty() && s.targets[0]->kind != ExprKind::Name)
        countNames(*s.targets[0], uses);
    return uses;
}

struct Counts {
    std::unordered_map<Name, int> uses, definitions; // never iterated, since its order is random
    void add(const Block &block) {
        for (const StmtRef &s : block) {
            for (const auto &[n, k] : readsOf(*s))
                uses[n] += k;
            if (assignsName(*s))
                ++definitions[s->targets[0]->name];
            add(s->body);
            add(s->orelse);
        }
    }
    explicit Counts(const Block &block) { add(block); }
    int usesOf(Name n) const {
        const auto it = uses.find(n);
        return it == uses.end() ? 0 : it->second;
    }
    int definitionsOf(Name n) const {
        const auto it = definitions.find(n);
        return it == definitions.end() ? 0 : it->second;
    }
};

StmtRef ifStatement(const ExprRef &condition, Block body, Block orelse) {
    Stmt s;
    s.kind = StmtKind::If;
    s.value = condition;
    s.body = std::move(body);
    s.orelse = std::move(orelse);
    if (s.body.empty()) {
        s.value = unary(Op::Not, condition);
        std::swap(s.body, s.orelse);
    }
    return std::make_shared<const Stmt>(std::move(s));
}

Block statements(const std::vector<DerivationStep> &steps) {
    Block out;
    for (const DerivationStep &s : steps) {
        if (s.kind == DerivationStep::Kind::Let)
            out.push_back(assign(name(s.name), s.value));
        if (s.kind == DerivationStep::Kind::Put)
            out.push_back(assign(s.target, s.value));
        if (s.kind != DerivationStep::Kind::Branch)
            continue;
        Block body = statements(s.then), orelse = statements(s.other);
        for (const Join &j : s.joins) {
            if (j.then)
                body.push_back(assign(name(j.result), j.then));
            if (j.other)
                orelse.push_back(assign(name(j.result), j.other));
        }
        if (!body.empty() || !orelse.empty())
            out.push_back(ifStatement(s.value, std::move(body), std::move(orelse)));
    }
    return out;
}

/// The block without dead values. `live`: names that later code reads.
Block alive(const Block &block, std::set<Name> &live) {
    Block out;
    for (auto it = block.rbegin(); it != block.rend(); ++it) {
        StmtRef s = *it;
        if (s->kind == StmtKind::If) {
            Block orelse = alive(s->orelse, live), body = alive(s->body, live);
            if (body.empty() && orelse.empty())
                continue;
            s = ifStatement(s->value, std::move(body), std::move(orelse));
        } else if (assignsName(*s) && !live.count(s->targets[0]->name)) {
            continue;
        }
        for (const auto &[n, k] : readsOf(*s))
            live.insert(n);
        out.push_back(std::move(s));
    }
    std::reverse(out.begin(), out.end());
    return out;
}

/// Inlines values that are used once, as long as lines stay short.
class Inliner {
public:
    Inliner(const Block &block, const std::set<Name> &results) : counts_(block), results_(results) {}

    Block run(const Block &block) {
        Block out;
        for (const StmtRef &s : block) {
            Stmt copy = *s;
            std::size_t length = lengthOf(copy);
            for (const auto &[n, k] : readsOf(*s))
                place(n, copy, length, out);
            if (s->kind == StmtKind::If) {
                copy.body = run(s->body);
                copy.orelse = run(s->orelse);
            } else if (movable(copy)) {
                pending_[copy.targets[0]->name] = copy.value;
                continue;
            }
            out.push_back(std::make_shared<const Stmt>(std::move(copy)));
        }
        return out;
    }

private:
    Counts counts_;
    const std::set<Name> &results_;
    std::map<Name, ExprRef> pending_;

    static std::size_t lengthOf(const Stmt &s) {
        return (s.value ? print(*s.value).size() : 0) + (s.targets.empty() ? 3 : print(*s.targets[0]).size() + 3);
    }
    bool movable(const Stmt &s) const {
        if (!assignsName(s))
            return false;
        const Name n = s.targets[0]->name;
        return !results_.count(n) && counts_.usesOf(n) == 1 && counts_.definitionsOf(n) == 1;
    }
    void place(Name n, Stmt &s, std::size_t &length, Block &out) {
        const auto it = pending_.find(n);
        if (it == pending_.end())
            return;
        const ExprRef value = it->second;
        pending_.erase(it);
        length += print(*value).size();
        if (length > longestLine) {
            length -= print(*value).size();
            out.push_back(assign(name(n), value));
            return;
        }
        s.value = substitute(s.value, {{n, value}});
        if (!s.targets.empty() && s.targets[0]->kind != ExprKind::Name)
            s.targets[0] = substitute(s.targets[0], {{n, value}});
    }
};

/// Writes `if c: x = a else: x = b` as `x = a if c else b` if that is short.
Block withChoices(const Block &block) {
    Block out;
    for (const StmtRef &s : block) {
        if (s->kind != StmtKind::If) {
            out.push_back(s);
            continue;
        }
        Block body = withChoices(s->body), orelse = withChoices(s->orelse);
        const bool one = body.size() == 1 && orelse.size() == 1 && assignsName(*body[0]) && assignsName(*orelse[0]) &&
                         equal(*body[0]->targets[0], *orelse[0]->targets[0]);
        if (one) {
            Expr e;
            e.kind = ExprKind::IfExp;
            e.args = {s->value, body[0]->value, orelse[0]->value};
            const StmtRef whole = assign(body[0]->targets[0], share(std::move(e)));
            if (print(*whole->value).size() + print(*whole->targets[0]).size() + 3 <= longestLine) {
                out.push_back(whole);
                continue;
            }
        }
        out.push_back(ifStatement(s->value, std::move(body), std::move(orelse)));
    }
    return out;
}

/// Removes copies `r = n` where the value could have been called r from the start.
class Copies {
public:
    Copies(const Block &block, const std::set<Name> &results) : counts_(block), results_(results) {}

    /// Independent copies, as a map from n to r.
    std::map<Name, Name> find(const Block &block) {
        visit(block);
        return std::move(found_);
    }

private:
    Counts counts_;
    const std::set<Name> &results_;
    std::map<Name, Name> found_;
    std::set<Name> touched_;

    void visit(const Block &block) {
        for (const StmtRef &s : block) {
            visit(s->body);
            visit(s->orelse);
            if (!assignsName(*s) || s->value->kind != ExprKind::Name)
                continue;
            const Name n = s->value->name, r = s->targets[0]->name;
            if (touched_.count(n) || touched_.count(r) || !mayRename(n, r, block))
                continue;
            found_[n] = r;
            touched_.insert({n, r});
        }
    }

    bool mayRename(Name n, Name r, const Block &block) const {
        if (results_.count(n) || counts_.definitionsOf(n) == 0 || n == r)
            return false;
        if (results_.count(r) && counts_.usesOf(n) != 1)
            return false;
        if (counts_.definitionsOf(r) == 1 && !results_.count(r))
            return false;
        return Counts(block).definitionsOf(n) == counts_.definitionsOf(n);
    }
};

Block withoutSelfCopies(const Block &block) {
    Block out;
    for (const StmtRef &s : block) {
        if (assignsName(*s) && equal(*s->value, *s->targets[0]))
            continue;
        out.push_back(s->kind == StmtKind::If ? ifStatement(s->value, withoutSelfCopies(s->body), withoutSelfCopies(s->orelse))
                                              : s);
    }
    return out;
}

Block withoutCopies(Block block, const std::set<Name> &results) {
    while (true) {
        std::map<Name, ExprRef> renamed;
        for (const auto &[n, r] : Copies(block, results).find(block))
            renamed[n] = name(r);
        if (renamed.empty())
            return block;
        block = withoutSelfCopies(substitute(block, renamed));
    }
}

/// Merges a branch that only prepares values for a later one under the same condition into the later one.
class Merger {
public:
    explicit Merger(const Block &block) : all_(block) {}

    Block run(Block block) {
        for (std::size_t k = 0; k < block.size(); ++k)
            for (std::size_t j = k + 1; block[k]->kind == StmtKind::If && j < block.size(); ++j)
                if (block[j]->kind == StmtKind::If && equal(*block[k]->value, *block[j]->value) && only(*block[k], *block[j])) {
                    block[j] = ifStatement(block[j]->value, joined(block[k]->body, block[j]->body),
                                           joined(block[k]->orelse, block[j]->orelse));
                    block.erase(block.begin() + static_cast<std::ptrdiff_t>(k--));
                    break;
                }
        for (StmtRef &s : block)
            if (s->kind == StmtKind::If)
                s = ifStatement(s->value, run(s->body), run(s->orelse));
        return block;
    }

private:
    Counts all_;

    static Block joined(Block a, const Block &b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    }
    bool onlyIn(const Block &defined, const Block &used) const {
        const Counts own(defined), later(used);
        return std::all_of(own.definitions.begin(), own.definitions.end(), [&](const auto &d) {
            return all_.usesOf(d.first) == own.usesOf(d.first) + later.usesOf(d.first) && all_.definitionsOf(d.first) == d.second;
        });
    }
    static bool puts(const Block &block) {
        return std::any_of(block.begin(), block.end(), [](const StmtRef &s) {
            return s->kind == StmtKind::If ? puts(s->body) || puts(s->orelse) : !assignsName(*s);
        });
    }
    bool only(const Stmt &first, const Stmt &second) const {
        return !puts(first.body) && !puts(first.orelse) && onlyIn(first.body, second.body) && onlyIn(first.orelse, second.orelse);
    }
};

/// Handles values that a branch computes and that later code reads under the same condition: the later code recomputes them.
class Repeater {
public:
    explicit Repeater(const Block &block) : counts_(block) { define(block); }

    Block run(const Block &block) { return run(block, {}); }

private:
    Counts counts_;
    std::map<Name, StmtRef> definitions_;

    void define(const Block &block) {
        for (const StmtRef &s : block) {
            if (assignsName(*s))
                definitions_[s->targets[0]->name] = s;
            define(s->body);
            define(s->orelse);
        }
    }
    /// Does the name have a single definition that is not available here? `known`: names assigned on the way here.
    bool isMissing(Name n, const std::set<Name> &known) const { return counts_.definitionsOf(n) == 1 && !known.count(n); }
    bool misses(const Stmt &s, const std::set<Name> &known) const {
        const std::map<Name, int> reads = readsOf(s);
        return std::any_of(reads.begin(), reads.end(), [&](const auto &r) { return isMissing(r.first, known); });
    }

    void supply(const Stmt &reader, std::set<Name> &known, Block &out) const {
        for (const auto &[n, k] : readsOf(reader))
            if (isMissing(n, known)) {
                const StmtRef &s = definitions_.at(n);
                supply(*s, known, out);
                known.insert(n);
                out.push_back(s);
            }
    }
    Block run(const Block &block, std::set<Name> known) const {
        Block out;
        for (StmtRef s : block) {
            if (assignsName(*s) && s->value->kind == ExprKind::IfExp && misses(*s, known)) // a choice computes only one side
                s = ifStatement(s->value->args[0], {assign(s->targets[0], s->value->args[1])},
                                {assign(s->targets[0], s->value->args[2])});
            supply(*s, known, out);
            if (s->kind == StmtKind::If) {
                s = ifStatement(s->value, run(s->body, known), run(s->orelse, known));
                for (const Name n : assigned(s->body))
                    if (assigned(s->orelse).count(n))
                        known.insert(n);
            } else if (assignsName(*s)) {
                known.insert(s->targets[0]->name);
            }
            out.push_back(std::move(s));
        }
        return out;
    }
    /// Names that a block assigns on every path.
    static std::set<Name> assigned(const Block &block) {
        std::set<Name> out;
        for (const StmtRef &s : block) {
            if (assignsName(*s))
                out.insert(s->targets[0]->name);
            if (s->kind == StmtKind::If)
                for (const std::set<Name> others = assigned(s->orelse); const Name n : assigned(s->body))
                    if (others.count(n))
                        out.insert(n);
        }
        return out;
    }
};

/// Writes `else: if ...; x = 0` as `elif`, by moving assignments of numbers at the end into the sides of the `if`.
Block withChains(const Block &block) {
    Block out;
    for (const StmtRef &s : block) {
        if (s->kind != StmtKind::If) {
            out.push_back(s);
            continue;
        }
        Block body = withChains(s->body), orelse = s->orelse;
        const bool chain =
            orelse.size() > 1 && orelse[0]->kind == StmtKind::If && !orelse[0]->orelse.empty() &&
            std::all_of(orelse.begin() + 1, orelse.end(), [](const StmtRef &t) { return assignsName(*t) && isLiteral(*t->value); });
        if (chain) {
            Block then = orelse[0]->body, other = orelse[0]->orelse;
            then.insert(then.end(), orelse.begin() + 1, orelse.end());
            other.insert(other.end(), orelse.begin() + 1, orelse.end());
            orelse = {ifStatement(orelse[0]->value, std::move(then), std::move(other))};
        }
        out.push_back(ifStatement(s->value, std::move(body), withChains(orelse)));
    }
    return out;
}

} // namespace

std::vector<StmtRef> tidied(const std::vector<DerivationStep> &steps, const std::set<Name> &results) {
    Block block = statements(steps);
    while (true) {
        std::set<Name> live = results;
        Block next = withoutCopies(alive(block, live), results);
        next = Merger(next).run(Inliner(next, results).run(next));
        next = rewrite(withChoices(next), signsOutside);
        if (equal(next, block))
            return withChains(Repeater(next).run(next));
        block = std::move(next);
    }
}

} // namespace sdfgc::py::detail
