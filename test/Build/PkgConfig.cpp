// pkg-config files, read as text.
#include "Build/PkgConfig.h"

#include <catch2/catch.hpp>

using sdfgc::build::parsePkgConfig;
using sdfgc::build::PkgConfig;

TEST_CASE("variables of pkg-config files are replaced, also by the folder") {
    const PkgConfig p = parsePkgConfig("# includedir=/wrong\n"
                                       "prefix=/opt/mpi\n"
                                       "includedir = ${prefix}/include\n"
                                       "here=${pcfiledir}/..\n"
                                       "Name: an MPI\n"
                                       "Cflags: -I${includedir}   -I${here}/more -DUNKNOWN=${nothing}\n"
                                       "Libs: -L${prefix}/lib -lmpi\n"
                                       "Libs.private: -lm\n",
                                       "/opt/pkgconfig");
    CHECK(p.compileFlags == std::vector<std::string>{"-I/opt/mpi/include", "-I/opt/pkgconfig/../more", "-DUNKNOWN="});
    CHECK(p.linkFlags == std::vector<std::string>{"-L/opt/mpi/lib", "-lmpi"});
}

TEST_CASE("a pkg-config file that says nothing gives no flags") {
    CHECK(parsePkgConfig("", "/").compileFlags.empty());
    CHECK(parsePkgConfig("Cflags\nLibs ${prefix\n", "/").linkFlags.empty());
    CHECK_FALSE(sdfgc::build::readPkgConfig({"no-such-package"}, {"/nowhere"}));
}
