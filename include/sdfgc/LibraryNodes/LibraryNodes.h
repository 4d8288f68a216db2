// Library nodes: which there are, and how each becomes maps, tasklets and nested SDFGs (format reference section 7).
//
// A node class is one row of LibraryNodes.def and one expander in lib/LibraryNodes. A row says whether the node computes on one
// machine; nodes of other targets load, verify and print, and are refused by name at expansion.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::libnodes {

/// Where the derivative of a node comes from.
enum class Gradient : uint8_t {
    None,     // there is none: programs whose results depend on it are refused
    Rule,     // a function of the pass differentiate
    Expanded, // that of what the node becomes without a library
    Passive   // its results are no real numbers
};

struct Definition {
    std::string_view className; // last component of the class path
    std::string_view library;   // third component: blas, lapack, linalg, standard, ...
    std::string_view summary;
    std::string_view implementations; // comma-separated, for the docs: `pure, OpenBLAS`
    /// Replaces the node in its state; reports and returns false when it cannot. Null: not expandable for this target.
    bool (*expand)(ir::State &state, ir::LibraryNode &node, pass::Context &context);
    std::string_view refusal; // why not, when `expand` is null
    // For the docs, of nodes that are expanded:
    std::string_view pure = {};   // what becomes of it without a library
    std::string_view types = {};  // of its elements
    std::string_view calls = {};  // functions of a library on the host; may be empty
    std::string_view when = {};   // conditions for these calls
    std::string_view device = {}; // what it becomes in device memory
    Gradient gradient = Gradient::None;
};

/// Where a node computes: on the host, on the device as a whole (it touches device memory outside of kernels), or by a thread of a
/// kernel.
enum class Where { Host, Device, Kernel };
Where whereIs(const ir::LibraryNode &node);
/// Of a node on the device: why it must compute on the host, between copies (there is neither a parallel expansion nor a routine of
/// the device's libraries for its operands); empty when it need not.
std::string whyOnHost(const ir::LibraryNode &node, const pass::CompileOptions &options);

/// Does a node write all that its memlets name at the outputs, without regard to what was there? Conflict resolution of the memlets
/// aside. False for sums (Reduce without identity, beta without an addend), for stencils, which leave borders alone, and for
/// classes that are not expanded here.
bool overwrites(const ir::LibraryNode &node);

/// All definitions in the order of the table.
const std::vector<Definition> &all();
/// Libraries in which earlier versions had a class, in the order of the table.
std::vector<std::string_view> formerLibraries(const Definition &d);
/// By class and library name. A class that moved from one library to another is found under both (format reference 7.1). Null when
/// unknown.
const Definition *find(std::string_view className, std::string_view library);
/// The definition of a node, by its class path. Paths outside of `dace.libraries` are classes of the user and never found.
const Definition *find(const ir::LibraryNode &node);

} // namespace sdfgc::libnodes
