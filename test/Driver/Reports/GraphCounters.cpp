#include "Driver/Reports/GraphCounters.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using run::GraphCounters;

namespace {

GraphCounters counters(const std::string &name, int64_t iterations, const std::string &reason) {
    return {name, 1, 2, 100, 7, 12, reason.empty() ? 1 : 0, 3, iterations, 0, reason};
}

} // namespace

TEST_CASE("counters of graphs are a table, with iterations where some are counted") {
    CHECK(driver::graphTable({}) == "no GPU graphs\n");
    CHECK(driver::graphTable({counters("step", -1, "")}) ==
          "GPU graph  entries  builds  launches  updates  nodes  used  host path  evictions  last reason for the host path\n"
          "step             1       2       100        7     12   yes          3          0  none\n");
    CHECK(driver::graphTable({counters("converge", 41, ""), counters("b", -1, "no graphs")}) ==
          "GPU graph  entries  builds  launches  updates  nodes  used  host path  evictions  iterations  last reason for the host "
          "path\n"
          "converge         1       2       100        7     12   yes          3          0          41  none\n"
          "b                1       2       100        7     12    no          3          0           -  no graphs\n");
}

TEST_CASE("counters of graphs are JSON") {
    const json::Value list = driver::graphsJson({counters("a", -1, "why"), counters("b", 5, "")});
    REQUIRE(list.items().size() == 2);
    CHECK(list.items()[0].get("name")->text() == "a");
    CHECK(list.items()[0].get("lastReason")->text() == "why");
    CHECK(list.items()[0].get("iterationsLast")->text() == "-1");
    CHECK(list.items()[1].get("usedLast")->text() == "1");
    CHECK(list.items()[1].get("hostPath")->text() == "3");
}
