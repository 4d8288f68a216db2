#include "sdfgc/Package/Processors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace sdfgc::package {
namespace {

constexpr std::string_view portable = "portable";

struct Architecture {
    std::string_view name, baseline;
    std::array<std::string_view, 3> levels; // ascending; empty ones are left out
};
constexpr Architecture architectures[] = {
    {"x86_64", "x86-64", {"x86-64-v2", "x86-64-v3", "x86-64-v4"}},
    {"aarch64", "armv8-a", {"armv8-a", "armv8.2-a+sve"}},
};

const Architecture *find(std::string_view name) {
    const auto *at =
        std::find_if(std::begin(architectures), std::end(architectures), [name](const Architecture &a) { return a.name == name; });
    return at == std::end(architectures) ? nullptr : at;
}

bool isLetterOrDigit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool isName(std::string_view march) {
    return !march.empty() && isLetterOrDigit(march[0]) && std::all_of(march.begin(), march.end(), [](char c) {
        return isLetterOrDigit(c) || c == '-' || c == '+' || c == '.' || c == '_';
    });
}

} // namespace

std::string architectureOf(std::string_view machine) {
    const std::string_view first = machine.substr(0, machine.find('-'));
    return std::string(first == "amd64" ? "x86_64" : first == "arm64" ? "aarch64" : first);
}

std::vector<std::string> levelsOf(const std::vector<std::string> &cpu, std::string_view architecture) {
    if (cpu != std::vector<std::string>{std::string(portable)})
        return cpu;
    std::vector<std::string> out;
    if (const Architecture *a = find(architecture))
        for (const std::string_view level : a->levels)
            if (!level.empty())
                out.emplace_back(level);
    return out;
}

std::string baseline(std::string_view architecture) {
    const Architecture *a = find(architecture);
    return a ? std::string(a->baseline) : "";
}

std::string faultOf(const std::vector<std::string> &cpu) {
    constexpr std::size_t most = 8;
    if (cpu.empty())
        return "it names no processor";
    if (cpu.size() > most)
        return "a library holds at most " + std::to_string(most) + " levels";
    std::set<std::string> names;
    for (const std::string &one : cpu) {
        if (one == portable && cpu.size() > 1)
            return "`portable` stands for several levels and cannot be part of a list";
        if (!isName(one))
            return "`" + one + "` is not a name of a processor";
        if (!names.insert(levelName(one)).second)
            return "`" + one + "` is given twice";
    }
    return "";
}

std::string levelName(std::string_view march) {
    std::string out(march);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return !isLetterOrDigit(c); }, '_');
    return out;
}

bool reachesDispatcher(std::string_view flag) {
    static constexpr std::string_view kept[] = {"-f",        "-g",    "-m32",   "-m64",      "-mx32",      "-mabi=",
                                                "-mcmodel=", "-mlit", "-mbig-", "--target=", "--sysroot=", "--gcc-toolchain=",
                                                "-B",        "-pipe"};
    return std::any_of(std::begin(kept), std::end(kept), [flag](std::string_view k) { return flag.starts_with(k); });
}

bool choosesInstructions(std::string_view flag) { return flag.starts_with("-m") && !reachesDispatcher(flag); }

} // namespace sdfgc::package
