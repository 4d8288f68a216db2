#include "sdfgc/Diag/Explain.h"
#include "SourceTree.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>

using namespace sdfgc;
using namespace sdfgc::diag;

namespace {

std::string fileText(const std::string &name) {
    std::ifstream in(std::string(SDFGC_SOURCE_DIR) + "/docs/user/diagnostics/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("every diagnostic is explained, and its page in the docs is what `sdfgc explain --markdown` writes") {
    for (std::size_t i = 0; i < kindCount(); ++i) {
        const auto id = static_cast<Id>(i);
        INFO(info(id).code << " " << info(id).name);
        const Explanation &e = explanation(id);
        CHECK_FALSE(e.cause.empty());
        CHECK_FALSE(e.example.empty());
        CHECK_FALSE(e.remedy.empty());
        CHECK(fileText(std::string(info(id).code) + ".md") == explanationPage(id));
    }
    CHECK(fileText("README.md") == explanationIndex());
    CHECK(fileText("remarks.md") == reasonPage());
}

TEST_CASE("every reason of remarks is explained, and is found by its code") {
    std::set<std::string_view> codes;
    for (const Why why : allReasons()) {
        INFO(info(why).code);
        CHECK(codes.insert(info(why).code).second);
        CHECK(info(why).meaning.ends_with("."));
        CHECK(info(why).hint.ends_with("."));
        CHECK(findReason(info(why).code) == why);
    }
    CHECK(findReason("Not-Affine") == Why::NotAffine);
    CHECK_FALSE(findReason("affine"));
    CHECK_FALSE(findReason(""));
    CHECK_FALSE(Reason());
    CHECK(Reason{Why::Small, "it has one iteration"});
    CHECK(explanationText(Why::Small).starts_with("small (of remarks)\n\nThere are too few"));
    CHECK(reasonList().starts_with("dependence      Iterations or steps"));
}

TEST_CASE("lines of an example stay lines, with their indentation") {
    const std::string text = explanationText(Id::NotAGraphFile);
    CHECK(text.find("\n\n    @dace.program\n    def prog(A: dace.float64[N], B: dace.float64[N]):\n        B[:] = 2 * A + 1\n\n    "
                    "prog.") != std::string::npos);
    CHECK(explanationText(Id::FileUnreadable).find("\n\nExample:\n    sdfgc check no-such-file.sdfg\n\nWhat to do:\n    Correct") !=
          std::string::npos);
}

TEST_CASE("codes are unique and found in every spelling") {
    std::set<std::string_view> codes;
    for (const Info &kind : allKinds()) {
        INFO(kind.code);
        CHECK(codes.insert(kind.code).second);
    }
    CHECK(kindCount() == codes.size());
    for (const char *text : {"SD2045", "sd2045", "2045", "UnknownContainer", "unknowncontainer"})
        CHECK(findKind(text) == Id::UnknownContainer);
    for (const char *text : {"", "SD", "SD204", "20455", "Unknown"})
        CHECK_FALSE(findKind(text));
}

TEST_CASE("an explanation for the terminal") {
    const std::string text = explanationText(Id::NameClash);
    CHECK(text.starts_with("SD2002 NameClash (error)\n    `...` is both a container and a symbol\n\n"));
    CHECK(text.find("\nExample:\n    a container `N` beside the symbol `N`\n") != std::string::npos);
    CHECK(text.find("\nWhat to do:\n    Rename one of the two.\n") != std::string::npos);
    for (std::size_t i = 0; i < kindCount(); ++i) {
        const std::string all = explanationText(static_cast<Id>(i));
        for (std::size_t at = 0, end = 0; (end = all.find('\n', at)) != std::string::npos; at = end + 1)
            if (all.find(' ', at + 4) < at + 100) // a single word may be longer
                CHECK(end - at <= 100);
    }
}
