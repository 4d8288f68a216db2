#include "sdfgc/CodeGen/Interface.h"

#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Support/Hash.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>
#include <set>

namespace sdfgc::codegen {

using namespace tree;

std::string cType(Type t) {
    if (t.isPointer())
        return t.element().isVoid() ? "void *" : cType(t.element()) + " *";
    if (t.isVector())
        return cType(t.element());
    if (t.isStruct())
        return "struct " + t.name().str();
    if (t.isOpaque())
        return "void *";
    switch (t.scalar()) {
    case ScalarKind::Float16:
    case ScalarKind::BFloat16:
        return "uint16_t";
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
        return "uint8_t";
    case ScalarKind::Complex64:
        return "sdfgc_complex64";
    case ScalarKind::Complex128:
        return "sdfgc_complex128";
    case ScalarKind::PyObject:
        return "void *";
    case ScalarKind::String:
        return "char *";
    case ScalarKind::Void:
        return "void";
    default:
        return t.cppName();
    }
}

bool usesMpi(const Module &m) {
    return std::any_of(m.environments.begin(), m.environments.end(), [](Name path) {
        const platform::Environment *e = platform::environment(path.view());
        return e && e->name == "MPI";
    });
}

namespace {

/// Is the i-th of some arguments or results of a callback described as an array? `descriptors`: JSON texts.
bool isArray(const std::vector<std::string> &descriptors, std::size_t i) {
    auto mentions = [&](const char *type) { return descriptors[i].find(type) != std::string::npos; };
    return i < descriptors.size() && (mentions("\"Array\"") || mentions("\"ArrayView\"") || mentions("\"ArrayReference\""));
}

std::string spaced(const std::string &type, const std::string &name) { return type + (type.back() == '*' ? "" : " ") + name; }

/// Function pointer of a callback (format reference 8.6): scalars by value, arrays as `T const *`; one scalar result is the return
/// value, any other result a trailing parameter.
std::string callbackParameter(Type t, const std::string &name) {
    const auto &rets = t.returns();
    const bool scalarReturn = returnsValue(t);
    std::string args;
    auto add = [&](const std::string &a) { args += (args.empty() ? "" : ", ") + a; };
    for (std::size_t i = 0; i < t.arguments().size(); ++i) {
        Type a = t.arguments()[i];
        add(isArray(t.argumentJson(), i) ? cType(a) + " const *" : cType(a));
    }
    if (!scalarReturn)
        for (std::size_t i = 0; i < rets.size(); ++i) {
            if (!rets[i].isVoid())
                add(isArray(t.returnJson(), i) ? cType(rets[i]) + " const *" : cType(rets[i]) + " *");
        }
    std::string result = scalarReturn && !rets[0].isVoid() ? cType(rets[0]) : "void";
    return result + " (*" + name + ")(" + (args.empty() ? "void" : args) + ")";
}

} // namespace

/// Is the memory of a parameter const in C? Memory with pointers as elements is not, because callers would have to cast it.
static bool isConst(const Param &p) {
    if (!p.desc || p.desc->isScalar() || p.desc->isStream() || p.written)
        return false;
    return p.desc->isStructure() || cType(p.desc->dtype).back() != '*';
}

bool returnsValue(Type callback) { return callback.returns().size() == 1 && !isArray(callback.returnJson(), 0); }

std::string cParameter(const Param &p) {
    const std::string &name = p.cName.str();
    if (!p.desc)
        return p.type.isCallback() ? callbackParameter(p.type, name) : spaced(cType(p.type), name);
    const ir::DataDesc &d = *p.desc;
    const std::string word = isConst(p) ? "const " : "";
    if (d.isScalar())
        return spaced(cType(d.dtype), name);
    if (d.isStructure())
        return word + spaced(cType(d.dtype.isPointer() ? d.dtype.element() : d.dtype) + " *", name);
    if (d.isStream())
        return "void *" + name;
    return word + spaced(cType(d.dtype) + (cType(d.dtype).back() == '*' ? "*" : " *"), name);
}

std::string cParameters(const std::vector<Param> &ps) {
    std::string text;
    for (const Param &p : ps)
        if (!p.onHandle)
            text += (text.empty() ? "" : ", ") + cParameter(p);
    return text;
}

std::string sizeSetter(const Module &m, const Param &p) { return m.name.str() + "_set_size_" + p.name.str(); }

std::string sizeField(const Param &p) { return "__size_" + p.name.str(); }

std::string toProgram(const Param &p, const Function &program) {
    const std::string &name = p.cName.str();
    if (p.onHandle) // a local variable of the entry point
        return name;
    Type t = p.desc ? p.desc->dtype : p.type;
    if (p.desc && p.desc->isStream())
        return "*static_cast<sdfgc::rt::Stream<" + t.cppName() + "> *>(" + name + ")";
    const bool pointer = p.desc && !p.desc->isScalar() && !p.desc->isStructure();
    bool emulated = t.isScalar() && (t.scalar() == ScalarKind::Float16 || t.scalar() == ScalarKind::BFloat16 ||
                                     t.scalar() == ScalarKind::Float8E4M3FN || t.scalar() == ScalarKind::Float8E5M2);
    const auto takesConst = [&] {
        return std::any_of(program.params.begin(), program.params.end(),
                           [&](VarId v) { return program.vars[v].name == p.cName && program.vars[v].isConst; });
    };
    const std::string plain = cType(p.desc && p.desc->isStructure() && t.isPointer() ? t.element() : t) + " *";
    const bool castsAway = isConst(p) && !takesConst();
    const std::string word = isConst(p) && !castsAway ? "const " : "";
    const std::string value = castsAway ? "const_cast<" + plain + ">(" + name + ")" : name;
    if (pointer && (emulated || t.isVector() || t.isOpaque()))
        return "reinterpret_cast<" + word + t.cppName() + " *>(" + value + ")";
    if (!pointer && emulated)
        return "__builtin_bit_cast(" + t.cppName() + ", " + name + ")";
    return value;
}

std::vector<ir::Storage> externalStorages(const Module &m) {
    std::vector<ir::Storage> out;
    for (int s = 0; s <= static_cast<int>(ir::Storage::FPGA_ShiftRegister); ++s)
        for (const StateField &f : m.fields)
            if (f.lifetime == ir::Lifetime::External && f.storage == static_cast<ir::Storage>(s)) {
                out.push_back(f.storage);
                break;
            }
    return out;
}

bool takesPinnedMemory(const Module &m) {
    const std::vector<ir::Storage> external = externalStorages(m);
    return std::find(external.begin(), external.end(), ir::Storage::CPU_Pinned) != external.end() ||
           std::any_of(m.params.begin(), m.params.end(),
                       [](const Param &p) { return p.desc && p.desc->isArray() && p.desc->storage == ir::Storage::CPU_Pinned; });
}

namespace {

bool usesComplex(const Module &m) {
    for (const Param &p : m.params)
        if ((p.desc ? p.desc->dtype : p.type).isComplex())
            return true;
    for (Type t : m.structs)
        for (const auto &[n, f] : t.fields())
            if (f.isComplex() || f.element().isComplex())
                return true;
    return false;
}

/// The name of an 8-bit or 16-bit float in structures: callers see its bits, the program defines the name as its own type (halfDefinitions).
const char *nameOfHalf(Type t) {
    if (!t.isScalar())
        return nullptr;
    switch (t.scalar()) {
    case ScalarKind::Float16:
        return "SDFGC_FLOAT16";
    case ScalarKind::BFloat16:
        return "SDFGC_BFLOAT16";
    case ScalarKind::Float8E4M3FN:
        return "SDFGC_FLOAT8_E4M3FN";
    case ScalarKind::Float8E5M2:
        return "SDFGC_FLOAT8_E5M2";
    default:
        return nullptr;
    }
}

Type valueIn(Type t) {
    while (t.isPointer() || t.isVector())
        t = t.element();
    return t;
}

/// The 8-bit and 16-bit floats in structures of the program, in order of their kinds.
std::vector<Type> halfTypes(const Module &m) {
    std::set<ScalarKind> kinds;
    for (const Type t : m.structs)
        for (const auto &[name, f] : t.fields())
            if (nameOfHalf(valueIn(f)))
                kinds.insert(valueIn(f).scalar());
    return {kinds.begin(), kinds.end()};
}

/// The type of a field in a structure.
std::string fieldType(Type t) {
    if (t.isPointer() && !t.element().isVoid())
        return fieldType(t.element()) + " *";
    if (t.isVector())
        return fieldType(t.element());
    const char *half = nameOfHalf(t);
    return half ? half : cType(t);
}

/// Headers of several programs may define the same struct; the compiler should report definitions that differ.
std::string structGuard(Type t) {
    Hasher layout;
    for (const auto &[name, f] : t.fields()) {
        layout.field(name.str());
        layout.field(f.str());
    }
    return "SDFGC_STRUCT_" + t.name().str() + "_" + layout.digest().hex().substr(0, 8);
}

std::string describe(const Param &p) {
    if (!p.desc)
        return p.type.isCallback() ? "callback" : "symbol " + p.type.str();
    if (p.desc->isScalar())
        return "scalar " + p.desc->dtype.str();
    std::string shape;
    for (sym::Expr s : p.desc->shape)
        shape += (shape.empty() ? "" : ", ") + s.str();
    return p.desc->dtype.str() + "[" + shape + "]" + (p.desc->storage == ir::Storage::GPU_Global ? " in device memory" : "");
}

/// Symbols that only occur in shapes of arguments, in order of their names.
std::set<Name> unneededSizes(const Module &m) {
    std::set<Name> out;
    for (const Param &p : m.params)
        if (p.desc && !p.desc->isScalar())
            for (const sym::Expr s : p.desc->shape)
                out.insert(s.freeSymbols().begin(), s.freeSymbols().end());
    for (const Param &p : m.params)
        out.erase(p.name);
    for (const ConstantDef &c : m.constants)
        out.erase(c.name);
    return out;
}

/// The comment at the top of the file, and the includes that its types need.
void preamble(TextWriter &w, const Module &m) {
    const std::string &n = m.name.str();
    w.line("/* " + n + ".h: C interface of program `" + n + "`, written by sdfgc.");
    w.line(" *");
    w.line(" * Initialise once, call the program as often as you like (not concurrently on one handle), finalise once.");
    w.line(" * Arguments in order:");
    for (const Param &p : m.params)
        if (!p.onHandle)
            w.line(" *   " + p.cName.str() + ": " + describe(p));
    if (const auto sizes = unneededSizes(m); !sizes.empty()) // neither parameters nor set on the handle
        w.line(" * Sizes that are not passed, because the program does not need them: " + sdfgc::text::joined(sizes));
    if (m.anyMemory)
        w.line(" * Arrays that the device uses may be in host or device memory.");
    w.line(" */");
    w.line("#ifndef SDFGC_PROGRAM_" + n + "_H");
    w.line("#define SDFGC_PROGRAM_" + n + "_H");
    w.line();
    w.line("#include <stdbool.h>");
    w.line("#include <stddef.h>");
    w.line("#include <stdint.h>");
    for (const Type t : halfTypes(m)) {
        w.line();
        w.line(std::string("#ifndef ") + nameOfHalf(t));
        w.line(std::string("#define ") + nameOfHalf(t) + " " + cType(t) + " /* its bits */");
        w.line("#endif");
    }
    if (!usesComplex(m))
        return;
    w.line();
    w.line("#ifndef SDFGC_COMPLEX_TYPES");
    w.line("#define SDFGC_COMPLEX_TYPES");
    w.line("#ifdef __cplusplus");
    w.line("#include <complex>");
    w.line("typedef std::complex<float> sdfgc_complex64;");
    w.line("typedef std::complex<double> sdfgc_complex128;");
    w.line("#else");
    w.line("typedef float _Complex sdfgc_complex64;");
    w.line("typedef double _Complex sdfgc_complex128;");
    w.line("#endif");
    w.line("#endif");
}

void structs(TextWriter &w, const Module &m) {
    for (Type t : m.structs) {
        w.line("#ifndef " + structGuard(t));
        w.line("#define " + structGuard(t));
        w.open("struct " + t.name().str());
        for (const auto &[name, f] : t.fields())
            w.line(spaced(fieldType(f), name.str()) + (f.isVector() ? "[" + std::to_string(f.lanes()) + "]" : "") + ";");
        w.close(";");
        w.line("#endif");
        w.line();
    }
}

/// The macros let callers test whether this build needs a size: `#ifdef NAME_set_size_N`.
void sizeSetters(TextWriter &w, const Module &m) {
    bool first = true;
    for (const Param &p : m.params) {
        if (!p.onHandle)
            continue;
        if (first) {
            w.line("/* Sizes of arrays that this build needs besides the arguments, to copy them. Set them before the first call, "
                   "and");
            w.line(" * when they change. 0 on success, 4 if the program's type cannot hold the value. */");
        }
        first = false;
        const std::string setter = sizeSetter(m, p);
        w.line("int " + setter + "(" + m.name.str() + "Handle_t handle, int64_t " + p.cName.str() + ");");
        w.line("#ifndef " + setter); // the name for one kind of processor (Levels.h)
        w.line("#define " + setter + " " + setter);
        w.line("#endif");
    }
}

/// The handle and the functions that all programs have. If a function has two names, DaCe's comes first.
void functions(TextWriter &w, const Module &m) {
    const std::string &n = m.name.str();
    const std::string state = n + "_state_t", handle = n + "Handle_t";
    w.line("typedef struct " + state + " " + state + ";");
    w.line("typedef " + state + " *" + handle + ";");
    w.line();
    const std::string init = cParameters(m.init), all = cParameters(m.params);
    const std::string rest = all.empty() ? "" : ", " + all;
    auto both = [&](const std::string &result, const std::string &first, const std::string &second, const std::string &params) {
        w.line(result + first + "(" + params + ");");
        w.line(result + second + "(" + params + ");");
    };
    w.line("/* A new instance of the program, or null when it cannot be set up. */");
    both(handle + " ", "__dace_init_" + n, n + "_initialize", init.empty() ? "void" : init);
    w.line("/* Runs the program to its end. */");
    both("void ", "__program_" + n, n + "_program", handle + " handle" + rest);
    w.line("/* Releases everything; 0 on success. */");
    both("int ", "__dace_exit_" + n, n + "_finalize", handle + " handle");
    w.line("/* Code of the last call's error, 0 for none, and its text; for a null handle, why the last initialiser gave none. */");
    w.line("int " + n + "_error(" + handle + " handle);");
    w.line("const char *" + n + "_error_message(" + handle + " handle);");
    sizeSetters(w, m);
    if (usesMpi(m)) {
        w.line("/* The ranks that call later initialisers: a communicator as MPI_Comm_c2f gives it; else all of the job. */");
        w.line("void " + n + "_set_communicator(int handle);");
    }
    if (m.dataInstrumented) {
        w.line("/* The folder of a saved run, from which later calls restore data with the instrumentation `Restore`. */");
        w.line("void __dace_set_instrumented_data_report(" + handle + " handle, const char *folder);");
    }
    for (ir::Storage s : externalStorages(m)) {
        std::string params = init.empty() ? "" : ", " + init;
        w.line("/* Bytes of external memory in " + std::string(name(s)) +
               ", and the call that hands it over before the program runs. */");
        w.line("size_t __dace_get_external_memory_size_" + std::string(name(s)) + "(" + handle + " handle" + params + ");");
        w.line("void __dace_set_external_memory_" + std::string(name(s)) + "(" + handle + " handle, char *memory" + params + ");");
    }
}

} // namespace

std::string stateName(const Module &m) {
    const auto isTaken = [&m](Name name) {
        return std::any_of(m.structs.begin(), m.structs.end(), [name](Type t) { return t.name() == name; });
    };
    std::string out = "State";
    while (isTaken(Name(out)))
        out += "_";
    return out;
}

std::vector<std::string> halfDefinitions(const Module &m) {
    std::vector<std::string> out;
    for (const Type t : halfTypes(m))
        out.push_back(std::string("#define ") + nameOfHalf(t) + " " + t.cppName());
    return out;
}

std::string header(const Module &m, const std::function<void(TextWriter &)> &further) {
    TextWriter w;
    w.wrapAt(lineWidth);
    preamble(w, m);
    w.line();
    w.line("#ifdef __cplusplus");
    w.line("extern \"C\" {");
    w.line("#endif");
    w.line();
    structs(w, m);
    functions(w, m);
    further(w);
    w.line();
    w.line("#ifdef __cplusplus");
    w.line("}");
    w.line("#endif");
    w.line();
    w.line("#endif");
    return w.take();
}

} // namespace sdfgc::codegen
