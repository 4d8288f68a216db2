// The arguments of a call of a program: values from files, numbers and generators; sizes from symbols; symbols from
// sizes.
//
//     A=a.npy      the array (or the only element, for a scalar) in a NumPy file
//     N=100        a number: a symbol or scalar, or every element of an array. Also 2.5, 1e-3, true, 1+2j
//     A=zeros      also `range` (0, 1, 2, ... in row-major order) and `random`: floating-point numbers in [0, 1), integers
//                  in [0, 10)
//     A=random:a:b numbers in [a, b)
//     A=null       no array: for optional arguments
//     A=same:B     the memory of B, an array with the same type and size
//     S.A=a.npy    member A of the structure S; S itself has no value
//
// Symbols without a value follow from the shapes of given arrays: N = 100 from A: float64[N + 1] and a file with 101
// elements. Symbols that only shapes mention may have a value as well, although they are no arguments.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Run/Npy.h"
#include "sdfgc/Tree/Tree.h"
#include "sdfgc/rt/npy.h"

#include <map>
#include <memory>
#include <set>

namespace sdfgc::run {

struct Given {
    std::string name, value;
};

struct ArgumentOptions {
    std::vector<Given> given;
    /// For arrays and scalars without a value: a value as above. Empty: `zeros` for arrays in `written`, and an error
    /// for others.
    std::string otherwise;
    std::set<Name> written;             // arrays that the program writes but does not read
    uint64_t seed = 0;                  // of `random`; every argument has its own sequence
    int64_t largest = int64_t(1) << 40; // maximum bytes of one argument
};

/// A field of a structure that is passed to a program: where its value, or the pointer to it, lies in the structure's memory.
struct Field {
    int64_t offset = 0; // in bytes
    bool isPointer = false;
    std::size_t argument = 0; // the member: an index into Arguments::all
};

/// A parameter of the C call, or a member of one.
struct Argument {
    Name name; // of a member: `S.A`
    Type type; // of an element; of a scalar or symbol
    bool isArray = false;
    int64_t lanes = 1; // of a vector type: elements of `dtype` in one element
    Dtype dtype;
    std::vector<int64_t> shape, strides;   // in elements
    int64_t elements = 0;                  // to allocate: the total size, including padding
    std::string data;                      // initial contents: `elements` of them, or a single value
    bool isDevice = false;                 // in GPU memory; `data` is copied there
    bool isPinned = false;                 // in page-locked host memory, if the program has such memory
    bool isNull = false;                   // a missing array
    std::optional<std::size_t> sharesWith; // shares the memory of this array: an index into Arguments::all
    bool isMember = false;                 // of a structure; what is written to it is a result, also if it is a scalar
    bool isStructure = false;              // an array of bytes, which `link` fills in for a call
    std::vector<Field> fields;             // of a structure

    /// Can a program leave results in it?
    bool isVisible() const { return (isArray || isMember) && !isStructure && !isNull; }
};

struct Arguments {
    std::vector<Argument> all;              // every parameter once
    std::vector<std::size_t> program, init; // parameters of the two functions, as indices into `all`, in call order
    std::vector<std::size_t> sizes;         // to set on the handle
    std::map<Name, int64_t> symbols;
    const Argument *find(std::string_view name) const;
};

/// Returns the interface of a graph as a module without functions, for `prepare`.
tree::Module interfaceOf(const ir::SDFG &graph);

/// Determines every argument. Reports all errors: unknown names (with a suggestion), files that do not fit,
/// contradictory sizes, and symbols without a value.
std::optional<Arguments> prepare(const tree::Module &module, const ArgumentOptions &options, diag::Engine &diags);

/// Returns the names that may have a value: those of arguments, members included, and of symbols in shapes of arrays.
std::set<Name> valuesOf(const tree::Module &interface);

/// Returns the same arguments in the parameter order of a module's functions; nothing if a parameter is missing.
std::optional<Arguments> inOrderOf(const tree::Module &module, Arguments arguments);

/// Returns the parameters of an interface, each structure followed by its members, and theirs: as `S.A`.
std::vector<tree::Param> withMembers(const tree::Module &interface);

/// Writes values of members, and pointers to them, to the memory of structures. `memory`: of every argument, null for missing arrays.
void link(const Arguments &arguments, const std::vector<char *> &memory);
/// Takes values of members from the memory of structures after a call, and clears that memory: it contains addresses.
void unlink(const Arguments &arguments, const std::vector<char *> &memory);

/// Calls `visit(offset)` for every element in row-major order of its indices.
using npy::forEachElement;

/// Returns the array stored in the memory of `argument` (with its strides), as written to files.
NpyArray gather(const Argument &argument, std::string_view memory);

} // namespace sdfgc::run
