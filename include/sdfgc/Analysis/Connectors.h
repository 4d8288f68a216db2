// Connectors of tasklets that stand for several elements.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tasklet/Ast.h"

#include <map>
#include <set>

namespace sdfgc::analysis {

/// Which connectors of one tasklet stand for several elements of a container: there the name alone is the address of the first,
/// and elements have subscripts. Streams, connectors that set a reference, and elements that are no numbers are left out.
class SeveralElements {
public:
    explicit SeveralElements(const ir::Tasklet &t);

    bool empty() const { return several_.empty(); }
    /// The memlet of such a connector; null for other names.
    const ir::Memlet *of(Name connector) const;
    /// Is it such a connector, or one that stands for one number?
    bool isNumeric(Name connector) const { return several_.count(connector) || numbers_.count(connector); }
    /// Does the statement, one at the top of the tasklet's `code`, give one such connector the address of another, `o = c`, without
    /// any other use of `o`? In DaCe's output that changes a pointer of the tasklet and stores nothing, and neither does it here.
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
