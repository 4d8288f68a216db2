// Which container a name means, and how a program uses the containers of its outermost SDFG: what callers may pass as read-only
// memory.
#pragma once

#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/Sdfg.h"

#include <map>

namespace sdfgc::analysis {

using ir::ownerOf;

struct Access {
    bool read = false, written = false;
    /// `in`, `out`, `inout`, or `unused`.
    std::string str() const;
};

/// Of every container of the root that is not transient. An update with conflict resolution reads as well; a structure counts as
/// written when one of its members is; a container that a reference is set to counts as both, because the reference may be used
/// either way.
std::map<Name, Access> containerAccess(const ir::SDFG &root);

} // namespace sdfgc::analysis
