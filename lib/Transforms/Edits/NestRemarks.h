// Remarks on items of the nest form, and the walk over the runs of a program that issues them.
#pragma once

#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Pass/Pass.h"

#include <functional>

namespace sdfgc::transforms {

/// The name of a map for remarks. A map created by a pass is not in a state yet.
pass::Element elementOfItem(const nest::Map &m, const ir::SDFG &g);
/// The same for any item: a copy is named after its destination's access node.
pass::Element elementOfItem(const nest::Item &i, const ir::SDFG &g);
/// How remarks refer to nodes other than their own: `` `sum` ``, or `` `sum` in state s1 `` if several nodes of the program have
/// the label.
class NodeLabels {
public:
    explicit NodeLabels(const ir::SDFG &root);
    std::string of(const ir::Node &n) const;

private:
    std::map<std::string, int> counts_;
};
/// Issues a remark for every map and loop of an SDFG that is kept because the graph requires it (nest::isKept).
void remarkKept(const ir::SDFG &g, pass::Context &context);
/// nest::rewriteRuns, with these remarks.
bool rewriteRuns(ir::SDFG &root, pass::Context &context,
                 const std::function<void(ir::SDFG &, analysis::Memories &, std::vector<nest::Run> &)> &change);

} // namespace sdfgc::transforms
