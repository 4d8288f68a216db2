// What callers must know of a program (contract C3): the one model behind manifest.json, the C++ header, the Fortran module and the
// Python module.
#pragma once

#include "sdfgc/Analysis/Access.h"
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
    sym::Expr totalSize;                   // elements that the program may touch
    ir::Storage storage = ir::Storage::Default;
    analysis::Access access{true, false};
    bool optional = false; // null may be passed

    /// Memory that is handed over by address (as opposed to a value).
    bool isMemory() const {
        return kind == ArgumentKind::Array || kind == ArgumentKind::ContainerArray || kind == ArgumentKind::Structure;
    }
    bool onDevice() const { return storage == ir::Storage::GPU_Global; }
    /// Allocated by the wrapper of a language and returned from its call: `__return`, `__return_0`, ...
    bool isResult() const { return name.starts_with("__return") && kind == ArgumentKind::Array; }
    /// May memory be passed that must not change?
    bool readOnly() const { return !access.written; }
};

struct Interface {
    std::string name;
    bool gpu = false, emulated = false, mpi = false;
    bool pinned = false; // has functions for page-locked memory, which some arguments are in
    struct Graph {
        std::string name;
        bool conditions = false; // with loops or branches that the device decides on
    };
    std::vector<Graph> graphs;             // the GPU graphs
    std::vector<Argument> arguments, init; // in the order of the C calls
    /// Arguments of the initialiser that decide on the size of what lives as long as a handle: calls with other values need a
    /// handle of their own.
    std::vector<std::string> fixed;
    std::vector<std::string> order; // of positional arguments in the user's program, as far as the graph remembers
    std::vector<Type> structs;      // fields first
    std::vector<ir::Storage> external;
};

/// The interface of a program.
Interface interfaceOf(const tree::Module &m, bool emulated);

/// The members `interface`, `structs`, ... of the manifest, as the schema describes them (share/sdfgc/schema/manifest.schema.json).
json::Value toJson(const Interface &i);
/// An element type: `"float64"`, `{"vector": "float32", "lanes": 4}`, `{"pointer": T}`, `{"struct": "S"}`, `{"opaque":
/// "MPI_Comm"}`,
/// `{"callback": {...}}`.
json::Value toJson(Type t);

/// A header for C++17 and later with a class that owns a handle: include/<name>.hpp.
std::string cppHeader(const Interface &i, std::string_view support);
/// A module with bind(C) interfaces: include/<name>.f90.
std::string fortranModule(const Interface &i);
/// A main function for C++17 and later that calls the program with arguments from the command line and from NumPy files:
/// src/caller/<name>_main.cpp, with sdfgc/rt/caller.h. Nothing, and reports, where a command line cannot give an argument: structures,
/// streams, callbacks, arrays whose size C++ cannot compute.
std::optional<std::string> callerMain(const Interface &i, diag::Engine &diags);
/// The module of a program: its name, with `_program` where Python could not import that, or needs the module of that name itself.
std::string pythonModuleName(const std::string &program);
/// A module that needs ctypes and NumPy only: python/<pythonModuleName>.py.
std::string pythonModule(const Interface &i, std::string_view support);
/// The types of that module, for editors and type checkers: python/<pythonModuleName>.pyi. Its functions have the parameters that
/// inspect.signature shows of the module's.
std::string pythonStub(const Interface &i);

} // namespace sdfgc::package
