#include "sdfgc/CodeGen/DevicePrinters.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

namespace {

/// A statement of a function `f`, as Printer prints it.
template <class Printer, class Statement> std::string printed(Statement statement) {
    tree::Module m;
    tree::Function f;
    f.name = "f";
    f.body.body.push_back(std::make_unique<Statement>(std::move(statement)));
    TextWriter w;
    std::set<std::string> topics;
    std::vector<codegen::MapEntry> map;
    Printer(m, f, {w, topics, map, "f.cpp"}).function("static ");
    return w.take();
}

} // namespace

TEST_CASE("each kind of code has its statements, and stops the compiler at those of others") {
    using namespace codegen;
    CHECK(printed<KernelPrinter>(tree::Barrier()).find("__syncthreads();") != std::string::npos);
    CHECK(printed<QueuePrinter>(tree::Synchronise()).find("synchronise(0);") != std::string::npos);
    CHECK(printed<HostPrinter>(tree::Sections()).find("#pragma omp parallel sections") != std::string::npos);

    CHECK(printed<HostPrinter>(tree::Barrier()).find("#error \"barrier cannot be in f\"") != std::string::npos);
    CHECK(printed<HostPrinter>(tree::Synchronise()).find("#error \"synchronise cannot be in f\"") != std::string::npos);
    CHECK(printed<KernelPrinter>(tree::Sections()).find("#error \"sections cannot be in f\"") != std::string::npos);
    CHECK(printed<KernelPrinter>(tree::Sections()).find("omp") == std::string::npos);
}
