// Fibers: the threads of a block, each with its own stack, on one host thread. Part of gpu_emulate.cpp.
//
// Rules: resume() runs a fiber until it calls yield() or ends; then resume() returns. Switching costs some ten instructions on
// x86-64 and a system call elsewhere (ucontext). AddressSanitizer and ThreadSanitizer are notified of every switch. Stacks end at a
// closed page and are reused.
#pragma once

#include "sdfgc/rt/gpu/emulated/report.h"

#include <sys/mman.h>
#include <vector>

#ifndef __x86_64__
#include <ucontext.h>
#endif
#ifdef SDFGC_EMULATE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace sdfgc::gpu::emulate {

/// Memory for a fiber's stack, with closed memory below it: more than a page, because a frame with a large array may skip one.
class Stack {
public:
    Stack() {
        const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        bytes_ = (settings().stackBytes + page - 1) / page * page;
        void *memory = mmap(nullptr, bytes_ + closed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            throw std::bad_alloc();
        mprotect(memory, closed, PROT_NONE);
        memory_ = static_cast<char *>(memory);
    }
    Stack(const Stack &) = delete;
    Stack &operator=(const Stack &) = delete;
    ~Stack() { munmap(memory_, bytes_ + closed); }

    char *bottom() const { return memory_ + closed; }
    size_t bytes() const { return bytes_; }
    bool overflowed(const void *address) const { return address >= memory_ && address < bottom(); }

private:
    static constexpr size_t closed = 256 << 10; // a multiple of every page size
    char *memory_;
    size_t bytes_;
};

#ifdef __x86_64__

/// The state of a suspended flow of control that is not on its stack.
struct Context {
    void *stackPointer = nullptr;
};

/// Saves the current flow in `from` and continues with `to`. Preserves the registers that calls preserve in the System V ABI.
__attribute__((naked, noinline)) inline void switchContext(Context *, const Context *) {
    __asm__(R"(
        pushq %rbp
        pushq %rbx
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        movq %rsp, (%rdi)
        movq (%rsi), %rsp
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %rbx
        popq %rbp
        retq
    )");
}

inline void prepareContext(Context &context, const Stack &stack, void (*entry)()) {
    void **top = reinterpret_cast<void **>(stack.bottom() + stack.bytes());
    *--top = nullptr; // the entry's return address: it never returns, and the stack must be as after a call
    *--top = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; ++i) // the saved registers
        *--top = nullptr;
    context.stackPointer = top;
}

#else

struct Context {
    ucontext_t context;
};
inline void switchContext(Context *from, const Context *to) { swapcontext(&from->context, &to->context); }
inline void prepareContext(Context &context, const Stack &stack, void (*entry)()) {
    getcontext(&context.context);
    context.context.uc_stack.ss_sp = stack.bottom();
    context.context.uc_stack.ss_size = stack.bytes();
    context.context.uc_link = nullptr;
    makecontext(&context.context, entry, 0);
}

#endif

/// Runs functions as fibers of the thread that made it.
class Fiber {
public:
#ifdef SDFGC_EMULATE_TSAN
    ~Fiber() { forget(); }
#endif

    /// Must not be called while the fiber is suspended inside a function that must still complete.
    void start(void (*function)(void *), void *argument) {
        function_ = function;
        argument_ = argument;
        done_ = false;
#ifdef SDFGC_EMULATE_ASAN
        __asan_unpoison_memory_region(stack_.bottom(), stack_.bytes()); // frames of an aborted fiber
#endif
#ifdef SDFGC_EMULATE_TSAN
        forget();
        tsanFiber_ = __tsan_create_fiber(0);
#endif
        prepareContext(own_, stack_, &Fiber::entry);
    }

    /// Runs the fiber until it yields or ends.
    void resume() {
        current() = this;
#ifdef SDFGC_EMULATE_ASAN
        void *fakeStack = nullptr;
        __sanitizer_start_switch_fiber(&fakeStack, stack_.bottom(), stack_.bytes());
        resumerFakeStack_ = fakeStack;
#endif
#ifdef SDFGC_EMULATE_TSAN
        tsanResumer_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(tsanFiber_, 0);
#endif
        switchContext(&resumer_, &own_);
        returned();
    }

    /// Back to resume(), from inside the fiber.
    void yield() {
#ifdef SDFGC_EMULATE_ASAN
        void *fakeStack = nullptr;
        __sanitizer_start_switch_fiber(done_ ? nullptr : &fakeStack, resumerBottom_, resumerBytes_);
#endif
#ifdef SDFGC_EMULATE_TSAN
        __tsan_switch_to_fiber(tsanResumer_, 0);
#endif
        switchContext(&own_, &resumer_);
#ifdef SDFGC_EMULATE_ASAN
        __sanitizer_finish_switch_fiber(fakeStack, &resumerBottom_, &resumerBytes_);
#endif
    }

    /// The fiber that runs on this thread; null outside fibers.
    static Fiber *&current() {
        static thread_local Fiber *fiber = nullptr;
        return fiber;
    }

    /// Called before and after a jump out of the running fiber into its resumer's frame (siglongjmp), which abandons the fiber.
    void leave() {
#ifdef SDFGC_EMULATE_ASAN
        __sanitizer_start_switch_fiber(nullptr, resumerBottom_, resumerBytes_);
#endif
#ifdef SDFGC_EMULATE_TSAN
        __tsan_switch_to_fiber(tsanResumer_, 0);
#endif
        done_ = true;
    }
    void returned() {
#ifdef SDFGC_EMULATE_ASAN
        __sanitizer_finish_switch_fiber(resumerFakeStack_, nullptr, nullptr);
#endif
        current() = nullptr;
    }

    bool done() const { return done_; }
    const Stack &stack() const { return stack_; }

private:
    static void entry() {
        Fiber *fiber = current();
#ifdef SDFGC_EMULATE_ASAN
        __sanitizer_finish_switch_fiber(nullptr, &fiber->resumerBottom_, &fiber->resumerBytes_);
#endif
        fiber->function_(fiber->argument_);
        fiber->done_ = true;
        fiber->yield();
        __builtin_unreachable();
    }

#ifdef SDFGC_EMULATE_TSAN
    void forget() {
        if (tsanFiber_)
            __tsan_destroy_fiber(tsanFiber_);
        tsanFiber_ = nullptr;
    }
    void *tsanFiber_ = nullptr, *tsanResumer_ = nullptr;
#endif

    Stack stack_;
    Context own_, resumer_;
    void (*function_)(void *) = nullptr;
    void *argument_ = nullptr;
    bool done_ = true;
#ifdef SDFGC_EMULATE_ASAN
    void *resumerFakeStack_ = nullptr;
    const void *resumerBottom_ = nullptr;
    size_t resumerBytes_ = 0;
#endif
};

} // namespace sdfgc::gpu::emulate
