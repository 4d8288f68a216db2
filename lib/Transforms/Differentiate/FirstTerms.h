// First terms of gradients, which are stored where nothing was before.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

enum class FirstTerm : uint8_t { None, Added, Stored };
/// What the first use of a gradient in an item is: nothing, a sum, or a store to all elements. A sum of one term for each element becomes
/// a store.
FirstTerm storeFirstTerm(nest::Item &item, Name gradient, const ir::DataDesc &d);

} // namespace sdfgc::transforms::gradient
