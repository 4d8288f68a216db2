// Statements that store the results of a tasklet.
#include "TaskletStores.h"

#include "Lower/Memory/Elements.h"

#include "sdfgc/Tasklet/Conversions.h"

namespace sdfgc::tree::lowering {

namespace {

/// An update of an element of type `t` by the connector's conflict resolution.
Update &resolve(const Connection &c, RefId target, Type t, const py::ExprRef &value, Block &to) {
    auto *update = to.add<Update>();
    update->target = target;
    update->value = py::operandOf(c.reduction, t, value);
    update->reduction = c.reduction;
    update->lambda = c.lambda;
    return *update;
}

/// A vector that updates a single element: its lanes are combined first, without accessing memory, and the result is one update.
void foldLanes(Instance &in, const Connection &c, py::ExprRef value, VarId old, Block &to) {
    auto *block = to.add<Block>();
    block->braces = true;
    in.fn->names.open();
    const Type element = c.type.element();
    const VarId lanes = in.declareValue("lanes", c.type, true);
    block->add<Declare>(lanes)->init = std::move(value);
    const auto lane = [&](int64_t k) {
        auto e = std::make_shared<py::Expr>();
        e->kind = py::ExprKind::Subscript;
        e->type = element;
        e->args = {py::name(in.varName(lanes), c.type), py::intLit(k)};
        return e;
    };
    MemoryPlace folded;
    folded.var = in.declareValue("folded", element);
    folded.type = element;
    block->add<Declare>(folded.var)->init = lane(0);
    for (int64_t k = 1; k < c.type.lanes(); ++k)
        resolve(c, elementAt(in, folded, 0), element, lane(k), *block);
    Update &update = resolve(c, elementAt(in, c.place, c.start), c.place.type, read(in, folded, 0), *block);
    update.atomic = c.atomic;
    update.old = old;
    in.fn->names.close();
}

} // namespace

void store(Instance &in, const Connection &c, Name variable, Block &to) {
    storeValue(in, c, nullptr, py::name(variable, c.type), c.keepsOld ? c.local : VarId(), to);
}

void storeValue(Instance &in, const Connection &c, const py::Expr *target, py::ExprRef value, VarId old, Block &to) {
    if (c.setsReference) {
        // The value is an address: of a pointer connector, or a pointer computed by the code.
        if (value->kind == py::ExprKind::MemRef) {
            to.add<SetPointer>(c.place.var, refOf(*value));
        } else {
            auto *code = to.add<Code>();
            code->stmts.push_back(py::assign(py::name(in.varName(c.place.var)), value));
        }
        return;
    }
    if (c.stream) {
        auto *push = to.add<StreamPush>();
        push->stream = elementAt(in, c.place, c.start);
        push->value = py::asStored(c.place.type, converted(c, value));
        return;
    }
    value = converted(c, std::move(value));
    RefId slot = target ? refOf(*target) : elementAt(in, c.place, c.start);
    if (!target)
        recordElement(in, slot, c.place, c.subset);
    std::vector<py::ExprRef> indices = target ? target->args : std::vector<py::ExprRef>();
    if (c.type.isVector() && !c.place.type.isVector() && !(c.wcr && c.single))
        in.function().refs[slot].castTo = c.type;
    if (c.wcr && c.single && c.type.isVector() && !c.place.type.isVector())
        return foldLanes(in, c, std::move(value), old, to);
    if (c.wcr) {
        const Type cast = in.function().refs[slot].castTo;
        Update &update = resolve(c, slot, cast ? cast : c.place.type, value, to);
        update.targetIndices = indices;
        update.atomic = c.atomic;
        update.old = old;
        return;
    }
    auto ref = std::make_shared<py::Expr>(*memRef(slot, c.place.type));
    ref->args = indices;
    to.add<Code>()->stmts.push_back(py::assign(ref, py::asStored(c.place.type, value)));
}

} // namespace sdfgc::tree::lowering
