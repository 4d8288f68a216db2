// What a program is compiled for, and how: the options of the table CompileOptions.def.
#pragma once

#include "sdfgc/Pass/FloatContract.h"
#include "sdfgc/Pass/Target.h"
#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Support/OptionValues.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sdfgc::pass {

enum class GpuGraphMode : uint8_t { Off, Auto, Require };
/// Where a program runs that the graph does not place on a device.
enum class Placement : uint8_t { Auto, Device, Require, Host };
enum class Arguments : uint8_t { Host, Device, Auto };
enum class Compat : uint8_t { None, Dace };
/// What a program measures: what the graph asks for, nothing, or also every loop, map and call outside of others.
enum class Instrument : uint8_t { Graph, None, All };
enum class OptLevel : uint8_t { O0, O1, O2, O3 };

/// --cpu: `native`, `portable`, or instruction sets as for -march (Package/Processors.h).
struct Processors {
    std::vector<std::string> names{"native"};
    bool operator==(const Processors &) const = default;
    friend std::string optionText(const Processors &p) { return sdfgc::optionText(p.names); }
};

/// Which subcommands take an option: bits of the column `Subcommands`.
enum class Subcommands : uint8_t { Building = 1, Checking = 2, Informing = 4 };
/// What else is made of it: bits of the column `Uses`.
enum class OptionUses : uint8_t { None = 0, Asked = 1, Recorded = 2, RecordedIfSet = 4, OfDevices = 8 };
constexpr Subcommands operator|(Subcommands a, Subcommands b) { return Subcommands(uint8_t(a) | uint8_t(b)); }
constexpr OptionUses operator|(OptionUses a, OptionUses b) { return OptionUses(uint8_t(a) | uint8_t(b)); }
constexpr bool has(Subcommands all, Subcommands one) { return (uint8_t(all) & uint8_t(one)) != 0; }
constexpr bool has(OptionUses all, OptionUses one) { return (uint8_t(all) & uint8_t(one)) != 0; }

/// What the whole compilation knows; the same for every pass of a run.
struct CompileOptions {
#define SDFGC_OPTION(Type, Field, Default, Names, Placeholder, Subcommands, Uses, Help) Type Field = Default;
#include "sdfgc/Pass/CompileOptions.def"

    std::set<std::string> libraries; // that the target machine has, by their names in Platform/Libraries.def
    std::string file;                // the input graph, for diagnostics
    std::vector<std::string>
        toolchain; // options that chose the toolchain (`--cc clang++`), for command lines that repeat the compilation

    bool gpu() const { return target.family() == Family::Gpu; }
    /// Do operators mean what they mean in C?
    bool hasDaceMeaning() const { return compat == Compat::Dace; }
    /// Is a change of this class allowed (FloatContract.h)?
    bool allows(FloatClass c) const { return pass::allows(fpModel, reductions, vectorMathUsed(), c); }
    /// The library of vector functions for loops on the CPU: what --vector-math names, and never `Auto`. `Auto` is `Libmvec`
    /// from -O2 on, and with --fp-model fast, except where bitwise identical results are asked for (--reductions ordered).
    VectorMath vectorMathUsed() const;
    /// Whose GPUs the target is for. With emulation, too, it is the vendor's program.
    platform::Device vendor() const { return target.dialect() ? target.dialect()->device : platform::Device::Cuda; }
    /// Lanes of a warp: 32 for CUDA, RDNA and the emulation, 64 for other GPUs of AMD. Nothing where --gpu-arch names both kinds.
    std::optional<int> warpLanes() const;
    /// Is a library there? A name such as `gputensor` stands for what it is on the vendor's GPUs.
    bool has(const std::string &library) const;
};

/// The words that give these options to any subcommand that compiles: `--target cuda --gpu-streams 1 --cc clang++`. Options that
/// have their default are left out, except for the target. `libraries` and `file` have no option: the toolchain and the input give
/// them.
std::vector<std::string> argumentsOf(const CompileOptions &options);

/// The keys that conditions of pipelines can ask for (`target`), with the text of their values.
std::map<std::string, std::string> askedOptions(const CompileOptions &options);

/// The entries of the manifest (`fp_model`), in the order of the table.
std::vector<std::pair<std::string, std::string>> recordedOptions(const CompileOptions &options);

} // namespace sdfgc::pass

namespace sdfgc {
template <> struct Words<pass::GpuGraphMode> { static constexpr std::string_view list[] = {"off", "auto", "require"}; };
template <> struct Words<pass::Arguments> { static constexpr std::string_view list[] = {"host", "device", "auto"}; };
template <> struct Words<pass::Placement> { static constexpr std::string_view list[] = {"auto", "device", "require", "host"}; };
template <> struct Words<pass::Instrument> { static constexpr std::string_view list[] = {"graph", "none", "all"}; };
template <> struct Words<pass::Compat> { static constexpr std::string_view list[] = {"none", "dace"}; };
template <> struct Words<pass::OptLevel> { static constexpr std::string_view list[] = {"0", "1", "2", "3"}; };
} // namespace sdfgc
