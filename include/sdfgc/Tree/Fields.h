// Every reference that a statement of the schedule tree makes, by reference: for steps that move statements between functions.
//
// `F` has members var(VarId &), slot(int &), expr(py::ExprRef &), stmt(py::StmtRef &), sym(sym::Expr &); ids may be -1, trees null.
#pragma once

#include "sdfgc/Tree/Tree.h"

namespace sdfgc::tree {

template <class F> void omp(Omp &o, F &f) {
    f.sym(o.numThreads);
    f.sym(o.onlyIf);
    for (Omp::Reduction &r : o.reductions) {
        f.var(r.var);
        f.sym(r.count);
    }
}

template <class F> void arguments(std::vector<Call::Argument> &list, F &f) {
    for (Call::Argument &a : list) {
        f.slot(a.ref);
        f.sym(a.value);
        f.expr(a.expr);
    }
}

/// The fields of loops, branches and regions themselves; their blocks are visited with forEachBlock.
template <class F> bool controlFields(Node &n, F &f) {
    switch (n.kind) {
    case Kind::For: {
        auto &x = static_cast<For &>(n);
        f.var(x.var);
        f.sym(x.begin);
        f.sym(x.end);
        f.sym(x.step);
        if (x.omp)
            omp(*x.omp, f);
        for (Omp::Reduction &r : x.simd)
            f.var(r.var);
        return true;
    }
    case Kind::Loop: {
        auto &x = static_cast<Loop &>(n);
        f.stmt(x.init);
        f.stmt(x.update);
        f.var(x.declares);
        f.expr(x.condition);
        return true;
    }
    case Kind::If:
        for (If::Branch &b : static_cast<If &>(n).branches)
            f.expr(b.condition);
        return true;
    case Kind::ParallelRegion: {
        auto &x = static_cast<ParallelRegion &>(n);
        f.var(x.threadVar);
        f.var(x.teamSizeVar);
        f.sym(x.numThreads);
        f.sym(x.onlyIf);
        return true;
    }
    case Kind::Consume: {
        auto &x = static_cast<Consume &>(n);
        f.slot(x.stream);
        f.sym(x.numPes);
        f.expr(x.condition);
        f.var(x.peVar);
        f.var(x.elementVar);
        f.var(x.countVar);
        return true;
    }
    default:
        return false;
    }
}

/// Fields of the operations of a GPU program's host side.
template <class F> bool deviceFields(Node &n, F &f) {
    switch (n.kind) {
    case Kind::Launch: {
        auto &x = static_cast<Launch &>(n);
        arguments(x.arguments, f);
        for (auto *sizes : {&x.grid, &x.block})
            for (sym::Expr &e : *sizes)
                f.sym(e);
        return true;
    }
    case Kind::DeviceCopy: {
        auto &x = static_cast<DeviceCopy &>(n);
        f.slot(x.source);
        f.slot(x.target);
        for (sym::Expr *e : {&x.width, &x.rows, &x.sourcePitch, &x.targetPitch, &x.slices, &x.sourceSlice, &x.targetSlice})
            f.sym(*e);
        return true;
    }
    case Kind::DeviceFill: {
        auto &x = static_cast<DeviceFill &>(n);
        f.slot(x.target);
        f.sym(x.count);
        f.expr(x.value);
        return true;
    }
    default:
        return false;
    }
}

/// All fields of one statement, without the statements inside of it.
template <class F> void fields(Node &n, F &f) {
    if (controlFields(n, f) || deviceFields(n, f))
        return;
    switch (n.kind) {
    case Kind::Declare: {
        auto &x = static_cast<Declare &>(n);
        f.var(x.var);
        f.expr(x.init);
        return f.slot(x.target);
    }
    case Kind::Allocate: {
        auto &x = static_cast<Allocate &>(n);
        f.var(x.var);
        return f.sym(x.count);
    }
    case Kind::Release:
        return f.var(static_cast<Release &>(n).var);
    case Kind::Code:
        for (py::StmtRef &s : static_cast<Code &>(n).stmts)
            f.stmt(s);
        return;
    case Kind::Update: {
        auto &x = static_cast<Update &>(n);
        f.slot(x.target);
        for (py::ExprRef &i : x.targetIndices)
            f.expr(i);
        f.expr(x.value);
        f.expr(x.lambda);
        return f.var(x.old);
    }
    case Kind::RawTasklet:
        for (RawTasklet::Binding &b : static_cast<RawTasklet &>(n).bindings) {
            f.slot(b.ref);
            f.sym(b.symbol);
        }
        return;
    case Kind::Memcpy: {
        auto &x = static_cast<Memcpy &>(n);
        f.slot(x.source);
        f.slot(x.target);
        return f.sym(x.count);
    }
    case Kind::Fill: {
        auto &x = static_cast<Fill &>(n);
        f.slot(x.target);
        f.sym(x.count);
        return f.expr(x.value);
    }
    case Kind::SetPointer: {
        auto &x = static_cast<SetPointer &>(n);
        f.var(x.var);
        return f.slot(x.source);
    }
    case Kind::Call:
        return arguments(static_cast<Call &>(n).arguments, f);
    case Kind::StreamPush: {
        auto &x = static_cast<StreamPush &>(n);
        f.slot(x.stream);
        f.expr(x.value);
        f.slot(x.source);
        return f.sym(x.count);
    }
    case Kind::StreamPop: {
        auto &x = static_cast<StreamPop &>(n);
        f.slot(x.stream);
        f.slot(x.target);
        f.var(x.countVar);
        return f.sym(x.count);
    }
    case Kind::DataProbe: {
        auto &x = static_cast<DataProbe &>(n);
        f.slot(x.ref);
        for (auto *list : {&x.shape, &x.strides})
            for (sym::Expr &e : *list)
                f.sym(e);
        f.sym(x.count);
        return f.expr(x.condition);
    }
    default:
        return;
    }
}

} // namespace sdfgc::tree
