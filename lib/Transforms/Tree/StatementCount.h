// How long code is, for passes that cut what is too long.
#pragma once

#include "sdfgc/Tree/Tree.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::transforms {

inline std::size_t statements(const tree::Block &b);

/// Statements in a node, itself included. Declarations cost little, and go where they are needed: they count for nothing.
inline std::size_t statements(const tree::Node &n) {
    if (n.kind == tree::Kind::Declare || n.kind == tree::Kind::Comment)
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
