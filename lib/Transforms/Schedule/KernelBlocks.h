// The blocks of a kernel: what its scope holds that decides their size, and the size (shape-kernels has the rules).
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/IR/StateGraph.h"

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sdfgc::transforms {

/// Threads of a block along x, y and z.
using BlockSizes = std::array<sym::Expr, 3>;

/// What a `gpu_block_size` asks for: dimensions beyond z count as z.
BlockSizes askedSizes(const std::vector<sym::Expr> &asked);
inline sym::Expr product(const BlockSizes &s) { return s[0] * s[1] * s[2]; }

/// What is in a kernel's scope, also in nested SDFGs, in terms of the symbols of the kernel's own SDFG.
class KernelContent {
public:
    KernelContent(const ir::MapEntry &kernel, const ir::ScopeTree &scopes);

    std::vector<BlockSizes> blocks; // of thread-block maps
    bool dynamic = false;           // there are maps whose iterations the threads distribute among themselves
    std::vector<std::pair<const ir::MapEntry *, BlockSizes>> asked; // by maps over the device in a persistent kernel
    std::set<Name> defined;                                         // names that only the kernel knows
    /// Is an iteration of the kernel's map a block, rather than a thread?
    bool byBlocks() const { return !blocks.empty() || dynamic; }

private:
    using Values = std::map<Name, sym::Expr>;
    void inScope(const ir::State &s, const ir::ScopeTree &scopes, const ir::Node *entry, const Values &outer);
    void inMap(const ir::MapEntry &m, const ir::State &s, const ir::ScopeTree &scopes, const Values &outer);
    void inNested(const ir::NestedSDFGNode &n, const Values &outer);
    void add(const ir::MapEntry &m, const Values &outer);
    void define(const ir::MapEntry &m) { defined.insert(m.params.begin(), m.params.end()); }
};

/// How many threads of a block where nothing else decides: the default of the option `threads` of shape-kernels.
inline constexpr int64_t kUsualThreads = 256;

/// The size of the kernel's blocks; `threads`: of a block where neither the map nor its content decides.
BlockSizes blockSizes(const ir::MapEntry &kernel, const KernelContent &content, int64_t threads);

} // namespace sdfgc::transforms
