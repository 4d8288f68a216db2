#include "CMakeProject.h"

#include "sdfgc/Package/Flags.h"
#include "sdfgc/Package/Processors.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Platform/Emulation.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Support/TextWriter.h"

#include <algorithm>

namespace sdfgc::package {

namespace {

constexpr const char *emulation = "runtime-headers/sdfgc/rt/gpu_emulate.cpp";

/// Names that CMake's generators reserve for their own targets, some only when CTest or CPack is used (CMake's policy CMP0037).
bool isReserved(std::string_view name) {
    // clang-format off
    static constexpr std::string_view names[] = {
        "all", "ALL_BUILD", "clean", "edit_cache", "help", "install", "INSTALL", "package", "PACKAGE", "package_source", "preinstall",
        "rebuild_cache", "RUN_TESTS", "test", "ZERO_CHECK"};
    // clang-format on
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Flags come from the same table as for `sdfgc build`, so that both build the same library. CMake itself adds `-std` and `-fPIC`;
/// `-fopenmp` comes with the imported target.
class Project {
public:
    explicit Project(const Request &r)
        : r_(r), name_(r.module->name.str()), target_(isReserved(name_) ? name_ + "_library" : name_),
          options_(target_ + "_options") {
        for (const codegen::SourceFile &f : r.sources->files)
            if (f.translationUnit)
                take(f.path);
        for (const std::string &f : compileFlags(r.compile->fpModel, false))
            if (f.rfind("-std=", 0) != 0 && f != "-fPIC" && f.rfind("-fvisibility", 0) != 0)
                hostFlags_.push_back(f);
    }

    std::string text() {
        head();
        sources();
        options();
        libraries();
        levels();
        library();
        if (r_.staticLibrary)
            archive();
        if (r_.caller)
            caller();
        w_.line();
        w_.line("install(TARGETS " + target_ + ")");
        if (r_.staticLibrary)
            w_.line("install(FILES $<TARGET_FILE:" + target_ + "_static> TYPE LIB)");
        w_.line("install(FILES include/" + name_ + ".h include/" + name_ + ".hpp TYPE INCLUDE)");
        return w_.take();
    }

private:
    void take(const std::string &source) {
        const platform::Dialect *dialect = platform::dialectOfFile(source);
        (dialect ? device_ : host_).push_back(source);
        if (dialect)
            dialect_ = dialect;
    }
    bool gpu() const { return dialect_ != nullptr; }
    bool mpi() const { return r_.sources->needs("mpi"); }
    bool isFor(platform::Device device) const { return gpu() && dialect_->device == device; }
    bool cuda() const { return isFor(platform::Device::Cuda); }

    static std::string joined(const std::vector<std::string> &words, std::string_view separator = " ") {
        return text::joined(words, separator);
    }

    void head() {
        w_.line("# Builds lib" + name_ + ".so from the sources beside this file; written by sdfgc. Needs nothing of sdfgc:");
        w_.line("#   cmake -S . -B out && cmake --build out");
        w_.line("cmake_minimum_required(VERSION " + std::string(gpu() ? "3.21" : "3.18") + ")");
        w_.line();
        if (mpi())
            w_.line("option(SDFGC_EMULATE_MPI \"run ranks as threads of one process, without an MPI\" " +
                    std::string(r_.compile->emulateMpi ? "ON" : "OFF") + ")");
        if (gpu()) {
            const std::string arch = "CMAKE_" + std::string(dialect_->language) + "_ARCHITECTURES";
            w_.line("option(SDFGC_EMULATE \"run the kernels on the CPU, built with the C++ compiler alone\" " +
                    std::string(r_.compile->emulate ? "ON" : "OFF") + ")");
            if (!r_.gpuArch.empty()) {
                w_.line("if(NOT DEFINED " + arch + ")");
                w_.line("    set(" + arch + " " + architectures() + ")");
                w_.line("endif()");
            }
            if (cuda()) {
                w_.line("if(SDFGC_EMULATE)");
                w_.line("    project(" + target_ + " LANGUAGES CXX)");
                w_.line("else()");
                w_.line("    project(" + target_ + " LANGUAGES CXX CUDA)");
                w_.line("endif()");
            } else { // CMake's HIP language searches ROCm in places that Debian does not use; hipcc is a C++ compiler
                w_.line("if(NOT SDFGC_EMULATE AND NOT CMAKE_CXX_COMPILER)");
                w_.line("    set(CMAKE_CXX_COMPILER hipcc)");
                w_.line("endif()");
                w_.line("project(" + target_ + " LANGUAGES CXX)");
            }
        } else {
            w_.line("project(" + target_ + " LANGUAGES CXX)");
        }
        w_.line();
        w_.line("if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)");
        w_.line("    set(CMAKE_BUILD_TYPE Release)");
        w_.line("endif()");
        w_.line();
    }

    /// CUDA architectures are numbers in CMake, HIP's are names.
    std::string architectures() const {
        std::vector<std::string> out;
        for (const std::string &a : r_.gpuArch)
            out.push_back(cuda() ? a.substr(a.find('_') + 1) : a);
        return joined(out);
    }

    void sources() {
        w_.line("set(sources");
        for (const std::vector<std::string> *list : {&host_, &device_})
            for (const std::string &f : *list)
                w_.line("    " + f);
        w_.line(")");
        w_.line("set(CMAKE_CXX_EXTENSIONS OFF)");
        w_.line("set(CMAKE_POSITION_INDEPENDENT_CODE ON)");
        w_.line("set(CMAKE_CXX_VISIBILITY_PRESET hidden)");
        w_.line("set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)");
        w_.line("add_library(" + options_ + " INTERFACE) # of all sources");
        if (r_.sources->needs("OpenCL")) {
            w_.line("list(APPEND sources runtime-headers/" + std::string(codegen::openClRuntime) + ")");
            w_.line("target_compile_definitions(" + options_ + " INTERFACE " + codegen::openClDefinition + ")");
            w_.line("find_package(OpenCL REQUIRED)");
        }
        if (!gpu())
            return;
        w_.line("if(SDFGC_EMULATE)");
        w_.line("    list(APPEND sources " + std::string(emulation) + ")");
        w_.line("    target_compile_definitions(" + options_ + " INTERFACE SDFGC_GPU_EMULATE" +
                (isFor(platform::Device::Hip) ? " SDFGC_EMULATE_HIP" : "") + ")");
        w_.line("    set_source_files_properties(" + joined(device_) + " PROPERTIES LANGUAGE CXX COMPILE_OPTIONS \"-x;c++\")");
        w_.line("    find_package(Threads REQUIRED)");
        w_.line("    target_link_libraries(" + options_ + " INTERFACE Threads::Threads)");
        if (isFor(platform::Device::Hip)) {
            w_.line("else()");
            w_.line("    list(TRANSFORM CMAKE_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE offload)");
            w_.line("    set_source_files_properties(" + joined(device_) +
                    " PROPERTIES LANGUAGE CXX COMPILE_OPTIONS \"-x;hip;${offload}\")");
            w_.line("    target_link_options(" + options_ + " INTERFACE ${offload})");
        }
        w_.line("endif()");
    }

    /// The instruction sets; for a GPU program the first one, because the host's part is the same for all.
    void levels() {
        std::string cpu = text::joined(r_.compile->cpu.names, ";");
        w_.line();
        w_.line("# Processors that the library runs on: native, portable, or instruction sets as for -march, in ascending order.");
        w_.line("set(SDFGC_CPU \"" + cpu + "\" CACHE STRING \"native, portable, or names as for -march\")");
        w_.line("set(levels ${SDFGC_CPU})");
        bool first = true;
        for (const auto &[processor, architecture] : {std::pair("x86_64|AMD64", "x86_64"), std::pair("aarch64|arm64", "aarch64")}) {
            w_.line(std::string(first ? "if" : "elseif") + "(CMAKE_SYSTEM_PROCESSOR MATCHES \"^(" + processor + ")$\")");
            w_.line("    set(baseline " + baseline(architecture) + ")");
            w_.line("    set(portable " + joined(levelsOf({"portable"}, architecture)) + ")");
            first = false;
        }
        w_.line("endif()");
        w_.line("if(SDFGC_CPU STREQUAL \"portable\")"); // in quotes, because there is a variable of this name
        w_.line("    if(NOT portable)");
        w_.line("        message(FATAL_ERROR \"sdfgc knows no levels of ${CMAKE_SYSTEM_PROCESSOR}: set SDFGC_CPU to names as for "
                "-march\")");
        w_.line("    endif()");
        w_.line("    set(levels ${portable})");
        w_.line("endif()");
        if (gpu())
            w_.line("list(GET levels 0 levels)");
        w_.line("list(LENGTH levels count)");
        w_.line("set(several OFF)");
        w_.line("if(count GREATER 1)");
        w_.line("    set(several ON)");
        w_.line("endif()");
        if (mpi()) {
            w_.line("if(several AND SDFGC_EMULATE_MPI)");
            w_.line(
                "    message(FATAL_ERROR \"emulated ranks are threads of one process on this machine: set SDFGC_CPU to native\")");
            w_.line("endif()");
        }
        w_.line();
    }

    /// The dispatcher, and objects for each level. Symbols of several levels are made private (docs/user/build.md).
    void library() {
        const std::string level = target_ + "_${name}", dispatcher = r_.sources->dispatcher;
        w_.line("add_library(" + target_ + " SHARED " + dispatcher + ")");
        if (target_ != name_)
            w_.line("set_target_properties(" + target_ + " PROPERTIES OUTPUT_NAME " + name_ + ")");
        w_.line("target_compile_features(" + target_ + " PUBLIC cxx_std_20)");
        w_.line("target_include_directories(" + target_ + " PUBLIC include)");
        w_.line("target_link_libraries(" + target_ + " PRIVATE " + options_ + ")");
        w_.line("if(baseline) # it runs on all processors");
        w_.line("    set_source_files_properties(" + dispatcher +
                " PROPERTIES COMPILE_OPTIONS \"-fno-exceptions;-march=${baseline}\")");
        w_.line("endif()");
        w_.line("foreach(level IN LISTS levels)");
        w_.line("    string(MAKE_C_IDENTIFIER ${level} name)");
        w_.line("    add_library(" + level + " OBJECT ${sources})");
        w_.line("    target_link_libraries(" + level + " PRIVATE " + options_ + ")");
        w_.line("    target_compile_definitions(" + level + " PRIVATE SDFGC_LEVEL=${name})");
        const std::string options = "    target_compile_options(" + level + " PRIVATE ";
        w_.line(options + (cuda() ? "$<$<COMPILE_LANGUAGE:CXX>:-march=${level}>" : "-march=${level}") + ")");
        if (cuda())
            w_.line(options + "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=${level}>)");
        w_.line(hasStartupCode()   ? "    if(TRUE) # code of the user may have constructors"
                : r_.staticLibrary ? "    if(TRUE) # the static library needs whole objects"
                                   : "    if(several)");
        w_.line("    " + options + "-fno-lto $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)");
        w_.line("        set(object ${CMAKE_CURRENT_BINARY_DIR}/" + level + ".o)");
        w_.line("        add_custom_command(OUTPUT ${object} DEPENDS $<TARGET_OBJECTS:" + level +
                "> COMMAND_EXPAND_LISTS VERBATIM");
        w_.line(
            "            COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -fuse-ld=bfd -Wl,--force-group-allocation -o ${object}.joined");
        w_.line("                    $<TARGET_OBJECTS:" + level + ">");
        w_.line("            COMMAND ${CMAKE_OBJCOPY} $<$<BOOL:${several}>:--keep-global-symbol=sdfgc_keeps_none>");
        w_.line("                    --rename-section .init_array=sdfgc_constructors_${name} ${object}.joined ${object})");
        w_.line("        add_dependencies(" + target_ + " " + level + ")");
        w_.line("        target_sources(" + target_ + " PRIVATE ${object})");
        w_.line("    else()");
        w_.line("        target_sources(" + target_ + " PRIVATE $<TARGET_OBJECTS:" + level + ">)");
        w_.line("    endif()");
        if (r_.staticLibrary) { // callers may link two programs
            const std::string list = "sdfgc_constructors_${name}", own = list + "_" + name_;
            w_.line("    list(APPEND parts ${object})");
            w_.line("    list(APPEND renamed --rename-section " + list + "=" + own + ")");
            for (const std::string bound : {"__start_", "__stop_"})
                w_.line("    list(APPEND renamed --redefine-sym " + bound + list + "=" + bound + own + ")");
        }
        w_.line("endforeach()");
    }

    /// One object, like the archive of sdfgc build: symbols of the program stay private, and none of its objects is left out. Flags
    /// of the compilation do not reach callers, only libraries.
    void archive() {
        const std::string library = target_ + "_static";
        w_.line();
        w_.line("# lib" + name_ + ".a, for callers that link the program into their own executable or library.");
        w_.line("add_library(" + target_ + "_dispatcher OBJECT " + r_.sources->dispatcher + ")");
        w_.line("target_link_libraries(" + target_ + "_dispatcher PRIVATE " + options_ + ")");
        w_.line("set(object ${CMAKE_CURRENT_BINARY_DIR}/lib" + name_ + ".o)");
        w_.line("add_custom_command(OUTPUT ${object} DEPENDS ${parts} " + target_ + "_dispatcher COMMAND_EXPAND_LISTS VERBATIM");
        w_.line("    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -fuse-ld=bfd -Wl,--force-group-allocation -o ${object}.joined");
        w_.line("            $<TARGET_OBJECTS:" + target_ + "_dispatcher> ${parts}");
        w_.line("    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${renamed} ${object}.joined ${object})");
        w_.line("add_library(" + library + " STATIC ${object})");
        w_.line("set_target_properties(" + library + " PROPERTIES OUTPUT_NAME " + name_ + " LINKER_LANGUAGE CXX)");
        w_.line("add_dependencies(" + library + " " + target_ + ") # whose rules make the parts");
        w_.line("target_include_directories(" + library + " INTERFACE include)");
        w_.line("target_link_libraries(" + library + " INTERFACE $<LINK_ONLY:" + options_ + ">)");
    }

    bool hasStartupCode() const { return !gpu() && !r_.module->globalCode.empty(); }

    void options() {
        w_.line("target_include_directories(" + options_ + " INTERFACE include runtime-headers)");
        w_.line("target_compile_features(" + options_ + " INTERFACE cxx_std_20)");
        const std::string start = "target_compile_options(" + options_ + " INTERFACE ";
        if (!cuda()) {
            w_.line(start + joined(hostFlags_) + ")");
        } else {
            w_.line(start + "$<$<COMPILE_LANGUAGE:CXX>:" + joined(hostFlags_, ";") + ">)");
            w_.line(start + "$<$<COMPILE_LANGUAGE:CUDA>:" + joined(deviceFlags(), ";") + ">)");
        }
        for (const std::string &f : gccFlags(r_.compile->fpModel))
            w_.line(start + "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:" + f + ">)");
        vectorMath();
    }

    /// Clang gets its flags where the build of sdfgc passes them, too (package::takesClangFlags).
    void vectorMath() {
        const pass::VectorMath used = r_.sources->vectorMath;
        if (used == pass::VectorMath::None)
            return;
        const std::string flags = joined(clangFlags(used));
        const bool isOfC = used != pass::VectorMath::Sleef; // the C library's
        w_.line("if(CMAKE_CXX_COMPILER_ID STREQUAL Clang) # GCC finds the vector functions in a header");
        w_.line("    include(CheckCXXSourceCompiles)");
        w_.line("    set(CMAKE_REQUIRED_FLAGS " + flags + ")");
        w_.line("    check_cxx_source_compiles(\"");
        w_.line("        #include <cmath>");
        w_.line("        #if !defined __x86_64__" + std::string(isOfC ? " || !defined __GLIBC__" : ""));
        w_.line("        #error");
        w_.line("        #endif");
        w_.line("        int main() { return 0; }\" SDFGC_HAS_VECTOR_MATH)");
        w_.line("    unset(CMAKE_REQUIRED_FLAGS)");
        w_.line("    if(SDFGC_HAS_VECTOR_MATH)");
        w_.line("        target_compile_options(" + options_ + " INTERFACE " + flags + ")");
        w_.line("    endif()");
        w_.line("endif()");
    }

    /// nvcc has flags of its own and passes the host compiler's flags on one by one.
    std::vector<std::string> deviceFlags() const {
        std::vector<std::string> out{"-std=c++20"};
        for (const std::string &f : cudaFlags(r_.compile->fpModel))
            out.push_back(f);
        for (const std::string &f : hostFlags_)
            if (!f.starts_with("-O"))
                out.push_back("-Xcompiler=" + f);
        out.push_back("-Xcompiler=-fvisibility=hidden");
        return out;
    }

    void libraries() {
        if (r_.sources->openmp) {
            w_.line("find_package(OpenMP REQUIRED COMPONENTS CXX)");
            w_.line("target_link_libraries(" + options_ + " INTERFACE OpenMP::OpenMP_CXX)");
            w_.line("target_link_options(" + options_ + " INTERFACE LINKER:-z,nodelete)");
        }
        if (mpi())
            linkMpi();
        std::vector<std::string> host, emulated, device;
        auto add = [](std::vector<std::string> &list, const std::vector<std::string> &names) {
            for (const std::string &n : names)
                if (std::find(list.begin(), list.end(), n) == list.end())
                    list.push_back(n);
        };
        for (const std::string &l : r_.sources->libraries) {
            if (platform::isEmulatedWithMpi(l))
                continue;
            const std::vector<std::string> behind = platform::librariesBehind(l, r_.compile->vendor());
            const bool other = behind != std::vector<std::string>{l};
            add(other || ofToolkit(l) ? device : host, behind);
            if (other)
                add(emulated, platform::librariesBehind(l, platform::Device::Emulated));
        }
        link(host, "");
        if (device.empty())
            return;
        w_.line("if(SDFGC_EMULATE)");
        link(emulated, "    ");
        w_.line("else()");
        if (cuda())
            w_.line("    find_package(CUDAToolkit REQUIRED)");
        link(device, "    ");
        w_.line("endif()");
    }

    void linkMpi() {
        w_.line("if(SDFGC_EMULATE_MPI)");
        w_.line("    list(APPEND sources runtime-headers/" + std::string(codegen::mpiEmulation) + ")");
        w_.line("    target_compile_definitions(" + options_ + " INTERFACE SDFGC_MPI_EMULATE)");
        w_.line("    find_package(Threads REQUIRED)");
        w_.line("    target_link_libraries(" + options_ + " INTERFACE Threads::Threads)");
        w_.line("else()");
        w_.line("    enable_language(C) # CMake asks the C compiler for MPI's C interface");
        w_.line("    find_package(MPI REQUIRED COMPONENTS C)");
        w_.line("    target_link_libraries(" + options_ + " INTERFACE MPI::MPI_C)");
        if (r_.sources->needs("scalapack")) {
            w_.line("    if(\"${MPI_C_LIBRARIES}\" MATCHES mpich) # ScaLAPACK is built for one MPI");
            w_.line("        find_library(SDFGC_SCALAPACK NAMES scalapack-mpich scalapack REQUIRED)");
            w_.line("    else()");
            w_.line("        find_library(SDFGC_SCALAPACK NAMES scalapack-openmpi scalapack REQUIRED)");
            w_.line("    endif()");
            w_.line("    target_link_libraries(" + options_ + " INTERFACE ${SDFGC_SCALAPACK})");
        }
        w_.line("endif()");
    }

    void caller() {
        const std::string program = name_ + "_main";
        w_.line();
        w_.line("# Calls the program with arguments from the command line and from NumPy files.");
        w_.line("add_executable(" + program + " " + callerSource(name_) + ")");
        w_.line("target_include_directories(" + program + " PRIVATE runtime-headers)");
        w_.line("target_link_libraries(" + program + " PRIVATE " + target_ + ")");
    }

    static bool ofToolkit(const std::string &name) {
        const platform::Library *l = platform::library(name);
        return l && l->toolkit != platform::Toolkit::Host;
    }

    /// Links according to the table of libraries; libraries without an imported target are searched.
    void link(const std::vector<std::string> &libraries, const std::string &margin) {
        for (const std::string &l : libraries) {
            const platform::Library *known = platform::library(l);
            if (known && known->linking == platform::Linking::HeadersOnly) // found by the device compiler
                continue;
            std::string target(known ? known->cmake : std::string_view());
            if (target.empty()) {
                std::string variable = l + "_LIBRARY";
                std::transform(variable.begin(), variable.end(), variable.begin(),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
                w_.line(margin + "find_library(" + variable + " " + l + " REQUIRED)");
                target = "${" + variable + "}";
            }
            w_.line(margin + "target_link_libraries(" + options_ + " INTERFACE " + target + ")");
        }
    }

    const Request &r_;
    std::string name_, target_;                  // of the program, and of the library and the project in CMake
    std::string options_;                        // the library with what all sources need
    const platform::Dialect *dialect_ = nullptr; // of the sources for the device
    std::vector<std::string> host_, device_, hostFlags_;
    TextWriter w_{"    "};
};

json::Value preset(const std::string &name, const std::string &folder, const std::string &type) {
    json::Value out = json::Value::object(), cache = json::Value::object();
    out.set("name", name);
    out.set("binaryDir", "${sourceDir}/" + folder);
    cache.set("CMAKE_BUILD_TYPE", type);
    out.set("cacheVariables", std::move(cache));
    return out;
}

} // namespace

std::string cmakeLists(const Request &r) { return Project(r).text(); }

std::string cmakePresets(const Request &r) {
    std::vector<json::Value> presets{preset("release", "out", "Release"), preset("debug", "out-debug", "Debug")};
    if (r.module->streams > 0 && !r.sources->needs("OpenCL")) {
        json::Value emulated = preset("emulate", "out-emulate", "Release");
        json::Value cache = *emulated.get("cacheVariables");
        cache.set("SDFGC_EMULATE", "ON");
        emulated.set("cacheVariables", std::move(cache));
        presets.push_back(std::move(emulated));
    }
    json::Value out = json::Value::object();
    out.set("version", 3);
    out.set("configurePresets", json::Value::array(std::move(presets)));
    return out.dump(2) + "\n";
}

/// Relative to its own location, so that the folder can be moved.
std::string pkgConfig(const Request &r) {
    const std::string &n = r.module->name.str();
    TextWriter w("");
    w.line("# For make and other build systems: PKG_CONFIG_PATH=this folder pkg-config --cflags --libs " + n);
    w.line("prefix=${pcfiledir}");
    w.line();
    w.line("Name: " + n);
    w.line("Description: program " + n + ", compiled by sdfgc");
    w.line("Version: " SDFGC_VERSION);
    w.line("Cflags: -I${prefix}/include");
    w.line("Libs: -L${prefix}/lib -l" + n + " -Wl,-rpath,${prefix}/lib");
    return w.take();
}

std::string staticPkgConfig(const Request &r) {
    const std::string &n = r.module->name.str();
    TextWriter w("");
    w.line("# For callers that link the program into their own executable or library: pkg-config --cflags --libs " + n + "-static");
    w.line("prefix=${pcfiledir}");
    w.line();
    w.line("Name: " + n + "-static");
    w.line("Description: program " + n + ", compiled by sdfgc");
    w.line("Version: " SDFGC_VERSION);
    w.line("Cflags: -I${prefix}/include");
    w.line("Libs: ${prefix}/" + staticLibrary(n) + " " + text::joined(r.staticLinkFlags, " "));
    return w.take();
}

/// `-Wl,a,b` of a compiler is `a` and `b` for a linker. Other flags of a compiler are left out.
std::string linkerFile(const Request &r) {
    std::string text;
    for (const std::string &flag : r.staticLinkFlags) {
        if (flag.starts_with("-l") || flag.starts_with("-L") || flag.starts_with('/'))
            text += flag + "\n";
        else if (flag.starts_with("-Wl,"))
            for (std::size_t at = 4, end = 0; at <= flag.size(); at = end + 1) {
                end = std::min(flag.find(',', at), flag.size());
                text += flag.substr(at, end - at) + "\n";
            }
    }
    return text;
}

} // namespace sdfgc::package
