#include "sdfgc/Pass/CompileOptions.h"

#include <algorithm>

namespace sdfgc::pass {

std::optional<int> CompileOptions::warpLanes() const {
    if (emulate || vendor() != platform::Device::Hip)
        return 32;
    const auto isRdna = [](const std::string &arch) { return arch.starts_with("gfx1"); }; // gfx10, gfx11, gfx12
    const auto rdna = std::count_if(gpuArch.begin(), gpuArch.end(), isRdna);
    if (rdna > 0 && rdna < std::ssize(gpuArch))
        return std::nullopt;
    return rdna > 0 ? 32 : 64;
}

VectorMath CompileOptions::vectorMathUsed() const {
    if (vectorMath != VectorMath::Auto)
        return vectorMath;
    if (fpModel == FpModel::Fast) // the C library's own headers declare them then
        return VectorMath::Libmvec;
    const bool mayDiffer = optimize >= OptLevel::O2 && reductions != ReductionOrder::Ordered;
    return mayDiffer ? VectorMath::Libmvec : VectorMath::None;
}

bool CompileOptions::has(const std::string &library) const {
    const std::vector<std::string> behind = platform::librariesBehind(library, vendor());
    return std::all_of(behind.begin(), behind.end(), [this](const auto &l) { return libraries.contains(l); });
}

std::vector<std::string> argumentsOf(const CompileOptions &options) {
    static const CompileOptions usual;
    std::vector<std::string> words;
    appendOption(words, "--target", options.target);
#define SDFGC_OPTION(Type, Field, Default, Names, Placeholder, Subcommands, Uses, Help)                                            \
    if (!std::is_same_v<Type, Target> && !(options.Field == usual.Field))                                                          \
        appendOption(words, Names, options.Field);
#include "sdfgc/Pass/CompileOptions.def"
    words.insert(words.end(), options.toolchain.begin(), options.toolchain.end());
    return words;
}

std::map<std::string, std::string> askedOptions(const CompileOptions &options) {
    using enum OptionUses;
    std::map<std::string, std::string> out;
#define SDFGC_OPTION(Type, Field, Default, Names, Placeholder, Subcommands, Uses, Help)                                            \
    if (has(Uses, Asked))                                                                                                          \
        out.emplace(optionKey(Names), optionText(options.Field));
#include "sdfgc/Pass/CompileOptions.def"
    return out;
}

std::vector<std::pair<std::string, std::string>> recordedOptions(const CompileOptions &options) {
    using enum OptionUses;
    static const CompileOptions usual;
    std::vector<std::pair<std::string, std::string>> out;
#define SDFGC_OPTION(Type, Field, Default, Names, Placeholder, Subcommands, Uses, Help)                                            \
    if (has(Uses, Recorded) || (has(Uses, RecordedIfSet) && !(options.Field == usual.Field)))                                      \
        out.emplace_back(optionKey(Names), optionText(options.Field));
#include "sdfgc/Pass/CompileOptions.def"
    for (auto &[key, value] : out)
        std::replace(key.begin(), key.end(), '-', '_');
    return out;
}

} // namespace sdfgc::pass
