#include "sdfgc/CodeGen/OpenClPrinter.h"

#include "OpenClBlocks.h"
#include "Updates.h"

#include "sdfgc/Tree/Fence.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

namespace {

constexpr std::string_view spaceWords[] = {"", "__local ", "__global ", "__constant "};
std::string wordOf(AddressSpace s) { return std::string(spaceWords[static_cast<std::size_t>(s)]); }

/// Distinct for each combination of spaces; no suffix for global memory alone. A prefix keeps names apart from OpenCL's functions.
std::string variantName(const Function &f, const std::vector<AddressSpace> &spaces) {
    constexpr char letters[] = {'p', 'l', 'g', 'c'};
    std::string suffix;
    for (const AddressSpace s : spaces)
        suffix += letters[static_cast<std::size_t>(s)];
    const bool isUsual = suffix.find_first_not_of('g') == std::string::npos;
    return "k_" + f.name.str() + (isUsual ? "" : "_" + suffix);
}

/// Does the memory have an address space in the names of atomic functions?
std::string atomicSpace(AddressSpace s) { return s == AddressSpace::Local ? "_local" : "_global"; }

} // namespace

OpenClPrinter::OpenClPrinter(const Module &m, const OpenClVariant &variant, const Output &out)
    : KernelPrinter(m, *m.functions[variant.function], out, true), spaces_(openClSpaces(f_, variant.spaces)),
      name_(variantName(f_, variant.spaces)) {}

std::string OpenClPrinter::functionName(Name n) const {
    const std::pair<Name, const char *> numbers[] = {
        {number::threadInGrid, "sdfgc_thread_in_grid"}, {number::threadInBlock, "sdfgc_thread_in_block"},
        {number::blockInGrid, "sdfgc_block_in_grid"},   {number::threadX, "(int)get_local_id(0)"},
        {number::threadY, "(int)get_local_id(1)"},      {number::threadZ, "(int)get_local_id(2)"},
    };
    for (const auto &[name, spelling] : numbers)
        if (n == name)
            return spelling;
    return BodyPrinter::functionName(n);
}

// ---------------------------------------------------------------------------------------------------- variables

/// `__global const double *`
std::string OpenClPrinter::pointerTo(VarId v, Type element) const {
    return wordOf(spaceOf(v)) + (var(v).isConst && spaceOf(v) != AddressSpace::Constant ? "const " : "") + element.openClName() +
           " *";
}

std::string OpenClPrinter::varText(VarId v) const {
    return var(v).kind == VarKind::Reference ? "(*" + var(v).name.str() + ")" : BodyPrinter::varText(v);
}

std::string OpenClPrinter::declarator(const Variable &v) const {
    const VarId id(static_cast<std::size_t>(
        std::find_if(f_.vars.begin(), f_.vars.end(), [&](const Variable &x) { return &x == &v; }) - f_.vars.begin()));
    if (v.kind == VarKind::Pointer || v.kind == VarKind::Reference)
        return pointerTo(id, v.type) + (v.isRestrict && v.kind == VarKind::Pointer ? "restrict " : "") + v.name.str();
    return std::string(v.isConst ? "const " : "") + v.type.openClName() + " " + v.name.str();
}

std::string OpenClPrinter::castAddress(const MemRef &r, const std::string &address) const {
    return "((" + pointerTo(rootOf(f_, r.var), r.castTo) + ")(" + address + "))";
}

void OpenClPrinter::print(const Declare &d) {
    const Variable &v = var(d.var);
    switch (v.kind) {
    case VarKind::Value:
        if (!py::isOpenClStruct(v.type) && !v.type.isStruct())
            return KernelPrinter::print(d);
        w_.line(declarator(v) + (d.init ? " = " + valueAs(d.init, v.type) : v.zeroed ? " = {0}" : "") + ";");
        return;
    case VarKind::Shared: // at the beginning of the kernel
        return;
    case VarKind::Stack:
        w_.line(v.type.openClName() + " " + v.name.str() + "[" + sym(v.count) + "]" + (v.zeroed ? " = {0}" : "") + ";");
        return;
    case VarKind::Pointer:
        w_.line(declarator(v) + " = " + (d.target ? memory(d.target) : "0") + ";");
        return;
    case VarKind::Reference:
        w_.line(declarator(v) + " = " + addressOf(d.target) + ";");
        return;
    default:
        KernelPrinter::print(d);
    }
}

// ---------------------------------------------------------------------------------------------------- functions

/// A kernel takes memory as a buffer and the offset in it, and truth values as bytes.
std::string OpenClPrinter::parameter(VarId p) const {
    const Variable &v = var(p);
    if (!f_.kernel)
        return declarator(v);
    if (v.kind == VarKind::Pointer)
        return "__global char *sdfgc_base_" + v.name.str() + ", long sdfgc_offset_" + v.name.str();
    return v.type.isBool() ? "uchar sdfgc_value_" + v.name.str() : declarator(v);
}

std::string OpenClPrinter::signature() const {
    std::string text = (f_.kernel ? "__kernel void " : "static void ") + name_ + "(", separator;
    for (const VarId p : f_.params)
        text += std::exchange(separator, ", ") + parameter(p);
    return text + ")";
}

void OpenClPrinter::kernelPointers() {
    for (const VarId p : f_.params) {
        const Variable &v = var(p);
        const std::string name = v.name.str();
        if (v.kind == VarKind::Pointer)
            w_.line(declarator(v) + " = (" + pointerTo(p, v.type) + ")(sdfgc_base_" + name + " + sdfgc_offset_" + name + ");");
        else if (v.type.isBool())
            w_.line(declarator(v) + " = sdfgc_value_" + name + " != 0;");
    }
}

/// Memory of the block must be declared at the beginning of the kernel.
void OpenClPrinter::sharedMemory() {
    for (const VarId id : openClShared(f_)) {
        const Variable &v = var(id);
        w_.line("__local " + v.type.openClName() + " " + v.name.str() + "[" + sym(v.count) + "];");
    }
}

void OpenClPrinter::body() {
    if (f_.kernel)
        kernelPointers();
    sharedMemory();
    valuesOfThreads();
    statements(f_.body);
}

void OpenClPrinter::print(const Call &c) {
    const Function &callee = *m_.functions[c.function];
    std::string arguments;
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
        const Variable &parameter = callee.vars[callee.params[i]];
        const Call::Argument &a = c.arguments[i];
        const bool isReference = parameter.kind == VarKind::Reference;
        arguments += (i ? ", " : "") + (a.expr                 ? valueAs(a.expr, parameter.type)
                                        : isReference && a.ref ? addressOf(a.ref)
                                                               : argument(a));
    }
    w_.line(variantName(callee, openClCallee(m_, f_, spaces_, c).spaces) + "(" + arguments + ");");
}

/// Memory in which threads combine values, for each type of these. Every place has its own part: with one for all, PoCL 3.1 gives
/// wrong results for all but the last (work-groups that run at the same time disturb each other).
void OpenClPrinter::valuesOfThreads() {
    const std::vector<Type> places = openClCombined(f_);
    for (std::size_t i = 0; i < places.size(); ++i)
        if (const auto same = std::count(places.begin(), places.end(), places[i]);
            std::find(places.begin(), places.end(), places[i]) == places.begin() + static_cast<std::ptrdiff_t>(i))
            w_.line("__local " + places[i].openClName() + " " + py::openClFunction("values", places[i]) + "[" +
                    std::to_string(same * openClThreads(f_)) + "];");
}

/// The memory of the next place.
std::string OpenClPrinter::nextValues(Type t) {
    const std::string name = py::openClFunction("values", t);
    const int64_t place = places_[name]++;
    return place == 0 ? name : name + " + " + std::to_string(place * openClThreads(f_));
}

/// `s = blockReduceAll(part, Sum())`
void OpenClPrinter::print(const LibraryCall &c) {
    const Type type = var(ref(c.result).var).type;
    std::string operation = c.arguments[1].word; // sdfgc::gpu::Sum()
    operation = operation.substr(operation.rfind(':') + 1);
    operation = operation.substr(0, operation.find('('));
    const bool isColumn = c.function == "sdfgc::gpu::columnReduceAll";
    const std::string columns = !isColumn                ? ""
                                : c.arguments.size() > 2 ? ", " + argument(c.arguments[2])
                                                         : std::string(", (long)get_local_size(0)");
    comment(c.comment);
    const LibraryCall::Argument &first = c.arguments[0];
    w_.line(memory(c.result) + " = " + py::openClFunction((isColumn ? "column_" : "block_") + operation, type) + "(" +
            (first.value ? valueAs(first.value, type) : argument(first)) + ", " + nextValues(type) + columns + ");");
}

void OpenClPrinter::print(const Barrier &) { w_.line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"); }

std::string OpenClPrinter::hardwareIndex(const Spread &s, const std::string &) const {
    if (s.axis < 0)
        return s.level == Spread::Block ? "sdfgc_thread_in_block()" : "sdfgc_thread_in_grid()";
    constexpr const char *functions[] = {"get_group_id", "get_local_id", "get_global_id"};
    return "(long)" + std::string(functions[s.level]) + "(" + std::to_string(s.axis) + ")";
}

std::string OpenClPrinter::hardwareCount(const Spread &s, const std::string &) const {
    if (s.axis < 0)
        return s.level == Spread::Block ? "sdfgc_threads_in_block()" : "sdfgc_threads_in_grid()";
    constexpr const char *functions[] = {"get_num_groups", "get_local_size", "get_global_size"};
    return "(long)" + std::string(functions[s.level]) + "(" + std::to_string(s.axis) + ")";
}

// ---------------------------------------------------------------------------------------------------- memory

/// OpenCL C has no memcpy and no memset.
void OpenClPrinter::loopOver(const std::string &count, const std::string &statement) {
    w_.line("for (long sdfgc_i = 0; sdfgc_i < " + count + "; ++sdfgc_i)");
    w_.line("    " + statement);
}

/// A fence keeps stores in the order of the text.
void OpenClPrinter::print(const Code &c) {
    if (isFence(c))
        return w_.line("mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);");
    KernelPrinter::print(c);
}

void OpenClPrinter::print(const RawTasklet &t) {
    const std::optional<CopyTasklet> copy = copyTasklet(t);
    comment(t.comment);
    loopOver(copy->count, "(" + memory(copy->target) + ")[sdfgc_i] = (" + memory(copy->source) + ")[sdfgc_i];");
}

void OpenClPrinter::print(const Memcpy &c) {
    loopOver(sym(c.count, Precedence::Shift), "(" + addressOf(c.target) + ")[sdfgc_i] = (" + addressOf(c.source) + ")[sdfgc_i];");
}

void OpenClPrinter::print(const Fill &f) {
    const Type type = ref(f.target).castTo ? ref(f.target).castTo : var(ref(f.target).var).type;
    const std::string zero = py::isOpenClStruct(type) || type.isStruct() ? "(" + type.openClName() + "){0}" : "0";
    loopOver(sym(f.count, Precedence::Shift),
             "(" + memory(f.target) + ")[sdfgc_i] = " + (f.value ? valueAs(f.value, type) : zero) + ";");
}

// ---------------------------------------------------------------------------------------------------- updates

Type OpenClPrinter::elementType(const Update &u) const { return openClElement(f_, u); }

bool OpenClPrinter::isByBlock(const Update &u) const { return openClIsByBlock(f_, u); }

/// The combination of an old value and a new one, both given as variables.
std::string OpenClPrinter::combined(const Update &u, const std::string &old, const std::string &added) const {
    using py::Reduction;
    const UpdateSpelling &spelling = spellingOf(u.reduction);
    if (u.reduction == Reduction::Exchange)
        return added;
    if (py::isOpenClStruct(elementType(u)))
        return py::openClFunction(spelling.function, elementType(u)) + "(" + old + ", " + added + ")";
    if (u.reduction == Reduction::Min || u.reduction == Reduction::Max)
        return py::openClFunction(spelling.op, elementType(u)) + "(" + old + ", " + added + ")";
    if (u.reduction == Reduction::LogicalXor)
        return "!" + old + " != !" + added;
    return old + " " + std::string(spelling.op) + " " + added;
}

void OpenClPrinter::print(const Update &u) {
    const bool isAtomic = u.atomic && spaceOf(rootOf(f_, ref(u.target).var)) != AddressSpace::Private;
    if (isAtomic)
        return atomicUpdate(u);
    plainOf(u);
}

void OpenClPrinter::plainOf(const Update &u) {
    const std::string target = elementOf(u.target, u.targetIndices), type = elementType(u).openClName();
    const std::string added = valueAs(u.value, elementType(u));
    if (u.old)
        w_.line(varText(u.old) + " = " + target + ";");
    if (!isCustom(u) && py::isOpenClStruct(elementType(u)))
        return w_.line(target + " = " + combined(u, target, added) + ";");
    if (!isCustom(u) && spellingOf(u.reduction).assigns())
        return w_.line(target + " " + std::string(spellingOf(u.reduction).op) + "= " + value(u.value) + ";");
    w_.open();
    w_.line("const " + type + " sdfgc_value = " + added + ";");
    if (isCustom(u)) {
        w_.line("const " + type + " " + u.lambda->params[0].str() + " = " + target + ", " + u.lambda->params[1].str() +
                " = sdfgc_value;");
        w_.line(target + " = " + valueAs(u.lambda->args[0], elementType(u)) + ";");
    } else {
        w_.line(target + " = " + combined(u, target, "sdfgc_value") + ";");
    }
    w_.close();
}

/// By a function of opencl_device.h. A custom combination is tried until no other thread has changed the element meanwhile.
void OpenClPrinter::atomicUpdate(const Update &u) {
    const VarId root = rootOf(f_, ref(u.target).var);
    const Type type = elementType(u);
    const std::string space = atomicSpace(spaceOf(root)), name = type.openClName();
    const std::string address = "&" + elementOf(u.target, u.targetIndices), old = u.old ? varText(u.old) + " = " : "";
    if (!isCustom(u)) {
        const std::string what(spellingOf(u.reduction).function);
        if (isByBlock(u)) {
            w_.open();
            w_.line("const " + name +
                    " sdfgc_of_block = " + py::openClFunction("block_" + std::string(spellingOf(u.reduction).onDevice), type) +
                    "(" + valueAs(u.value, type) + ", " + nextValues(type) + ");");
            w_.line("if (sdfgc_thread_in_block() == 0)");
            w_.line("    " + py::openClFunction("atomic_" + what, type) + space + "(" + address + ", sdfgc_of_block);");
            return w_.close();
        }
        return w_.line(old + py::openClFunction("atomic_" + what, type) + space + "(" + address + ", " + valueAs(u.value, type) +
                       ");");
    }
    w_.open();
    w_.line("const " + name + " sdfgc_value = " + valueAs(u.value, type) + ";");
    w_.line(wordOf(spaceOf(root)) + name + " *const sdfgc_at = " + address + ";");
    w_.line(name + " sdfgc_old, sdfgc_new;");
    w_.open("do");
    w_.line("sdfgc_old = " + py::openClFunction("load", type) + space + "(sdfgc_at);");
    w_.line("const " + name + " " + u.lambda->params[0].str() + " = sdfgc_old, " + u.lambda->params[1].str() + " = sdfgc_value;");
    w_.line("sdfgc_new = " + valueAs(u.lambda->args[0], type) + ";");
    w_.close(" while (!" + py::openClFunction("replace", type) + space + "(sdfgc_at, sdfgc_old, sdfgc_new));");
    if (u.old)
        w_.line(varText(u.old) + " = sdfgc_old;");
    w_.close();
}

} // namespace sdfgc::codegen
