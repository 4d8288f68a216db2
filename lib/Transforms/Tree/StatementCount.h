// Measures the length of code, for passes that split long code.
#pragma once

#include "sdfgc/Tree/Tree.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::transforms {

inline std::size_t statements(const tree::Block &b);

/// The number of statements in a node, including itself. Declarations do not count, because they cost little and move
/// to where they are needed.
inline std::size_t statements(const tree::Node &n) {
    if (n.kind == tree::TreeKind::Declare || n.kind == tree::TreeKind::Comment)
        return 0;
    const auto *code = dyn_cast<tree::Code>(&n);
    std::size_t count = code ? std::max<std::size_t>(1, code->stmts.size()) : 1;
    tree::forEachBlock(n, [&](const tree::Block &b) { count += statements(b); });
    return count;
}

inline std::size_t statements(const tree::Block &b) {
    std::size_t count = 0;
    for (const tree::NodePtr &n : b.body)
        count += statements(*n);
    return count;
}

} // namespace sdfgc::transforms
