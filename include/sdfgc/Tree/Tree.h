// The schedule tree: the structured program that an SDFG is lowered to, and that emitters print without further
// decisions.
//
// A Module is one program: its types, constants, state fields and functions. A Function body is a tree of statements
// over Variables. Every data reference is a MemRef: a variable, an element offset and (for data-dependent subscripts)
// further indices; names are already resolved. Integer arithmetic on offsets and bounds is sym::Expr over *variable
// names*. Values are py::Expr trees after py::lowerOperators, whose Name nodes are variable names and whose MemRef
// nodes refer to Function::refs.
//
//   Node.h        variables, references, nodes, blocks
//   Statements.h  the statements
#pragma once

#include "sdfgc/Tree/Statements.h"

namespace sdfgc::tree {

/// Present if a function is a kernel.
struct KernelInfo {
    int64_t maxThreads = 0;   // of a block, if known: launch bounds
    int64_t minBlocks = 0;    // per multiprocessor; 0: unspecified
    int64_t maxRegisters = 0; // per thread; 0: unspecified
    bool barriers = false;    // threads of a block may synchronise: the emulation runs them concurrently
    bool persistent = false;  // all blocks run at once and may synchronise
    /// The C++ name of the type of its indices, the parameter of a template; empty: they are int64_t. A launch chooses 32 bits
    /// if these hold every index (version-indices).
    Name index;
    sym::Expr range;    // a bound of all magnitudes that indices have, in parameters, which stand for their magnitudes, at least 1
    int64_t stride = 1; // the greatest step between iterations of neighbouring threads
};

/// Present if a function is the body of a GraphRegion.
struct GraphInfo {
    int stream = 0;
    int64_t entries = 8;
};

struct Function {
    Name name;
    std::string comment;
    std::optional<KernelInfo> kernel;
    std::optional<GraphInfo> graph; // its operations are launched as one graph (outline-gpu-graphs)
    bool device = false;            // a function that kernels call
    bool inlined = false;           // compilers always inline it (share-bodies)
    Table<VarId, Variable> vars;
    Table<RefId, MemRef> refs;
    std::vector<VarId> params; // in order; kinds Value, Pointer, Reference, Stream*, StructPtr, Callback
    bool needsState = false;   // takes `State *__state`
    Block body;
    int depth = 0;  // nesting depth of the SDFG, for ordering
    int source = 0; // number of the source file that it is printed to (split-sources); 0: the one with the C interface
};
/// Returns the variable at the root of a reference: for a member, that of the structure.
inline VarId rootOf(const Function &f, VarId v) {
    while (f.vars[v].kind == VarKind::Member)
        v = f.vars[v].parent;
    return v;
}

struct Param { // of the C interface
    Name name;
    Name cName;                        // spelling for C and C++: `class_` for `class`; the variable's name in the program
    Type type;                         // element type of arrays
    bool read = true, written = false; // the program's accesses of a container's memory
    /// The interface description of a container: a copy without debug information and attributes of the front end;
    /// null: a symbol.
    std::shared_ptr<const ir::DataDesc> desc = nullptr;
    bool onHandle = false; // a size that callers set on the handle (ir::SDFG::handleSizes), not a parameter in C
};

struct ConstantDef {
    Name name;
    Type type;
    std::vector<std::string> values; // C++ literals; one for a scalar
    bool isArray = false;
};

struct StateField {
    Name name; // `__0_tmp`
    Type type;
    ir::Lifetime lifetime = ir::Lifetime::Persistent; // Persistent, External, Global
    ir::Storage storage = ir::Storage::CPU_Heap;
    sym::Expr count; // elements, over init parameters
    sym::Expr startOffset;
    int64_t alignment = 0;
    bool isScalar = false; // T name instead of T *name
    bool isStream = false;
    bool zeroed = false;
    std::string comment;
};

struct Module {
    Name name;
    std::string source;        // file the graph came from, for the banner
    std::vector<Param> params; // program arguments, ABI order
    std::vector<Param> init;   // initialiser parameters
    std::vector<Name> order;   // of positional arguments in the user's program, if recorded in the graph
    std::vector<Type> structs; // to define, in dependence order
    std::vector<ConstantDef> constants;
    std::vector<StateField> fields;
    std::vector<std::string> rawFields;                     // member declarations from tasklets
    std::vector<std::string> globalCode;                    // file scope, in order
    std::vector<std::string> initCode, exitCode;            // C++ text with __state, __result / __err in scope
    Table<FunctionId, std::unique_ptr<Function>> functions; // callees before callers; the last one is the program
    std::vector<Name> environments;                         // headers and libraries needed: `OpenBLAS`, `LAPACKE`, `FFTW`, ...
    bool instrumented = false;                              // has a report
    bool dataInstrumented = false;
    int streams = 0; // GPU streams and events that the program uses; streams > 0: a GPU program
    int events = 0;
    bool anyMemory = false; // callers may keep arrays in device memory that the program takes for host memory and copies
    bool rawCpp = false;    // contains C++ text of the user: the compatibility header is needed
};

} // namespace sdfgc::tree
