// Calling a program in the interpreter instead of a library that was made of it.
#pragma once

#include "Driver/Session.h"
#include "sdfgc/Run/Call.h"
#include "sdfgc/Validate/Execution.h"

namespace sdfgc::driver {

/// Runs the program, which was read from `file`, once with prepared arguments, as run::call does with a library. What the interpreter
/// finds is reported, each fault once, and does not keep the results from being returned.
run::CallResult interpret(Session &session, validate::Subject &program, const run::Arguments &arguments, const std::string &file);

} // namespace sdfgc::driver
