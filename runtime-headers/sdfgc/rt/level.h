// A program at one level: compiled for one kind of processor, the SDFGC_LEVEL of the command line (`x86_64_v3`). The dispatcher of
// the program (dispatch.h) calls the highest level that the processor can run.
//
// What a level needs of a processor is not derived from its name: the compiler's own macros tell which instructions it may have used,
// whatever flags it was given (`native`, `znver4`, -mavx2). All of this is data. No code of the level runs before the dispatcher has
// found that the processor has everything.
#pragma once

namespace sdfgc::rt {

/// An extension of the instruction set: a bit of the answer of cpuid on x86, a bit of AT_HWCAP or AT_HWCAP2 on Arm.
struct Extension {
    const char *name;
    unsigned leaf, subleaf; // of cpuid; on Arm, the leaf is the number of the auxiliary value
    int word;               // of the answer: eax, ebx, ecx, edx
    int bit;
    unsigned state; // bits of XCR0: registers that the operating system must save
};

/// What the dispatcher reads of a level. A program's own structure adds its functions.
struct Level {
    const char *name;
    const Extension *needs;
    unsigned count;
    /// Constructors of global variables, where they were taken out of the library's own list: they run if the level is chosen.
    void (*const *constructors)();
    void (*const *constructorsEnd)();
};

} // namespace sdfgc::rt

#ifdef SDFGC_LEVEL

#define SDFGC_LEVEL_JOINED_(a, b) a##b
#define SDFGC_LEVEL_JOINED(a, b) SDFGC_LEVEL_JOINED_(a, b)
#define SDFGC_LEVEL_TEXT_(a) #a
#define SDFGC_LEVEL_TEXT(a) SDFGC_LEVEL_TEXT_(a)
/// The name of a function at this level: f_program_at_x86_64_v3.
#define SDFGC_AT_LEVEL(function) SDFGC_LEVEL_JOINED(function##_at_, SDFGC_LEVEL)

namespace sdfgc::rt {
namespace {

/// The extensions that the compiler may use in this file. Left out are those that compilers never choose by themselves and that
/// virtual machines often hide.
constexpr Extension extensions[] = {
#if defined(__x86_64__) || defined(__i386__)
#include "sdfgc/rt/level_x86.def"
#elif defined(__aarch64__)
#include "sdfgc/rt/level_arm.def"
#endif
    {nullptr, 0, 0, 0, 0, 0}};

} // namespace
} // namespace sdfgc::rt

// Defined by the linker if the constructors of this level are in a section of their own.
extern "C"
    __attribute__((weak, visibility("hidden"))) void (*const SDFGC_LEVEL_JOINED(__start_sdfgc_constructors_, SDFGC_LEVEL)[])();
extern "C"
    __attribute__((weak, visibility("hidden"))) void (*const SDFGC_LEVEL_JOINED(__stop_sdfgc_constructors_, SDFGC_LEVEL)[])();

#define SDFGC_THIS_LEVEL                                                                                                           \
    {                                                                                                                              \
        SDFGC_LEVEL_TEXT(SDFGC_LEVEL), sdfgc::rt::extensions, sizeof sdfgc::rt::extensions / sizeof(sdfgc::rt::Extension) - 1,     \
            SDFGC_LEVEL_JOINED(__start_sdfgc_constructors_, SDFGC_LEVEL),                                                          \
            SDFGC_LEVEL_JOINED(__stop_sdfgc_constructors_, SDFGC_LEVEL)                                                            \
    }

/// Adds `sdfgc_this_level` to the list of the program's levels: the linker joins the pointers in the order of the objects.
#define SDFGC_ADD_LEVEL(program)                                                                                                   \
    __attribute__((section("sdfgc_levels_" #program), used)) static const program##_level_t *const sdfgc_listed_level =            \
        &sdfgc_this_level;

#endif
