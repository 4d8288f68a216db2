#include "sdfgc/Package/Flags.h"

#include "SourceTree.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::package;
using pass::FpModel;

TEST_CASE("every flag that compilers get is documented") {
    const Result<std::string> docs = file::read(std::string(SDFGC_SOURCE_DIR) + "/docs/user/build.md");
    REQUIRE(docs);
    for (const FpModel model : {FpModel::Strict, FpModel::Contract, FpModel::Fast})
        for (const std::vector<std::string> &flags :
             {compileFlags(model, true), gccFlags(model), cudaFlags(model), linkFlags("NAME", true)})
            for (const std::string &flag : flags) {
                INFO(flag);
                CHECK(docs->find(flag) != std::string::npos);
            }
}
