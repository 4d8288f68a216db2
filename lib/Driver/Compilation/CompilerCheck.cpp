#include "Driver/Compilation/CompilerCheck.h"

#include "sdfgc/Package/Flags.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"

namespace sdfgc::driver {
namespace {

constexpr process::Limits compiling{120, 1 << 20}, running{20, 1 << 16};

void append(std::vector<std::string> &words, const std::vector<std::string> &more) {
    words.insert(words.end(), more.begin(), more.end());
}

/// The first line of a compiler's output that contains an error, or else how it ended.
std::string saidBy(const process::Outcome &outcome) {
    const std::size_t at = outcome.out.find("error");
    if (at == std::string::npos)
        return outcome.describe();
    const std::size_t begin = outcome.out.rfind('\n', at);
    const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
    return outcome.out.substr(from, std::min(outcome.out.find('\n', at), outcome.out.size()) - from);
}

FaultCheck checkHost(const build::Toolchain &t, const std::string &path) {
    std::vector<std::string> words = t.compiler.command;
    append(words, package::compileFlags(pass::FpModel::Strict, false));
    if (t.compiler.kind == build::CompilerKind::Gcc)
        append(words, package::gccFlags(pass::FpModel::Strict));
    append(words, t.compileFlags);
    append(words, {path + ".cpp", "-o", path});
    append(words, t.linkFlags);
    const process::Outcome compiled = process::run({words, {}, {}, true}, compiling);
    if (!compiled.started)
        return {FaultCheck::NotTested, compiled.error};
    if (!compiled.ok())
        return {FaultCheck::Present, saidBy(compiled)};
    const process::Outcome ran = process::run({{path}, {}, {}, true}, running);
    if (ran.ok())
        return {FaultCheck::Absent, ""};
    if (!ran.started)
        return {FaultCheck::NotTested, ran.error};
    return {FaultCheck::Present, ran.exitCode == 1 ? "a wrong result" : ran.describe()};
}

FaultCheck checkDevice(const platform::CompilerFault &fault, const build::Toolchain &t, const std::string &path) {
    if (t.nvcc.empty())
        return {FaultCheck::NotTested, "nvcc is not installed"};
    std::vector<std::string> words{t.nvcc, "-ccbin", t.compiler.command.front(), "-std=c++20"};
    append(words, package::cudaFlags(pass::FpModel::Strict));
    append(words, {"-ptx", path + ".cu", "-o", path + ".ptx"});
    const process::Outcome compiled = process::run({words, {}, {}, true}, compiling);
    if (!compiled.ok()) // a host compiler that nvcc rejects, for example
        return {FaultCheck::NotTested, saidBy(compiled)};
    const Result<std::string> text = file::read(path + ".ptx", 1 << 24);
    if (!text)
        return {FaultCheck::NotTested, text.error()};
    if (text->find(fault.needed) != std::string::npos)
        return {FaultCheck::Absent, ""};
    return {FaultCheck::Present, "no " + std::string(fault.needed) + " in the PTX"};
}

} // namespace

FaultCheck check(const platform::CompilerFault &fault, const build::Toolchain &toolchain, const std::string &folder) {
    const bool onHost = fault.tool == platform::CompilerFault::Tool::Cxx;
    const std::string path = file::join(folder, std::string(fault.name));
    if (const Result<void> written = file::writeAtomic(path + (onHost ? ".cpp" : ".cu"), fault.program); !written)
        return {FaultCheck::NotTested, written.error()};
    return onHost ? checkHost(toolchain, path) : checkDevice(fault, toolchain, path);
}

} // namespace sdfgc::driver
