#include "sdfgc/Platform/Libraries.h"

#include "sdfgc/Support/Text.h"

#include <algorithm>

namespace sdfgc::platform {
namespace {

constexpr Library kLibraries[] = {
#define SDFGC_LIBRARY(Name, Kit, Header, How, CMake, PkgConfig, PackageName, From)                                                 \
    {Name, Toolkit::Kit, Header, Linking::How, CMake, PkgConfig, {PackageName, Origin::From}},
#include "sdfgc/Platform/Libraries.def"
};

struct DeviceLibrary {
    std::string_view name, emulated, cuda, cudaTitle, hip, hipTitle;
};
constexpr DeviceLibrary kDeviceLibraries[] = {
#define SDFGC_DEVICE_LIBRARY(Name, Emulated, Cuda, CudaTitle, Hip, HipTitle) {Name, Emulated, Cuda, CudaTitle, Hip, HipTitle},
#include "sdfgc/Platform/Libraries.def"
};

constexpr Environment kEnvironments[] = {
#define SDFGC_ENVIRONMENT(Name, Which, Calls, Makers, Reads, Topic, Include, Field, Libraries)                                     \
    {Environment::Side::Which, Environment::Inputs::Reads, Name, Calls, Makers, Topic, Include, Field, Libraries},
#include "sdfgc/Platform/Environments.def"
};

template <class Row> const Row *rowOf(std::span<const Row> table, std::string_view name) {
    const auto at = std::find_if(table.begin(), table.end(), [&](const Row &row) { return row.name == name; });
    return at == table.end() ? nullptr : &*at;
}

const DeviceLibrary *deviceLibrary(std::string_view name) { return rowOf(std::span<const DeviceLibrary>(kDeviceLibraries), name); }

} // namespace

std::span<const Library> libraries() { return kLibraries; }
const Library *library(std::string_view name) { return rowOf(libraries(), name); }

std::vector<std::string> librariesBehind(const std::string &name, Device device) {
    const DeviceLibrary *l = deviceLibrary(name);
    if (!l)
        return {name};
    if (device == Device::OpenCl)
        return {std::string(noLibrary)};
    return text::words(device == Device::Emulated ? l->emulated : device == Device::Cuda ? l->cuda : l->hip);
}

std::string_view titleOf(std::string_view name, Device device) {
    const DeviceLibrary *l = deviceLibrary(name);
    return device == Device::Hip ? l->hipTitle : l->cudaTitle;
}

std::span<const Environment> environments() { return kEnvironments; }

const Environment *environment(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    return rowOf(environments(), dot == std::string_view::npos ? path : path.substr(dot + 1));
}

const Environment *environmentOfCall(std::string_view function) {
    for (const Environment &e : environments())
        for (const std::string &beginning : text::words(e.calls))
            if (function.starts_with(beginning))
                return &e;
    return nullptr;
}

std::string spelled(const Environment &e, std::string_view function) {
    const std::size_t dot = function.find('.');
    if (dot == std::string_view::npos)
        return std::string(function);
    if (e.field.empty() && e.side == Environment::Side::Host)
        return "sdfgc::rt::" + std::string(function.substr(0, dot)) + "::" + std::string(function.substr(dot + 1));
    return e.field.empty() ? "sdfgc::gpu::" + std::string(function.substr(dot + 1)) : "__state->" + std::string(function);
}

std::string_view recordedIn(const Environment &e) { return e.name == "GpuBlas" ? "sdfgc::gpu::blas" : ""; }

std::string makerOf(const Environment &e, std::string_view function) {
    const std::vector<std::string> makers = text::words(e.makers);
    if (std::find(makers.begin(), makers.end(), function) == makers.end())
        return "";
    return (e.side == Environment::Side::Host ? "sdfgc::" + std::string(e.topic) + "::" : "sdfgc::gpu::") + std::string(function);
}

std::vector<const Environment *> neededBy(std::span<const Name> paths, std::string_view code) {
    std::vector<const Environment *> out;
    for (const Name path : paths)
        if (const Environment *e = environment(path.view()); e && e->side != Environment::Side::Tasklets) {
            out.push_back(e);
            if (e->name == "OpenBLAS" && code.find("LAPACKE_") != std::string_view::npos)
                out.push_back(environment("LAPACKE"));
        }
    for (const Environment &e : environments())
        if (e.side == Environment::Side::Tasklets && code.find(e.calls) != std::string_view::npos)
            out.push_back(&e);
    if (code.find("#pragma omp") != std::string_view::npos || code.find("omp_get_") != std::string_view::npos)
        out.push_back(environment("OpenMP"));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

} // namespace sdfgc::platform
