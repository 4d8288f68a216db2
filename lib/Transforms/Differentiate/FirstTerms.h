// First terms of gradients, which can be stored rather than added.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

enum class FirstTerm : uint8_t { None, Added, Stored };
/// Classifies the first use of a gradient in an item: none, a sum, or a store to all elements. Turns a sum with exactly
/// one term for each element into a store.
FirstTerm storeFirstTerm(nest::Item &item, Name gradient, const ir::DataDesc &d);

} // namespace sdfgc::transforms::gradient
