// Handlers of signals, and the end of processes.
#pragma once

#include <sys/types.h>

namespace sdfgc {

/// From here on, handlers of this thread with SA_ONSTACK run on a stack of their own, so that an overflow of the stack can be
/// reported. The stack is one for the process: for one thread only.
void useSignalStack();

/// For a process that `parent` has just forked: when the thread that forked it ends, by a signal or otherwise, this process is killed
/// as well. It lasts across exec. May be called between fork and exec.
void endWithParent(pid_t parent);

} // namespace sdfgc
