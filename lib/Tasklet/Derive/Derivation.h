// Code shared by the two modes.
#pragma once

#include "Tasklet/AstUtil.h"
#include "Tasklet/Derive/Steps.h"

namespace sdfgc::py::detail {

class Derivation {
public:
    Derivation(const std::vector<StmtRef> &block, const Signature &signature);

protected:
    const Signature &signature_;
    Builder builder_;
    Straight straight_;

    bool isActive(const ExprRef &leaf) const { return leaf && leaf->kind == ExprKind::Name && straight_.active.count(leaf->name); }
    Type typeOfConnector(Name n) const;
    /// The gradient of a connector, or of an element of it that the code reads or stores.
    ExprRef gradientOf(Name connector) const;
    ExprRef gradientOf(const Expr &element) const;
    /// Calls f with the derivative for each active operand of the operation. Rejects operations without derivatives, and complex
    /// numbers.
    void forEachOperand(const DerivationStep &let, const std::function<void(const ExprRef &operand, const ExprRef &partial)> &f);
    void put(const ExprRef &target, const ExprRef &value);
    /// The steps as a block; `results` are the gradients that it assigns, by name.
    Derivative finished(std::set<Name> assigned) const;
};

} // namespace sdfgc::py::detail
