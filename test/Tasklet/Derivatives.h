// Shared by the tests of derivatives.
#pragma once

#include "sdfgc/Tasklet/Derivatives.h"

#include <catch2/catch.hpp>

namespace sdfgc::py::test {

/// Names: a, b, c, x are active inputs and y, z active outputs of type `t`, if they occur in the code; A, B are pointers that the
/// code reads with subscripts, out is one to which it stores; n, i, j are int64 symbols.
Signature signatureFor(const std::string &code, Type t = ScalarKind::Float64);

using Mode = DerivativeOr (*)(const std::vector<StmtRef> &, const Signature &);
DerivativeOr derived(const std::string &code, Type t = ScalarKind::Float64, Mode mode = reverseOf);
/// The text, or `error: message`.
std::string text(const DerivativeOr &d);
inline std::string reverse(const std::string &code, Type t = ScalarKind::Float64) { return text(derived(code, t)); }
inline std::string tangent(const std::string &code, Type t = ScalarKind::Float64) { return text(derived(code, t, tangentOf)); }

} // namespace sdfgc::py::test
