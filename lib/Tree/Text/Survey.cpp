#include "Survey.h"

#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Walk.h"

#include <unordered_set>

namespace sdfgc::tree::text {
namespace {

/// Visits every occurrence of a variable in a function: f(id, declares).
class Occurrences {
public:
    Occurrences(const Function &f, std::function<void(VarId, bool)> report) : f_(f), report_(std::move(report)) {}

    void run() {
        for (VarId p : f_.params)
            declare(p);
        block(f_.body.body);
    }
    Scope scope;

private:
    void block(const std::vector<NodePtr> &body) {
        for (const NodePtr &n : body)
            node(*n);
    }
    void node(const Node &n) {
        Opened opened(scope, opensScope(n));
        visit(n, [this](const auto &x) {
            forEachField(
                x, [this](const auto &each, const auto &owner) { field<std::decay_t<decltype(each)>::role>(each.of(owner)); });
        });
    }
    template <Role R, class T> void field(const T &x) {
        if constexpr (R == Role::Declares || R == Role::Iterates)
            declare(x);
        else if constexpr (R == Role::Assigns)
            use(x);
        else if constexpr (R == Role::Reads || R == Role::Writes || R == Role::Uses)
            reference(x);
        else if constexpr (R == Role::Value || R == Role::Indices)
            forEachItem(x, [this](const py::ExprRef &e) { expr(e); });
        else if constexpr (R == Role::Statement)
            forEachItem(x, [this](const py::StmtRef &s) { stmt(s); });
        else if constexpr (R == Role::Inside)
            block(x);
        else if constexpr (R == Role::Block)
            inner(blockIn(x));
        else if constexpr (R == Role::Blocks)
            for (const auto &b : x)
                inner(*b);
    }
    void inner(const Block &b) {
        Opened opened(scope);
        block(b.body);
    }
    void declare(VarId v) {
        if (!v)
            return;
        report_(v, true);
        scope.declare(f_.vars[v].name, v);
    }
    void use(VarId v) {
        if (!v)
            return;
        if (f_.vars[v].kind == VarKind::Member)
            use(f_.vars[v].parent);
        report_(v, false);
    }
    void reference(RefId r) {
        if (r)
            use(f_.refs[r].var);
    }
    void expr(const py::ExprRef &e) {
        if (e)
            references(*e);
    }
    void stmt(const py::StmtRef &s) {
        if (s)
            forEachExpr(*s, [this](const py::Expr &e) { references(e); });
    }
    void references(const py::Expr &e) {
        forEachMemRef(e, [this](RefId r) { reference(r); });
    }

    const Function &f_;
    std::function<void(VarId, bool)> report_;
};

} // namespace

bool sameVariable(const Variable &a, const Variable &b) {
    bool same = a.parent == b.parent;
    forEachOwnField(a, [&](const auto &each, const Variable &x) { same = same && each.of(x) == each.of(b); });
    return same && a.name == b.name;
}

Survey::Survey(const Function &f) {
    std::unordered_set<VarId> declared, used;
    std::vector<VarId> order;
    Occurrences(f, [&](VarId v, bool declares) {
        if (declares)
            declared.insert(v);
        else if (used.insert(v).second)
            order.push_back(v);
    }).run();
    std::unordered_map<Name, int> numbers;
    auto rename = [&](VarId v) {
        if (!names.count(v))
            names[v] = f.vars[v].name.str() + "'" + std::to_string(++numbers[f.vars[v].name]);
    };
    // Variables that no statement declares are visible everywhere; of several different ones with the same name, only one can be
    // printed as that name.
    std::unordered_map<Name, VarId> everywhere;
    std::unordered_map<VarId, VarId> sameAs;
    for (VarId v : order) {
        if (declared.count(v))
            continue;
        if (f.vars[v].kind == VarKind::Member) {
            undeclared.push_back(v);
            continue;
        }
        auto [at, isNew] = everywhere.try_emplace(f.vars[v].name, v);
        if (isNew) {
            undeclared.push_back(v);
        } else if (sameVariable(f.vars[at->second], f.vars[v])) {
            sameAs[v] = at->second;
        } else {
            rename(v);
            undeclared.push_back(v);
        }
    }
    Occurrences *walk = nullptr;
    Occurrences again(f, [&](VarId v, bool declares) {
        if (declares || f.vars[v].kind == VarKind::Member)
            return;
        const VarId found = walk->scope.find(f.vars[v].name);
        auto same = sameAs.find(v);
        if (found != v && (same == sameAs.end() || found != same->second))
            rename(same == sameAs.end() ? v : same->second);
    });
    walk = &again;
    for (const auto &[name, v] : everywhere)
        again.scope.declare(name, v);
    again.run();
    for (const auto &[v, same] : sameAs)
        if (auto at = names.find(same); at != names.end())
            names[v] = at->second;
}

} // namespace sdfgc::tree::text
