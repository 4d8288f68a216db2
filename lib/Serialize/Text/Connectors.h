// Where edges stand in a state's text, and which connectors follow from them.
#pragma once

#include "Serialize/Text/StateNames.h"

#include <map>
#include <unordered_map>

namespace sdfgc::serialize::text {

/// An edge without connectors and with nothing to say but the order.
bool isPlainOrder(const ir::Edge &e);
/// Edges from computations and out of scopes stand where they come from, others where they lead to.
bool standsAtSource(const ir::Edge &e);
/// Copies have a line of their own.
bool isCopyLine(const ir::Edge &e);

/// The lists of connectors of a state's nodes, as far as the text leaves them out. Valid until the state changes.
class Connectors {
public:
    /// Are the connectors those of the edges, by name, with no type but what the text says beside edges?
    bool areUsual(const ir::Node &n, bool in);
    /// A connector by name, null if there is none; in constant time where a node has many.
    const ir::Connector *find(const ir::Node &n, bool in, Name name);

private:
    bool compare(const ir::Node &n, bool in);
    std::map<std::pair<const ir::Node *, bool>, bool> usual_; // lookups only, as below
    std::unordered_map<const void *, std::unordered_map<Name, const ir::Connector *>> many_;
};

} // namespace sdfgc::serialize::text
