// Values of symbols from shapes.
#pragma once

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Symbolic/Expr.h"

#include <map>
#include <string>
#include <vector>

namespace sdfgc::run {

/// Solves equations `expression = value` for integer values of symbols; each must be affine in its one unknown symbol.
class SizeSolver {
public:
    /// Sets a given value; `source` names its origin.
    void know(Name symbol, int64_t value, const std::string &source);
    void require(sym::Expr expression, int64_t value, const std::string &source);
    /// Solves as far as possible, and reports contradictions.
    void solve(diag::Engine &diags);
    const std::map<Name, int64_t> &values() const { return values_; }

private:
    struct Equation {
        sym::Expr expression;
        int64_t value;
        std::string source;
        bool used = false;
    };
    bool advance(Equation &e);
    void check(const Equation &e, diag::Engine &diags) const;
    std::vector<Equation> equations_;
    std::map<Name, int64_t> values_;
    std::map<Name, std::string> sources_;
};

} // namespace sdfgc::run
