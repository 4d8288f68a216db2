// Forward mode: the program computes, along with its values, their derivatives with respect to its arguments.
//
//     map i { b[i] = sin(a[i]) }   ->   map i { tangent_b[i] = cos(a[i]) * tangent_a[i]; b[i] = sin(a[i]) }
//
// Each step is preceded by one that computes the tangents of its outputs, from the values before the step. Control flow
// is unchanged, and nothing is stored. The tangent of a value computed from numbers without tangents is zero.
#pragma once

#include "Transforms/Differentiate/Activity.h"
#include "Transforms/Differentiate/Gradients.h"
#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Adds the tangents of `of` and `wrt` to an SDFG. The caller passes those of `wrt`. All must be floating-point containers that are
/// not local to the SDFG; their tangents become containers of the same kind. Returns false after an error.
bool addTangents(ir::SDFG &g, const Request &request, pass::Context &context);

/// A step that gets tangents, and the items added around it.
struct TangentSite {
    nest::Step &step;
    nest::Map *map; // the innermost one around the step, or null
    std::vector<nest::Item> before, after;
    bool inScope() const { return map != nullptr; }
};

class TangentWriter {
public:
    /// `declared`: memories whose tangents are arguments.
    TangentWriter(PrimalProgram &program, Maker &maker, const Activity &activity, const std::set<analysis::Memory> &declared,
                  Gradients &tangents, const Request &request, pass::Context &context)
        : program_(program), maker_(maker), activity_(activity), declared_(declared), tangents_(tangents), request_(request),
          context_(context) {}

    /// Adds tangents to all runs, which the caller then writes. Returns false after an error.
    bool run();

    // ---- for rules of library nodes
    Maker &maker() { return maker_; }
    const ir::DataDesc &desc(const nest::Use &u) { return *maker_.sdfg().desc(u.data); }
    bool isActive(const nest::Use &u) const;
    /// A use of the tangent of the same elements, of the same kind.
    nest::Use tangent(const nest::Use &of, Name connector);
    /// Creates a container private to an iteration around the step.
    Name temporary(std::string_view name, const ir::DataDesc &like, std::vector<sym::Expr> shape, TangentSite &site);
    /// Sets the tangents of the step's outputs to zero, because they are computed from numbers without tangents.
    void clear(TangentSite &site);
    /// Reports an error at a node of the program.
    void fail(diag::Message message, const ir::Node &at);
    /// Which of several elements that equal an extremum determines its tangent.
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

    PrimalProgram &program_;
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
