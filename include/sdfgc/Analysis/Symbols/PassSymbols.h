// Passes values of symbols to nested SDFGs.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>

namespace sdfgc::analysis {

/// Declares and maps the symbol `inside` of a nested SDFG to `value`, an expression of the outer SDFG. The symbol is an
/// int64 if `type` is unknown. Mappings stay sorted by name, as in files.
void passSymbol(ir::NestedSDFGNode &n, Name inside, sym::Expr value, Type type);

/// Calls passSymbol for each unmapped symbol that the nested SDFG requires, with the outer symbol of the same name,
/// whose type `typeOf` returns (void: unknown).
void passRequiredSymbols(ir::NestedSDFGNode &n, const std::function<Type(Name)> &typeOf);

} // namespace sdfgc::analysis
