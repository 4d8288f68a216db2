// Building blocks for items of the nest form.
#pragma once

#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Nest/Nest.h"

namespace sdfgc::nest {

/// Returns containers with uses that no item describes: uses in unread states, in steps of several nodes, by control
/// flow, and through views. The runs must be all runs of the SDFG.
std::set<Name> hiddenContainers(const ir::SDFG &g, const std::vector<Run> &runs);
/// May such a container become a variable of an iteration, judging by its descriptor?
bool mayBeVariable(const ir::DataDesc &d);

/// Does a node, or one nested in it, call a library?
bool callsLibrary(const ir::Node &n);
/// Does a subset depend on one of the parameters?
bool mentions(const sym::Subset &s, const std::vector<Name> &params);
/// Returns the element of a subset for one iteration. `at`: the position along each dimension with more than one
/// element, in order.
sym::Subset elementOf(const sym::Subset &s, const std::vector<sym::Expr> &at);
/// Does a subset move to an adjacent element in memory, in either direction, if the variable increases by one?
bool isNextTo(const sym::Subset &s, const ir::DataDesc &d, Name variable);
/// The uses of a library node as operands, which it needs to be indexed. Uses without a subset are left out.
std::vector<analysis::IndexedOperand> operandsOf(const std::vector<Use> &uses);
/// Restricts a use of a subset to one element.
Use ofElement(const Use &whole, sym::Subset element, Name connector);
/// Creates a step with a Python tasklet, with inputs and one output. Its connectors get the types of the containers.
/// Connectors that clash with a container, symbol or constant are renamed, also in `code`, which must be valid Python.
Item taskletStep(std::string label, std::string code, std::vector<Use> reads, Use written, const ir::SDFG &g);
/// Is a step one Python tasklet?
bool isPythonTasklet(const Step &s);
/// Returns the number of complete strips of `width` iterations in a range of step one; zero if its end is before its
/// start. `around`: the loops around it, outermost first; `facts`: about other symbols.
sym::Expr stripsOf(const sym::Range &r, int64_t width, const std::vector<analysis::LoopLevel> &around,
                   const sym::Assumptions &facts);
/// The entry of a parallel map of the host, for mapLike.
const ir::MapEntry &parallelEntry();
/// Copies a map entry and changes its label.
std::shared_ptr<ir::MapEntry> entryLike(const ir::MapEntry &like, std::string label);
/// Creates a map without a body from a copy of an entry with another label, without `simd`; loopLike makes it
/// sequential.
Map mapLike(const ir::MapEntry &like, std::string label, std::vector<Name> params, std::vector<sym::Range> ranges);
Map loopLike(const ir::MapEntry &like, std::string label, std::vector<Name> params, std::vector<sym::Range> ranges);
/// Renames containers wherever an item uses them or declares them as private to iterations. All renamings happen at
/// once, so two containers may swap names.
void renameContainers(Item &i, const std::map<Name, Name> &names, ir::SDFG &g, analysis::Memories &memories);
/// Makes a container a variable of each iteration of a map, which is the only user and uses a single element of it.
void makeVariable(Map &owner, Name container, ir::SDFG &g);
/// Removes views that nothing mentions. Their sizes may depend on symbols.
void removeUnusedViews(ir::SDFG &g);
/// Sets whether the innermost loop of a map may be vectorised.
void setSimd(Map &m, bool simd);
/// Records that iterations of a map may depend on earlier ones.
void setOrdered(Map &m);

} // namespace sdfgc::nest
