// Every row of LibraryNodes.def has its page in the docs and its test.
#include "SourceTree.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

#include <set>

using namespace sdfgc;

namespace {

std::string source(const std::string &path) {
    auto text = file::read(std::string(SDFGC_SOURCE_DIR) + "/" + path);
    REQUIRE(text);
    return *text;
}

bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

/// The page of a node, written by `sdfgc nodes --markdown`.
std::string page(const libnodes::Definition &d) {
    const std::string library(d.library);
    return source("docs/user/library-nodes/" + (d.className == "*" ? library : library + "." + std::string(d.className)) + ".md");
}

} // namespace

TEST_CASE("every node that is expanded has a page in the docs and a test of what it computes") {
    std::string tests;
    for (const char *file : {"Products", "Reductions", "Tensors", "LinearSystems"})
        tests += source("test/Numerics/" + std::string(file) + ".cpp");
    std::string ranks;
    for (const char *file :
         {"messages", "collectives", "vectors", "nonblocking", "grids", "pblas-pgemm", "pblas-pgemv", "pblas-cyclic"})
        ranks += source("test/lit/mpi/" + std::string(file) + ".test");
    ranks += source("test/lit/passes/distribute.test"); // nodes that only the pass creates
    for (const libnodes::Definition &d : libnodes::all()) {
        if (!d.expand)
            continue;
        INFO(d.library << "." << d.className);
        CHECK(contains(page(d), d.pure));
        CHECK(contains(page(d), "| gradient |"));
        if (d.library == "mpi" || d.library == "pblas") { // on several ranks
            CHECK(contains(ranks, "library " + std::string(d.library) + "." + std::string(d.className) + " "));
            continue;
        }
        // A test contains the class path, as one text or as the last part after a prefix: `gemm.Gemm"`, `path + "FFT"`.
        const std::string name = std::string(d.className) + "\"";
        CHECK((contains(tests, "." + name) || contains(tests, "\"" + name)));
    }
}

TEST_CASE("every node that is refused says why, and so does its page") {
    for (const libnodes::Definition &d : libnodes::all()) {
        if (d.expand)
            continue;
        INFO(d.library << "." << d.className);
        CHECK_FALSE(d.refusal.empty());
        CHECK(contains(page(d), d.refusal));
    }
}

TEST_CASE("definitions are found by class path") {
    auto found = [](const std::string &path) {
        ir::LibraryNode n;
        n.classPath = path;
        return libnodes::find(n);
    };
    std::set<std::pair<std::string_view, std::string_view>> unique;
    for (const libnodes::Definition &d : libnodes::all()) {
        CHECK(unique.emplace(d.className, d.library).second);
        if (d.className != "*")
            CHECK(found("dace.libraries." + std::string(d.library) + ".nodes.x." + std::string(d.className)) == &d);
    }
    CHECK(found("dace.libraries.standard.nodes.transpose.Transpose") == libnodes::find("Transpose", "linalg"));
    CHECK(found("dace.libraries.blas.nodes.transpose.Transpose") == libnodes::find("Transpose", "linalg"));
    CHECK(found("dace.libraries.onnx.nodes.onnx_op_registry.ONNXAdd")->library == "onnx");
    CHECK(found("dace.libraries.mpi.nodes.reduce.Reduce")->library == "mpi");
    CHECK(found("mine.Reduce") == nullptr);
    CHECK(found("dace.libraries.blas.nodes.gemm.Gemmm") == nullptr);
    CHECK(found("") == nullptr);
}
