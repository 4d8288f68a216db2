// Chained assignments to outputs with conflict resolution.
#include "Tasklet/AstUtil.h"

#include <algorithm>

namespace sdfgc::py {

using namespace detail;

namespace {

class ChainSplitter {
public:
    explicit ChainSplitter(const std::function<Store(Name)> &storeOf) : storeOf_(storeOf) {}

    std::vector<StmtRef> block(const std::vector<StmtRef> &stmts) {
        std::vector<StmtRef> out;
        for (const StmtRef &s : stmts)
            statement(s, out);
        return out;
    }

private:
    void statement(const StmtRef &s, std::vector<StmtRef> &out) {
        if (!s->body.empty() || !s->orelse.empty()) {
            Stmt copy = *s;
            copy.body = block(s->body);
            copy.orelse = block(s->orelse);
            out.push_back(std::make_shared<const Stmt>(std::move(copy)));
        } else if (isChain(*s)) {
            split(*s, out);
        } else {
            out.push_back(s);
        }
    }
    bool isChain(const Stmt &s) const {
        return s.kind == StmtKind::Assign && s.targets.size() > 1 &&
               std::any_of(s.targets.begin(), s.targets.end(),
                           [&](const ExprRef &t) { return storeOf_(rootName(*t)) != Store::Plain; });
    }
    void split(const Stmt &s, std::vector<StmtRef> &out) {
        const ExprRef last = s.targets.back();
        const Store store = storeOf_(rootName(*last));
        const bool isWhole = last->kind == ExprKind::Name;
        Stmt rest = s;
        rest.targets.pop_back();
        if (store == Store::DynamicUpdate && isWhole) {
            out.push_back(one(s, last, s.value)); // reading it back gives the old value
            rest.value = last;
        } else if ((store == Store::Update || store == Store::DynamicUpdate) && !isWhole) {
            Stmt update = *one(s, last, s.value);
            update.old = Name("old " + std::to_string(number_++)); // names in programs have no spaces
            rest.value = name(update.old);
            out.push_back(std::make_shared<const Stmt>(std::move(update)));
        } else {
            return toEach(s, out);
        }
        statement(std::make_shared<const Stmt>(std::move(rest)), out);
    }
    /// Every target gets the value, which is computed once.
    void toEach(const Stmt &s, std::vector<StmtRef> &out) {
        ExprRef value = s.value;
        if (value->kind != ExprKind::Name && value->kind != ExprKind::Int && value->kind != ExprKind::Float &&
            value->kind != ExprKind::Bool) {
            const ExprRef kept = name(Name("chained_value"));
            out.push_back(one(s, kept, value));
            value = kept;
        }
        for (const ExprRef &t : s.targets)
            out.push_back(one(s, t, value));
    }
    static StmtRef one(const Stmt &s, ExprRef target, ExprRef value) {
        Stmt copy = s;
        copy.targets = {std::move(target)};
        copy.value = std::move(value);
        return std::make_shared<const Stmt>(std::move(copy));
    }

    const std::function<Store(Name)> &storeOf_;
    int number_ = 0;
};

bool mentions(const Expr &e, Name n) { return freeNames(e).count(n) != 0; }

/// Do the indices of a target mention the name?
bool indicesMention(const Expr &target, Name n) {
    if (target.kind == ExprKind::Tuple)
        return std::any_of(target.args.begin(), target.args.end(), [&](const ExprRef &t) { return indicesMention(*t, n); });
    for (const Expr *at = &target; at->kind == ExprKind::Subscript || at->kind == ExprKind::Attribute; at = at->args[0].get())
        for (std::size_t k = 1; k < at->args.size(); ++k)
            if (mentions(*at->args[k], n))
                return true;
    return false;
}

} // namespace

std::vector<StmtRef> splitChainedUpdates(const std::vector<StmtRef> &block, const std::function<Store(Name)> &storeOf) {
    return ChainSplitter(storeOf).block(block);
}

bool usesOldValue(const std::vector<StmtRef> &block, Name output, bool dynamic) {
    return std::any_of(block.begin(), block.end(), [&](const StmtRef &s) {
        const bool chained = s->targets.size() > 1 && rootName(*s->targets.back()) == output &&
                             (dynamic || s->targets.back()->kind == ExprKind::Subscript);
        const bool reads =
            (s->value && mentions(*s->value, output)) || (s->extra && mentions(*s->extra, output)) ||
            std::any_of(s->targets.begin(), s->targets.end(), [&](const ExprRef &t) { return indicesMention(*t, output); }) ||
            (s->kind == StmtKind::AugAssign && s->targets[0]->kind == ExprKind::Name && s->targets[0]->name == output);
        return chained || (dynamic && reads) || usesOldValue(s->body, output, dynamic) || usesOldValue(s->orelse, output, dynamic);
    });
}

} // namespace sdfgc::py
