// Every row of LibraryNodes.def has its row in the docs and its test.
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

#include <set>
#include <sstream>

using namespace sdfgc;

namespace {

std::string source(const std::string &path) {
    auto text = file::read(std::string(SDFGC_SOURCE_DIR) + "/" + path);
    REQUIRE(text);
    return *text;
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Is there a row of a table whose cells name the class (`*`: all) and the library?
bool hasRow(const std::string &text, const libnodes::Definition &d) {
    const std::string name = d.className == "*" ? "| all |" : "`" + std::string(d.className) + "`", library = "| " + std::string(d.library) + " |";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (contains(line, name) && contains(line, library))
            return true;
    return false;
}

} // namespace

TEST_CASE("every node that is expanded has a row in the docs and a test of what it computes") {
    std::string docs = source("docs/library-nodes.md"), tests;
    for (const char *file : {"Products", "Reductions", "Tensors", "LinearSystems"})
        tests += source("test/Numerics/" + std::string(file) + ".cpp");
    for (const libnodes::Definition &d : libnodes::all()) {
        if (!d.expand)
            continue;
        INFO(d.library << "." << d.className);
        CHECK(hasRow(docs.substr(0, docs.find("## Nodes that are refused")), d));
        // A test names the class path, in one text or as the last part behind a prefix: `gemm.Gemm"`, `path + "FFT"`.
        const std::string name = std::string(d.className) + "\"";
        CHECK((contains(tests, "." + name) || contains(tests, "\"" + name)));
    }
}

TEST_CASE("every node that is refused says why, and the docs name it") {
    std::string docs = source("docs/library-nodes.md"), refused = docs.substr(docs.find("## Nodes that are refused"));
    for (const libnodes::Definition &d : libnodes::all()) {
        if (d.expand)
            continue;
        INFO(d.library << "." << d.className);
        CHECK_FALSE(d.refusal.empty());
        CHECK(hasRow(refused, d));
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
    CHECK(found("dace.libraries.mpi.nodes.reduce.Reduce")->expand == nullptr);
    CHECK(found("mine.Reduce") == nullptr);
    CHECK(found("dace.libraries.blas.nodes.gemm.Gemmm") == nullptr);
    CHECK(found("") == nullptr);
}
