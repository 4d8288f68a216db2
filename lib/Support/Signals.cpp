#include "sdfgc/Support/Signals.h"

#include <array>
#include <csignal>

namespace sdfgc {

void useSignalStack() {
    static std::array<char, 1 << 16> memory;
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    ::sigaltstack(&stack, nullptr);
}

} // namespace sdfgc
