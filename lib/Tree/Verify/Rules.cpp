#include "Rules.h"

namespace sdfgc::tree::rules {

void Report::report(diag::Message message, const Node &at) {
    std::string element = "function " + f.name.str() + ": " + std::string(keyword(at.kind));
    if (!at.comment.empty())
        element += " (" + at.comment + ")";
    diagnostics_.report(std::move(message), {{}, 0, 0, {}, element, {}});
    faults_ = true;
}

namespace {

/// The variables that a statement itself mentions, by id and by name.
class Mentioned {
public:
    std::function<void(VarId)> variable = [](VarId) {};
    std::function<void(RefId)> reference = [](RefId) {};
    std::function<void(Name, NameIn)> name; // optional: the sets of names take time

    void statement(const Node &n) {
        visit(n, [this](const auto &x) {
            forEachField(
                x, [this](const auto &each, const auto &owner) { field<std::decay_t<decltype(each)>::role>(each.of(owner)); });
        });
    }
    void size(sym::Expr e) {
        if (name)
            for (Name n : e.freeSymbols())
                name(n, NameIn::Size);
    }

private:
    template <Role R, class T> void field(const T &x) {
        if constexpr (R == Role::Declares || R == Role::Iterates || R == Role::Assigns)
            variable(x);
        else if constexpr (R == Role::Reads || R == Role::Writes || R == Role::Uses)
            reference(x);
        else if constexpr (R == Role::Size)
            forEachItem(x, [this](sym::Expr e) { size(e); });
        else if constexpr (R == Role::Value || R == Role::Indices)
            forEachItem(x, [this](const py::ExprRef &e) { expr(e); });
        else if constexpr (R == Role::Statement)
            forEachItem(x, [this](const py::StmtRef &s) { stmt(s); });
    }
    void expr(const py::ExprRef &e) {
        if (e)
            mentions(*e);
    }
    void stmt(const py::StmtRef &s) {
        if (s)
            forEachExpr(*s, [this](const py::Expr &e) { mentions(e); });
    }
    void mentions(const py::Expr &e) {
        if (name)
            for (Name n : py::freeNames(e))
                name(n, NameIn::Expression);
        forEachMemRef(e, reference);
    }
};

} // namespace

void forEachVariable(const Function &f, const Node &n, const std::function<void(VarId)> &use) {
    Mentioned all;
    all.variable = [&](VarId v) {
        if (v)
            use(v);
    };
    all.reference = [&](RefId r) {
        if (r)
            use(f.refs[r].var);
    };
    all.statement(n);
}

void forEachReference(const Node &n, const std::function<void(RefId)> &use) {
    Mentioned all;
    all.reference = use;
    all.statement(n);
}

void forEachName(const Function &f, const Node &n, const std::function<void(Name, NameIn)> &use) {
    Mentioned all;
    all.name = use;
    all.reference = [&](RefId r) {
        if (!r)
            return;
        forEachSize(f.refs[r], [&all](sym::Expr size) { all.size(size); });
    };
    all.statement(n);
}

} // namespace sdfgc::tree::rules

namespace sdfgc::tree {

bool verify(const Module &m, diag::Engine &diagnostics) {
    bool holds = true;
    for (const auto &f : m.functions) {
        rules::Report r(m, *f, diagnostics);
        if (rules::ids(r)) {
            rules::scopes(r);
            rules::jumps(r);
            rules::parallel(r);
            rules::calls(r);
            rules::memory(r);
            rules::streams(r);
            rules::graphs(r);
        }
        holds = holds && !r.faults();
    }
    return holds;
}

} // namespace sdfgc::tree
