#include "sdfgc/Reduce/Reduce.h"
#include "Reduce/Removals.h"
#include "SourceTree.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::reduce;

namespace {

std::unique_ptr<ir::SDFG> read(const std::string &name) {
    diag::Engine d;
    auto g = serialize::readFile(std::string(SDFGC_SOURCE_DIR) + "/test/graphs/" + name, d);
    REQUIRE(g);
    return g;
}

const char *const graphs[] = {"vadd.sdfg", "control.sdfg", "dataflow.sdfg", "external.sdfg", "v0_16.sdfg", "v1_0.sdfg"};

} // namespace

TEST_CASE("without any demand nothing but a state is left") {
    for (const char *name : graphs) {
        INFO(name);
        auto g = read(name);
        Summary summary;
        auto small = shrink(
            *g, [](const ir::SDFG &) { return true; }, {}, &summary);
        CHECK(elementCount(*small) <= 2);
        CHECK(summary.successes > 0);
        CHECK(summary.tests >= summary.successes);
        CHECK(summary.candidates >= summary.tests);
    }
}

TEST_CASE("what the test demands is kept, and every graph that is tested passes the verifier") {
    struct Demand {
        const char *graph, *text;
        std::size_t atMost; // final number of elements
    };
    for (const Demand &demand : {Demand{"vadd.sdfg", "c = a + b", 16},
                                 {"vadd.sdfg", "A: float64", 2},
                                 {"control.sdfg", "k = k + A[i]", 5},
                                 {"control.sdfg", "state in_named", 1},
                                 {"v0_16.sdfg", "state", 1}}) {
        INFO(demand.graph << ": " << demand.text);
        auto g = read(demand.graph);
        auto keepsText = [&](const ir::SDFG &candidate) {
            diag::Engine d;
            CHECK(analysis::verify(candidate, ir::Level::Loaded, d));
            return serialize::print(candidate).find(demand.text) != std::string::npos;
        };
        REQUIRE(keepsText(*g));
        auto small = shrink(*g, keepsText, {});
        CHECK(keepsText(*small));
        INFO(serialize::print(*small));
        CHECK(elementCount(*small) <= demand.atMost);
    }
}

TEST_CASE("every kind of removal counts what it can remove, and removing all leaves less") {
    for (const char *name : graphs)
        for (const RemovalKind &kind : kinds()) {
            INFO(name << ": " << kind.targets);
            auto g = read(name);
            const std::string before = serialize::print(*g);
            const std::size_t count = kind.remove(*g, 0, 0);
            CHECK(serialize::print(*g) == before); // counting has no side effects
            for (std::size_t i = 0; i < count; ++i) {
                auto one = ir::clone(*g);
                CHECK(kind.remove(*one, i, i + 1) == count);
                cleanUp(*one);
                CHECK(kind.remove(*one, 0, 0) <= count);
            }
            CHECK(kind.remove(*g, 0, count) == count);
            cleanUp(*g);
            CHECK((count == 0 || kind.remove(*g, 0, 0) < count));
        }
}

TEST_CASE("a search can be stopped and tells of every step") {
    auto g = read("vadd.sdfg");
    std::vector<std::size_t> sizes;
    Options o;
    o.onSuccess = [&](const ir::SDFG &smaller, const std::string &what) {
        CHECK_FALSE(what.empty());
        sizes.push_back(serialize::print(smaller).size());
    };
    o.stop = [&] { return sizes.size() >= 2; };
    shrink(
        *g, [](const ir::SDFG &c) { return serialize::print(c).size() > 100; }, o);
    CHECK(sizes.size() <= 2);
    CHECK(std::is_sorted(sizes.rbegin(), sizes.rend()));
}
