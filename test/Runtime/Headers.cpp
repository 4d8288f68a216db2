// Rules for the headers themselves: each is documented, states its rules, and has only the permitted includes.
#include "SourceTree.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace fs = std::filesystem;

namespace {

const fs::path root = SDFGC_SOURCE_DIR;

std::string contents(const fs::path &path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Functions of kernels in OpenCL C, which C++ reads as one string.
bool isOpenClC(const std::string &name) {
    return name == "sdfgc/rt/gpu/opencl_device.h" || name == "sdfgc/rt/gpu/opencl_structs.h";
}

/// Path relative to runtime-headers, and text.
std::map<std::string, std::string> headers() {
    std::map<std::string, std::string> all;
    for (const auto &entry : fs::recursive_directory_iterator(root / "runtime-headers"))
        if (entry.is_regular_file() && entry.path().extension() == ".h") {
            const std::string name = fs::relative(entry.path(), root / "runtime-headers").generic_string();
            if ((name.rfind("sdfgc/rt/", 0) == 0 || name.rfind("dace/", 0) == 0) && !isOpenClC(name))
                all[name] = contents(entry.path());
        }
    return all;
}

/// Only gpu_emulate.cpp and mpi_emulate.cpp include these.
bool isPartOfEmulation(const std::string &name) {
    return name.rfind("sdfgc/rt/gpu/emulated/", 0) == 0 || name.rfind("sdfgc/rt/mpi/emulated/", 0) == 0;
}

std::set<std::string> standardIncludes(const std::string &text) {
    std::set<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("#include <", 0) == 0)
            found.insert(line.substr(10, line.find('>') - 10));
    return found;
}

} // namespace

TEST_CASE("every runtime header is in the documentation and opens with its rules") {
    const std::string documentation = contents(root / "docs/developer/runtime-headers.md");
    const auto all = headers();
    REQUIRE(all.size() > 15);
    for (const auto &[name, text] : all) {
        INFO(name);
        if (!isPartOfEmulation(name))
            CHECK(documentation.find("| `" + name + "` |") != std::string::npos);
        CHECK(text.rfind("// ", 0) == 0);
        CHECK(text.find("#pragma once") != std::string::npos);
    }
}

TEST_CASE("costly standard headers are included only where nothing else will do") {
    const std::set<std::string> cheap = {"cerrno",           "cstddef",    "cstdint", "cstdio",      "cstdlib",   "exception",
                                         "initializer_list", "limits",     "new",     "omp.h",       "pthread.h", "sched.h",
                                         "sys/mman.h",       "sys/stat.h", "time.h",  "type_traits", "unistd.h"};
    const std::map<std::string, std::set<std::string>> allowed = {
        {"sdfgc/rt/compat.h", {"math.h"}},
        {"sdfgc/rt/complex.h", {"complex"}},
        {"sdfgc/rt/dispatch.h", {"cpuid.h", "sys/auxv.h"}},
        {"sdfgc/rt/dacemath.h", {"cmath"}},
        {"sdfgc/rt/vecmath.h", {"cmath"}},
        {"sdfgc/rt/vectormath.h", {"cmath"}},
        {"sdfgc/rt/mpi/api.h", {"mpi.h"}},
        {"sdfgc/rt/mpi/communicator.h", {"algorithm", "vector"}},
        {"sdfgc/rt/mpi/error.h", {"string"}},
        {"sdfgc/rt/mpi/layout.h", {"array", "climits", "cstring", "map", "memory", "vector"}},
        {"sdfgc/rt/mpi/parts.h", {"algorithm"}},
        {"sdfgc/rt/mpi/program.h", {"algorithm"}},
        {"sdfgc/rt/mpi/subarray.h", {"algorithm"}},
        {"sdfgc/rt/mpi/types.h", {"complex"}},
        {"sdfgc/rt/scalapack/cyclic.h", {"algorithm"}},
        {"sdfgc/rt/papi.h", {"dlfcn.h", "string", "vector"}},
        {"sdfgc/rt/likwid.h", {"dlfcn.h", "string", "vector"}},
        {"sdfgc/rt/gpu_report.h", {"vector"}},
        {"sdfgc/rt/gpu/native/marker.h", {"dlfcn.h", "nvtx3/nvToolsExt.h"}},
        {"sdfgc/rt/report.h", {"cstring", "map", "string", "vector"}},
        {"sdfgc/rt/probe.h", {"map", "string", "utility"}},
        {"sdfgc/rt/files.h", {"dlfcn.h", "string"}},
        {"sdfgc/rt/gpu/emulate/blas.h", {"cblas.h"}},
        {"sdfgc/rt/npy.h", {"algorithm", "charconv", "string", "string_view", "vector"}},
        {"sdfgc/rt/caller/command.h", {"string", "utility", "vector"}},
        {"sdfgc/rt/caller/rank.h", {"string", "string_view", "utility"}},
        {"sdfgc/rt/caller/arguments.h", {"cmath", "complex", "cstring", "optional"}},
        {"sdfgc/rt/caller/sizes.h", {"functional"}},
        {"sdfgc/rt/fftw.h", {"fftw3.h"}},
        {"sdfgc/rt/gpu_graph.h", {"utility"}},
        {"sdfgc/rt/gpu/emulate/graph.h", {"utility"}},
        {"sdfgc/rt/gpu/emulated_call.h", {"vector"}},
        {"sdfgc/rt/gpu/graph_calls.h", {"vector"}},
        {"sdfgc/rt/gpu/graph_maker.h", {"utility", "vector"}},
        {"sdfgc/rt/gpu/graph_nodes.h", {"utility", "vector"}},
        {"sdfgc/rt/gpu/plans.h", {"vector"}},
        {"sdfgc/rt/gpu/pointers.h", {"vector"}},
        {"sdfgc/rt/gpu/native/primitives.h", {"iostream"}},
        {"sdfgc/rt/gpu/emulate/solver.h", {"lapacke.h"}},
        {"dace/libraries/cublas.h", {"cublas_v2.h", "cuda_fp16.h"}},
        {"dace/libraries/cusparse.h", {"cusparse.h"}},
        {"dace/libraries/cutensor.h", {"cutensor.h"}},
        {"sdfgc/rt/gpu/cuda.h", {"cuda_runtime.h"}},
        {"sdfgc/rt/gpu/hip.h", {"hip/hip_runtime.h"}},
        {"sdfgc/rt/gpu/opencl/device.h", {"CL/cl.h", "algorithm", "cstring", "map", "mutex", "string", "vector"}},
    };
    for (const auto &[name, text] : headers()) {
        if (name == "dace/dace.h" || isPartOfEmulation(name))
            continue;
        for (const std::string &include : standardIncludes(text)) {
            INFO(name << " includes <" << include << ">");
            const auto entry = allowed.find(name);
            CHECK((cheap.count(include) != 0 || (entry != allowed.end() && entry->second.count(include) != 0)));
        }
    }
}

TEST_CASE("the back ends of a device have the same topics, and vendors the same names") {
    const auto topicsOf = [](const char *backEnd) {
        std::set<std::string> topics;
        for (const auto &entry : fs::directory_iterator(root / "runtime-headers/sdfgc/rt/gpu" / backEnd))
            topics.insert(entry.path().filename());
        topics.erase("runtime.h"); // of gpu.h: for cuda.h and hip.h
        return topics;
    };
    std::set<std::string> included;
    for (const auto &[name, text] : headers())
        for (std::size_t at = 0; (at = text.find("#include SDFGC_GPU_HEADER(", at)) != text.npos; ++at)
            included.insert(text.substr(at + 26, text.find(')', at) - at - 26) + ".h");
    CHECK(included.size() > 10);
    CHECK(topicsOf("native") == included);
    CHECK(topicsOf("emulate") == included);

    std::map<std::string, std::set<std::string>> vendors; // with their names
    for (const auto &[name, text] : headers()) {
        if (text.find("#define SDFGC_GPU_NAME(") == text.npos)
            continue;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);)
            if (line.rfind("#define SDFGC_", 0) == 0)
                vendors[name].insert(line.substr(8, line.find_first_of(" (", 8) - 8));
    }
    for (const char *own : {"SDFGC_COMPLEXMATH", "SDFGC_COMPLEXMATH_HEADER"}) // for nvcc's complex numbers
        CHECK(vendors["sdfgc/rt/gpu/cuda.h"].erase(own) == 1);
    CHECK(vendors.size() >= 2);
    for (const auto &[name, names] : vendors) {
        INFO(name);
        CHECK(names == vendors["sdfgc/rt/gpu/hip.h"]);
    }
}

TEST_CASE("vendors of devices are told apart in few headers") {
    const std::set<std::string> may = {"sdfgc/rt/config.h", "sdfgc/rt/gpu.h", "sdfgc/rt/gpu/cuda.h", "sdfgc/rt/gpu/hip.h",
                                       "sdfgc/rt/gpu/native/marker.h"};
    std::set<std::string> found;
    for (const auto &[name, text] : headers()) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);)
            if (line.rfind("#if", 0) == 0 || line.rfind("#elif", 0) == 0)
                for (const char *vendor : {"_CUDA", "_HIP", "CUDART"})
                    if (line.find(vendor) != line.npos && line.find("SDFGC_EMULATE_HIP") == line.npos)
                        found.insert(name);
    }
    CHECK(found == may);
}
