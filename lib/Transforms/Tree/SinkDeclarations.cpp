// Sinks declarations to the first assignment, in the innermost scope that needs the variable.
//
//     double r1;                                     for (int64_t i = 0; i < n; ++i) {
//     int64_t i;                         becomes         const double r1 = rmax * i;
//     for (i = 0; i < n; ++i) {                          ...
//         r1 = rmax * i;
//
// A declaration moves down to its first use. It moves into a block or branch if all uses are inside, and into the body
// of a loop if, in addition, each iteration assigns the variable before reading it. It takes the assignment as its
// initialiser and becomes const if nothing else changes it. A variable that only loops use, each of which initialises
// it, is declared in the loop headers. Unused variables are removed.
//
// Not handled: blocks with labels, since a goto must not jump over an initialisation.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Flow.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

class Sinker {
public:
    explicit Sinker(Function &f) : f_(f), table_(f) {}
    /// Returns whether a declaration moved.
    bool run() {
        block(f_.body);
        return changed_;
    }

private:
    void block(Block &b);
    void sink(Block &b, std::size_t at);
    bool intoStatement(NodePtr declaration, Node &user);
    bool intoHeaders(const Block &b, const std::vector<std::size_t> &users, VarId v);
    py::ExprRef firstValue(const Node &n, VarId v) const;
    bool intoAssignment(Block &b, const std::vector<std::size_t> &users, const Declare &d);
    bool startsLoop(const Node &n, Name name);
    void index(const Block &b);
    std::vector<std::size_t> usersAfter(const Block &b, std::size_t at, Name n) const;
    bool movable(const Declare &d) const;
    bool sizeChanges(const Block &b, std::size_t from, std::size_t to, const Variable &v);

    Function &f_;
    EffectTable table_;
    std::vector<NodePtr> replaced_; // kept alive, since the table identifies statements by address

    // Users in the current block, so that many declarations do not each search many statements.
    std::unordered_map<Name, std::vector<const Node *>> users_; // statements that mention a movable variable, in order
    std::unordered_set<Name> assigned_;                         // variables that any statement changes
    bool changed_ = false;
};

bool Sinker::movable(const Declare &d) const {
    const Variable &v = f_.vars[d.var];
    bool kind = v.kind == VarKind::Value || v.kind == VarKind::Stack || v.kind == VarKind::Buffer;
    return kind && !d.init && !d.target && !v.zeroed;
}

void Sinker::block(Block &b) {
    if (!hasLabel(b)) {
        index(b);
        for (std::size_t i = b.body.size(); i-- > 0;)
            if (b.body[i]->kind == TreeKind::Declare && movable(static_cast<const Declare &>(*b.body[i])))
                sink(b, i);
    }
    std::erase_if(b.body, [](const NodePtr &n) { return !n; });
    for (NodePtr &n : b.body)
        forEachBlock(*n, [&](Block &inner) { block(inner); });
}

void Sinker::index(const Block &b) {
    users_.clear();
    assigned_.clear();
    for (const NodePtr &n : b.body)
        if (n->kind == TreeKind::Declare && movable(static_cast<const Declare &>(*n)))
            users_[f_.vars[static_cast<const Declare &>(*n).var].name];
    if (users_.empty())
        return;
    for (const NodePtr &n : b.body) {
        const Effects &mentions = table_.of(*n);
        assigned_.insert(mentions.changed.begin(), mentions.changed.end());
        assigned_.insert(mentions.inText.begin(), mentions.inText.end());
        for (Name name : mentions.names)
            if (auto it = users_.find(name); it != users_.end())
                it->second.push_back(n.get());
    }
}

/// Positions after `at`. Statements keep their order, so one walk over the block finds those in the index.
std::vector<std::size_t> Sinker::usersAfter(const Block &b, std::size_t at, Name n) const {
    std::vector<std::size_t> users;
    const std::vector<const Node *> &known = users_.at(n);
    auto next = std::find(known.begin(), known.end(), b.body[at].get());
    next = next == known.end() ? known.begin() : next + 1;
    for (std::size_t k = at + 1; k < b.body.size() && next != known.end(); ++k)
        if (b.body[k].get() == *next) {
            users.push_back(k);
            ++next;
        }
    return users;
}

/// Moves the declaration at a position of a block; leaves null there if it was moved elsewhere.
void Sinker::sink(Block &b, std::size_t at) {
    const auto &d = static_cast<const Declare &>(*b.body[at]);
    const Variable &v = f_.vars[d.var];
    std::vector<std::size_t> users = usersAfter(b, at, v.name);
    if (users.empty() || (v.kind == VarKind::Value && (intoAssignment(b, users, d) || intoHeaders(b, users, d.var)))) {
        replaced_.push_back(std::move(b.body[at]));
        changed_ = true;
        return;
    }
    if (sizeChanges(b, at + 1, users[0], v))
        return;
    if (users.size() == 1 && intoStatement(std::move(b.body[at]), *b.body[users[0]])) {
        changed_ = true;
        return;
    }
    if (!b.body[at]) { // intoStatement rejected it and returned it
        b.body[at] = std::move(replaced_.back());
        replaced_.pop_back();
    }
    // Placed right before its first use, above the comments that introduce that; memory of a buffer is allocated where it was.
    std::size_t to = users[0];
    while (to > at + 1 && (!b.body[to - 1] || b.body[to - 1]->kind == TreeKind::Comment))
        --to;
    if (v.kind == VarKind::Buffer || to == at + 1)
        return;
    std::rotate(b.body.begin() + static_cast<std::ptrdiff_t>(at), b.body.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                b.body.begin() + static_cast<std::ptrdiff_t>(to));
    changed_ = true;
}

/// Does a statement of a range change a symbol that the size of the variable depends on?
bool Sinker::sizeChanges(const Block &b, std::size_t from, std::size_t to, const Variable &v) {
    for (sym::Expr e : {v.count, v.startOffset})
        for (Name n : e.freeSymbols())
            for (std::size_t k = assigned_.count(n) ? from : to; k < to; ++k)
                if (b.body[k] && table_.of(*b.body[k]).changes(n))
                    return true;
    return false;
}

/// Moves the declaration into the only statement that uses the variable. A rejected declaration is left at the end of `replaced_`.
bool Sinker::intoStatement(NodePtr declaration, Node &user) {
    const Variable &v = f_.vars[static_cast<const Declare &>(*declaration).var];
    Block *into = nullptr;
    int blocks = 0;
    if (!table_.own(user).has(v.name))
        forEachBlock(user, [&](Block &inner) {
            bool uses =
                std::any_of(inner.body.begin(), inner.body.end(), [&](const NodePtr &n) { return table_.of(*n).has(v.name); });
            blocks += uses;
            if (uses)
                into = &inner;
        });
    bool plain = user.kind == TreeKind::Block || user.kind == TreeKind::If || user.kind == TreeKind::Measure;
    bool loop = user.kind == TreeKind::For || user.kind == TreeKind::Loop;
    // Arguments of a graph must be declared before it; variables used only by its host path need not.
    bool graph = user.kind == TreeKind::GraphRegion && v.kind == VarKind::Value && !static_cast<const Declare &>(*declaration).init;
    bool allowed = into && blocks == 1 && !hasLabel(*into) &&
                   (plain || graph || (loop && v.kind == VarKind::Value && valueFlow(f_, table_, *into, v.name) != Flow::Read));
    // Variables declared outside of parallel loops are shared.
    if (user.kind == TreeKind::For && static_cast<const For &>(user).omp)
        allowed = false;
    if (!allowed) {
        replaced_.push_back(std::move(declaration));
        return false;
    }
    into->body.insert(into->body.begin(), std::move(declaration));
    return true;
}

/// Does combining a value with the identity leave it unchanged?
bool keepsFirst(py::Reduction r) {
    using py::Reduction;
    return r == Reduction::Sum || r == Reduction::Product || r == Reduction::Min || r == Reduction::Max || r == Reduction::BitAnd ||
           r == Reduction::BitOr || r == Reduction::BitXor;
}

/// The value that a statement gives an uninitialised variable: the assigned one, or the operand of an update. A first update starts
/// from the identity, which the graph implies even if it does not state it. Null if the statement does anything else.
py::ExprRef Sinker::firstValue(const Node &n, VarId v) const {
    const Name name = f_.vars[v].name;
    if (n.kind == TreeKind::Code) {
        const auto &code = static_cast<const Code &>(n);
        return code.locals.empty() && code.stmts.size() == 1 && assignsWhole(f_, table_, code.stmts[0], name) ? code.stmts[0]->value
                                                                                                              : nullptr;
    }
    if (n.kind != TreeKind::Update)
        return nullptr;
    const auto &u = static_cast<const Update &>(n);
    const MemRef &target = f_.refs[u.target];
    const bool whole = target.var == v && u.targetIndices.empty() && !target.castTo;
    return whole && !u.old && keepsFirst(u.reduction) && !table_.inExpr(u.value).has(name) ? u.value : nullptr;
}

/// Merges `int64_t i; ... i = 0;` into one statement, if the first user assigns the variable.
bool Sinker::intoAssignment(Block &b, const std::vector<std::size_t> &users, const Declare &d) {
    const std::size_t user = users[0];
    Node &n = *b.body[user];
    const Variable &v = f_.vars[d.var];
    const py::ExprRef value = firstValue(n, d.var);
    if (!value)
        return false;
    auto declare = std::make_unique<Declare>(d.var);
    declare->init = value;
    declare->comment = n.comment;
    declare->origin = n.origin;
    bool changed = false;
    for (std::size_t k = 1; k < users.size(); ++k)
        changed = changed || table_.of(*b.body[users[k]]).changes(v.name);
    f_.vars[d.var].isConst = !changed && v.type.isScalar();
    for (Name mentioned : table_.of(n).names)
        if (auto it = users_.find(mentioned); it != users_.end())
            std::replace(it->second.begin(), it->second.end(), static_cast<const Node *>(&n),
                         static_cast<const Node *>(declare.get()));
    replaced_.push_back(std::move(b.body[user]));
    b.body[user] = std::move(declare);
    return true;
}

bool Sinker::startsLoop(const Node &n, Name name) {
    return n.kind == TreeKind::Loop && !static_cast<const Loop &>(n).declares && tree::startsLoop(f_, table_, n, name);
}

/// Declares `for (int64_t i = 0; ...)` in each of the statements that use the variable.
bool Sinker::intoHeaders(const Block &b, const std::vector<std::size_t> &users, VarId v) {
    Name name = f_.vars[v].name;
    if (!std::all_of(users.begin(), users.end(), [&](std::size_t k) { return startsLoop(*b.body[k], name); }))
        return false;
    for (std::size_t k : users) {
        VarId own = v;
        if (k != users.front()) { // each loop has a separate variable
            own = f_.vars.add(Variable(f_.vars[v]));
            replaceVariable(f_, *b.body[k], v, own);
        }
        static_cast<Loop &>(*b.body[k]).declares = own;
    }
    return true;
}

class SinkDeclarations : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &) override { return Sinker(f).run(); }
};

} // namespace

std::unique_ptr<pass::Pass> createSinkDeclarations() { return std::make_unique<SinkDeclarations>(); }

} // namespace sdfgc::transforms
