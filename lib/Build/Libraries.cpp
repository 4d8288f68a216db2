// Libraries that generated programs call, looked up as files.
#include "Build/Internal.h"

#include "sdfgc/Package/Libraries.h"
#include "sdfgc/Support/File.h"

#include <cstdlib>
#include <initializer_list>

namespace sdfgc::build {
namespace {

struct Known {
    const char *name, *header;
};

/// Headers of the libraries that sdfgc's own expansions call.
constexpr Known kKnown[] = {
    {"openblas", "cblas.h"},
    {"lapacke", "lapacke.h"},
    {"fftw3", "fftw3.h"},
    {"fftw3f", "fftw3.h"},
    {"omp", ""},
    {"cublas", "cublas_v2.h"},
    {"cusolver", "cusolverDn.h"},
    {"cusparse", "cusparse.h"},
    {"cufft", "cufftXt.h"},
    {"cub", "cub/cub.cuh"},
    {"cutensor", "cutensor.h"},
    {"hipblas", "hipblas/hipblas.h"},
    {"hipfft", "hipfft/hipfft.h"},
    {"hipsolver", "hipsolver/hipsolver.h"},
    {"hipsparse", "hipsparse/hipsparse.h"},
    {"hiptensor", "hiptensor/hiptensor.h"},
    {"rocprim", "rocprim/rocprim.hpp"},
};

const Known *known(const std::string &name) {
    for (const Known &k : kKnown)
        if (name == k.name)
            return &k;
    return nullptr;
}

bool anyHolds(const std::vector<std::string> &folders, const std::string &name) {
    for (const std::string &folder : folders)
        if (file::exists(file::join(folder, name)))
            return true;
    return false;
}

/// The folders that environment variables add, then those of the compiler.
std::vector<std::string> searched(std::initializer_list<const char *> variables, const std::vector<std::string> &folders) {
    std::vector<std::string> all;
    for (const char *variable : variables)
        if (const char *value = std::getenv(variable))
            for (std::string &folder : pathList(value))
                all.push_back(std::move(folder));
    all.insert(all.end(), folders.begin(), folders.end());
    return all;
}

} // namespace

Library findLibrary(const std::string &name, const Compiler &compiler) {
    Library lib;
    lib.name = name;
    if (!package::isHeadersOnly(name))
        lib.linkFlags = {"-l" + name};
    lib.package = packageOf(name);
    const Known *k = known(name);
    const std::string header = k ? k->header : "";
    if (!header.empty() && !anyHolds(searched({"CPATH", "CPLUS_INCLUDE_PATH"}, compiler.includeFolders), header)) {
        lib.missing = "the header " + header;
        return lib;
    }
    if (package::isHeadersOnly(name))
        return lib;
    const std::vector<std::string> folders = searched({"LIBRARY_PATH"}, compiler.libraryFolders);
    if (!anyHolds(folders, "lib" + name + ".so") && !anyHolds(folders, "lib" + name + ".a"))
        lib.missing = "lib" + name + ".so";
    return lib;
}

std::vector<std::string> knownLibraries() {
    std::vector<std::string> names;
    for (const Known &k : kKnown)
        names.push_back(k.name);
    return names;
}

} // namespace sdfgc::build
