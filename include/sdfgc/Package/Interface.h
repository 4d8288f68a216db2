// The interface of a program for its callers (contract C3): the one model behind manifest.json, the C++ header, the
// Fortran module and the Python module.
#pragma once

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Tree/Tree.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::package {

enum class ArgumentKind { Array, Scalar, Symbol, Structure, ContainerArray, Stream, Callback };
/// `array`, `scalar`, `symbol`, `structure`, `container_array`, `stream`, `callback`: the words of the manifest.
std::string_view name(ArgumentKind k);

struct Argument {
    std::string name;        // in the graph
    std::string parameter;   // in C
    std::string declaration; // of the C parameter: `double *A`
    ArgumentKind kind = ArgumentKind::Symbol;
    Type type; // of an element; of the value for scalars, symbols and callbacks; the struct for structures
    std::vector<sym::Expr> shape, strides; // arrays, container arrays: in elements
    sym::Expr totalSize;                   // elements that the program may access
    ir::Storage storage = ir::Storage::Default;
    analysis::Access access{true, false};
    bool optional = false; // null may be passed

    /// Is it memory passed by address, rather than a value?
    bool isMemory() const {
        return kind == ArgumentKind::Array || kind == ArgumentKind::ContainerArray || kind == ArgumentKind::Structure;
    }
    bool onDevice() const { return storage == ir::Storage::GPU_Global; }
    /// Is it allocated by a language wrapper and returned from the call: `__return`, `__return_0`, ...?
    bool isResult() const { return name.starts_with("__return") && kind == ArgumentKind::Array; }
    /// May read-only memory be passed?
    bool readOnly() const { return !access.written; }
};

struct Interface {
    std::string name;
    bool gpu = false, emulated = false, mpi = false;
    bool anyMemory = false; // arrays of the host may be in device memory instead
    bool pinned = false;    // has functions for page-locked memory, which some arguments require
    struct Graph {
        std::string name;
        bool conditions = false; // contains loops or branches that the device controls
    };
    std::vector<Graph> graphs;             // the GPU graphs
    std::vector<Argument> arguments, init; // in the order of the C calls
    /// Symbols that callers set on the handle with `setter`, because the program needs them but has no parameters for
    /// them: sizes in shapes of arguments.
    std::vector<Argument> sizes;
    std::string setter(const Argument &size) const { return name + "_set_size_" + size.name; }
    /// Arguments of the initialiser that determine the size of data with the lifetime of a handle: calls with other
    /// values need another handle.
    std::vector<std::string> fixed;
    std::vector<std::string> order; // of positional arguments in the user's program, if recorded in the graph
    std::vector<Type> structs;      // in dependence order
    std::vector<ir::Storage> external;
};

/// The interface of a program.
Interface interfaceOf(const tree::Module &m, bool emulated);

/// Returns the members `interface`, `structs`, ... of the manifest (schema: share/sdfgc/schema/manifest.schema.json).
json::Value toJson(const Interface &i);
/// Returns an element type: `"float64"`, `{"vector": "float32", "lanes": 4}`, `{"pointer": T}`, `{"struct": "S"}`,
/// `{"opaque": "MPI_Comm"}`, `{"callback": {...}}`.
json::Value toJson(Type t);

/// Returns a C++17 header with a class that owns a handle: include/<name>.hpp.
std::string cppHeader(const Interface &i, std::string_view support);
/// Returns a module with bind(C) interfaces: include/<name>.f90.
std::string fortranModule(const Interface &i);
/// Returns a C++17 main function that calls the program with arguments from the command line and from NumPy files:
/// src/caller/<name>_main.cpp, with sdfgc/rt/caller.h. Reports arguments that a command line cannot provide, and then
/// returns nothing: structures, streams, callbacks, and arrays whose size C++ cannot compute.
std::optional<std::string> callerMain(const Interface &i, diag::Engine &diags);
/// Returns the Python module name of a program: its name, with `_program` appended if Python could not import it, or
/// needs a module of that name itself.
std::string pythonModuleName(const std::string &program);
/// Returns a module that needs only ctypes and NumPy: python/<pythonModuleName>.py.
std::string pythonModule(const Interface &i, std::string_view support);
/// Returns the types of that module, for editors and type checkers: python/<pythonModuleName>.pyi. Its parameters match
/// those that inspect.signature shows for the module's functions.
std::string pythonStub(const Interface &i);

} // namespace sdfgc::package
