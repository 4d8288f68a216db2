// How a program uses the containers of its outermost SDFG: which of them callers may pass as read-only memory.
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

/// Returns the access to each non-transient container of the root. An update with conflict resolution also reads. A
/// structure counts as written if one of its members is. A container that a reference is set to counts as both, because
/// the reference may be used either way.
std::map<Name, Access> containerAccess(const ir::SDFG &root);

/// Is a container an array or a scalar with memory of its own, no view, reference, stream or structure? False for null.
bool isPlain(const ir::DataDesc *d);
/// Can loops of the host use a container of this storage?
bool isOnHost(const ir::DataDesc *d);

} // namespace sdfgc::analysis
