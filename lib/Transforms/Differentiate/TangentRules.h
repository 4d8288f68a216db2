// What rules for tangents of library nodes work with.
#pragma once

#include "Transforms/Differentiate/Tangents.h"

namespace sdfgc::transforms::gradient {

/// A node that gets tangents. A rule adds items in front of its step and after it, or refuses.
struct TangentRule {
    TangentWriter &writer;
    TangentSite &site;
    const ir::LibraryNode &node;

    /// The use at a connector, or null.
    const nest::Use *use(Name connector, bool written) const;
    std::vector<const nest::Use *> uses(bool written) const;
    /// A property of the node as text.
    std::string text(std::string_view property, std::string_view otherwise = "") const;
    /// Reports that there is no derivative.
    void refuse(const std::string &why) const;
};

// TangentFactorisations.cpp
void tangentOfCholesky(const TangentRule &r);
void tangentOfSolution(const TangentRule &r);
void tangentOfInversion(const TangentRule &r);

} // namespace sdfgc::transforms::gradient
