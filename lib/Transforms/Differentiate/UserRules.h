// User-defined gradients: an SDFG in the file that replaces a rule.
//
//     tasklet (CPP, gradient = cube): y = x * x * x;
//     cube: x, gradient_y -> gradient_x { gradient_x = 3 * x * x * gradient_y }
//
// The node has the property `gradient`, a name. The program's SDFG has `gradient_rules`, which maps names to SDFGs, as
// JSON or as text. The non-transient containers of such an SDFG are named after connectors of the node: an input's
// value (read), an output's value (written), `gradient_` plus an output (read), `gradient_` plus an input (written).
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Returns the name of the rule that a node requests, or an empty string.
std::string userRuleOf(const ir::Node &n);

/// Adds the items that call a node's rule. Reports an error if the rule cannot be read or does not fit the node.
void reverseByUserRule(ItemReverser &r, const nest::Step &s, const ir::Node &n, Body &b, std::vector<nest::Item> &out,
                       pass::Context &context);

} // namespace sdfgc::transforms::gradient
