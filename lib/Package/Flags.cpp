#include "sdfgc/Package/Flags.h"

namespace sdfgc::package {

using pass::FpModel;

std::vector<std::string> compileFlags(FpModel model, bool openmp) {
    // -O3 takes 1.6 times as long as -O2 on kernels, and is used by the programs that we are compared with. Debug information would
    // cost another 12 %; -pipe and other linkers gain nothing (docs/user/build.md has the numbers).
    std::vector<std::string> flags = {"-std=c++20", "-O3", "-fPIC", "-fvisibility=hidden"};
    if (openmp)
        flags.push_back("-fopenmp");
    switch (model) {
    case FpModel::Strict:
        flags.insert(flags.end(), {"-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"});
        break;
    case FpModel::Contract:
        flags.insert(flags.end(), {"-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"});
        break;
    case FpModel::Fast:
        flags.push_back("-ffast-math");
        break;
    }
    return flags;
}

std::vector<std::string> gccFlags(FpModel model) {
    if (model == FpModel::Fast) // which implies it
        return {};
    return {"-fcx-fortran-rules"};
}

std::vector<std::string> clangFlags(pass::VectorMath vectorMath) {
    if (vectorMath == pass::VectorMath::None)
        return {};
    return {"-fveclib=libmvec"};
}

bool takesClangFlags(pass::VectorMath vectorMath, std::string_view machine) {
    const bool isX86 = machine.starts_with("x86_64-") || machine.starts_with("amd64-");
    return isX86 && (vectorMath == pass::VectorMath::Sleef || machine.ends_with("-linux-gnu"));
}

std::vector<std::string> cudaFlags(FpModel model) {
    std::vector<std::string> flags = {"-O3", "--extended-lambda", "--expt-relaxed-constexpr"};
    if (model == FpModel::Strict)
        flags.push_back("-fmad=false");
    if (model == FpModel::Fast)
        flags.push_back("-use_fast_math");
    return flags;
}

std::vector<std::string> linkFlags(std::string_view name, bool openmp) {
    std::vector<std::string> flags = {"-shared", "-Wl,-soname,lib" + std::string(name) + ".so"};
    if (openmp) // unloading would remove the OpenMP library while its threads are still waiting in it
        flags.insert(flags.end(), {"-fopenmp", "-Wl,-z,nodelete"});
    return flags;
}

} // namespace sdfgc::package
