// Remarks on items of the nest form, and the walk over the runs of a program that leaves them.
#pragma once

#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Pass/Pass.h"

#include <functional>

namespace sdfgc::transforms {

/// The name of a map for remarks. One that a pass made is in no state yet.
pass::Element elementOfItem(const nest::Map &m, const ir::SDFG &g);
/// The same of any item: a copy is named by the access node that it ends at.
pass::Element elementOfItem(const nest::Item &i, const ir::SDFG &g);
/// How remarks call nodes other than the one that they are about: `` `sum` ``, or `` `sum` in state s1 `` where several nodes of
/// the program have the label.
class NodeLabels {
public:
    explicit NodeLabels(const ir::SDFG &root);
    std::string of(const ir::Node &n) const;

private:
    std::map<std::string, int> counts_;
};
/// Leaves a remark on every map and loop of an SDFG that stays as it is because the graph says so (nest::isKept).
void remarkKept(const ir::SDFG &g, pass::Context &context);
/// nest::rewriteRuns, with these remarks.
bool rewriteRuns(ir::SDFG &root, pass::Context &context,
                 const std::function<void(ir::SDFG &, analysis::Memories &, std::vector<nest::Run> &)> &change);

} // namespace sdfgc::transforms
