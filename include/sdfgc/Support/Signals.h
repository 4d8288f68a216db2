// Signal handlers, and termination of processes.
#pragma once

#include <sys/types.h>

namespace sdfgc {

/// From this call on, handlers of this thread with SA_ONSTACK run on a separate stack, so that a stack overflow can be
/// reported. There is one such stack per process, for a single thread.
void useSignalStack();

/// For a process that `parent` has just forked: when the forking thread ends, by a signal or otherwise, this process is
/// killed as well. Persists across exec. May be called between fork and exec.
void endWithParent(pid_t parent);

} // namespace sdfgc
