// The choice of a program's level (level.h): the last one in the order of linking that the processor can run, or the one that the
// environment variable SDFGC_CPU names. It is made by the first call of any function of the program.
//
// Included by the program's dispatcher alone, which is compiled for all processors. Nothing here may end up as a weak symbol: the
// linker would choose between this file's copy and one that was compiled for a newer processor.
#pragma once

#include "sdfgc/rt/export.h"
#include "sdfgc/rt/level.h"

#include <cstdlib>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace sdfgc::rt {
namespace {

#if defined(__x86_64__) || defined(__i386__)
/// The registers that the operating system saves (XCR0); 0 without XSAVE.
unsigned savedState() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27)))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return a;
}

bool hasExtension(const Extension &e) {
    unsigned answer[4] = {};
    return __get_cpuid_count(e.leaf, e.subleaf, &answer[0], &answer[1], &answer[2], &answer[3]) && (answer[e.word] >> e.bit & 1) &&
           (!e.state || (savedState() & e.state) == e.state);
}
#elif defined(__aarch64__)
bool hasExtension(const Extension &e) { return getauxval(e.leaf) >> e.bit & 1; }
#else
bool hasExtension(const Extension &) { return true; }
#endif

/// An extension that the level needs and the processor lacks; null if it can run the level.
[[maybe_unused]] const char *missing(const Level &level) {
    for (unsigned i = 0; i < level.count; ++i)
        if (!hasExtension(level.needs[i]))
            return level.needs[i].name;
    return nullptr;
}

/// A text in memory of fixed size, cut to fit.
struct Message {
    char *to;
    unsigned size, length = 0;
    Message &operator<<(const char *text) {
        for (; *text && length + 1 < size; ++text)
            to[length++] = *text;
        to[length] = '\0';
        return *this;
    }
};

/// Are these names of one level? `x86-64-v3` and `x86_64_v3` are.
[[maybe_unused]] bool sameLevel(const char *a, const char *b) {
    auto plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || !c ? c : '_'; };
    for (; plain(*a) == plain(*b); ++a, ++b)
        if (!*a)
            return true;
    return false;
}

/// The levels of a program, and the one that runs here.
template <class Of> struct Levels {
    const Of *chosen = nullptr;
    char message[256] = ""; // why there is none

    Levels(const char *program, const Of *const *first, const Of *const *last) {
        const char *asked = std::getenv("SDFGC_CPU");
        asked = asked && *asked ? asked : nullptr;
        for (const Of *const *level = first; level != last; ++level)
            if ((!asked || sameLevel(asked, (*level)->name)) && !missing(**level))
                chosen = *level;
        if (!chosen)
            explain(program, asked, first, last);
        else
            for (void (*const *f)() = chosen->constructors; f != chosen->constructorsEnd; ++f)
                if (*f)
                    (*f)();
    }

private:
    void explain(const char *program, const char *asked, const Of *const *first, const Of *const *last) {
        Message text{message, sizeof message};
        text << "program `" << program;
        if (asked)
            text << "` cannot run with SDFGC_CPU=" << asked << ":";
        else
            text << "` was compiled for other processors:";
        const char *separator = " ";
        bool known = false;
        for (const Of *const *level = first; level != last; ++level) {
            const char *lacking = missing(**level);
            known = known || (asked && sameLevel(asked, (*level)->name));
            text << separator << (*level)->name;
            if (lacking)
                text << " needs " << lacking;
            separator = ", ";
        }
        if (!asked)
            text << "; sdfgc build --cpu portable makes one that runs on all";
        else if (!known)
            text << " are its levels";
    }
};

} // namespace
} // namespace sdfgc::rt

/// Defines `sdfgc_levels()` for a program.
#define SDFGC_LEVELS(program)                                                                                                      \
    extern "C" __attribute__((visibility("hidden"))) const program##_level_t *const __start_sdfgc_levels_##program[];              \
    extern "C" __attribute__((visibility("hidden"))) const program##_level_t *const __stop_sdfgc_levels_##program[];               \
    static const sdfgc::rt::Levels<program##_level_t> &sdfgc_levels() {                                                            \
        static const sdfgc::rt::Levels<program##_level_t> all(#program, __start_sdfgc_levels_##program,                            \
                                                              __stop_sdfgc_levels_##program);                                      \
        return all;                                                                                                                \
    }
