// Values that control flow reads from containers: in loop headers, conditions, and values of symbols.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tasklet/Ast.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace sdfgc::transforms {

/// An integer or a bool in host memory: a scalar, an element of an array, or a member of a structure, at integer symbols.
struct ControlRead {
    Name container;         // `p.n` for a member
    std::string text;       // the same for all reads of the value, as control flow may write it
    std::set<Name> indices; // symbols
    Type type;
    bool isHarmless = false; // exists and is in bounds wherever it is read
};

/// Finds and replaces such reads in the code of one SDFG.
class ControlReads {
public:
    explicit ControlReads(const ir::SDFG &g) : g_(g) {}

    /// The value that an expression reads, if it consists of nothing else.
    std::optional<ControlRead> of(const py::Expr &e) const;

    /// Returns the expression that replaces a read; null if it stays. `certain`: the read happens whenever the code runs.
    using Replacement = std::function<py::ExprRef(const ControlRead &, bool certain)>;
    /// Returns an expression with its reads replaced; null if nothing changes. `certain`: it runs whenever the surrounding code does.
    /// Comparisons with None stay, in which a container means its address.
    py::ExprRef replaced(const py::ExprRef &e, bool certain, const Replacement &replacement) const;
    /// The same in the text of an expression, in code that is an expression, or in the value of a single assignment. Returns whether
    /// anything changed; code in other languages stays.
    bool replace(std::string &text, bool certain, const Replacement &replacement) const;
    bool replace(ir::Code &code, bool certain, const Replacement &replacement) const;
    bool replaceInStatement(ir::Code &code, bool certain, const Replacement &replacement) const;

private:
    std::optional<sym::Expr> indexOf(const py::Expr &e) const;

    const ir::SDFG &g_;
};

} // namespace sdfgc::transforms
