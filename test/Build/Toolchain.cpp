#include "Build/Fixture.h"

#include "Build/Internal.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Platform/Machines.h"
#include "sdfgc/Support/Json.h"

using namespace sdfgc;
using namespace sdfgc::build;
using fixture::messages;
using fixture::Variable;

namespace {

/// A compiler that knows one include folder and one library folder of `folder`, and counts how often it is queried. `version` is
/// its answer to --version, `self` the name that it reports with -v.
std::string fakeCompiler(const fixture::Folder &folder, const std::string &version,
                         const std::string &self = "gcc version 12.2.0") {
    REQUIRE(file::makeFolder(folder / "include"));
    REQUIRE(file::makeFolder(folder / "lib"));
    return folder.script("cc/compiler", "echo asked >> " + folder / "log" + "\n" +
                                            "case \"$*\" in\n"
                                            "--version) printf '" +
                                            version + "';;\n" +
                                            "-print-search-dirs) echo 'install: /'; echo 'libraries: =" + folder / "lib/../lib/" +
                                            ":/no/such'; echo;;\n"
                                            "-###*) echo '\"/usr/bin/ld\" \"-L" +
                                            folder / "omp\" \"-L" +
                                            folder / "lib\" \"-lomp\"' >&2;;\n"
                                                     "*) printf '" +
                                            self + "\\n#include <...> search starts here:\\n " + folder / "include" +
                                            "\\n /no/such\\nEnd of search list.\\n' >&2;;\nesac\n");
}

ToolchainOptions with(const std::string &compiler, const fixture::Folder &folder) {
    ToolchainOptions o;
    o.compiler = compiler;
    o.cacheFolder = folder / "cache";
    return o;
}

constexpr const char *kGcc = "g++ (Test) 12.2.0\\nCopyright (C) 2022 Free Software Foundation, Inc.\\n";

std::size_t asked(const fixture::Folder &folder) {
    const auto log = file::read(folder / "log");
    return log ? static_cast<std::size_t>(std::count(log->begin(), log->end(), '\n')) : 0;
}

} // namespace

TEST_CASE("toolchain: kind, version and folders come from the compiler's answers") {
    const fixture::Folder folder;
    diag::Engine diags;
    const auto t = findToolchain(with(fakeCompiler(folder, kGcc), folder), diags);
    REQUIRE(t);
    CHECK(t->compiler.kind == CompilerKind::Gcc);
    CHECK(t->compiler.version == "g++ (Test) 12.2.0");
    CHECK(t->compiler.command == std::vector<std::string>{folder / "cc/compiler"});
    CHECK(t->compiler.includeFolders == std::vector<std::string>{folder / "include"}); // a missing folder is omitted
    CHECK(t->compiler.libraryFolders == std::vector<std::string>{folder / "lib"});
    CHECK(t->source == "--cc");
}

TEST_CASE("toolchain: clang is told apart, and asked where its OpenMP library is") {
    const fixture::Folder folder;
    REQUIRE(file::makeFolder(folder / "omp"));
    diag::Engine diags;
    const auto t =
        findToolchain(with(fakeCompiler(folder, "Debian clang version 14.0.6\\n", "Debian clang version 14.0.6"), folder), diags);
    REQUIRE(t);
    CHECK(t->compiler.kind == CompilerKind::Clang);
    CHECK(t->compiler.libraryFolders == std::vector<std::string>{folder / "lib", folder / "omp"});
}

TEST_CASE("toolchain: answers are kept until the compiler's file changes; a damaged cache is asked again") {
    const fixture::Folder folder;
    diag::Engine diags;
    const std::string compiler = fakeCompiler(folder, kGcc);
    const auto first = findToolchain(with(compiler, folder), diags);
    REQUIRE(asked(folder) == 3);
    const auto second = findToolchain(with(compiler, folder), diags);
    CHECK(asked(folder) == 3);
    REQUIRE(second);
    CHECK(second->compiler.identity == first->compiler.identity);
    CHECK(second->compiler.libraryFolders == first->compiler.libraryFolders);

    const auto names = file::list(folder / "cache");
    REQUIRE(names->size() == 1);
    for (const char *damaged : {"", "{\"format\":1", "[]", "{\"format\":1,\"compiler\":3}"}) {
        const std::size_t before = asked(folder);
        folder.write("cache/" + names->front(), damaged);
        REQUIRE(findToolchain(with(compiler, folder), diags));
        CHECK(asked(folder) == before + 3);
    }
    const std::size_t before = asked(folder);
    fakeCompiler(folder, "g++ (Test) 13\\nFree Software Foundation\\n");
    CHECK(findToolchain(with(compiler, folder), diags)->compiler.version == "g++ (Test) 13");
    CHECK(asked(folder) == before + 3);
}

TEST_CASE("toolchain: a cache that cannot be written does not matter") {
    const fixture::Folder folder;
    diag::Engine diags;
    ToolchainOptions o = with(fakeCompiler(folder, kGcc), folder);
    o.cacheFolder = "/proc/no";
    CHECK(findToolchain(o, diags));
    CHECK(diags.all().empty());
}

TEST_CASE("toolchain: what cannot be used is refused with the reason") {
    const fixture::Folder folder;
    auto refused = [&](const std::string &compiler) {
        diag::Engine diags;
        CHECK_FALSE(findToolchain(with(compiler, folder), diags));
        return messages(diags);
    };
    CHECK(refused("no-such-compiler -x") == "SD7002: `no-such-compiler -x` is not a C++ compiler that sdfgc can use: there is no "
                                            "such program (name another one with --cc)\n");
    CHECK(refused(fakeCompiler(folder, "nvc++ 23\\n", "nvc++")).find("it is neither GCC nor Clang: nvc++ 23") != std::string::npos);
    CHECK(refused("/bin/true").find("it is neither GCC nor Clang: ") != std::string::npos);
    CHECK(refused("/bin/false").find("exit status 1") != std::string::npos);
}

TEST_CASE("toolchain: --cc wins over the file, the file over CXX, CXX over PATH") {
    const fixture::Folder folder;
    const std::string fake = fakeCompiler(folder, kGcc);
    const Variable cxx("CXX", "/bin/false -O");
    folder.write("t.yaml", "compiler: " + fake + "\nflags: [-DX, -DY]\nlink-flags: [-Lz]\n");
    ToolchainOptions o = with("", folder);
    o.file = folder / "t.yaml";
    {
        diag::Engine diags;
        const auto t = findToolchain(o, diags);
        REQUIRE(t);
        CHECK(t->source == "the toolchain file");
        CHECK(t->compileFlags == std::vector<std::string>{"-DX", "-DY"});
        CHECK(t->linkFlags == std::vector<std::string>{"-Lz"});
    }
    {
        diag::Engine diags;
        CHECK_FALSE(findToolchain(with("", folder), diags)); // CXX
        CHECK(messages(diags).find("`/bin/false -O`") != std::string::npos);
    }
    {
        const Variable none("CXX", ""), path("PATH", folder / "cc");
        diag::Engine diags;
        CHECK_FALSE(findToolchain(with("", folder), diags));
        CHECK(messages(diags).starts_with("SD7001: no C++ compiler was found: neither g++ nor clang++ is on PATH"));
        folder.script("cc/clang++", "exec " + fake + " \"$@\"\n");
        diag::Engine again;
        const auto t = findToolchain(with("", folder), again);
        REQUIRE(t);
        CHECK(t->source == "PATH");
        CHECK(t->compiler.command == std::vector<std::string>{folder / "cc/clang++"});
    }
}

TEST_CASE("toolchain: the compiler of a GPU is on PATH, else in the folder that a variable names") {
    const fixture::Folder folder;
    const Variable path("PATH", folder / "bin"), home("CUDA_HOME", folder / "cuda"), none("CUDA_PATH", "");
    const std::string there = folder.script("cuda/bin/nvcc", "");
    CHECK(gpuCompiler(*platform::dialect("cuda")) == there);
    const std::string first = folder.script("bin/nvcc", "");
    CHECK(gpuCompiler(*platform::dialect("cuda")) == first);
}

TEST_CASE("toolchain: libraries are found as files, with the environment's folders first") {
    const fixture::Folder folder;
    diag::Engine diags;
    const auto t = findToolchain(with(fakeCompiler(folder, kGcc), folder), diags);
    CHECK(t->library("openblas").missing == "the header cblas.h");
    CHECK(t->library("openblas").package.value().name == "libopenblas-dev");
    folder.write("include/cblas.h", "");
    CHECK(t->library("openblas").missing == "libopenblas.so");
    folder.write("other/libopenblas.a", "");
    {
        const Variable more("LIBRARY_PATH", ":/no/such:" + folder / "other");
        CHECK(t->library("openblas").found());
    }
    folder.write("lib/libopenblas.so", "");
    CHECK(t->library("openblas").found());
    CHECK(t->library("openblas").linkFlags == std::vector<std::string>{"-lopenblas"});
    CHECK(t->library("unheard-of").missing == "libunheard-of.so");
}

TEST_CASE("toolchain: ScaLAPACK is the one of the MPI that is linked") {
    const fixture::Folder folder;
    diag::Engine diags;
    const auto t = findToolchain(with(fakeCompiler(folder, kGcc), folder), diags);
    const Variable files("PKG_CONFIG_PATH", folder / "pc");
    folder.write("pc/scalapack-openmpi.pc", "Libs: -lscalapack-openmpi\n");
    folder.write("pc/scalapack-mpich.pc", "Libs: -L" + folder / "mpich" + " -lscalapack-mpich\n");
    folder.write("pc/mpi-c.pc", "Libs: -lmpi\n");
    CHECK(t->library("scalapack").linkFlags == std::vector<std::string>{"-lscalapack-openmpi"});
    CHECK(t->library("scalapack").missing == "libscalapack-openmpi.so");
    folder.write("lib/libscalapack-openmpi.so", "");
    CHECK(t->library("scalapack").found());
    folder.write("pc/mpi-c.pc", "Libs: -lmpich -lhwloc\n");
    folder.write("mpich/libscalapack-mpich.so", "");
    CHECK(t->library("scalapack").linkFlags == std::vector<std::string>{"-L" + folder / "mpich", "-lscalapack-mpich"});
    CHECK(t->library("scalapack").found());
}

TEST_CASE("toolchain file: libraries as described are taken as they are") {
    const fixture::Folder folder;
    folder.write("t.yaml", "libraries:\n  openblas: {flags: [-I/x], link: [-L/y, -lblas]}\n  m: {}\n");
    ToolchainOptions o = with(fakeCompiler(folder, kGcc), folder);
    o.file = folder / "t.yaml";
    diag::Engine diags;
    const auto t = findToolchain(o, diags);
    REQUIRE(t);
    CHECK(t->library("openblas").found());
    CHECK(t->library("openblas").compileFlags == std::vector<std::string>{"-I/x"});
    CHECK(t->library("openblas").linkFlags == std::vector<std::string>{"-L/y", "-lblas"});
    CHECK(t->library("m").linkFlags == std::vector<std::string>{"-lm"});
}

TEST_CASE("toolchain file: the runner starts programs of the compiler") {
    const fixture::Folder folder;
    folder.write("t.yaml", "runner: [qemu-aarch64, -L, /opt/arm]\n");
    ToolchainOptions o = with(fakeCompiler(folder, kGcc), folder);
    o.file = folder / "t.yaml";
    diag::Engine diags;
    const auto t = findToolchain(o, diags);
    REQUIRE(t);
    CHECK(t->runnerCommand() == std::vector<std::string>{"qemu-aarch64", "-L", "/opt/arm"});
}

TEST_CASE("toolchain: a compiler for another machine than the target's is refused") {
    const fixture::Folder folder;
    const platform::Machine other{"moon", "lunar", "lunar-g++", "apollo"};
    ToolchainOptions o = with(fakeCompiler(folder, kGcc), folder);
    o.machine = &other;
    diag::Engine diags;
    CHECK_FALSE(findToolchain(o, diags));
    CHECK(messages(diags).find("and --target moon for lunar") != std::string::npos);
}

TEST_CASE("toolchain file: every mistake has a line, a column and a next step") {
    const fixture::Folder folder;
    auto errors = [&](const std::string &yaml) {
        folder.write("t.yaml", yaml);
        ToolchainOptions o;
        o.file = folder / "t.yaml";
        diag::Engine diags;
        CHECK_FALSE(findToolchain(o, diags));
        std::string text;
        for (const auto &d : diags.sorted())
            text += std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + " " + d.message + " (" + d.hint + ")\n";
        return text;
    };
    CHECK(errors("compilr: x\n") == "1:1 unknown key `compilr` in the toolchain file (did you mean `compiler`?)\n");
    CHECK(errors("flags: -O3\nlibraries: {b: {lnk: []}, c: 3}\n") ==
          "1:8 `flags` should be a list of flags ()\n"
          "2:17 unknown key `lnk` in the toolchain file (did you mean `link`?)\n"
          "2:30 `c` should be a map with the keys flags, link ()\n");
    CHECK(errors("runner: qemu\n") == "1:9 `runner` should be a list of words ()\n");
    CHECK(errors("- a\n") == "1:1 `the file` should be a map with the keys compiler, flags, link-flags, libraries, runner ()\n");
    CHECK(errors("a: [b\n").find("the toolchain file is not valid YAML: ") != std::string::npos);
    CHECK(errors("compiler: []\n") == "1:11 `compiler` should be the name or path of a compiler ()\n");
    CHECK(errors(std::string(100000, '[')).find("not valid YAML") != std::string::npos);
    ToolchainOptions o;
    o.file = "/no/such.yaml";
    diag::Engine diags;
    CHECK_FALSE(findToolchain(o, diags));
    CHECK(messages(diags) == "SD7008: cannot read /no/such.yaml: No such file or directory\n");
}

TEST_CASE("the instruction set is described, and stays the same") {
    const std::string set = hostInstructionSet();
    CHECK(set.find(' ') != std::string::npos);
    CHECK(set == hostInstructionSet());
}

TEST_CASE("toolchain: a GPU's libraries are found in its toolkit") {
    const fixture::Folder folder;
    Toolchain t;
    CHECK(t.library("cublas").missing == "the header cublas_v2.h");
    t.nvcc = folder / "cuda/bin/nvcc";
    folder.write("cuda/include/cublas_v2.h", "");
    CHECK(t.library("cublas").missing == "libcublas.so");
    folder.write("cuda/lib64/libcublas.so", "");
    CHECK(t.library("cublas").found());
    CHECK(t.library("cublas").linkFlags == std::vector<std::string>{"-lcublas"});
}
