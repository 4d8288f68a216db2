// python/<name>.pyi: the types of the Python module. Parameters follow the rules of _signature in bindings/program.py; the module's
// test compares the two.
#include "PythonNames.h"

#include "sdfgc/Package/Interface.h"
#include "sdfgc/Support/TextWriter.h"

#include <algorithm>
#include <set>

namespace sdfgc::package {
namespace {

// clang-format off
/// Names that a structure cannot have in the module: Python's own, which the module does not redefine, and the module's.
constexpr std::string_view takenNames[] = {
    "DeviceArray", "Error", "INTERFACE", "ORDER", "Program", "SIZES", "STRUCTS", "Struct", "abs", "aiter", "all", "anext", "any", "ascii", "bin",
    "bool", "breakpoint", "builtins", "bytearray", "bytes", "callable", "chr", "classmethod", "compile", "complex", "copyright",
    "credits", "ctypes", "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec", "exit", "filter", "float", "format",
    "frozenset", "getattr", "globals", "hasattr", "hash", "hashlib", "help", "hex", "id", "input", "inspect", "int", "isinstance",
    "issubclass", "iter", "keyword", "len", "license", "list", "locals", "map", "max", "memoryview", "min", "next", "np", "object",
    "oct", "open", "operator", "ord", "os", "pow", "print", "property", "quit", "range", "repr", "reversed", "round", "run", "set",
    "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "sys", "tuple", "type", "types", "typing", "vars", "weakref",
    "zip"};
// clang-format on

bool canBeClass(const std::string &name) {
    return !name.starts_with('_') && !isPythonKeyword(name) &&
           std::find(std::begin(takenNames), std::end(takenNames), name) == std::end(takenNames);
}

/// The NumPy element type; small floating-point formats that NumPy lacks come from packages or as bits.
std::string elementOf(Type t) {
    if (t.isVector())
        return elementOf(t.element());
    if (t.isStruct())
        return "_np.void";
    if (!t.isScalar())
        return "_np.uintp";
    switch (t.scalar()) {
    case ScalarKind::Bool:
        return "_np.bool_";
    case ScalarKind::BFloat16:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
        return "_t.Any";
    case ScalarKind::Void:
        return "_np.uint8";
    case ScalarKind::String:
    case ScalarKind::PyObject:
        return "_np.uintp";
    default:
        return "_np." + t.str();
    }
}

std::string valueType(Type t) {
    if (t.isStruct())
        return canBeClass(t.name().str()) ? t.name().str() : "Struct";
    if (t.isVector())
        return "_ctypes.Array[_t.Any]";
    if (!t.isScalar())
        return "int";
    if (t.scalar() == ScalarKind::String)
        return "_t.Union[str, bytes]";
    if (t.scalar() == ScalarKind::PyObject || t.scalar() == ScalarKind::Void)
        return "_t.Any";
    return t.isBool() ? "bool" : t.isInteger() ? "int" : t.isComplex() ? "complex" : "float";
}

std::string arrayType(const Argument &a) { return a.onDevice() ? "_t.Any" : "_npt.NDArray[" + elementOf(a.type) + "]"; }

std::string typeOf(const Argument &a) {
    std::string type;
    switch (a.kind) {
    case ArgumentKind::Array:
        type = arrayType(a);
        break;
    case ArgumentKind::Callback:
        return "_t.Callable[..., _t.Any]";
    case ArgumentKind::Stream:
        return "int";
    case ArgumentKind::ContainerArray:
        type = "_t.List[_t.Any]";
        break;
    case ArgumentKind::Structure:
    case ArgumentKind::Scalar:
    case ArgumentKind::Symbol:
        type = valueType(a.type);
        break;
    }
    return a.optional ? "_t.Optional[" + type + "]" : type;
}

class PythonStub {
public:
    explicit PythonStub(const Interface &i) : i_(i) {
        for (const Argument &a : i.arguments)
            every_.push_back(&a);
        for (const Argument &a : i.init)
            if (!find(a.name))
                every_.push_back(&a);
        for (const Argument *a : every_)
            names_.insert(a->name);
    }

    std::string text() {
        w_.line("\"\"\"Types of the module of program `" + i_.name + "`, written by sdfgc, for editors and type checkers.\"\"\"");
        for (const char *import : {"ctypes as _ctypes", "os as _os", "typing as _t", "numpy as _np", "numpy.typing as _npt"})
            w_.line(std::string("import ") + import);
        w_.line();
        w_.line("INTERFACE: _t.Dict[str, _t.Any]");
        w_.line("ORDER: _t.List[str]");
        w_.line("SIZES: _t.List[_t.Dict[str, _t.Any]]");
        w_.line("STRUCTS: _t.Dict[str, _t.Type[Struct]]");
        w_.line();
        common();
        for (Type t : i_.structs)
            structure(t);
        program();
        w_.line("def run(" + call() + ") -> " + result() + ": ...");
        return w_.take();
    }

private:
    const Argument *find(const std::string &name) const {
        const auto found = std::find_if(every_.begin(), every_.end(), [&](const Argument *a) { return a->name == name; });
        return found == every_.end() ? nullptr : *found;
    }

    void open(const std::string &line) {
        w_.line(line + ":");
        w_.indent();
    }
    void close() {
        w_.dedent();
        w_.line();
    }

    void common() {
        open("class Error(RuntimeError)");
        w_.line("code: int");
        w_.line("def __init__(self, code: int, message: str) -> None: ...");
        close();
        open("class Struct(_ctypes.Structure)");
        w_.line("def __init__(self, **members: _t.Any) -> None: ...");
        close();
        open("class DeviceArray");
        w_.line("shape: _t.Tuple[int, ...]");
        w_.line("dtype: _np.dtype[_t.Any]");
        w_.line("@property");
        w_.line("def __cuda_array_interface__(self) -> _t.Dict[str, _t.Any]: ...");
        w_.line("def get(self) -> _npt.NDArray[_t.Any]: ...");
        close();
    }

    void structure(Type t) {
        if (!canBeClass(t.name().str()))
            return;
        open("class " + t.name().str() + "(Struct)");
        bool any = false;
        for (const auto &[name, type] : t.fields()) {
            if (isPythonKeyword(name.str()) || name.view().starts_with("__"))
                continue;
            w_.line(name.str() + ": " + (type.isScalar() ? valueType(type) : "_t.Any"));
            any = true;
        }
        if (!any)
            w_.line("...");
        close();
    }

    void program() {
        open("class Program");
        w_.line("def __init__(self, library: _t.Union[str, _os.PathLike[str], None] = None) -> None: ...");
        method("initialize", initialise(), "None");
        method("bind", call(), "_t.Callable[[], " + result() + "]");
        method("__call__", call(), result());
        for (const char *line : {
                 "def close(self) -> None: ...",
                 "def __enter__(self) -> Program: ...",
                 "def __exit__(self, *_: _t.Any) -> None: ...",
                 "def set_communicator(self, communicator: _t.Any) -> None: ...",
                 "def external_memory_size(self, storage: str) -> int: ...",
                 "def set_external_memory(self, storage: str, memory: _t.Any) -> None: ...",
                 "def to_device(self, array: _npt.ArrayLike) -> DeviceArray: ...",
                 "def to_pinned(self, array: _npt.ArrayLike) -> _npt.NDArray[_t.Any]: ...",
                 "def set_stream(self, stream: _t.Any, index: _t.Optional[int] = None) -> None: ...",
                 "def gpu_graphs(self) -> _t.List[_t.Dict[str, _t.Any]]: ...",
                 "def set_size(self, name: str, value: int) -> None: ...",
             })
            w_.line(line);
        close();
    }

    void method(const std::string &name, const std::string &parameters, const std::string &returned) {
        w_.line("def " + name + "(" + free("self") + ", /" + (parameters.empty() ? "" : ", ") + parameters + ") -> " + returned +
                ": ...");
    }

    /// A parameter name that no argument has.
    std::string free(std::string name) const {
        while (names_.count(name))
            name += '_';
        return name;
    }

    static bool canBeParameter(const std::string &name) { return !isPythonKeyword(name) && !name.starts_with("__"); }

    /// Can the argument be omitted from a call, because shapes or strides determine its value or because the program was
    /// initialised with it?
    bool mayBeLeftOut(const Argument &a) const {
        if (std::none_of(i_.arguments.begin(), i_.arguments.end(), [&](const Argument &b) { return b.name == a.name; }))
            return true;
        if (a.kind != ArgumentKind::Symbol && a.kind != ArgumentKind::Scalar)
            return false;
        const auto mentions = [&](sym::Expr e) {
            const std::vector<Name> &names = e.freeSymbols();
            return pythonFormula(e) && std::any_of(names.begin(), names.end(), [&](Name n) { return n.str() == a.name; });
        };
        return std::any_of(i_.arguments.begin(), i_.arguments.end(), [&](const Argument &b) {
            return b.kind == ArgumentKind::Array && (std::any_of(b.shape.begin(), b.shape.end(), mentions) ||
                                                     std::any_of(b.strides.begin(), b.strides.end(), mentions));
        });
    }

    std::string call() const {
        const std::vector<std::string> order = pythonPositions(i_);
        std::vector<const Argument *> all;
        for (const std::string &n : order)
            if (const Argument *a = find(n))
                all.push_back(a);
        const std::size_t positional = all.size();
        for (const Argument *a : every_)
            if (std::find(order.begin(), order.end(), a->name) == order.end())
                all.push_back(a);
        std::string out, byName;
        bool hasDefault = false, hidden = false, unnamed = false;
        for (std::size_t k = 0; k < all.size(); ++k) {
            hasDefault = hasDefault || unnamed || mayBeLeftOut(*all[k]);
            if (!canBeParameter(all[k]->name)) {
                hidden = true;
                unnamed = unnamed || k < positional;
                continue;
            }
            std::string &to = unnamed || k >= positional ? byName : out;
            to += (to.empty() ? "" : ", ") + all[k]->name + ": " + typeOf(*all[k]) + (hasDefault ? " = ..." : "");
        }
        const auto add = [&out](const std::string &text) { out += (out.empty() ? "" : ", ") + text; };
        if (unnamed)
            add("*" + free("positional") + ": _t.Any");
        if (!byName.empty())
            add((unnamed ? "" : "*, ") + byName);
        if (hidden)
            add("**" + free("named") + ": _t.Any");
        return out;
    }

    std::string initialise() const {
        std::string out;
        bool hidden = false;
        for (const Argument &a : i_.init) {
            if (canBeParameter(a.name))
                out += (out.empty() ? "*, " : ", ") + a.name + ": " + typeOf(a);
            hidden = hidden || !canBeParameter(a.name);
        }
        return out + (hidden ? (out.empty() ? "**" : ", **") + free("named") + ": _t.Any" : "");
    }

    /// The return type of a call.
    std::string result() const {
        std::string types;
        int count = 0;
        for (const Argument &a : i_.arguments)
            if (a.isResult()) {
                types += (types.empty() ? "" : ", ") + arrayType(a);
                ++count;
            }
        return count == 0 ? "None" : count == 1 ? types : "_t.Tuple[" + types + "]";
    }

    const Interface &i_;
    std::vector<const Argument *> every_; // of a call and of the initialiser, without duplicates
    std::set<std::string> names_;
    TextWriter w_;
};

} // namespace

std::string pythonStub(const Interface &i) { return PythonStub(i).text(); }

} // namespace sdfgc::package
