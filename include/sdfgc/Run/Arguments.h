// The arguments of one call of a program: values from files, numbers and generators; sizes from symbols; symbols from sizes.
//
//     A=a.npy      the array (or the only element, for a scalar) in a NumPy file
//     N=100        a number: a symbol or scalar; of an array, every element. Also 2.5, 1e-3, true, 1+2j
//     A=zeros      also `range` (0, 1, 2, ... in row-major order) and `random`: floating-point numbers in [0, 1), integers in [0,
//     10); A=random:a:b ... numbers in [a, b) A=null       no array: for arguments that are optional
//     A=same:B     the memory of B, an array of the same type and size
//
// Symbols that are not given follow from the shapes of arrays that are: N = 100 from A: float64[N + 1] and a file with 101
// elements.
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
    /// For arrays and scalars that are not given: a value as above. Empty: `zeros` for arrays that `written` has, for others an
    /// error.
    std::string otherwise;
    std::set<Name> written;             // arrays that the program writes and does not read
    uint64_t seed = 0;                  // of `random`; every argument has numbers of its own
    int64_t largest = int64_t(1) << 40; // bytes that one argument may have
};

/// One parameter of the C call.
struct Argument {
    Name name;
    Type type; // of an element; of a scalar or symbol
    bool isArray = false;
    int64_t lanes = 1; // of a vector type: elements of `dtype` in one element
    Dtype dtype;
    std::vector<int64_t> shape, strides;   // in elements
    int64_t elements = 0;                  // to allocate: the total size with padding
    std::string data;                      // contents before the call: `elements` of them, or the one value
    bool isDevice = false;                 // lives in the memory of a GPU; `data` is copied there
    bool isPinned = false;                 // lives in page-locked memory of the host, where the program has such memory
    bool isNull = false;                   // an array that is not there
    std::optional<std::size_t> sharesWith; // an array whose memory it has: an index into Arguments::all
};

struct Arguments {
    std::vector<Argument> all;              // every parameter once
    std::vector<std::size_t> program, init; // parameters of the two functions, as indices into `all`, in the order of the calls
    std::map<Name, int64_t> symbols;
    const Argument *find(std::string_view name) const;
};

/// The interface of a graph as a module without functions, for `prepare`.
tree::Module interfaceOf(const ir::SDFG &graph);

/// Decides every argument. All faults are reported: unknown names (the nearest is suggested), files that do not fit, contradicting
/// sizes, symbols that nothing gives.
std::optional<Arguments> prepare(const tree::Module &module, const ArgumentOptions &options, diag::Engine &diags);

/// The same arguments in the order in which the functions of a module take them. Nothing where it takes one that is not there.
std::optional<Arguments> inOrderOf(const tree::Module &module, Arguments arguments);

/// Calls `visit(offset)` for every element in row-major order of its indices.
using npy::forEachElement;

/// The array that memory of `argument` holds (with its strides), as a file has it.
NpyArray gather(const Argument &argument, std::string_view memory);

} // namespace sdfgc::run
