// Statements of a Python tasklet in the tree.
#include "TaskletStatements.h"

#include "TaskletStores.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Tasklet/Conversions.h"

namespace sdfgc::tree::lowering {

using py::ExprKind;
using py::ExprRef;
using py::StmtKind;
using py::StmtRef;

namespace {

/// Does the statement assign its target?
bool stores(const py::Stmt &s) {
    return s.kind == StmtKind::Assign || s.kind == StmtKind::AugAssign || s.kind == StmtKind::AnnAssign;
}

/// The element behind conversions of a read: `z`, for `float(std::real(z))` and `z != 0.0`.
const ExprRef &behindConversions(const ExprRef &e) {
    const ExprRef *at = &e;
    for (;;)
        switch ((*at)->kind) {
        case ExprKind::Cast:
        case ExprKind::Compare:
            at = &(*at)->args[0];
            break;
        case ExprKind::Call:
            at = &(*at)->args.back();
            break;
        default:
            return *at;
        }
}

/// Removes conversions of reads from the target of a store, which is the element itself. `c` is the connector of the store, if
/// there is one.
StmtRef plainTarget(const StmtRef &s, const Connection *c) {
    if (s->targets.empty() || behindConversions(s->targets[0]) == s->targets[0])
        return s;
    auto copy = std::make_shared<py::Stmt>(*s);
    copy->targets[0] = behindConversions(s->targets[0]);
    if (!c)
        return copy;
    copy->value = converted(*c, copy->value);
    if (c->type.isComplex() && !c->place.type.isComplex()) // which C++ does not convert by itself
        copy->value = py::asStored(c->place.type, copy->value);
    return copy;
}

} // namespace

const Connection *TaskletStatements::storedTo(const py::Stmt &s) const {
    if (!stores(s) || s.targets.size() != 1)
        return nullptr;
    const ExprRef &t = behindConversions(s.targets[0]);
    if (t->kind == ExprKind::MemRef)
        if (const Connection *c = binding_.connectionOf(refOf(*t)))
            return c;
    if (t->kind == ExprKind::Name)
        for (const Connection &c : connections_.outputs)
            if ((c.setsReference && c.conn == t->name) || (c.keepsOld && in_.varName(c.local) == t->name))
                return &c;
    return nullptr;
}

bool TaskletStatements::containsSpecial(const std::vector<StmtRef> &code) const {
    for (const StmtRef &s : code) {
        const Connection *c = storedTo(*s);
        if ((c && c->isSpecial()) || containsSpecial(s->body) || containsSpecial(s->orelse))
            return true;
    }
    return false;
}

std::vector<StmtRef> TaskletStatements::plain(const std::vector<StmtRef> &code) const {
    std::vector<StmtRef> out;
    for (const StmtRef &s : code) {
        out.push_back(plainTarget(s, storedTo(*s)));
        if (s->body.empty() && s->orelse.empty())
            continue;
        auto copy = std::make_shared<py::Stmt>(*out.back());
        copy->body = plain(s->body);
        copy->orelse = plain(s->orelse);
        out.back() = copy;
    }
    return out;
}

void TaskletStatements::emit(const std::vector<StmtRef> &code, tree::Block &to) {
    bool split = containsSpecial(code);
    if (split)
        predeclare(to);
    tree::Code *group = nullptr;
    for (const StmtRef &s : code) {
        const Connection *c = storedTo(*s);
        bool structured = split && (s->kind == StmtKind::If || s->kind == StmtKind::While || s->kind == StmtKind::For) &&
                          (containsSpecial(s->body) || containsSpecial(s->orelse));
        if (c && c->isSpecial()) {
            emitStore(*c, *s, to);
            group = nullptr;
        } else if (structured) {
            emitStructured(*s, to);
            group = nullptr;
        } else {
            if (!group) {
                group = to.add<tree::Code>();
                if (!split)
                    group->locals = localTypes_;
                group->braces = !group->locals.empty();
            }
            group->stmts.push_back(plain({s}).front());
        }
    }
}

void TaskletStatements::predeclare(tree::Block &to) {
    for (const auto &[name, type] : localTypes_) {
        Variable v;
        v.name = name;
        v.type = type ? type : Type(ScalarKind::Float64);
        to.add<Declare>(in_.function().vars.add(std::move(v)));
    }
    localTypes_.clear();
}

void TaskletStatements::emitStructured(const py::Stmt &s, tree::Block &to) {
    if (s.kind == StmtKind::If) {
        auto *branch = to.add<tree::If>();
        branch->branches.push_back({s.value, std::make_unique<tree::Block>()});
        emit(s.body, *branch->branches.back().body);
        if (!s.orelse.empty()) {
            branch->branches.push_back({nullptr, std::make_unique<tree::Block>()});
            emit(s.orelse, *branch->branches.back().body);
        }
    } else if (s.kind == StmtKind::While) {
        auto *loop = to.add<tree::Loop>();
        loop->condition = s.value;
        emit(s.body, loop->body);
    } else {
        emitRange(s, to);
    }
}

void TaskletStatements::emitRange(const py::Stmt &s, tree::Block &to) {
    const py::Expr &call = *s.value;
    std::vector<ExprRef> args(call.kind == ExprKind::Call ? call.args.begin() + 1 : call.args.end(), call.args.end());
    const bool range = call.kind == ExprKind::Call && call.args[0]->kind == ExprKind::Name && call.args[0]->name == Name("range") &&
                       !args.empty() && args.size() <= 3 && s.targets[0]->kind == ExprKind::Name;
    if (!range) {
        in_.error(diag::Id::BadCode, analysis::placeOf(t_), "a loop with conflict resolution inside must be over `range`");
        return;
    }
    ExprRef variable = s.targets[0], begin = args.size() > 1 ? args[0] : py::intLit(0), end = args.size() > 1 ? args[1] : args[0];
    ExprRef step = args.size() > 2 ? args[2] : py::intLit(1);
    bool down = step->kind == ExprKind::Unary && step->op == py::Op::Neg;
    auto *loop = to.add<tree::Loop>();
    loop->init = py::assign(variable, begin);
    loop->condition = py::compare(down ? py::Op::Gt : py::Op::Lt, variable, end);
    loop->update = py::assign(variable, py::binary(py::Op::Add, variable, step, ScalarKind::Int64));
    emit(s.body, loop->body);
}

void TaskletStatements::emitStore(const Connection &c, const py::Stmt &s, tree::Block &to) {
    const py::Expr *target = behindConversions(s.targets[0]).get();
    const auto old = olds_.find(s.old);
    storeValue(in_, c, target->kind == ExprKind::MemRef ? target : nullptr, s.value,
               old != olds_.end() ? old->second
               : c.keepsOld       ? c.local
                                  : VarId(),
               to);
}

} // namespace sdfgc::tree::lowering
