#include "Pass/TestPasses.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using pass::FloatClass;

namespace {

/// The classes that are allowed, in their order.
std::string allowed(const char *model, bool ordered) {
    std::string out;
    for (const FloatClass c : {FloatClass::F0, FloatClass::F1, FloatClass::F2, FloatClass::V, FloatClass::F3})
        if (pass::allows(model, ordered, c))
            out += (out.empty() ? "" : " ") + std::string(pass::name(c));
    return out;
}

/// How many symbols a pass of a class leaves.
std::size_t symbolsAfter(FloatClass c, const pass::CompileOptions &options, std::vector<pass::Remark> *remarks = nullptr) {
    pass::Registry r = test::registry();
    r.add({"classed",
           "",
           ir::Level::Loaded,
           ir::Level::Loaded,
           {{"symbol", "", std::string("s")}, {"times", "", int64_t(1)}},
           test::create<test::AddSymbol>})
        .floatClass = c;
    diag::Engine diags;
    pass::Context context(diags, options);
    ir::SDFG graph{Name("prog")};
    graph.add<ir::State>()->label = "main";
    graph.renumber();
    pass::Program program{graph, nullptr};
    const auto pipeline = pass::parsePipeline("classed", r, diags);
    REQUIRE(pipeline);
    pass::run(program, *pipeline, r, context, {});
    if (remarks)
        *remarks = context.remarks;
    return graph.symbols.size();
}

} // namespace

TEST_CASE("models allow classes, and ordered reductions take one away") {
    CHECK(allowed("strict", false) == "F0 F1");
    CHECK(allowed("contract", false) == "F0 F1 F2 V");
    CHECK(allowed("fast", false) == "F0 F1 F2 V F3");
    CHECK(allowed("strict", true) == "F0");
    CHECK(allowed("contract", true) == "F0 F2 V");
}

TEST_CASE("a context allows what its options do") {
    diag::Engine diags;
    pass::CompileOptions options;
    const pass::Context context(diags, options);
    CHECK(context.allows(FloatClass::F1));
    CHECK_FALSE(context.allows(FloatClass::F2));
    options.orderedReductions = true;
    CHECK_FALSE(context.allows(FloatClass::F1));
}

TEST_CASE("the manager leaves out passes of a class above F1 that is not allowed") {
    pass::CompileOptions options;
    std::vector<pass::Remark> remarks;
    CHECK(symbolsAfter(FloatClass::F2, options, &remarks) == 0);
    REQUIRE(remarks.size() == 1);
    CHECK(remarks[0].pass == "classed");
    CHECK(remarks[0].why == diag::Why::Contract);
    CHECK(symbolsAfter(FloatClass::F3, options) == 0);
    options.fpModel = "contract";
    CHECK(symbolsAfter(FloatClass::F2, options) == 1);
    CHECK(symbolsAfter(FloatClass::F3, options) == 0);
    options.fpModel = "fast";
    CHECK(symbolsAfter(FloatClass::F3, options) == 1);
}

TEST_CASE("passes of class F1 run with ordered reductions, and ask") {
    pass::CompileOptions options;
    options.orderedReductions = true;
    CHECK(symbolsAfter(FloatClass::F1, options) == 1);
}
