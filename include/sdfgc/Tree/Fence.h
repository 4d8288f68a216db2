// A statement that computes nothing: C++ compilers neither interchange the loop that begins with it nor make vectors of its iterations.
#pragma once

#include "sdfgc/Tree/Statements.h"

namespace sdfgc::tree {

inline constexpr std::string_view fenceText = "asm volatile(\"\");";

/// A fence, for the beginning of a loop's body: code that is printed as written.
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
