// Statements of a tasklet in the tree: plain code, updates with conflict resolution, stream pushes, references.
#include "Tasklets.h"

#include <algorithm>

namespace sdfgc::tree {

namespace {

bool stores(const py::Stmt &s) {
    return s.kind == StmtKind::Assign || s.kind == StmtKind::AugAssign || s.kind == StmtKind::AnnAssign;
}

} // namespace

const Connection *TaskletLowering::storedTo(const py::Stmt &s) const {
    if (!stores(s) || s.targets.size() != 1)
        return nullptr;
    const py::Expr *t = s.targets[0].get();
    while (t->kind == ExprKind::Cast)
        t = t->args[0].get();
    if (t->kind == ExprKind::MemRef)
        if (auto it = slots_.find(refOf(*t)); it != slots_.end())
            return it->second;
    if (t->kind == ExprKind::Name)
        for (const Connection &c : outputs_)
            if ((c.setsReference && c.conn == t->name) || (c.keepsOld && l_.varName(in_, c.local) == t->name))
                return &c;
    return nullptr;
}

bool TaskletLowering::special(const Connection &c) { return c.wcr || c.stream || c.setsReference; }

bool TaskletLowering::containsSpecial(const std::vector<StmtRef> &code) const {
    for (const StmtRef &s : code) {
        const Connection *c = storedTo(*s);
        if ((c && special(*c)) || containsSpecial(s->body) || containsSpecial(s->orelse))
            return true;
    }
    return false;
}

void TaskletLowering::emit(const std::vector<StmtRef> &code, tree::Block &to) {
    bool split = containsSpecial(code);
    if (split)
        predeclare(code, to);
    tree::Code *group = nullptr;
    for (const StmtRef &s : code) {
        const Connection *c = storedTo(*s);
        bool structured = split && (s->kind == StmtKind::If || s->kind == StmtKind::While || s->kind == StmtKind::For) &&
                          (containsSpecial(s->body) || containsSpecial(s->orelse));
        if (c && special(*c)) {
            storeStatement(*c, *s, to);
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
            group->stmts.push_back(plainTarget(s));
        }
    }
}

void TaskletLowering::predeclare(const std::vector<StmtRef> &, tree::Block &to) {
    for (const auto &[name, type] : localTypes_) {
        Variable v;
        v.name = name;
        v.type = type ? type : Type(ScalarKind::Float64);
        to.add<Declare>(l_.fn(in_).vars.add(std::move(v)));
    }
    localTypes_.clear();
}

StmtRef TaskletLowering::plainTarget(const StmtRef &s) {
    if (s->targets.empty() || s->targets[0]->kind != ExprKind::Cast)
        return s;
    auto copy = std::make_shared<py::Stmt>(*s);
    while (copy->targets[0]->kind == ExprKind::Cast)
        copy->targets[0] = copy->targets[0]->args[0];
    return copy;
}

void TaskletLowering::emitStructured(const py::Stmt &s, tree::Block &to) {
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

void TaskletLowering::emitRange(const py::Stmt &s, tree::Block &to) {
    const py::Expr &call = *s.value;
    std::vector<ExprRef> args(call.kind == ExprKind::Call ? call.args.begin() + 1 : call.args.end(), call.args.end());
    const bool range = call.kind == ExprKind::Call && call.args[0]->kind == ExprKind::Name && call.args[0]->name == Name("range") &&
                       !args.empty() && args.size() <= 3 && s.targets[0]->kind == ExprKind::Name;
    if (!range) {
        l_.error(diag::Id::BadCode, analysis::placeOf(t_), "a loop with conflict resolution inside must be over `range`");
        return;
    }
    ExprRef variable = s.targets[0], begin = args.size() > 1 ? args[0] : py::intLit(0), end = args.size() > 1 ? args[1] : args[0];
    ExprRef step = args.size() > 2 ? args[2] : py::intLit(1);
    bool down = step->kind == ExprKind::Unary && step->op == py::Op::Neg;
    auto *loop = to.add<tree::Loop>();
    auto test = std::make_shared<py::Expr>();
    test->kind = ExprKind::Compare;
    test->args = {variable, end};
    test->ops = {down ? py::Op::Gt : py::Op::Lt};
    test->type = ScalarKind::Bool;
    loop->init = py::assign(variable, begin);
    loop->condition = test;
    loop->update = py::assign(variable, py::binary(py::Op::Add, variable, step, ScalarKind::Int64));
    emit(s.body, loop->body);
}

void TaskletLowering::storeStatement(const Connection &c, const py::Stmt &s, tree::Block &to) {
    const py::Expr *target = s.targets[0].get();
    while (target->kind == ExprKind::Cast)
        target = target->args[0].get();
    const auto old = olds_.find(s.old);
    storeValue(c, target->kind == ExprKind::MemRef ? target : nullptr, s.value,
               old != olds_.end() ? old->second
               : c.keepsOld       ? c.local
                                  : VarId(),
               to);
}

void TaskletLowering::store(const Connection &c, Name variable, tree::Block &to) {
    storeValue(c, nullptr, py::name(variable, c.type), c.keepsOld ? c.local : VarId(), to);
}

/// A vector that is combined with one element: every lane takes part.
void TaskletLowering::foldLanes(const Connection &c, ExprRef value, tree::Block &to) {
    auto *block = to.add<tree::Block>();
    block->braces = true;
    in_.fn->names.open();
    VarId lanes = l_.declareValue(in_, "lanes", c.type, true);
    block->add<Declare>(lanes)->init = std::move(value);
    for (int64_t k = 0; k < c.type.lanes(); ++k) {
        auto lane = std::make_shared<py::Expr>();
        lane->kind = ExprKind::Subscript;
        lane->type = c.type.element();
        lane->args = {py::name(l_.varName(in_, lanes), c.type), py::intLit(k)};
        auto *update = block->add<Update>();
        update->target = l_.elementAt(in_, c.place, c.start);
        update->value = lane;
        update->reduction = c.reduction;
        update->lambda = c.lambda;
        update->atomic = c.atomic;
    }
    in_.fn->names.close();
}

void TaskletLowering::storeValue(const Connection &c, const py::Expr *target, ExprRef value, VarId old, tree::Block &to) {
    if (c.setsReference) {
        // The value is an address: of a pointer connector, or a pointer computed by the code.
        if (value->kind == ExprKind::MemRef) {
            to.add<SetPointer>(c.place.var, refOf(*value));
        } else {
            auto *code = to.add<tree::Code>();
            code->stmts.push_back(py::assign(py::name(l_.varName(in_, c.place.var)), value));
        }
        return;
    }
    if (c.stream) {
        auto *push = to.add<StreamPush>();
        push->stream = l_.elementAt(in_, c.place, c.start);
        push->value = std::move(value);
        return;
    }
    RefId slot = target ? refOf(*target) : l_.elementAt(in_, c.place, c.start);
    std::vector<ExprRef> indices = target ? target->args : std::vector<ExprRef>();
    if (c.type.isVector() && !c.place.type.isVector() && !(c.wcr && c.single))
        l_.fn(in_).refs[slot].castTo = c.type;
    if (c.wcr && c.single && c.type.isVector() && !c.place.type.isVector())
        return foldLanes(c, std::move(value), to);
    if (c.wcr) {
        auto *update = to.add<Update>();
        update->target = slot;
        update->targetIndices = indices;
        update->value = std::move(value);
        update->reduction = c.reduction;
        update->lambda = c.lambda;
        update->atomic = c.atomic;
        update->old = old;
        return;
    }
    auto ref = std::make_shared<py::Expr>(*tree::memRef(slot, c.place.type));
    ref->args = indices;
    to.add<tree::Code>()->stmts.push_back(py::assign(ref, std::move(value)));
}

} // namespace sdfgc::tree
