// Variables in a function body: their declarations and memory, and the elements and addresses that slots refer to.
#include "sdfgc/CodeGen/BodyPrinter.h"
#include "sdfgc/CodeGen/Interface.h"

#include <algorithm>
#include <span>

namespace sdfgc::codegen {

using namespace tree;
using py::ExprKind;
using py::ExprRef;

std::string constantDefinition(const tree::ConstantDef &c) {
    std::string text = (c.type.isComplex() || c.type.isScalar() ? "constexpr " : "const ") + c.type.cppName() + " " + c.name.str();
    if (!c.isArray)
        return text + " = " + (c.values.empty() ? "0" : c.values[0]) + ";";
    text += "[] = {";
    for (std::size_t i = 0; i < c.values.size(); ++i)
        text += (i ? ", " : "") + c.values[i];
    return text + "};";
}

std::string BodyPrinter::varText(VarId v) const {
    const Variable &x = var(v);
    if (x.kind == VarKind::StateField)
        return "__state->" + x.name.str();
    if (x.kind != VarKind::Member)
        return x.name.str();
    const Variable &parent = var(x.parent);
    bool direct = parent.kind == VarKind::Value && parent.type.isStruct();
    return varText(x.parent) + (direct ? "." : "->") + x.name.str();
}

std::string BodyPrinter::index(const MemRef &r, const std::vector<ExprRef> &args, bool bracketed) const {
    const std::string offset =
        r.offset.isZero() && !args.empty() ? "" : sym(r.offset, args.empty() ? Precedence::Conditional : Precedence::Additive);
    const bool negative = !args.empty() && !offset.empty() && offset[0] == '-'; // `[index - first]`
    std::string text = negative ? "" : offset;
    for (std::size_t i = 0; i < args.size(); ++i) {
        bool unit = i >= r.strides.size() || r.strides[i].isOne();
        bool simple = args[i]->kind == ExprKind::Name || args[i]->kind == ExprKind::MemRef || args[i]->kind == ExprKind::Int ||
                      (args[i]->kind == ExprKind::Cast);
        std::string term = value(args[i]);
        const bool alone = bracketed && unit && offset.empty() && args.size() == 1;
        if (!simple && !alone)
            term = "(" + term + ")";
        if (!unit)
            term += " * " + sym(r.strides[i], Precedence::Unary);
        text += (text.empty() ? "" : " + ") + term;
    }
    return negative ? text + " - " + offset.substr(1) : text;
}

namespace {

/// Is the variable itself the element (when the offset is zero)?
bool isValueLike(const Variable &v) {
    switch (v.kind) {
    case VarKind::Value:
    case VarKind::Reference:
    case VarKind::StreamRef:
    case VarKind::StreamView:
    case VarKind::StructPtr:
    case VarKind::Callback:
        return true;
    case VarKind::Stream:
        return v.count.isOne();
    case VarKind::Member:
    case VarKind::StateField:
        return v.count.isZero();
    default:
        return false;
    }
}

} // namespace

std::string BodyPrinter::elementOf(RefId slot, const std::vector<ExprRef> &args) const {
    const MemRef &r = ref(slot);
    const Variable &v = var(r.var);
    if (r.castTo) {
        useType(r.castTo);
        return "(*" + castAddress(r, addressOf(slot, args)) + ")";
    }
    bool zero = r.offset.isZero() && args.empty();
    std::string text = varText(r.var);
    if (isValueLike(v) && zero)
        return text;
    if (isValueLike(v) && v.kind != VarKind::StructPtr && v.kind != VarKind::Stream)
        return "(&" + text + ")[" + index(r, args) + "]";
    return text + "[" + index(r, args) + "]";
}

std::string BodyPrinter::addressOf(RefId slot, const std::vector<ExprRef> &args) const {
    const MemRef &r = ref(slot);
    const Variable &v = var(r.var);
    bool zero = r.offset.isZero() && args.empty();
    std::string text = varText(r.var);
    if ((v.kind == VarKind::StructPtr || (v.kind == VarKind::Member && v.type.isStruct())) && zero)
        return text;
    if (isValueLike(v))
        return zero ? "&" + text : "&" + text + " + " + index(r, args, false);
    if (!zero)
        return "&" + text + "[" + index(r, args) + "]";
    bool owns = isOwned(v.kind);
    if (v.kind == VarKind::StateField) // the caller's memory is a plain pointer
        owns = std::none_of(m_.fields.begin(), m_.fields.end(),
                            [&](const StateField &f) { return f.name == v.name && f.lifetime == ir::Lifetime::External; });
    return owns ? text + ".data()" : text;
}

std::string BodyPrinter::memory(RefId slot, const std::vector<ExprRef> &args) const {
    const MemRef &r = ref(slot);
    if (r.pop)
        return elementOf(slot, args) + ".pop()";
    if (!r.address)
        return elementOf(slot, args);
    std::string text = addressOf(slot, args);
    if (r.castTo) {
        useType(r.castTo);
        return castAddress(r, text);
    }
    return text;
}

/// Casts to a pointer to the other type and preserves const.
std::string BodyPrinter::castAddress(const MemRef &r, const std::string &address) const {
    return "reinterpret_cast<" + std::string(var(r.var).isConst ? "const " : "") + typeName(r.castTo) + " *>(" + address + ")";
}

// ---------------------------------------------------------------------------------------------------- declarations

std::string BodyPrinter::typeOf(const Variable &v) const { return v.isIndex ? f_.kernel->index.str() : typeName(v.type); }

std::string BodyPrinter::declarator(const Variable &v) const {
    useType(v.type);
    std::string type = typeOf(v);
    if (v.isConst) // for pointer elements, the pointers are const but not their targets
        type = type.back() == '*' ? type + "const" : "const " + type;
    switch (v.kind) {
    case VarKind::Pointer:
        return type + (type.back() == '*' ? "*" : " *") + (v.isRestrict ? "__restrict " : "") + v.name.str();
    case VarKind::StructPtr:
        return type + " *" + v.name.str();
    case VarKind::Reference:
        return type + " &" + v.name.str();
    case VarKind::Stream:
    case VarKind::StreamRef:
        use("stream");
        return "sdfgc::rt::Stream<" + typeName(v.type) + "> &" + v.name.str();
    case VarKind::Callback:
        return cParameter({.name = v.name, .cName = v.name, .type = v.type});
    default:
        return type + (type.back() == '*' ? "" : " ") + v.name.str();
    }
}

void BodyPrinter::print(const Declare &d) {
    const Variable &v = var(d.var);
    useType(v.type);
    std::string type = typeName(v.type), name = v.name.str();
    switch (v.kind) {
    case VarKind::Value: {
        std::string init = d.init ? " = " + value(d.init) : v.zeroed ? (v.type.isStruct() ? "{}" : " = 0") : "";
        w_.line(declarator(v) + init + ";");
        return;
    }
    case VarKind::Stack: {
        std::string align = v.alignment > 0 ? "alignas(" + std::to_string(v.alignment) + ") " : "";
        w_.line(align + type + " " + name + "[" + sym(v.count) + "]" + (v.zeroed ? " = {}" : "") + ";");
        return;
    }
    case VarKind::Shared:
        w_.line("SDFGC_SHARED(" + type + ", " + name + ", " + sym(v.count) + ");");
        return;
    case VarKind::Buffer:
    case VarKind::DeviceBuffer:
    case VarKind::PoolBuffer:
    case VarKind::PinnedBuffer: {
        const Owner o = owner(v.kind);
        use(o.topic);
        std::string args = v.countKnown ? allocation(v, v.count) : "";
        if (o.takesName)
            args = '"' + name + '"' + (args.empty() ? "" : ", " + args);
        w_.line(std::string("sdfgc::") + o.name + "<" + type + "> " + name + (args.empty() ? "" : "(" + args + ")") + ";");
        if (v.zeroed && v.countKnown)
            w_.line(name + ".zero();");
        return;
    }
    case VarKind::Pointer:
        if (!d.target)
            w_.line(declarator(v) + " = nullptr;");
        else
            w_.line(declarator(v) + " = " + memory(d.target) + ";");
        return;
    case VarKind::StructPtr:
        if (!d.target)
            w_.line(declarator(v) + " = nullptr;");
        else
            w_.line(declarator(v) + " = " +
                    (var(ref(d.target).var).kind == VarKind::Value ? addressOf(d.target) : memory(d.target)) + ";");
        return;
    case VarKind::Reference:
    case VarKind::StreamRef:
        w_.line(declarator(v) + " = " + elementOf(d.target) + ";");
        return;
    case VarKind::Stream:
        use("stream");
        if (v.count.isOne())
            w_.line("sdfgc::rt::Stream<" + type + "> " + name + ";");
        else
            w_.line("sdfgc::rt::StreamArray<" + type + "> " + name + "(" + symbols_.printCount(v.count) + ");");
        return;
    case VarKind::StreamView:
        use("stream");
        w_.line("sdfgc::rt::ArrayStreamView<" + type + "> " + name + "(" + memory(d.target) + ");");
        return;
    default:
        return;
    }
}

namespace {

/// The text after the count, unless it is the default.
std::string behindCount(const SymPrinter &symbols, sym::Expr startOffset, int64_t alignment) {
    std::string args;
    if (!startOffset.isZero() || alignment > 0)
        args += ", " + symbols.print(startOffset);
    if (alignment > 0)
        args += ", " + std::to_string(alignment);
    return args;
}

} // namespace

std::string allocationArguments(const SymPrinter &symbols, sym::Expr count, sym::Expr startOffset, int64_t alignment) {
    return symbols.printCount(count) + behindCount(symbols, startOffset, alignment);
}

std::string BodyPrinter::allocation(const Variable &v, sym::Expr count) const {
    return allocationArguments(symbols_, count, v.startOffset, v.alignment);
}

void BodyPrinter::print(const Allocate &a) {
    w_.line(varText(a.var) + (a.reserve ? ".reserve(" : ".allocate(") + allocation(var(a.var), a.count) + ");");
    if (a.zero)
        w_.line(varText(a.var) + ".zero();");
}

} // namespace sdfgc::codegen
