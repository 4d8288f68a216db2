// The meaning of memory references and of names in expressions.
#include "Translator.h"

#include "../Values.h"

namespace sdfgc::interpret {

using namespace tree;
using py::ExprKind;

// ---------------------------------------------------------------------------------------------------- values and addresses

Operand Translator::pointerTo(const Location &p) { return p.pointer ? p.pointer : keeping(p.type, p.value).pointer; }

Operand Translator::valueOf(const Location &p) { return p.value ? p.value : b().loadAt(p.pointer, p.type); }

Type Translator::typeAt(RefId r) const {
    const MemRef &x = reference(r);
    return x.castTo ? x.castTo : variable(x.var).type;
}

/// The type of the memory element that an expression denotes; none for register values and computed values.
std::optional<Type> Translator::elementType(const py::Expr &e) const {
    const auto isRegister = [&](VarId v) {
        const Location &p = frame().places[static_cast<std::size_t>(v.index)];
        return p.value || p.queue;
    };
    if (e.kind == ExprKind::MemRef) {
        const MemRef &x = reference(refOf(e));
        return x.pop || x.address || isRegister(x.var) ? std::nullopt : std::optional(typeAt(refOf(e)));
    }
    const auto found =
        e.kind == ExprKind::Name && !frame().locals.count(e.name) ? frame().visible.find(e.name) : frame().visible.end();
    if (found == frame().visible.end() || isRegister(found->second))
        return std::nullopt;
    const Variable &v = variable(found->second);
    return v.kind == VarKind::Value || v.kind == VarKind::Reference ? std::optional(v.type) : std::nullopt;
}

/// The address of an expression with such a type.
Operand Translator::elementAddress(const py::Expr &e) {
    return e.kind == ExprKind::MemRef ? pointerTo(refOf(e), e.args) : pointerTo(place(frame().visible.at(e.name)));
}

Operand Translator::pointerTo(RefId r, const std::vector<py::ExprRef> &indices) {
    const MemRef &x = reference(r);
    Operand at = pointerTo(place(x.var));
    if (!x.offset.isZero())
        at = b().advance(at, b().symbolic(x.offset));
    for (std::size_t k = 0; k < indices.size(); ++k) {
        Operand index = Builder::integerAt(b().integer(*indices[k]));
        if (k < x.strides.size() && !x.strides[k].isOne())
            index = b().binary(py::Op::Mul, index, b().convert(b().symbolic(x.strides[k]), ScalarKind::Int64));
        at = b().advance(at, index);
    }
    if (!x.castTo)
        return at;
    if (sizeOf(x.castTo) < sizeOf(variable(x.var).type))
        refine(at, sizeOf(x.castTo));
    return {Type::pointer(x.castTo), at.at};
}

Operand Translator::valueAt(RefId r, const std::vector<py::ExprRef> &indices) {
    const MemRef &x = reference(r);
    if (x.pop)
        return pop(queueAt(r, indices), typeAt(r));
    if (x.address)
        return pointerTo(r, indices);
    const Location &p = place(x.var);
    if (p.value && x.offset.isZero() && indices.empty() && !x.castTo)
        return p.value;
    return b().loadAt(pointerTo(r, indices), typeAt(r));
}

void Translator::assign(VarId v, Operand value) {
    const Location &p = place(v);
    if (p.value)
        b().copy(p.value, b().convert(value, p.type));
    else
        b().storeAt(p.pointer, b().convert(value, p.type));
}

// ---------------------------------------------------------------------------------------------------- names in expressions

bool Translator::isKernel(Name name) const {
    return std::any_of(module_.functions.begin(), module_.functions.end(),
                       [&](const auto &f) { return f->kernel && f->name == name; });
}

Operand Translator::read(Builder &, Name name) {
    const auto axis = [&](const int64_t *at, Name x, Name y, Name z) {
        return name == x   ? Builder::integerAt(at)
               : name == y ? Builder::integerAt(at + 1)
               : name == z ? Builder::integerAt(at + 2)
                           : Operand();
    };
    if (const Operand index = axis(m_.threadIndex, number::threadX, number::threadY, number::threadZ))
        return index;
    if (const auto local = frame().locals.find(name); local != frame().locals.end())
        return local->second;
    const auto found = frame().visible.find(name);
    if (const ConstantDef *c = found == frame().visible.end() ? constantNamed(name) : nullptr) {
        Variable v;
        v.name = c->name;
        v.type = c->type;
        return valueOf(constant(v));
    }
    if (found == frame().visible.end())
        return isKernel(name) ? b().constant(ScalarKind::Int64, int64_t(0)) : Operand(); // as an argument of residentBlocks
    const Location &p = place(found->second);
    const VarKind k = variable(found->second).kind;
    return k == VarKind::Pointer || k == VarKind::StructPtr ? p.pointer : valueOf(p);
}

Operand Translator::element(Builder &, const py::Expr &e) {
    return e.kind == ExprKind::MemRef ? valueAt(refOf(e), e.args) : Operand();
}

bool Translator::store(Builder &, const py::Expr &target, Operand value) {
    if (target.kind == ExprKind::MemRef) {
        const MemRef &x = reference(refOf(target));
        const Location &p = place(x.var);
        if (p.value && x.offset.isZero() && target.args.empty() && !x.castTo)
            b().copy(p.value, b().convert(value, p.type));
        else
            b().storeAt(pointerTo(refOf(target), target.args), b().convert(value, typeAt(refOf(target))));
        return true;
    }
    if (const auto local = frame().locals.find(target.name); target.kind == ExprKind::Name && local != frame().locals.end()) {
        b().copy(local->second, b().convert(value, local->second.type));
        return true;
    }
    if (target.kind == ExprKind::Name && frame().visible.count(target.name)) {
        const VarId v = frame().visible.at(target.name);
        if (variable(v).kind == VarKind::Pointer)
            b().copy(place(v).pointer, value);
        else
            assign(v, value);
        return true;
    }
    return false;
}

bool Translator::knows(Name name) const { return frame().visible.count(name) || frame().locals.count(name); }

Operand Translator::address(Builder &, Name name) {
    const auto found = frame().visible.find(name);
    if (found == frame().visible.end() || variable(found->second).kind == VarKind::Value)
        return {};
    return place(found->second).pointer;
}

Operand Translator::call(Builder &, Name function, const std::vector<Operand> &arguments) {
    const auto product = [&](const int64_t *at) {
        Operand out = Builder::integerAt(at);
        for (int k = 1; k < 3; ++k)
            out = b().binary(py::Op::Mul, out, Builder::integerAt(at + k));
        return out;
    };
    const auto linear = [&](const int64_t *index, const int64_t *size) { // x varies fastest
        Operand out = Builder::integerAt(index + 2);
        for (int k = 1; k >= 0; --k)
            out =
                b().binary(py::Op::Add, b().binary(py::Op::Mul, out, Builder::integerAt(size + k)), Builder::integerAt(index + k));
        return out;
    };
    if (function == number::teamSize)
        return Builder::integerAt(&m_.maxThreads);
    if (function == number::thread)
        return Builder::integerAt(&m_.thread);
    if (function == number::residentBlocks)
        return Builder::integerAt(&m_.residentBlocks);
    if (function == number::blocks)
        return b().callFunction("int_ceil", arguments);
    if (function == number::blockInGrid)
        return linear(m_.blockIndex, m_.gridSize);
    if (function == number::threadInBlock)
        return linear(m_.threadIndex, m_.blockSize);
    if (function == number::threadInGrid)
        return b().binary(py::Op::Add, b().binary(py::Op::Mul, linear(m_.blockIndex, m_.gridSize), product(m_.blockSize)),
                          linear(m_.threadIndex, m_.blockSize));
    return {};
}

} // namespace sdfgc::interpret
