#include "Pass/TestPasses.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using pass::FloatClass;
using pass::FpModel;
using pass::ReductionOrder;
using pass::VectorMath;

namespace {

/// The permitted classes, in their order.
std::string allowed(FpModel model, ReductionOrder reductions, VectorMath vectorMath = VectorMath::None) {
    std::string out;
    for (const FloatClass c : {FloatClass::F0, FloatClass::F1, FloatClass::F2, FloatClass::V, FloatClass::F3})
        if (pass::allows(model, reductions, vectorMath, c))
            out += (out.empty() ? "" : " ") + std::string(pass::name(c));
    return out;
}

/// The number of symbols after a pass of a class.
std::size_t symbolsAfter(FloatClass c, const pass::CompileOptions &options, std::vector<pass::Remark> *remarks = nullptr) {
    pass::Registry r = test::registry();
    r.add({"classed",
           "",
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
    CHECK(allowed(FpModel::Strict, ReductionOrder::Any) == "F0 F1");
    CHECK(allowed(FpModel::Contract, ReductionOrder::Any) == "F0 F1 F2");
    CHECK(allowed(FpModel::Fast, ReductionOrder::Any) == "F0 F1 F2 F3");
    CHECK(allowed(FpModel::Strict, ReductionOrder::Ordered) == "F0");
    CHECK(allowed(FpModel::Contract, ReductionOrder::Ordered) == "F0 F2");
    CHECK(allowed(FpModel::Strict, ReductionOrder::Any, VectorMath::Libmvec) == "F0 F1 V");
    CHECK(allowed(FpModel::Strict, ReductionOrder::Any, VectorMath::Sleef) == "F0 F1 V");
    CHECK(allowed(FpModel::Fast, ReductionOrder::Any, VectorMath::Libmvec) == "F0 F1 F2 V F3");
}

TEST_CASE("a context allows what its options do") {
    diag::Engine diags;
    pass::CompileOptions options;
    const pass::Context context(diags, options);
    CHECK(context.allows(FloatClass::F1));
    CHECK_FALSE(context.allows(FloatClass::F2));
    options.reductions = pass::ReductionOrder::Ordered;
    CHECK_FALSE(context.allows(FloatClass::F1));
}

TEST_CASE("vector math is chosen where results may differ in their last bits") {
    pass::CompileOptions options;
    const auto used = [&] { return word(options.vectorMathUsed()); };
    CHECK(used() == "libmvec");
    CHECK(options.allows(FloatClass::V));
    options.optimize = pass::OptLevel::O1;
    CHECK(used() == "none");
    CHECK_FALSE(options.allows(FloatClass::V));
    options.fpModel = FpModel::Fast;
    CHECK(used() == "libmvec");
    options.fpModel = FpModel::Contract;
    CHECK(used() == "none");
    options.optimize = pass::OptLevel::O3;
    CHECK(used() == "libmvec");
    options.reductions = ReductionOrder::Ordered;
    CHECK(used() == "none");
    for (const VectorMath asked : {VectorMath::None, VectorMath::Libmvec, VectorMath::Sleef})
        for (const pass::OptLevel level : {pass::OptLevel::O0, pass::OptLevel::O2}) {
            options.vectorMath = asked;
            options.optimize = level;
            CHECK(options.vectorMathUsed() == asked);
        }
}

TEST_CASE("the manager leaves out passes of a class above F1 that is not allowed") {
    pass::CompileOptions options;
    std::vector<pass::Remark> remarks;
    CHECK(symbolsAfter(FloatClass::F2, options, &remarks) == 0);
    REQUIRE(remarks.size() == 1);
    CHECK(remarks[0].pass == "classed");
    CHECK(remarks[0].why == diag::Why::Contract);
    CHECK(symbolsAfter(FloatClass::F3, options) == 0);
    options.fpModel = pass::FpModel::Contract;
    CHECK(symbolsAfter(FloatClass::F2, options) == 1);
    CHECK(symbolsAfter(FloatClass::F3, options) == 0);
    options.fpModel = pass::FpModel::Fast;
    CHECK(symbolsAfter(FloatClass::F3, options) == 1);
}

TEST_CASE("passes of class F1 run with ordered reductions, and ask") {
    pass::CompileOptions options;
    options.reductions = pass::ReductionOrder::Ordered;
    CHECK(symbolsAfter(FloatClass::F1, options) == 1);
}
