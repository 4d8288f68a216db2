// Forward mode: the program computes, along with its values, how they change when its arguments do.
//
//     map i { b[i] = sin(a[i]) }   ->   map i { tangent_b[i] = cos(a[i]) * tangent_a[i]; b[i] = sin(a[i]) }
//
// In front of each step comes one that computes the tangents of what it writes, from values as they are before it. Control flow stays as it
// is, and nothing is stored. What is computed from numbers without tangents has the tangent zero.
#pragma once

#include "Transforms/Differentiate/Activity.h"
#include "Transforms/Differentiate/Gradients.h"
#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Adds the tangents of `of` and `wrt` to an SDFG. The caller gives those of `wrt`. All must be containers of real numbers that the SDFG does
/// not have for itself; their tangents become containers of the same kind. False after an error.
bool addTangents(ir::SDFG &g, const Request &request, pass::Context &context);

/// A step that gets tangents, and what is put around it.
struct TangentSite {
    nest::Step &step;
    nest::Map *map; // the innermost one around the step, or null
    std::vector<nest::Item> before, after;
    bool inScope() const { return map != nullptr; }
};

class TangentWriter {
public:
    /// `declared`: memories whose tangents are arguments.
    TangentWriter(Program &program, Maker &maker, const Activity &activity, const std::set<analysis::Memory> &declared,
                  Gradients &tangents, const Request &request, pass::Context &context)
        : program_(program), maker_(maker), activity_(activity), declared_(declared), tangents_(tangents), request_(request),
          context_(context) {}

    /// Adds tangents to all runs, which are to be written then. False after an error.
    bool run();

    // ---- for rules of library nodes
    Maker &maker() { return maker_; }
    const ir::DataDesc &desc(const nest::Use &u) { return *maker_.sdfg().desc(u.data); }
    bool isActive(const nest::Use &u) const;
    /// The tangent of the elements that a use is of, used in the same way.
    nest::Use tangent(const nest::Use &of, Name connector);
    /// A container that an iteration around the step has for itself.
    Name temporary(std::string_view name, const ir::DataDesc &like, std::vector<sym::Expr> shape, TangentSite &site);
    /// Gives what the step writes the tangent zero: it is computed from numbers without tangents.
    void clear(TangentSite &site);
    /// Reports an error at a node of the program.
    void fail(diag::Message message, const ir::Node &at);
    /// Which of the elements that an extremum equals it has the tangent of.
    py::Ties ties() const { return request_.ties; }

private:
    std::vector<nest::Item> with(std::vector<nest::Item> items, nest::Map *map);
    void step(TangentSite &site);
    void copy(TangentSite &site);
    void tasklet(TangentSite &site, const ir::Tasklet &t);
    void nested(TangentSite &site, const ir::NestedSDFGNode &n);
    bool hasTangent(analysis::Memory m) const { return declared_.count(m) || activity_.isActive(m); }
    bool checkStates();
    bool checkSymbols();

    Program &program_;
    Maker &maker_;
    const Activity &activity_;
    const std::set<analysis::Memory> &declared_;
    Gradients &tangents_;
    const Request &request_;
    pass::Context &context_;
    bool failed_ = false;
};

/// Adds the items that compute the tangents of a node's results. Reports an error if the node has no derivative.
void addTangentOfNode(TangentWriter &w, TangentSite &site, const ir::LibraryNode &n); // TangentNodes.cpp

} // namespace sdfgc::transforms::gradient
