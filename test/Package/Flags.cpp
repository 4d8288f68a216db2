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
             {compileFlags(model, true), gccFlags(model), clangFlags(pass::VectorMath::Libmvec), cudaFlags(model),
              linkFlags("NAME", true)})
            for (const std::string &flag : flags) {
                INFO(flag);
                CHECK(docs->find(flag) != std::string::npos);
            }
}

TEST_CASE("Clang gets the flag of vector functions where a library has them") {
    using enum pass::VectorMath;
    CHECK(takesClangFlags(Libmvec, "x86_64-pc-linux-gnu"));
    CHECK(takesClangFlags(Sleef, "x86_64-pc-linux-gnu"));
    CHECK(takesClangFlags(Sleef, "x86_64-alpine-linux-musl"));
    CHECK_FALSE(takesClangFlags(Libmvec, "x86_64-alpine-linux-musl"));
    CHECK_FALSE(takesClangFlags(Libmvec, "x86_64-apple-darwin23"));
    CHECK_FALSE(takesClangFlags(Libmvec, "aarch64-unknown-linux-gnu"));
    CHECK_FALSE(takesClangFlags(Sleef, "aarch64-unknown-linux-gnu"));
    CHECK_FALSE(takesClangFlags(Libmvec, ""));
    CHECK(clangFlags(None).empty());
    CHECK(clangFlags(Sleef) == std::vector<std::string>{"-fveclib=libmvec"});
}
