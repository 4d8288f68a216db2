// Block sizes of kernels, and what determines them inside a kernel (shape-kernels has the rules).
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/IR/StateGraph.h"

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sdfgc::analysis {

/// Threads of a block along x, y and z.
using BlockSizes = std::array<sym::Expr, 3>;

/// The block size that a `gpu_block_size` requests: dimensions beyond z count as z.
BlockSizes askedSizes(const std::vector<sym::Expr> &asked);
inline sym::Expr product(const BlockSizes &s) { return s[0] * s[1] * s[2]; }

/// The contents of a kernel's scope, including nested SDFGs, in terms of the symbols of the kernel's own SDFG.
class KernelContent {
public:
    KernelContent(const ir::MapEntry &kernel, const ir::ScopeTree &scopes);

    std::vector<BlockSizes> blocks; // of thread-block maps
    bool dynamic = false;           // there are maps whose iterations the threads distribute among themselves
    std::vector<std::pair<const ir::MapEntry *, BlockSizes>> asked; // by device maps in a persistent kernel
    std::set<Name> defined;                                         // names known only in the kernel
    /// Is an iteration of the kernel's map a block rather than a thread?
    bool byBlocks() const { return !blocks.empty() || dynamic; }

private:
    using Values = std::map<Name, sym::Expr>;
    void inScope(const ir::State &s, const ir::ScopeTree &scopes, const ir::Node *entry, const Values &outer);
    void inMap(const ir::MapEntry &m, const ir::State &s, const ir::ScopeTree &scopes, const Values &outer);
    void inNested(const ir::NestedSDFGNode &n, const Values &outer);
    void add(const ir::MapEntry &m, const Values &outer);
    void define(const ir::MapEntry &m) { defined.insert(m.params.begin(), m.params.end()); }
};

/// The number of threads per block unless something else determines it: the default of the option `threads` of
/// shape-kernels.
inline constexpr int64_t kUsualThreads = 256;

/// Returns the size of the kernel's blocks. `threads`: per block, if neither the map nor its content determines the
/// size.
BlockSizes blockSizes(const ir::MapEntry &kernel, const KernelContent &content, int64_t threads);

} // namespace sdfgc::analysis
