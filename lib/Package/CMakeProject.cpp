#include "CMakeProject.h"

#include "sdfgc/Package/Flags.h"
#include "sdfgc/Support/TextWriter.h"

#include <algorithm>

namespace sdfgc::package {

namespace {

bool uses(const Request &r, const std::string &library) {
    const auto &all = r.sources->libraries;
    return std::find(all.begin(), all.end(), library) != all.end();
}

} // namespace

/// Flags come from the same table as those of `sdfgc build`, so that both make the same library. `-std` and `-fPIC` are CMake's own words,
/// `-fopenmp` comes with the imported target.
std::string cmakeLists(const Request &r) {
    const std::string &n = r.module->name.str();
    TextWriter w("    ");
    w.line("# Builds lib" + n + ".so from the sources beside this file; written by sdfgc. Needs nothing of sdfgc:");
    w.line("#   cmake -S . -B out && cmake --build out");
    w.line("cmake_minimum_required(VERSION 3.18)");
    w.line("project(" + n + " LANGUAGES CXX)");
    w.line();
    w.line("if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)");
    w.line("    set(CMAKE_BUILD_TYPE Release)");
    w.line("endif()");
    w.line();
    w.line("add_library(" + n + " SHARED");
    for (const codegen::SourceFile &f : r.sources->files)
        if (f.translationUnit)
            w.line("    " + f.path);
    w.line(")");
    w.line("target_compile_features(" + n + " PUBLIC cxx_std_20)");
    w.line("set_target_properties(" + n + " PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden");
    w.line("                      VISIBILITY_INLINES_HIDDEN ON)");
    w.line("target_include_directories(" + n + " PUBLIC include PRIVATE runtime-headers)");
    std::string flags;
    for (const std::string &f : compileFlags(fpModel(r.compile->fpModel), false)) {
        bool cmakes = f.rfind("-std=", 0) == 0 || f == "-fPIC" || f.rfind("-fvisibility", 0) == 0;
        if (!cmakes)
            flags += " " + f;
    }
    w.line("target_compile_options(" + n + " PRIVATE" + flags + ")");
    w.line("target_compile_definitions(" + n + " PRIVATE SDFGC_REPORT_FOLDER=\"${CMAKE_CURRENT_SOURCE_DIR}/perf\" SDFGC_DATA_FOLDER=\"${CMAKE_CURRENT_SOURCE_DIR}/data\")");
    if (r.sources->openmp) {
        w.line("find_package(OpenMP REQUIRED COMPONENTS CXX)");
        w.line("target_link_libraries(" + n + " PRIVATE OpenMP::OpenMP_CXX)");
    }
    if (uses(r, "openblas")) {
        w.line("find_library(OPENBLAS_LIBRARY openblas REQUIRED)");
        w.line("target_link_libraries(" + n + " PRIVATE ${OPENBLAS_LIBRARY})");
    }
    if (uses(r, "lapacke")) {
        w.line("find_library(LAPACKE_LIBRARY lapacke REQUIRED)");
        w.line("target_link_libraries(" + n + " PRIVATE ${LAPACKE_LIBRARY})");
    }
    for (const std::string &l : r.sources->libraries)
        if (l != "openblas" && l != "lapacke")
            w.line("target_link_libraries(" + n + " PRIVATE " + l + ")");
    w.line();
    w.line("install(TARGETS " + n + ")");
    w.line("install(FILES include/" + n + ".h TYPE INCLUDE)");
    return w.take();
}

std::string cmakePresets(const Request &) {
    json::Value preset = json::Value::object();
    preset.set("name", "release");
    preset.set("binaryDir", "${sourceDir}/out");
    json::Value cache = json::Value::object();
    cache.set("CMAKE_BUILD_TYPE", "Release");
    preset.set("cacheVariables", cache);
    json::Value debug = json::Value::object();
    debug.set("name", "debug");
    debug.set("binaryDir", "${sourceDir}/out-debug");
    json::Value debugCache = json::Value::object();
    debugCache.set("CMAKE_BUILD_TYPE", "Debug");
    debug.set("cacheVariables", debugCache);
    json::Value out = json::Value::object();
    out.set("version", 3);
    out.set("configurePresets", json::Value::array({preset, debug}));
    return out.dump(2) + "\n";
}

} // namespace sdfgc::package
