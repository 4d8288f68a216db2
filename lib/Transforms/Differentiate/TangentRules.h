// Tangent rules of library nodes, and the data they work with. LibraryNodes.def assigns rules to nodes.
#pragma once

#include "Transforms/Differentiate/Tangents.h"

namespace sdfgc::transforms::gradient {

/// A node that gets tangents. A rule adds items before and after its step, or refuses.
struct TangentRule {
    TangentWriter &writer;
    TangentSite &site;
    const ir::LibraryNode &node;

    /// The use at a connector, or null.
    const nest::Use *use(Name connector, bool written) const;
    std::vector<const nest::Use *> uses(bool written) const;
    /// A property of the node as text.
    std::string text(std::string_view property, std::string_view otherwise = "") const;
    bool isSet(std::string_view property, bool otherwise) const;
    /// Reports that there is no derivative.
    void refuse(const std::string &why) const;
};

// TangentNodes.cpp
void tangentOfProduct(const TangentRule &r);
void tangentOfLinear(const TangentRule &r);
void tangentOfReduction(const TangentRule &r);
// TangentFactorisations.cpp
void tangentOfCholesky(const TangentRule &r);
void tangentOfSolution(const TangentRule &r);
void tangentOfInversion(const TangentRule &r);
void tangentOfTriangle(const TangentRule &r);
void tangentOfFactorisation(const TangentRule &r);
void tangentOfFactoredSolution(const TangentRule &r);

} // namespace sdfgc::transforms::gradient
