// A statement that computes nothing. At the start of a loop body, it keeps C++ compilers from interchanging or
// vectorising the loop.
#pragma once

#include "sdfgc/Tree/Statements.h"

namespace sdfgc::tree {

inline constexpr std::string_view fenceText = "asm volatile(\"\");";

/// Creates a fence, for the start of a loop body: code that is printed verbatim.
inline NodePtr fence() {
    auto text = std::make_shared<py::Stmt>();
    text->kind = py::StmtKind::Raw;
    text->text = fenceText;
    auto out = std::make_unique<Code>();
    out->stmts.push_back(std::move(text));
    return out;
}

inline bool isFence(const Code &c) {
    return c.stmts.size() == 1 && c.stmts[0]->kind == py::StmtKind::Raw && c.stmts[0]->text == fenceText;
}

} // namespace sdfgc::tree
