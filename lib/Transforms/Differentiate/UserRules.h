// Gradients that users give: an SDFG in the file that takes the place of a rule.
//
//     tasklet (CPP, gradient = cube): y = x * x * x;          cube: x, gradient_y -> gradient_x      { gradient_x = 3 * x * x * gradient_y }
//
// The node has the property `gradient`, a name. The SDFG of the program has `gradient_rules`: an SDFG for each name, as JSON or as text. Its
// containers that are not transient are called like connectors of the node: what is read at an input, what is written at an output,
// `gradient_` and an output (read), `gradient_` and an input (written).
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// The name of the rule that a node asks for; empty if it asks for none.
std::string userRuleOf(const ir::Node &n);

/// Adds the items that call a node's rule. Reports an error if the rule cannot be read or does not fit the node.
void reverseByUserRule(ItemReverser &r, const nest::Step &s, const ir::Node &n, Body &b, std::vector<nest::Item> &out,
                       pass::Context &context);

} // namespace sdfgc::transforms::gradient
