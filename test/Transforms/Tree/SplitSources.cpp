// Which functions of a large program get separate sources.
#include "Transforms/Tree/RunPass.h"

#include "Tree/Parsed.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Functions with these numbers of statements, the last one being the program, in a module with `head`.
std::unique_ptr<Module> program(const std::vector<int> &lengths, const std::string &head = "") {
    std::string text = "module m" + head + " {\n";
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        text += "function f" + std::to_string(i) + "(A: pointer float64) {\ndeclare x: int64\n";
        for (int k = 0; k < lengths[i]; ++k)
            text += "A[" + std::to_string(k) + "] = 1.0\n";
        text += "}\n";
    }
    return parsed(text + "}\n");
}

/// `1 1 2 0`
std::string sources(const Module &m) {
    std::string out;
    for (const auto &f : m.functions)
        out += (out.empty() ? "" : " ") + std::to_string(f->source);
    return out;
}

} // namespace

TEST_CASE("split sources: what is not large is one source") {
    auto m = program({1000, 1000, 1000});
    CHECK_FALSE(runPass(*m, "split-sources"));
    CHECK(sources(*m) == "0 0 0");
    m = program({4000}); // there is nothing to move elsewhere
    CHECK_FALSE(runPass(*m, "split-sources"));
}

TEST_CASE("split sources: functions fill one source after the other, the program stays with the interface") {
    auto m = program({1000, 1500, 1000, 3500, 10, 700, 20});
    CHECK(runPass(*m, "split-sources"));
    CHECK(sources(*m) == "1 1 2 3 4 4 0");
    CHECK(parsed(tree::print(*m))->functions[FunctionId(3)]->source == 3);
}

TEST_CASE("split sources: programs with code of the user at file scope and GPU programs stay whole") {
    auto m = program({2000, 2000, 1});
    m->globalCode.push_back("static int calls;");
    CHECK_FALSE(runPass(*m, "split-sources"));
    m = program({2000, 2000, 1}, " streams 1");
    CHECK_FALSE(runPass(*m, "split-sources"));
}
