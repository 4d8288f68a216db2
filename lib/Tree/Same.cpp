// Are two modules the same program? Every field of every statement is compared, based on the tables of fields.
#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Walk.h"

#include <unordered_map>

namespace sdfgc::tree {
namespace {

class Comparison {
public:
    Comparison(const Module &a, const Module &b) : a_(a), b_(b) {}

    bool run() {
        where_ = "module";
        if (!fields(a_, b_) || a_.structs != b_.structs)
            return false;
        if (a_.functions.size() != b_.functions.size())
            return differ("functions");
        for (FunctionId id : a_.functions.ids())
            if (!function(*a_.functions[id], *b_.functions[id]))
                return false;
        return true;
    }
    bool run(const Function &f, const Block &a, const Block &b) {
        f_ = g_ = &f;
        return block(a, b);
    }
    std::string where() const { return where_; }

private:
    bool differ(const std::string &what) {
        where_ += ": " + what;
        return false;
    }

    bool function(const Function &f, const Function &g) {
        f_ = &f;
        g_ = &g;
        pairs_.clear();
        declared_.clear();
        where_ = "function " + f.name.str();
        if (!fields(f, g))
            return false;
        if (f.params.size() != g.params.size())
            return differ("parameters");
        for (std::size_t i = 0; i < f.params.size(); ++i)
            if (!variable(f.params[i], g.params[i], true))
                return differ("parameter " + std::to_string(i));
        return body(f.body.body, g.body.body);
    }

    // ---- variables by identity
    bool variable(VarId a, VarId b, bool declares) {
        if (!a || !b)
            return !a && !b;
        // A declared variable corresponds to exactly one other; a variable that no statement declares may have several indices.
        if (declares && !declared_.try_emplace(b, a).second && declared_[b] != a)
            return false;
        auto [at, isNew] = pairs_.try_emplace(a, b);
        if (!isNew)
            return at->second == b;
        const Variable &x = f_->vars[a], &y = g_->vars[b];
        return x.name == y.name && variable(x.parent, y.parent, false) && fields(x, y);
    }
    bool reference(RefId a, RefId b) {
        if (!a || !b)
            return !a && !b;
        const MemRef &x = f_->refs[a], &y = g_->refs[b];
        return variable(x.var, y.var, false) && fields(x, y);
    }

    // ---- expressions with their types
    bool expr(const py::ExprRef &a, const py::ExprRef &b) {
        if (!a || !b)
            return !a && !b;
        const bool hasOp = a->kind == py::ExprKind::Unary || a->kind == py::ExprKind::Binary || a->kind == py::ExprKind::BoolOp;
        const bool hasText = a->kind != py::ExprKind::Name && a->kind != py::ExprKind::MemRef;
        return a->kind == b->kind && (!hasOp || a->op == b->op) && a->type == b->type && a->name == b->name &&
               (!hasText || a->text == b->text) && a->ops == b->ops && a->params == b->params && reference(refOf(*a), refOf(*b)) &&
               exprs(a->args, b->args) &&
               std::equal(
                   a->keywords.begin(), a->keywords.end(), b->keywords.begin(), b->keywords.end(),
                   [this](const py::Keyword &x, const py::Keyword &y) { return x.name == y.name && expr(x.value, y.value); });
    }
    bool exprs(const std::vector<py::ExprRef> &a, const std::vector<py::ExprRef> &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [this](const auto &x, const auto &y) { return expr(x, y); });
    }
    bool stmt(const py::StmtRef &a, const py::StmtRef &b) {
        if (!a || !b)
            return !a && !b;
        return a->kind == b->kind && (a->kind != py::StmtKind::AugAssign || a->op == b->op) && a->type == b->type &&
               a->text == b->text && a->old == b->old && exprs(a->targets, b->targets) && expr(a->value, b->value) &&
               expr(a->extra, b->extra) && stmts(a->body, b->body) && stmts(a->orelse, b->orelse);
    }
    bool stmts(const std::vector<py::StmtRef> &a, const std::vector<py::StmtRef> &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [this](const auto &x, const auto &y) { return stmt(x, y); });
    }

    // ---- statements
    bool head(const Node &a, const Node &b) {
        return (a.comment == b.comment || differ("comment")) && (a.origin == b.origin || differ("origin"));
    }
    bool block(const Block &a, const Block &b) {
        return head(a, b) && (a.braces == b.braces || differ("braces")) && (a.raises == b.raises || differ("raises")) &&
               (a.catches == b.catches || differ("catches")) && body(a.body, b.body);
    }
    bool body(const std::vector<NodePtr> &a, const std::vector<NodePtr> &b) {
        const std::string outer = where_;
        for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
            where_ = outer + ": " + std::string(keyword(a[i]->kind));
            if (!node(*a[i], *b[i]))
                return false;
        }
        where_ = outer;
        return a.size() == b.size() || differ("number of statements");
    }
    bool node(const Node &a, const Node &b) {
        if (a.kind != b.kind)
            return differ("is " + std::string(keyword(b.kind)));
        return head(a, b) && visit(a, [&](const auto &x) { return fields(x, static_cast<decltype(x)>(b)); });
    }
    template <class T> bool fields(const T &x, const T &y) {
        bool same = true;
        forEachOwnField(x, [&](const auto &each, const T &owner) {
            using F = std::decay_t<decltype(each)>;
            if (!same)
                return;
            const std::size_t before = where_.size();
            same = field<F::role>(each.of(owner), each.of(y));
            if (!same && where_.size() == before)
                differ(*each.label ? each.label : "operand");
        });
        return same;
    }
    template <Role R, class T> bool field(const T &x, const T &y) {
        if constexpr (R == Role::Declares || R == Role::Iterates || R == Role::Assigns)
            return variable(x, y, R != Role::Assigns);
        else if constexpr (R == Role::Reads || R == Role::Writes || R == Role::Uses)
            return reference(x, y);
        else if constexpr (R == Role::Indices)
            return exprs(x, y);
        else if constexpr (R == Role::Value)
            return expr(x, y);
        else if constexpr (R == Role::Statement && std::is_same_v<T, py::StmtRef>)
            return stmt(x, y);
        else if constexpr (R == Role::Statement)
            return stmts(x, y);
        else if constexpr (R == Role::Block)
            return block(blockIn(x), blockIn(y));
        else if constexpr (R == Role::Inside)
            return body(x, y);
        else if constexpr (R == Role::Blocks) {
            bool same = x.size() == y.size();
            for (std::size_t i = 0; same && i < x.size(); ++i)
                same = block(*x[i], *y[i]);
            return same;
        } else if constexpr (R == Role::Parts || R == Role::Arguments)
            return parts(x, y);
        else
            return x == y;
    }
    template <class T> bool parts(const T &x, const T &y) {
        if constexpr (requires { x.begin(); }) {
            bool same = x.size() == y.size();
            for (std::size_t i = 0; same && i < x.size(); ++i)
                same = fields(x[i], y[i]);
            return same;
        } else {
            return !x || !y ? !x && !y : fields(*x, *y);
        }
    }

    const Module &a_, &b_;
    const Function *f_ = nullptr, *g_ = nullptr;
    std::unordered_map<VarId, VarId> pairs_, declared_;
    std::string where_;
};

} // namespace

bool same(const Module &a, const Module &b, std::string *difference) {
    Comparison c(a, b);
    const bool is = c.run();
    if (!is && difference)
        *difference = c.where();
    return is;
}

bool same(const Function &f, const Block &a, const Block &b) {
    const Module none;
    return Comparison(none, none).run(f, a, b);
}

} // namespace sdfgc::tree
