// Calls a program in the interpreter instead of a compiled library.
#pragma once

#include "Driver/Session.h"
#include "sdfgc/Run/Call.h"
#include "sdfgc/Validate/Execution.h"

namespace sdfgc::driver {

/// Runs the program, which was read from `file`, once with prepared arguments, like run::call for a library. Faults found by the
/// interpreter are each reported once; the results are returned anyway.
run::CallResult interpret(Session &session, validate::Subject &program, const run::Arguments &arguments, const std::string &file);

} // namespace sdfgc::driver
