// Short spellings of the text form.
#pragma once

#include "sdfgc/IR/Dataflow.h"

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::serialize::text {

/// `blas.MatMul` means `dace.libraries.blas.nodes.matmul.MatMul`: DaCe keeps a class in a module of the same name. Other paths are
/// used as they are.
std::string fullClass(std::string_view path);
/// The shortest text that fullClass expands to this path; empty if there is none.
std::string shortClass(const std::string &path);

/// `+` for `(lambda x, y: (x + y))`, as DaCe writes it; empty for other texts.
std::string_view wcrWord(std::string_view lambda);
/// The reverse; empty for other words.
std::string_view wcrLambda(std::string_view word);

std::string_view wcrModeName(ir::WcrMode m);
std::optional<ir::WcrMode> parseWcrMode(std::string_view word);

} // namespace sdfgc::serialize::text
