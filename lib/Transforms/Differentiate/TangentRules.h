// Tangent rules of library nodes, and the data they work with. LibraryNodes.def assigns rules to nodes.
#pragma once

#include "Transforms/Differentiate/LibraryRules.h"
#include "Transforms/Differentiate/Tangents.h"

namespace sdfgc::transforms::gradient {

/// A node that gets tangents. A rule adds items before and after its step, or refuses.
struct TangentRule : RuleNode {
    TangentWriter &writer;
    TangentSite &site;

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
