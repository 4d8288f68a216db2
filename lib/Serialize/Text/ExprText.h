// Symbolic values in the text form: as people write them, `A[i, 0:N - 1]`, if that is parsed as the same expression, otherwise in
// the grammar of files (`$N`).
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <unordered_map>

namespace sdfgc::serialize::text {

/// The texts of an SDFG's expressions; each is created and tested once.
class ExprText {
public:
    explicit ExprText(const ir::SDFG &g) : g_(g) {}
    ExprText(const ExprText &) = delete;

    const std::string &of(sym::Expr e);
    /// `i`, `0:N`, `0:N:2`, `0:N:4:4` with exclusive ends; `0..N:...` with the last element if end + 1 - 1 does not give the end.
    std::string of(const sym::Range &r);
    std::string of(const std::vector<sym::Range> &ranges);
    /// Joined by commas.
    std::string of(const std::vector<sym::Expr> &list);

private:
    const ir::SDFG &g_;
    std::unordered_map<sym::Expr, std::string> texts_; // lookups only
};

/// Can indices follow the name in expressions of this SDFG, because it is a container or a constant?
bool isIndexed(const ir::SDFG &g, Name n);

} // namespace sdfgc::serialize::text
