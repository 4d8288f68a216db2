// Elements of a graph by the numbers that statements of a tree and lines of a source map have: {region, block, node, ...}.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/IR/Sdfg.h"

#include <unordered_map>
#include <vector>

namespace sdfgc::analysis {

/// Finds elements of a graph by their origin. Of several nodes the first one counts.
class Origins {
public:
    /// A block, and the node in it that the origin names. Both are null if the graph has no such block. The node alone is null if
    /// the origin names none, or one that is not there.
    struct Element {
        const ir::Block *block = nullptr;
        const ir::Node *node = nullptr;
    };

    /// Reads the regions of the graph and of its nested SDFGs. Valid until one of them is added or removed.
    explicit Origins(const ir::SDFG &root);

    Element find(const std::vector<int> &origin) const;
    /// Name, path and source of the element; an empty place if there is none.
    diag::Location placeOf(const std::vector<int> &origin) const;
    /// The line of the user's program that the element itself remembers.
    diag::SourceLoc sourceOf(const std::vector<int> &origin) const;

private:
    std::unordered_map<int, const ir::Region *> regions_;
};

} // namespace sdfgc::analysis
