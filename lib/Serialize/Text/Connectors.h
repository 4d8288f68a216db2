// Where edges appear in a state's text, and which connectors follow from them.
#pragma once

#include "Serialize/Text/StateNames.h"

#include <map>
#include <unordered_map>

namespace sdfgc::serialize::text {

/// Is it an edge without connectors that only expresses an order?
bool isPlainOrder(const ir::Edge &e);
/// Edges from computations and out of scopes appear at their source, others at their destination.
bool standsAtSource(const ir::Edge &e);
/// Copies have a separate line.
bool isCopyLine(const ir::Edge &e);

/// The connector lists of a state's nodes, as far as the text omits them. Valid until the state changes.
class Connectors {
public:
    /// Are the connectors those of the edges, by name, with only the types that the text states at edges?
    bool areUsual(const ir::Node &n, bool in);
    /// A connector by name, or null; in constant time for nodes with many of them.
    const ir::Connector *find(const ir::Node &n, bool in, Name name);

private:
    bool compare(const ir::Node &n, bool in);
    std::map<std::pair<const ir::Node *, bool>, bool> usual_; // lookups only, as below
    std::unordered_map<const void *, std::unordered_map<Name, const ir::Connector *>> many_;
};

} // namespace sdfgc::serialize::text
