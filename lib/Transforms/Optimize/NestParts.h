// Pieces that passes make items of the nest form of.
#pragma once

#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

/// The name of a map for remarks. One that a pass made is in no state yet.
pass::Element elementOfItem(const nest::Map &m, const ir::SDFG &g);
/// The same of any item: a copy is named by the access node that it ends at.
pass::Element elementOfItem(const nest::Item &i, const ir::SDFG &g);
/// How remarks call nodes other than the one that they are about: `` `sum` ``, or `` `sum` in state s1 `` where several nodes of the
/// program have the label.
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

/// Containers that are used where no item of the runs, which are all of an SDFG, says how: in states that are not read and steps of
/// several nodes, by control flow, and through views.
std::set<Name> hiddenContainers(const ir::SDFG &g, const std::vector<nest::Run> &runs);
/// May variables of iterations take the place of such a container, as far as its descriptor tells?
bool mayBeVariable(const ir::DataDesc &d);

/// Can loops of the host use a container of this storage?
bool isOnHost(const ir::DataDesc *d);
/// Does a subset depend on one of the parameters?
bool mentions(const sym::Subset &s, const std::vector<Name> &params);
/// The element of a subset that an iteration takes. `at`: its position along each dimension with more than one element, in order.
sym::Subset elementOf(const sym::Subset &s, const std::vector<sym::Expr> &at);
/// Does a subset begin at the next element in memory, one way or the other, when a variable is one more?
bool isNextTo(const sym::Subset &s, const ir::DataDesc &d, Name variable);
/// A use of one element in place of a whole subset.
nest::Use ofElement(const nest::Use &whole, sym::Subset element, Name connector);
/// A step of a tasklet in Python, with inputs and one output, whose connectors get the types of the containers.
/// Those with the name of a container, symbol or constant get another name, in `code` too, which must be Python that can be parsed.
nest::Item taskletStep(std::string label, std::string code, std::vector<nest::Use> reads, nest::Use written, const ir::SDFG &g);
/// How many whole strips of `width` iterations a range of step one has: none where its end lies before its begin, however far. `around`:
/// the loops around it, outermost first; `facts`: of other symbols.
sym::Expr stripsOf(const sym::Range &r, int64_t width, const std::vector<analysis::LoopLevel> &around,
                   const sym::Assumptions &facts);
/// Adds the loops of a map to those around its body.
void addLoops(std::vector<analysis::LoopLevel> &around, const nest::Map &m);
/// A map entry that says the same under another label.
std::shared_ptr<ir::MapEntry> entryLike(const ir::MapEntry &like, std::string label);
/// A map without a body, whose entry says the same under another label, but for `simd`; a sequential one.
nest::Map mapLike(const ir::MapEntry &like, std::string label, std::vector<Name> params, std::vector<sym::Range> ranges);
nest::Map loopLike(const ir::MapEntry &like, std::string label, std::vector<Name> params, std::vector<sym::Range> ranges);
/// Gives containers other names wherever an item uses them, or has them for its iterations; all at once, so two may exchange theirs.
void renameContainers(nest::Item &i, const std::map<Name, Name> &names, ir::SDFG &g, analysis::Memories &memories);
/// Says whether the innermost loop of a map may do its iterations in vectors.
void setSimd(nest::Map &m, bool simd);
/// Says that iterations of a map may depend on those before them.
void setOrdered(nest::Map &m);

} // namespace sdfgc::transforms
