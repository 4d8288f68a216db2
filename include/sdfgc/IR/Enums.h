// Enumerations of the SDFG format (format reference section 4). Names in files are the enumerators' names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sdfgc::ir {

// clang-format off
#define SDFGC_STORAGES(X) \
    X(Default) X(Register) X(CPU_Heap) X(CPU_Pinned) X(CPU_ThreadLocal) X(GPU_Global) X(GPU_Shared) X(SVE_Register) \
    X(Snitch_TCDM) X(Snitch_L2) X(Snitch_SSR) X(FPGA_Global) X(FPGA_Local) X(FPGA_Registers) X(FPGA_ShiftRegister)
#define SDFGC_SCHEDULES(X) \
    X(Default) X(Sequential) X(CPU_Multicore) X(CPU_Persistent) X(MPI) X(GPU_Device) X(GPU_ThreadBlock) \
    X(GPU_ThreadBlock_Dynamic) X(GPU_Persistent) X(SVE_Map) X(Snitch) X(Snitch_Multicore) X(Unrolled) X(FPGA_Device) \
    X(FPGA_Multi_Pumped) X(GPU_Warp)
#define SDFGC_LIFETIMES(X) X(Scope) X(State) X(SDFG) X(Global) X(Persistent) X(External)
#define SDFGC_LANGUAGES(X) X(Python) X(CPP) X(OpenCL) X(SystemVerilog) X(MLIR) X(Library)
#define SDFGC_OMP_SCHEDULES(X) X(Default) X(Static) X(Dynamic) X(Guided)
#define SDFGC_INSTRUMENTATIONS(X) \
    X(No_Instrumentation) X(Timer) X(PAPI_Counters) X(LIKWID_CPU) X(LIKWID_GPU) X(GPU_Events) X(GPU_TX_MARKERS) X(FPGA)
#define SDFGC_DATA_INSTRUMENTATIONS(X) X(No_Instrumentation) X(Save) X(Restore)
#define SDFGC_COPY_METHODS(X) \
    X(Undecided) X(Linear) X(Elements) X(Pitched) X(Pitched3D) X(Batched) X(PerThread) X(Cooperative) X(Kernel) X(Staged)
#define SDFGC_MEMORY_KINDS(X) \
    X(Undecided) X(Value) X(Stack) X(Heap) X(PerThread) X(Field) X(Device) X(Pinned) X(Pool) X(Shared) X(Slices) X(Grid) \
    X(DeviceHeap)
// clang-format on

#define SDFGC_MEMBER(N) N,
enum class Storage : uint8_t { SDFGC_STORAGES(SDFGC_MEMBER) };
enum class Schedule : uint8_t { SDFGC_SCHEDULES(SDFGC_MEMBER) };
enum class Lifetime : uint8_t { SDFGC_LIFETIMES(SDFGC_MEMBER) };
enum class Language : uint8_t { SDFGC_LANGUAGES(SDFGC_MEMBER) };
enum class OmpSchedule : uint8_t { SDFGC_OMP_SCHEDULES(SDFGC_MEMBER) };
enum class Instrumentation : uint8_t { SDFGC_INSTRUMENTATIONS(SDFGC_MEMBER) };
enum class DataInstrumentation : uint8_t { SDFGC_DATA_INSTRUMENTATIONS(SDFGC_MEMBER) };
/// How a copy is performed (sdfgc/Analysis/Memory/Copies.h). Not part of the format. Kernel and Staged copies are replaced
/// with other elements as soon as they are chosen.
enum class CopyMethod : uint8_t { SDFGC_COPY_METHODS(SDFGC_MEMBER) };
/// The kind of memory of a transient (sdfgc/Analysis/Memory/Allocation.h). Not part of the format.
///     Value        a variable: one element, a structure, a stream, a pointer
///     Stack        an array of the function, or of a thread of a kernel
///     Heap, PerThread             on the host; with a part for each thread
///     Field        a field of the program's state
///     Device, Pinned, Pool        allocated by the host: on the device, page-locked, from the device's pool
///     Shared       shared memory of a block of a kernel
///     Slices, Grid                in a kernel, allocated by the host: a slice for each thread or block; one for the entire grid
///     DeviceHeap   in a kernel, allocated by a thread
enum class MemoryKind : uint8_t { SDFGC_MEMORY_KINDS(SDFGC_MEMBER) };
/// May the device operations of a region become a GPU graph (docs/user/gpu-graphs.md)? Not part of the format; stored
/// as the attribute `gpu_graph`.
///     Unmarked     like the surrounding region, and finally like --gpu-graph
///     Off, Auto    never; if possible
///     Require      like Auto, but obstacles are errors
///     Formed       it is a graph: form-gpu-graphs has checked that this is possible
enum class GraphMark : uint8_t { Unmarked, Off, Auto, Require, Formed };
#undef SDFGC_MEMBER

std::string_view name(Storage);
std::string_view name(Schedule);
std::string_view name(Lifetime);
std::string_view name(Language);
std::string_view name(OmpSchedule);
std::string_view name(Instrumentation);
std::string_view name(DataInstrumentation);
std::string_view name(CopyMethod);
std::string_view name(GraphMark); // `off`; nothing for Unmarked
std::string_view name(MemoryKind);

/// Returns the enumerator with this name in files, or nothing. `GPU_Default` is GPU_Device (files of 1.x).
template <class E> std::optional<E> parseEnum(std::string_view text);
template <> std::optional<Storage> parseEnum(std::string_view);
template <> std::optional<Schedule> parseEnum(std::string_view);
template <> std::optional<Lifetime> parseEnum(std::string_view);
template <> std::optional<Language> parseEnum(std::string_view);
template <> std::optional<OmpSchedule> parseEnum(std::string_view);
template <> std::optional<Instrumentation> parseEnum(std::string_view);
template <> std::optional<DataInstrumentation> parseEnum(std::string_view);
template <> std::optional<CopyMethod> parseEnum(std::string_view);
template <> std::optional<GraphMark> parseEnum(std::string_view);
template <> std::optional<MemoryKind> parseEnum(std::string_view);

bool isGpuSchedule(Schedule s);    // GPU_Device, GPU_ThreadBlock, GPU_ThreadBlock_Dynamic, GPU_Warp, GPU_Persistent
bool isKernelSchedule(Schedule s); // GPU_Device, GPU_Persistent
bool isThreadBlock(Schedule s);    // GPU_ThreadBlock, GPU_ThreadBlock_Dynamic: maps over the threads of a block
bool isGpuStorage(Storage s);      // GPU_Global, GPU_Shared
bool isParallel(Schedule s);       // any schedule whose iterations may run concurrently

/// How far a program has been lowered (docs/developer/design.md). A pass declares the level that it needs and the level
/// that it leaves. `Lowered` is a schedule tree; a graph is at most `Scheduled`.
enum class Level : uint8_t { Loaded, Structured, Typed, Expanded, Allocated, Scheduled, Lowered };
std::string_view name(Level l); // lower case: `loaded`, ...
/// Returns the level of a graph by name; nothing for other words, including `lowered`.
std::optional<Level> parseLevel(std::string_view text);

} // namespace sdfgc::ir
