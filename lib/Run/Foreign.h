// Calls of programs that this machine's processor cannot run.
#pragma once

#include "sdfgc/Run/Call.h"

namespace sdfgc::run {

/// Starts `options.caller` with the words of `options.runner` in front of it, and passes arguments and results in files of a temporary
/// folder. Makes one call, whose time is that of the entire process. Times, counters and places of crashes are those of the
/// emulator, or missing.
CallResult callForeign(const Arguments &arguments, const CallOptions &options);

} // namespace sdfgc::run
