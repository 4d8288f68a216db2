// Types of connectors, and connectors of tasklets that refer to several elements.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tasklet/Ast.h"

#include <map>
#include <set>

namespace sdfgc::analysis {

/// The type of a connector for all of a container: that of a scalar or a structure, or a pointer to the elements of an array.
Type containerType(const ir::DataDesc &d);

/// The connectors of one tasklet that refer to several elements of a container: their name alone is the address of the
/// first element, and elements need subscripts. Excludes streams, connectors that set a reference, and elements that
/// are not numbers.
class SeveralElements {
public:
    explicit SeveralElements(const ir::Tasklet &t);

    bool empty() const { return several_.empty(); }
    /// The memlet of such a connector; null for other names.
    const ir::Memlet *of(Name connector) const;
    /// Is it such a connector, or one that refers to a single number?
    bool isNumeric(Name connector) const { return several_.count(connector) || numbers_.count(connector); }
    /// Does the statement, at the top level of the tasklet's `code`, assign the address of one such connector to
    /// another, `o = c`, without any other use of `o`? In DaCe's output that changes a pointer of the tasklet and
    /// stores nothing, and sdfgc does the same.
    bool isRebinding(const py::Stmt &s, const std::vector<py::StmtRef> &code) const;

private:
    struct Side {
        const ir::Memlet *memlet;
        Type element;
        bool output;
    };
    std::map<Name, Side> several_;
    std::set<Name> numbers_;

    void add(const ir::Connector *c, const ir::Edge &e, bool output);
};

} // namespace sdfgc::analysis
