#include "sdfgc/Support/Signals.h"

#include <array>
#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace sdfgc {

void useSignalStack() {
    static std::array<char, 1 << 16> memory;
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    ::sigaltstack(&stack, nullptr);
}

void endWithParent(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) // it ended before the call
        ::_exit(128 + SIGKILL);
}

} // namespace sdfgc
