// Words for the enumerations in the schedule tree's text.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <algorithm>
#include <optional>
#include <span>

namespace sdfgc::tree::text {

template <class E> struct Words; // `all`: one word per enumerator, in order

#define WORDS(E, ...)                                                                                                              \
    template <> struct Words<E> { static constexpr std::string_view all[] = {__VA_ARGS__}; };
WORDS(VarKind, "value", "stack", "heap", "pointer", "reference", "member", "field", "constant", "queue", "queueref", "queueview",
      "structpointer", "callback", "device", "pinned", "pool", "shared")
WORDS(py::Reduction, "custom", "min", "max", "sum", "product", "logical_and", "bit_and", "logical_or", "bit_or", "logical_xor",
      "bit_xor", "min_location", "max_location", "exchange", "sub", "quotient")
WORDS(ir::OmpSchedule, "default", "static", "dynamic", "guided")
WORDS(ir::Instrumentation, "none", "timer", "papi", "likwid_cpu", "likwid_gpu", "gpu_events", "gpu_markers", "fpga")
WORDS(ir::Lifetime, "scope", "state", "sdfg", "global", "persistent", "external")
WORDS(ir::Storage, "default", "register", "cpu_heap", "cpu_pinned", "cpu_threadlocal", "gpu_global", "gpu_shared", "sve_register",
      "snitch_tcdm", "snitch_l2", "snitch_ssr", "fpga_global", "fpga_local", "fpga_registers", "fpga_shiftregister")
WORDS(ir::DataKind, "scalar", "array", "queue", "structure", "containerarray", "processgrid", "subarray", "redistrarray")
WORDS(ir::AliasKind, "none", "view", "reference")
WORDS(Spread::Level, "blocks", "block", "threads")
WORDS(Loop::Form, "normal", "dowhile", "testlast", "once")
WORDS(RawTasklet::Binding::Form, "value", "constref", "pointer", "uninitialised", "queue", "symbol")
WORDS(DeviceCopy::Direction, "to_device", "to_host", "on_device", "on_host")
#undef WORDS

template <class E> std::string_view word(E e) { return Words<E>::all[static_cast<std::size_t>(e)]; }
template <class E> std::optional<E> byWord(std::string_view text) {
    const auto *at = std::find(std::begin(Words<E>::all), std::end(Words<E>::all), text);
    return at == std::end(Words<E>::all) ? std::nullopt : std::optional(static_cast<E>(at - std::begin(Words<E>::all)));
}

} // namespace sdfgc::tree::text
