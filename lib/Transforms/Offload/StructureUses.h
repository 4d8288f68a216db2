// How dataflow and code use structures, their members, and views of both. For flattenMembers.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tasklet/Ast.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace sdfgc::transforms {

bool isStructure(const ir::SDFG &g, Name data);
/// Is it a node of a structure, or of a member of one?
bool isOfStructure(const ir::Node *n);
/// Does an edge make the node at its other end a view of this one?
bool isViewOf(const ir::Edge &e, const ir::AccessNode &a);

/// A view of a member, and the edge that makes it one.
struct ShownMember {
    ir::AccessNode *view;
    ir::Edge *edge;
    ir::AccessNode *structure; // or of the member
    Name member;
    bool isEntire; // with the same elements at the same positions
};
/// Returns the views of members in a state. If one shows an unknown part of a structure, `why` says so.
std::vector<ShownMember> membersShown(ir::State &s, std::string &why);

/// Visits an edge of an access node, and the edges that continue it inside of scopes.
void forTree(ir::Edge &e, bool outgoing, const std::function<void(ir::Edge &)> &f);
/// Renames the container of the memlets of these edges.
void renameTree(ir::Edge &e, bool outgoing, Name from, Name to);

/// Removes nodes of structures, and of views of them, that have lost their users. `control`: what control flow reads, for which
/// views stay outside of kernels.
void removeUnused(ir::State &s, bool inKernel, const std::set<Name> &control);

/// The structure, or member of one, that an expression names: `P.cells[0].area`. Empty for anything else.
Name memberNamed(const ir::SDFG &g, const py::Expr &e);
/// Replaces expressions (py::replace) in conditions, assignments and loop headers. Code that is not Python stays.
void forControlCode(ir::SDFG &g, const std::function<py::ExprRef(const py::ExprRef &)> &f);

} // namespace sdfgc::transforms
