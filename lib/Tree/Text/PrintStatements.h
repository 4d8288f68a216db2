// Printing the statements of a Code node: those of tasklets and of edges, as Python statements (py::Stmt).
#pragma once

#include "Expressions.h"

namespace sdfgc::tree::text {

class StatementPrinter {
public:
    /// `type` prints a type; lines are indented by `depth` steps.
    StatementPrinter(const ExpressionPrinter &expressions, std::function<std::string(Type)> type, int depth)
        : expressions_(expressions), type_(std::move(type)), depth_(depth) {}
    /// A statement, without the end of its line.
    std::string text(const py::Stmt &s);
    /// ` {`, the statements on separate lines, `}`.
    std::string block(const std::vector<py::StmtRef> &body);

private:
    std::string assignment(const py::Stmt &s) const;
    std::string value(const py::ExprRef &e, int least = Lowest) const { return e ? expressions_.text(*e, least) : "?"; }
    std::string margin() const { return std::string(static_cast<std::size_t>(depth_) * 2, ' '); }

    const ExpressionPrinter &expressions_;
    std::function<std::string(Type)> type_;
    int depth_;
};

} // namespace sdfgc::tree::text
