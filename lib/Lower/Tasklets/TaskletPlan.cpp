// Decides which connectors of a Python tasklet become variables.
#include "TaskletPlan.h"

#include "Lower/Expressions/Expressions.h"
#include "TaskletNames.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using py::ExprKind;
using py::ExprRef;
using py::StmtKind;
using py::StmtRef;

namespace {

/// Is every store the last action on its path? Then no input is read after a store.
bool storesComeLast(const std::vector<StmtRef> &code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
        const py::Stmt &s = *code[i];
        bool last = i + 1 == code.size();
        if (s.kind == StmtKind::If && last)
            return storesComeLast(s.body) && storesComeLast(s.orelse);
        if (!last || s.kind == StmtKind::While || s.kind == StmtKind::For)
            return false;
    }
    return true;
}

} // namespace

void TaskletPlan::make(const std::vector<StmtRef> &code) {
    survey(code, false);
    const bool last = storesComeLast(code) && connections_.outputs.size() <= 1;
    for (Connection &c : connections_.outputs)
        planOutput(c);
    for (Connection &c : connections_.inputs)
        planInput(c, last);
}

// ---------------------------------------------------------------------------------------------------- survey of the code

void TaskletPlan::survey(const std::vector<StmtRef> &code, bool inLoop) {
    for (const StmtRef &s : code) {
        const bool loops = inLoop || s->kind == StmtKind::While || s->kind == StmtKind::For;
        for (auto *list : {&connections_.inputs, &connections_.outputs})
            for (Connection &c : *list) {
                for (const ExprRef &e : {s->value, s->extra})
                    if (e)
                        c.reads += countMentions(*e, c.conn);
                for (const ExprRef &target : s->targets)
                    surveyTarget(c, *s, *target, loops);
            }
        if (s->old)
            declareOld(*s);
        survey(s->body, loops);
        survey(s->orelse, loops);
    }
}

void TaskletPlan::surveyTarget(Connection &c, const py::Stmt &s, const py::Expr &target, bool inLoop) {
    if (targetName(target) != c.conn) {
        c.reads += countMentions(target, c.conn);
        return;
    }
    const bool plain = target.kind == ExprKind::Name;
    ++c.writes;
    c.inLoop |= inLoop && plain;
    c.augmented |= s.kind == StmtKind::AugAssign && plain;
    if (!plain)
        for (std::size_t i = 1; i < target.args.size(); ++i)
            c.reads += countMentions(*target.args[i], c.conn);
}

void TaskletPlan::declareOld(const py::Stmt &s) {
    const VarId v = in_.declareValue("old", connections_.output(targetName(*s.targets[0]))->type);
    out_.add<Declare>(v);
    olds_[s.old] = v;
}

// ---------------------------------------------------------------------------------------------------- decisions

VarId TaskletPlan::rootVariable(VarId v) const {
    const auto &vars = in_.function().vars;
    return v && vars[v].kind == VarKind::Member ? rootVariable(vars[v].parent) : v;
}

void TaskletPlan::planOutput(Connection &c) {
    const bool needsLocal =
        !c.pointer && !c.stream && (c.reads > 0 || c.augmented || c.inLoop || (c.wcr && !c.dynamic && c.writes > 1));
    c.keepsOld = needsLocal && c.wcr && c.dynamic;
    if (needsLocal)
        c.local = declareLocal(c, nullptr);
}

void TaskletPlan::planInput(Connection &c, bool storesComeLast) {
    if (c.pointer && !c.single)
        return;
    if (c.stream && (c.dynamic || !c.single))
        return;
    const bool written = std::any_of(connections_.outputs.begin(), connections_.outputs.end(), [&](const Connection &o) {
        return !o.local && rootVariable(o.place.var) == rootVariable(c.place.var);
    });
    const bool value = c.place.var && in_.function().vars[c.place.var].kind == VarKind::Value;
    const bool changed = c.writes > 0;
    const bool hazard = written && !storesComeLast && !c.dynamic;
    const bool unwieldy = !value && !c.dynamic && c.reads > 2 && c.start.str().size() > 8;
    const bool popped = c.stream && c.reads != 1;
    if (changed || hazard || unwieldy || popped)
        c.local = declareLocal(c, py::lowerOperators(readOf(in_, c), semantics(in_)));
}

VarId TaskletPlan::declareLocal(const Connection &c, ExprRef init) {
    VarId v = in_.declareValue(c.conn, c.type, init && c.writes == 0);
    out_.add<Declare>(v)->init = std::move(init);
    return v;
}

} // namespace sdfgc::tree::lowering
