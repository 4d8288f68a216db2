// Symbols of nested SDFGs: how they get the values of the SDFG around them.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>

namespace sdfgc::analysis {

/// The symbol `inside` of a nested SDFG stands for `value`, which is in terms of the SDFG around it, from now on: it is declared, as int64
/// where `type` is not known, and mapped. Mappings stay in the order of their names, as files have them.
void passSymbol(ir::NestedSDFGNode &n, Name inside, sym::Expr value, Type type);

/// passSymbol for each symbol that the nested SDFG requires and that is not mapped: it stands for that of the same name around, whose type
/// `typeOf` says (void: not known).
void passRequiredSymbols(ir::NestedSDFGNode &n, const std::function<Type(Name)> &typeOf);

} // namespace sdfgc::analysis
