// Which container forces the iterations of a map to run in order.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Dependences/DependentIterations.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

std::string whole(const std::string &data) { return data[0] == 'A' ? "A[0:N, 0:M]" : "s[0]"; }

/// map[i] { map[j] { t reads `from`, writes `to` } } over N x M, with one access node on each side; `more`: lines after t.
struct TwoMaps : Graph {
    MapEntry *outer = node<MapEntry>("outer"), *inner = node<MapEntry>("inner");

    explicit TwoMaps(const std::string &from, const std::string &to, const std::string &more = "")
        : Graph(R"(
            sdfg f(A, s) {
              symbol N, M, K: int64
              argument A: float64[N, M]
              argument s: float64[1]
              transient own: float64[1]
              state main {
                map outer[i = 0:N] (Sequential) with $over {
                  map inner[j = 0:M] (Sequential) with $over {
                    t: y = x  with $element
                    $more
                  }
                }
              }
            }
          )",
                {{"$over", (from.empty() ? "" : "<- " + whole(from) + "; ") + "-> " + whole(more.empty() ? to : "A")},
                 {"$element", (from.empty() ? "" : "x <- " + from + "; ") + "y -> " + to},
                 {"$more", more}}) {}
    std::string shared(const MapEntry *of = nullptr) {
        return analysis::sharedByIterations(of ? *of : *outer, analysis::ScopeTree(*s)).str();
    }
};

} // namespace

TEST_CASE("dependent iterations: rows and columns of their own") {
    TwoMaps m("A[i, j]", "A[i, j]");
    CHECK(m.shared() == "");
    CHECK(m.shared(m.inner) == "");
}

TEST_CASE("dependent iterations: the inner map's element before is of the same outer iteration") {
    TwoMaps m("A[i, j - 1]", "A[i, j]");
    CHECK(m.shared() == "");
    CHECK(m.shared(m.inner) == "A");
}

TEST_CASE("dependent iterations: a row that another iteration writes") { CHECK(TwoMaps("A[i - 1, j]", "A[i, j]").shared() == "A"); }

TEST_CASE("dependent iterations: an element of all iterations") {
    CHECK(TwoMaps("", "s[0]").shared() == "s");    // assigned: the last value remains
    CHECK(TwoMaps("", "s[0] (+)").shared() == ""); // updated, in any order
    CHECK(TwoMaps("", "s[0] (wcr = \"lambda a, b: a * 2 + b\")").shared() == "s");
    CHECK(TwoMaps("s[0]", "s[0] (+)").shared() == "s"); // updated and read
}

TEST_CASE("dependent iterations: the element of a dynamic range may be any") {
    TwoMaps m("", "A[i + K, j]");
    m.inner->inConnectors.push_back({"K"});
    CHECK(m.shared() == "A");
}

TEST_CASE("dependent iterations: what each iteration has for itself does not count") {
    CHECK(TwoMaps("", "own[0]", "own[0] -> A[i, j] (destination)").shared() == "");
}
