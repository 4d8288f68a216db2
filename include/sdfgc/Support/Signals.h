// Handlers of signals.
#pragma once

namespace sdfgc {

/// From here on, handlers of this thread with SA_ONSTACK run on a stack of their own, so that an overflow of the stack can be
/// reported. The stack is one for the process: for one thread only.
void useSignalStack();

} // namespace sdfgc
