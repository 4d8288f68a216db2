// Removes code that a person would not write: branches that are never taken or do nothing, an `if` alone in an `else`, values
// copied again before their only use, literals whose type differs from the assigned variable's, braces around the end of a scope,
// and two comments where one is enough.
//
//     // state a                                     // state a, map m
//     // map m                                       for (int64_t i = 0; i < N; ++i) {
//     for (int64_t i = 0; i < N; ++i) {                  A[i] = B[i];
//         {                                              if (k != 1)
//             const double b = B[i];      becomes            A[i] = 0.0;
//             A[i] = b;                              }
//         }
//         if (k == 1) {
//         } else {
//             A[i] = 0.0;
//         }
//     }
//
// Not handled: blocks with labels (a goto must not jump over an initialisation), values that are used twice, and
// conversions.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

using py::ExprKind;
using py::Op;

constexpr std::size_t longComment = 100;

bool isComment(const NodePtr &n) { return n->kind == TreeKind::Comment; }
bool isEmpty(const Block &b) { return std::all_of(b.body.begin(), b.body.end(), isComment); }

/// The constant value of a condition: 1, 0, or -1 if unknown.
int known(const py::ExprRef &e) {
    if (!e)
        return 1;
    return e->kind == ExprKind::Bool ? e->text == "True" : -1;
}

/// `a != b` for `not (a == b)`, otherwise `not e`.
py::ExprRef opposite(const py::ExprRef &e) {
    if (e->kind == ExprKind::Unary && e->op == Op::Not && e->args[0]->type.isBool())
        return e->args[0];
    if (e->kind == ExprKind::Compare && e->ops.size() == 1 && (e->ops[0] == Op::Eq || e->ops[0] == Op::Ne)) {
        auto copy = std::make_shared<py::Expr>(*e);
        copy->ops[0] = e->ops[0] == Op::Eq ? Op::Ne : Op::Eq;
        return copy;
    }
    return py::unary(Op::Not, e, ScalarKind::Bool);
}

class Canonicaliser {
public:
    explicit Canonicaliser(Function &f) : f_(f) {}
    /// Returns whether anything was changed.
    bool run() {
        block(f_.body, true);
        return changed_;
    }

private:
    void block(Block &b, bool endsScope);
    void inner(Node &n);
    NodePtr branches(NodePtr n);
    void forwardCopies(Block &b);
    bool forward(Block &b, std::size_t at, EffectTable &table);
    bool mayTake(const Declare &d, const Node &user, const py::ExprRef &value) const;
    void literals(Node &n);
    bool isUse(const py::Expr &e, const Declare &d) const;
    int uses(const py::ExprRef &e, const Declare &d) const;
    void openLast(Block &b);
    void mergeComments(Block &b);
    py::ExprRef withoutNegatedComparisons(const py::ExprRef &e);

    Function &f_;
    bool changed_ = false;
};

py::ExprRef Canonicaliser::withoutNegatedComparisons(const py::ExprRef &e) {
    return !e ? e : py::rewrite(e, [this](const py::ExprRef &x) {
        const bool negated = x->kind == ExprKind::Unary && x->op == Op::Not && x->args[0]->kind == ExprKind::Compare;
        const py::ExprRef out = negated ? opposite(x->args[0]) : x;
        changed_ = changed_ || out != x;
        return out;
    });
}

/// An `If` without the branches that are never taken or do nothing; null if none is left.
NodePtr Canonicaliser::branches(NodePtr n) {
    auto &all = static_cast<If &>(*n).branches;
    for (If::Branch &b : all)
        b.condition = withoutNegatedComparisons(b.condition);
    const std::size_t before = all.size();
    std::erase_if(all, [](const If::Branch &b) { return known(b.condition) == 0; });
    auto always = std::find_if(all.begin(), all.end(), [](const If::Branch &b) { return known(b.condition) == 1; });
    if (always != all.end()) {
        changed_ = changed_ || always->condition;
        always->condition = nullptr;
        all.erase(always + 1, all.end());
    }
    while (!all.empty() && isEmpty(*all.back().body))
        all.pop_back();
    changed_ = changed_ || all.size() != before;
    if (all.empty())
        return nullptr;
    // `else if`: the only statement of the last branch has already been canonicalised.
    if (all.size() > 1 && !all.back().condition && all.back().body->body.size() == 1 &&
        all.back().body->body[0]->kind == TreeKind::If) {
        changed_ = true;
        NodePtr last = std::move(all.back().body->body[0]);
        all.pop_back();
        for (If::Branch &b : static_cast<If &>(*last).branches)
            all.push_back(std::move(b));
    }
    if (all.size() == 2 && all[0].condition && !all[1].condition && isEmpty(*all[0].body)) {
        changed_ = true;
        all[1].condition = opposite(all[0].condition);
        all.erase(all.begin());
    }
    if (all[0].condition)
        return n;
    changed_ = true;
    std::unique_ptr<Block> only = std::move(all[0].body);
    only->braces = std::any_of(only->body.begin(), only->body.end(), [](const NodePtr &s) { return s->kind == TreeKind::Declare; });
    only->origin = n->origin;
    return only;
}

void Canonicaliser::inner(Node &n) {
    if (n.kind == TreeKind::Loop)
        static_cast<Loop &>(n).condition = withoutNegatedComparisons(static_cast<Loop &>(n).condition);
    // A measurement and the label of a loop's `continue` come after the body, and a block without braces is not a scope.
    const bool ends = n.kind != TreeKind::Measure && !(n.kind == TreeKind::Loop && !static_cast<Loop &>(n).continueLabel.empty()) &&
                      !(n.kind == TreeKind::Block && !static_cast<Block &>(n).braces);
    forEachBlock(n, [&](Block &b) { block(b, ends); });
}

void Canonicaliser::block(Block &b, bool endsScope) {
    for (NodePtr &n : b.body) {
        literals(*n);
        inner(*n);
        if (n->kind == TreeKind::If)
            n = branches(std::move(n));
    }
    std::erase_if(b.body, [](const NodePtr &n) { return !n; });
    if (!hasLabel(b)) {
        forwardCopies(b);
        if (endsScope)
            openLast(b);
    }
    mergeComments(b);
}

/// The enclosing scope ends here anyway.
void Canonicaliser::openLast(Block &b) {
    while (!b.body.empty() && b.body.back()->kind == TreeKind::Block) {
        NodePtr last = std::move(b.body.back());
        b.body.pop_back();
        auto &scope = static_cast<Block &>(*last);
        if (hasLabel(scope)) {
            b.body.push_back(std::move(last));
            return;
        }
        changed_ = true;
        if (!scope.comment.empty() && !scope.body.empty())
            b.body.push_back(std::make_unique<Comment>(scope.comment));
        for (NodePtr &n : scope.body) {
            if (n->origin.empty())
                n->origin = scope.origin;
            b.body.push_back(std::move(n));
        }
    }
}

bool printsComment(const Node &n) {
    bool statement = n.kind == TreeKind::For || n.kind == TreeKind::Loop || n.kind == TreeKind::RawTasklet ||
                     n.kind == TreeKind::LibraryCall || n.kind == TreeKind::Comment;
    return (statement || (n.kind == TreeKind::Block && static_cast<const Block &>(n).braces)) && !n.comment.empty();
}

void Canonicaliser::mergeComments(Block &b) {
    for (std::size_t i = 0; i + 1 < b.body.size(); ++i) {
        Node &next = *b.body[i + 1];
        if (!isComment(b.body[i]) || !printsComment(next) || b.body[i]->comment.size() + next.comment.size() > longComment)
            continue;
        next.comment = b.body[i]->comment + ", " + next.comment;
        b.body[i] = nullptr;
        changed_ = true;
    }
    std::erase_if(b.body, [](const NodePtr &n) { return !n; });
}

// ---------------------------------------------------------------------------------------------------- copies

bool Canonicaliser::isUse(const py::Expr &e, const Declare &d) const {
    if (e.kind == ExprKind::Name)
        return e.name == f_.vars[d.var].name;
    return e.kind == ExprKind::MemRef && f_.refs[refOf(e)].var == d.var;
}

int Canonicaliser::uses(const py::ExprRef &e, const Declare &d) const {
    int count = 0;
    if (e)
        py::rewrite(e, [&](const py::ExprRef &x) {
            count += isUse(*x, d);
            return x;
        });
    return count;
}

/// `const T x = A[i];`, with an unchanged value: the same type, and not popped from a stream.
bool isCopy(const Node &n, const Function &f) {
    if (n.kind != TreeKind::Declare)
        return false;
    const auto &d = static_cast<const Declare &>(n);
    const Variable &v = f.vars[d.var];
    if (!d.init || !v.isConst || v.kind != VarKind::Value || d.init->type != v.type || d.init->kind != ExprKind::MemRef)
        return false;
    const MemRef &r = f.refs[refOf(*d.init)];
    return !r.pop && !r.address && !r.castTo;
}

/// The value of a statement that can take a copy; null if there is none.
py::ExprRef *valueOf(Node &n) {
    switch (n.kind) {
    case TreeKind::Declare:
        return &static_cast<Declare &>(n).init;
    case TreeKind::Update:
        return &static_cast<Update &>(n).value;
    case TreeKind::StreamPush:
        return &static_cast<StreamPush &>(n).value;
    case TreeKind::If:
        return &static_cast<If &>(n).branches[0].condition;
    default:
        return nullptr;
    }
}

/// The only assignment of a statement, or null.
const py::Stmt *assignment(const Node &n) {
    if (n.kind != TreeKind::Code)
        return nullptr;
    const auto &code = static_cast<const Code &>(n);
    const bool single = code.stmts.size() == 1 && code.stmts[0]->kind == py::StmtKind::Assign && code.stmts[0]->targets.size() == 1;
    return single ? code.stmts[0].get() : nullptr;
}

/// Can the value of a declaration be computed in the statement that uses it? A copy can; another value only if the statement just
/// passes it to a variable or element of the same type.
bool Canonicaliser::mayTake(const Declare &d, const Node &user, const py::ExprRef &value) const {
    const Variable &v = f_.vars[d.var];
    if (user.kind == TreeKind::Update) {
        const auto &u = static_cast<const Update &>(user);
        const bool sameMemory = isCopy(d, f_) && f_.refs[u.target].var == f_.refs[refOf(*d.init)].var;
        return isCopy(d, f_) && u.targetIndices.empty() && !u.lambda && !(u.atomic && sameMemory);
    }
    if (isCopy(d, f_))
        return true;
    if (!d.init || !v.isConst || v.kind != VarKind::Value || !value || !isUse(*value, d))
        return false;
    const py::Stmt *s = assignment(user);
    return s ? s->targets[0]->type == v.type
             : user.kind == TreeKind::Declare && f_.vars[static_cast<const Declare &>(user).var].type == v.type;
}

/// Replaces the name declared at `at` with its value, if its only use is in the next statement that has an effect.
bool Canonicaliser::forward(Block &b, std::size_t at, EffectTable &table) {
    const auto &d = static_cast<const Declare &>(*b.body[at]);
    const Name name = f_.vars[d.var].name;
    const bool copy = isCopy(d, f_); // other values keep their order relative to reads and calls
    std::size_t user = at + 1;
    while (user < b.body.size() &&
           (isComment(b.body[user]) || (copy && isCopy(*b.body[user], f_) && !table.of(*b.body[user]).has(name))))
        ++user;
    if (user == b.body.size())
        return false;
    Node &n = *b.body[user];
    const py::Stmt *s = assignment(n);
    py::ExprRef *place = s ? nullptr : valueOf(n);
    const py::ExprRef value = s ? s->value : place ? *place : nullptr;
    if (!value || !mayTake(d, n, value) || uses(value, d) != 1 || (s && uses(s->targets[0], d) != 0))
        return false;
    for (std::size_t k = user + 1; k < b.body.size(); ++k)
        if (table.of(*b.body[k]).has(name))
            return false;
    const py::ExprRef changed = py::rewrite(value, [&](const py::ExprRef &x) { return isUse(*x, d) ? d.init : x; });
    if (s) {
        auto copy = std::make_shared<py::Stmt>(*s);
        copy->value = changed;
        static_cast<Code &>(n).stmts = {std::move(copy)};
    } else {
        *place = changed;
    }
    table.forget(n);
    if (table.of(n).has(name)) { // in an index, where the name is part of a symbolic expression, or in a branch
        if (s) {
            auto copy = std::make_shared<py::Stmt>(*static_cast<Code &>(n).stmts[0]);
            copy->value = value;
            static_cast<Code &>(n).stmts = {std::move(copy)};
        } else {
            *place = value;
        }
        table.forget(n);
        return false;
    }
    if (n.origin.empty())
        n.origin = d.origin;
    changed_ = true;
    return true;
}

void Canonicaliser::forwardCopies(Block &b) {
    EffectTable table(f_);
    for (std::size_t i = b.body.size(); i-- > 0;)
        if (b.body[i]->kind == TreeKind::Declare && forward(b, i, table)) {
            table.forget(*b.body[i]);
            b.body.erase(b.body.begin() + static_cast<std::ptrdiff_t>(i));
        }
}

// ---------------------------------------------------------------------------------------------------- literals

/// A literal, possibly negated, as a person writes it for a variable of type `t`: `0` for an integer, `0.0f` for a float.
py::ExprRef asLiteralOf(const py::ExprRef &e, Type t) {
    if (e->kind == ExprKind::Unary && e->op == Op::Neg) {
        const py::ExprRef inner = asLiteralOf(e->args[0], t);
        return inner == e->args[0] ? e : py::unary(Op::Neg, inner, t);
    }
    if (e->kind != ExprKind::Float || !t.isScalar() || e->type == t)
        return e;
    auto copy = std::make_shared<py::Expr>(*e);
    copy->type = t;
    if (t.isFloat() && t.scalar() == ScalarKind::Float32)
        return copy;
    const std::size_t dot = e->text.find('.');
    const bool whole = dot != std::string::npos && dot > 0 && dot < 9 &&
                       e->text.find_first_not_of("0123456789.") == std::string::npos &&
                       e->text.find_first_not_of('0', dot + 1) == std::string::npos;
    if (!t.isInteger() || t.isBool() || !whole)
        return e;
    copy->kind = ExprKind::Int;
    copy->text.resize(dot);
    return copy;
}

void Canonicaliser::literals(Node &n) {
    if (n.kind == TreeKind::Declare) {
        auto &d = static_cast<Declare &>(n);
        const py::ExprRef literal = d.init ? asLiteralOf(d.init, f_.vars[d.var].type) : nullptr;
        changed_ = changed_ || literal != d.init;
        d.init = literal;
    }
    if (n.kind != TreeKind::Code)
        return;
    for (py::StmtRef &s : static_cast<Code &>(n).stmts) {
        if (s->kind != py::StmtKind::Assign || s->targets.size() != 1)
            continue;
        const py::ExprRef literal = asLiteralOf(s->value, s->targets[0]->type);
        if (literal == s->value)
            continue;
        auto copy = std::make_shared<py::Stmt>(*s);
        copy->value = literal;
        s = std::move(copy);
        changed_ = true;
    }
}

class Canonicalise : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &) override { return Canonicaliser(f).run(); }
};

} // namespace

std::unique_ptr<pass::Pass> createCanonicalise() { return std::make_unique<Canonicalise>(); }

} // namespace sdfgc::transforms
