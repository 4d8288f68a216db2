// References in a statement and in all statements inside it.
#pragma once

#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Walk.h"

namespace sdfgc::tree {

/// Passes every reference in a statement and in the statements inside it, write-backs of tasklets included, to a visitor of rebind().
/// Outer statements come first.
template <class F> void rebindAll(Node &n, F &f) {
    rebind(n, f);
    if (auto *t = dyn_cast<RawTasklet>(&n))
        for (NodePtr &after : t->after)
            rebindAll(*after, f);
    forEachBlock(n, [&f](Block &b) {
        for (NodePtr &inner : b.body)
            rebindAll(*inner, f);
    });
}

} // namespace sdfgc::tree
