// Blocks and the statements that compute.
#include "Translator.h"

#include "../Values.h"

#include "sdfgc/Diag/Kinds.h"
#include "sdfgc/Tree/Fence.h"
#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Walk.h"

#include <cstring>

namespace sdfgc::interpret {

using namespace tree;

namespace {

const Instruction *taskNow(const Instruction *i, Machine &m) {
    m.order.task();
    return i + 1;
}

/// Is it a check that the lowering created for `--checks`? The interpreter checks accesses itself.
bool isRunTimeCheck(const py::StmtRef &s) {
    return s->kind == py::StmtKind::ExprStmt && s->value->kind == py::ExprKind::Call &&
           s->value->args[0]->kind == py::ExprKind::Name && s->value->args[0]->name.view().starts_with(check::prefix);
}

} // namespace

Code Translator::separately(const std::function<void()> &make) {
    Builder own(m_, *this, Division::Lowered, b().site());
    Builder *outer = std::exchange(builder_, &own);
    make();
    builder_ = outer;
    if (!own.refusal().empty())
        outer->refuse(own.refusal());
    return own.take();
}

const Site *Translator::siteOf(const Node &n) {
    if (!n.comment.empty())
        element_ = n.comment;
    return m_.site(module_.name.str() + ": " + (element_.empty() ? std::string(keyword(n.kind)) : element_), "", {});
}

void Translator::translate(const Block &block) {
    const std::string outer = element_;
    if (!block.comment.empty())
        element_ = block.comment;
    for (const NodePtr &n : block.body) {
        const Site *around = b().site();
        b().at(siteOf(*n));
        b().emit({taskNow});
        visit(*n, [this](const auto &statement) { translate(statement); });
        b().at(around);
    }
    element_ = outer;
}

void Translator::translate(const Comment &) {}

void Translator::translate(const Measure &m) { translate(m.body); }

void Translator::translate(const GraphRegion &g) { translate(g.body); }

void Translator::translate(const RawTasklet &t) { refuse("code that is not Python: `" + t.text.substr(0, 60) + "`"); }

void Translator::translate(const DataProbe &p) {
    if (p.restore)
        refuse("a container that is read from a file");
}

/// An element assigned to another one unchanged: a copy, which does not require that the element has a value.
bool Translator::isCopy(const tree::Code &c) const {
    if (c.stmts.size() != 1 || c.stmts[0]->kind != py::StmtKind::Assign || c.stmts[0]->targets.size() != 1)
        return false;
    const auto from = elementType(*c.stmts[0]->value);
    return from && from == elementType(*c.stmts[0]->targets[0]);
}

void Translator::translate(const tree::Code &c) {
    if (isFence(c))
        return;
    if (isCopy(c)) {
        const py::Expr &value = *c.stmts[0]->value, &target = *c.stmts[0]->targets[0];
        const Operand from = elementAddress(value), to = elementAddress(target);
        copyElements(to, from, b().constant(ScalarKind::Int64, int64_t(1)), *elementType(value));
        return;
    }
    for (const auto &[name, type] : c.locals)
        frame().locals[name] = b().reserve(type);
    std::vector<py::StmtRef> statements = c.stmts;
    std::erase_if(statements, isRunTimeCheck);
    b().block(statements);
    if (c.braces)
        for (const auto &[name, type] : c.locals)
            frame().locals.erase(name);
}

// ---------------------------------------------------------------------------------------------------- updates

Operand Translator::combined(py::Reduction r, const py::ExprRef &lambda, Operand old, Operand value) {
    using py::Reduction;
    const auto by = [&](py::Op op) { return b().binary(op, old, value); };
    const auto truth = [&](Operand x) { return b().convert(x, ScalarKind::Bool); };
    switch (r) {
    case Reduction::Sum:
        return by(py::Op::Add);
    case Reduction::Sub:
        return by(py::Op::Sub);
    case Reduction::Product:
        return by(py::Op::Mul);
    case Reduction::Div:
        return by(py::Op::CDiv);
    case Reduction::BitAnd:
        return by(py::Op::BitAnd);
    case Reduction::BitOr:
        return by(py::Op::BitOr);
    case Reduction::BitXor:
        return by(py::Op::BitXor);
    case Reduction::Min:
        return b().callFunction("min", {old, b().convert(value, old.type)});
    case Reduction::Max:
        return b().callFunction("max", {old, b().convert(value, old.type)});
    case Reduction::LogicalAnd:
        return b().binary(py::Op::BitAnd, truth(old), truth(value));
    case Reduction::LogicalOr:
        return b().binary(py::Op::BitOr, truth(old), truth(value));
    case Reduction::LogicalXor:
        return b().binary(py::Op::BitXor, truth(old), truth(value));
    case Reduction::Exchange:
        return value;
    default:
        return lambda ? b().apply(*lambda, {old, value}) : b().refuse("an update without a function");
    }
}

void Translator::translate(const Update &u) {
    const Type t = typeAt(u.target);
    const bool atomic = u.atomic || u.byBlock;
    const Operand value = b().expression(*u.value), at = pointerTo(u.target, u.targetIndices);
    const Operand old = b().loadAt(at, t, atomic);
    b().storeAt(at, b().convert(combined(u.reduction, u.lambda, old, value), t), atomic);
    if (u.old)
        assign(u.old, old);
}

// ---------------------------------------------------------------------------------------------------- copies

namespace {

bool copiesNothing(const Pointer &from, const Pointer &to, int64_t at, int64_t bytes) {
    return to.buffer->isOwn() && !from.buffer->hasValue(from.offset + at, bytes);
}

/// `b`: int64 with the number of elements of `n` bytes; `a`: the address of the source; `to`: the address of the target; `extra`:
/// the site.
const Instruction *copyNow(const Instruction *i, Machine &m) {
    const auto *site = static_cast<const Site *>(i->extra);
    const int64_t bytes = as<int64_t>(i->b) * i->n;
    const Pointer from = as<Pointer>(i->a), to = as<Pointer>(i->to);
    if (bytes <= 0)
        return i + 1;
    if (m.memoryAt(from, bytes, site) && m.memoryAt(to, bytes, site))
        copyMemory(m, from, to, bytes, i->n, site);
    return i + 1;
}

/// `b`: int64 with the number of elements of `n` bytes; `a`: the value; `to`: the address.
const Instruction *fillNow(const Instruction *i, Machine &m) {
    const auto *site = static_cast<const Site *>(i->extra);
    const Pointer to = as<Pointer>(i->to);
    const int64_t count = as<int64_t>(i->b);
    std::byte *target = count > 0 ? m.memoryAt(to, count * i->n, site) : nullptr;
    for (int64_t k = 0; target && k < count; ++k) {
        m.noteWrite(*to.buffer, to.offset + k * i->n, i->n, i->a, site);
        std::memcpy(target + k * i->n, i->a, static_cast<std::size_t>(i->n));
    }
    return i + 1;
}

} // namespace

void copyMemory(Machine &m, Pointer from, Pointer to, int64_t bytes, int64_t unit, const Site *site) {
    const std::byte *source = from.buffer->memory + from.offset;
    std::byte *target = to.buffer->memory + to.offset;
    if (!copiesNothing(from, to, 0, bytes)) {
        m.noteRead(*from.buffer, from.offset, bytes, site);
        m.noteWrite(*to.buffer, to.offset, bytes, source, site);
        std::memmove(target, source, static_cast<std::size_t>(bytes));
        return;
    }
    for (int64_t at = 0; at < bytes; at += unit) {
        const bool nothing = copiesNothing(from, to, at, unit);
        if (!nothing)
            m.noteRead(*from.buffer, from.offset + at, unit, site);
        m.noteWrite(*to.buffer, to.offset + at, unit, source + at, site);
        std::memmove(target + at, source + at, static_cast<std::size_t>(unit));
        if (nothing)
            to.buffer->forget(to.offset + at, unit);
    }
}

void Translator::copyElements(Operand to, Operand from, Operand count, Type t) {
    b().emit({copyNow, to.at, from.at, b().convert(count, ScalarKind::Int64).at, sizeOf(t), b().site()});
}

void Translator::fillElements(Operand to, Operand count, Operand element) {
    b().emit({fillNow, to.at, element.at, b().convert(count, ScalarKind::Int64).at, sizeOf(element.type), b().site()});
}

Operand Translator::filling(const py::ExprRef &value, Type t) {
    return value ? b().convert(b().expression(*value), t) : b().reserve(t); // zeros
}

void Translator::translate(const Memcpy &c) {
    copyElements(pointerTo(c.target), pointerTo(c.source), b().symbolic(c.count), c.type);
}

void Translator::translate(const Fill &f) { fillElements(pointerTo(f.target), b().symbolic(f.count), filling(f.value, f.type)); }

void Translator::translate(const SetPointer &s) {
    if (variable(s.var).kind == VarKind::Member) {
        refuse("a structure member that is redirected to other memory");
        return;
    }
    b().copy(place(s.var).pointer, s.source ? valueAt(s.source) : b().constant(place(s.var).pointer.type, Pointer()));
}

// ---------------------------------------------------------------------------------------------------- calls

std::vector<Location> Translator::arguments(const Function &callee, const std::vector<Call::Argument> &given) {
    std::vector<Location> out;
    for (std::size_t k = 0; k < given.size() && k < callee.params.size(); ++k) {
        const Variable &v = callee.vars[callee.params[k]];
        const Call::Argument &a = given[k];
        Location p;
        p.type = v.type;
        switch (v.kind) {
        case VarKind::Value: {
            const Operand value = a.expr ? b().expression(*a.expr) : a.ref ? valueAt(a.ref) : b().symbolic(a.value);
            p.value = b().reserve(v.type);
            b().copy(p.value, b().convert(value, v.type));
            break;
        }
        case VarKind::Pointer:
        case VarKind::StructPtr: {
            const Operand value = a.ref ? valueAt(a.ref) : b().constant(Type::pointer(v.type), Pointer());
            p.pointer = b().reserve(Type::pointer(v.type));
            if (value.type.isPointer())
                b().copy(p.pointer, value);
            else
                refuse("the argument for `" + v.name.str() + "` of `" + callee.name.str() + "`");
            break;
        }
        case VarKind::Reference:
            p.pointer = b().reserve(Type::pointer(v.type));
            b().copy(p.pointer, pointerTo(a.ref));
            break;
        case VarKind::StreamRef:
        case VarKind::Stream:
            p.queue = queueAt(a.ref);
            break;
        default:
            refuse("the parameter `" + v.name.str() + "` of `" + callee.name.str() + "`");
        }
        out.push_back(p);
    }
    return out;
}

void Translator::body(const Function &callee, std::vector<Location> parameters) {
    frames_.push_back(std::make_unique<Frame>(callee));
    Frame &f = frame();
    for (const VarId v : callee.vars.ids())
        if (isConstant(callee.vars[v]) || callee.vars[v].kind == VarKind::StateField)
            f.visible[callee.vars[v].name] = v;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const VarId v = callee.params[k];
        Location &p = f.places[static_cast<std::size_t>(v.index)] = parameters[k];
        f.visible[callee.vars[v].name] = v;
        if (p.value && f.changed.count(callee.vars[v].name)) // a private copy
            p = keeping(p.type, p.value);
    }
    translate(callee.body);
    for (const std::size_t j : f.returns)
        b().land(j);
    for (const auto &[name, label] : f.labels)
        if (!label.at && !label.jumps.empty())
            refuse("a jump to `" + name.str() + "`, which does not exist");
    frames_.pop_back();
}

void Translator::translate(const Call &c) {
    const Function &callee = *module_.functions[c.function];
    body(callee, arguments(callee, c.arguments));
}

Code Translator::program() {
    const Function &f = *module_.functions.back();
    Builder own(m_, *this, Division::Lowered, m_.site(module_.name.str(), "", {}));
    builder_ = &own;
    frames_.push_back(std::make_unique<Frame>(f));
    for (const VarId v : f.params) {
        const Variable &x = f.vars[v];
        Location p;
        p.type = x.type;
        if (x.kind == VarKind::Value)
            p.value = own.reserve(x.type);
        else if (x.kind == VarKind::Pointer || x.kind == VarKind::StructPtr)
            p.pointer = own.reserve(Type::pointer(x.type));
        else
            refuse("the argument `" + x.name.str() + "`");
        parameters_.push_back(p);
    }
    frames_.pop_back();
    if (own.refusal().empty())
        body(f, parameters_);
    builder_ = nullptr;
    if (own.refusal().empty())
        return own.take();
    diag::Location where;
    where.file = m_.options.file;
    where.element = module_.name.str();
    diags_.report(diag::Id::NotInterpreted, where, own.refusal());
    return own.take();
}

} // namespace sdfgc::interpret
