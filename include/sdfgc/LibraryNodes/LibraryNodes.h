// The library nodes, and how each becomes maps, tasklets and nested SDFGs (format reference section 7).
//
// A node class is one row of LibraryNodes.def and one expander in lib/LibraryNodes. The row states whether the node
// runs on a single machine. Nodes of other targets can be loaded, verified and printed, and are rejected by name at
// expansion.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tasklet/Types.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::libnodes {

/// The source of a node's derivative.
enum class Gradient : uint8_t {
    None,     // none: programs whose results depend on it are rejected
    Rule,     // a function of the pass differentiate
    Expanded, // the derivative of its expansion without a library
    Passive   // its results are not real numbers
};

struct Definition {
    std::string_view className; // last component of the class path
    std::string_view library;   // third component: blas, lapack, linalg, standard, ...
    std::string_view summary;
    std::string_view implementations; // comma-separated, for the docs: `pure, OpenBLAS`
    /// Replaces the node in its state; on failure, reports an error and returns false. Null: cannot be expanded for
    /// this target.
    bool (*expand)(ir::State &state, ir::LibraryNode &node, pass::Context &context) = nullptr;
    std::string_view refusal; // the reason, if `expand` is null
    // For the docs of expandable nodes:
    std::string_view pure = {};   // the expansion without a library
    std::string_view types = {};  // of its elements
    std::string_view calls = {};  // host library functions; may be empty
    std::string_view when = {};   // conditions for these calls
    std::string_view device = {}; // the implementation for device memory
    Gradient gradient = Gradient::None;
    bool declares = false; // only declares fields of the program's state
};

/// Where a node computes: on the host, on the entire device (it accesses device memory outside kernels), or in a thread
/// of a kernel.
enum class Where { Host, Device, Kernel };
Where whereIs(const ir::LibraryNode &node);
/// Returns why a node with device memory must compute on the host, between copies: there is neither a parallel
/// expansion nor a device library routine for its operands. Empty if it need not.
std::string whyOnHost(const ir::LibraryNode &node, const pass::CompileOptions &options);

/// Does a node write everything that the memlets at its outputs name, independent of the old contents and ignoring
/// conflict resolution of the memlets? False for sums (Reduce without identity, beta without an addend), for stencils,
/// which leave borders unchanged, and for classes that are not expanded.
bool overwrites(const ir::LibraryNode &node);

/// Returns the function object of the runtime header gpu_reduce.h that combines values of a block in this way, without its
/// namespace; empty if there is none.
std::string_view deviceReduction(py::Reduction kind);

/// All definitions in table order.
const std::vector<Definition> &all();
/// Returns the libraries that had a class in earlier versions, in table order.
std::vector<std::string_view> formerLibraries(const Definition &d);
/// Finds a definition by class and library name. A class that moved between libraries is found under both (format
/// reference 7.1). Null if unknown.
const Definition *find(std::string_view className, std::string_view library);
/// Finds the definition of a node by its class path. Paths outside `dace.libraries` are user classes and never found.
const Definition *find(const ir::LibraryNode &node);

} // namespace sdfgc::libnodes
