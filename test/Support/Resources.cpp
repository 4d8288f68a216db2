#include "sdfgc/Support/Resources.h"
#include "SourceTree.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace sdfgc;

TEST_CASE("the build tree uses the resources of the source tree") {
    ::unsetenv("SDFGC_HOME");
    CHECK(findResource("pipelines", "cpu.yaml") == std::string(SDFGC_SOURCE_DIR) + "/pipelines/cpu.yaml");
    CHECK(findResource("pipelines", "") == std::string(SDFGC_SOURCE_DIR) + "/pipelines");
    CHECK_FALSE(findResource("pipelines", "none.yaml"));
    CHECK_FALSE(findResource("nothing", ""));
    CHECK(resourceFolders().find("/share/sdfgc") != std::string::npos);
    CHECK(file::isExecutable(executablePath()));
}

TEST_CASE("SDFGC_HOME wins over every other place") {
    file::TemporaryFolder folder = std::move(*file::TemporaryFolder::create());
    REQUIRE(file::makeFolder(file::join(folder.path(), "pipelines")));
    REQUIRE(file::writeAtomic(file::join(folder.path(), "pipelines/own.yaml"), "passes: []\n"));
    ::setenv("SDFGC_HOME", folder.path().c_str(), 1);
    CHECK(findResource("pipelines", "own.yaml") == file::join(folder.path(), "pipelines/own.yaml"));
    CHECK_FALSE(findResource("pipelines", "cpu.yaml"));
    CHECK(resourceFolders() == folder.path());
    ::unsetenv("SDFGC_HOME");
}
