// Visiting the blocks of any statement, and copying statements: based on the tables of fields.
#include "sdfgc/Tree/Walk.h"

#include "sdfgc/Tree/Rebind.h"
#include "sdfgc/Tree/Tree.h"

#include <algorithm>
#include <iterator>

namespace sdfgc::tree {

Node::~Node() = default;

namespace {

template <class N, class B> void eachBlock(N &n, const std::function<void(B &)> &f) {
    if constexpr (std::is_const_v<N>) {
        if (n.kind == TreeKind::Block)
            return f(static_cast<const Block &>(n));
    } else if (n.kind == TreeKind::Block) {
        return f(static_cast<Block &>(n));
    }
    visit(n, [&f](auto &x) {
        forEachField(x, [&f](const auto &each, auto &owner) {
            constexpr Role role = std::decay_t<decltype(each)>::role;
            if constexpr (role == Role::Block)
                f(blockIn(each.of(owner)));
            else if constexpr (role == Role::Blocks)
                for (auto &b : each.of(owner))
                    f(blockIn(b));
        });
    });
}

void cloneBody(const std::vector<NodePtr> &from, std::vector<NodePtr> &to) {
    for (const NodePtr &n : from)
        to.push_back(clone(*n));
}

void cloneHead(const Node &from, Node &to) {
    to.comment = from.comment;
    to.origin = from.origin;
}

void cloneBlock(const Block &from, Block &to) {
    cloneHead(from, to);
    to.braces = from.braces;
    cloneBody(from.body, to.body);
}

template <class T> void cloneFields(const T &from, T &to) {
    forEachOwnField(from, [&to](const auto &each, const T &owner) {
        using F = std::decay_t<decltype(each)>;
        const auto &x = each.of(owner);
        auto &y = each.of(to);
        if constexpr (F::role == Role::Inside) {
            cloneBody(x, y);
        } else if constexpr (F::role == Role::Block) {
            if constexpr (std::is_same_v<typename F::Member, std::unique_ptr<Block>>)
                y = std::make_unique<Block>();
            cloneBlock(blockIn(x), blockIn(y));
        } else if constexpr (F::role == Role::Blocks) {
            for (const auto &b : x)
                cloneBlock(*b, *y.emplace_back(std::make_unique<Block>()));
        } else if constexpr (std::is_same_v<typename F::Member, std::vector<If::Branch>>) {
            for (const If::Branch &part : x)
                cloneFields(part, y.emplace_back());
        } else {
            y = x;
        }
    });
}

} // namespace

void forEachBlock(Node &n, const std::function<void(Block &)> &f) { eachBlock(n, f); }
void forEachBlock(const Node &n, const std::function<void(const Block &)> &f) { eachBlock(n, f); }

namespace {

/// Sets `origin` if the statement is `at` or inside it.
bool findOrigin(const Node &at, const Node &statement, std::vector<int> &origin) {
    bool found = &at == &statement;
    forEachBlock(at, [&](const Block &b) {
        for (const NodePtr &n : b.body)
            found = found || (n && findOrigin(*n, statement, origin)); // null: a pass is moving it
    });
    if (found && origin.empty())
        origin = at.origin;
    return found;
}

} // namespace

std::vector<int> originOf(const Function &f, const Node &statement) {
    std::vector<int> origin;
    findOrigin(f.body, statement, origin);
    return origin;
}

void forEachMemRef(const py::Expr &e, const std::function<void(RefId)> &f) {
    if (e.kind == py::ExprKind::MemRef)
        f(refOf(e));
    for (const py::ExprRef &a : e.args)
        if (a)
            forEachMemRef(*a, f);
    for (const py::Keyword &k : e.keywords)
        forEachMemRef(*k.value, f);
}

void forEachExpr(const py::Stmt &s, const std::function<void(const py::Expr &)> &f) {
    for (const py::ExprRef &t : s.targets)
        f(*t);
    for (const py::ExprRef *e : {&s.value, &s.extra})
        if (*e)
            f(**e);
    for (const auto *list : {&s.body, &s.orelse})
        for (const py::StmtRef &inner : *list)
            forEachExpr(*inner, f);
}

bool contains(const Block &b, TreeKind kind) {
    bool found = false;
    for (const NodePtr &n : b.body) {
        found = found || n->kind == kind;
        forEachBlock(std::as_const(*n), [&](const Block &inner) { found = found || contains(inner, kind); });
    }
    return found;
}

bool hasLabel(const Block &b) {
    return std::any_of(b.body.begin(), b.body.end(), [](const NodePtr &n) { return n->kind == TreeKind::Label; });
}

namespace {

/// A node of an expression with its reference replaced by the result of `f`.
py::ExprRef rebound(const py::ExprRef &x, const std::function<void(RefId &)> &f) {
    if (x->kind != py::ExprKind::MemRef)
        return x;
    RefId r = refOf(*x);
    f(r);
    if (r == refOf(*x))
        return x;
    auto copy = std::make_shared<py::Expr>(*x);
    copy->slot = r.index;
    return copy;
}

} // namespace

void rebindMemory(py::ExprRef &e, const std::function<void(RefId &)> &f) {
    if (e)
        e = py::rewrite(e, [&f](const py::ExprRef &x) { return rebound(x, f); });
}

void rebindMemory(py::StmtRef &s, const std::function<void(RefId &)> &f) {
    if (s)
        s = py::rewrite(std::vector<py::StmtRef>{s}, [&f](const py::ExprRef &x) { return rebound(x, f); }).front();
}

std::size_t insert(Block &b, std::size_t at, std::vector<NodePtr> inserted) {
    std::size_t count = inserted.size();
    b.body.insert(b.body.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(inserted.begin()),
                  std::make_move_iterator(inserted.end()));
    return at + count;
}

NodePtr clone(const Node &n) {
    return visit(n, [](const auto &x) -> NodePtr {
        auto copy = std::make_unique<std::decay_t<decltype(x)>>();
        cloneHead(x, *copy);
        cloneFields(x, *copy);
        return copy;
    });
}

namespace {

/// A visitor of rebind() for replaceVariable().
class Replacement {
public:
    Replacement(Function &f, VarId one, VarId other) : f_(f), one_(one), other_(other) {}

    void var(VarId &v) const {
        if (v == one_)
            v = other_;
    }
    void slot(RefId &r) {
        if (!r || f_.refs[r].var != one_)
            return;
        RefId &replaced = replaced_[r];
        if (!replaced) {
            MemRef copy = f_.refs[r];
            copy.var = other_;
            replaced = f_.refs.add(std::move(copy));
        }
        r = replaced;
    }
    void sym(sym::Expr &) const {} // by name
    void expr(py::ExprRef &e) {
        rebindMemory(e, [this](RefId &r) { slot(r); });
    }
    void stmt(py::StmtRef &s) {
        rebindMemory(s, [this](RefId &r) { slot(r); });
    }

private:
    Function &f_;
    const VarId one_, other_;
    std::map<RefId, RefId> replaced_;
};

} // namespace

void replaceVariable(Function &f, Node &n, VarId one, VarId other) {
    Replacement replacement(f, one, other);
    rebindAll(n, replacement);
}

std::string_view keyword(TreeKind kind) {
    switch (kind) {
#define NODE(K, word, ...)                                                                                                         \
    case TreeKind::K:                                                                                                              \
        return word;
#include "sdfgc/Tree/Nodes.def"
    }
    return {};
}

} // namespace sdfgc::tree
