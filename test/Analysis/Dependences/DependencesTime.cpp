// CPU time of the dependence engine per pair; it is printed, not checked. build/bin/testAnalysis "[time]"
#include "Analysis/Dependences/DependencePairs.h"
#include "Symbolic/Helpers.h"

#include <ctime>
#include <iostream>

using namespace sdfgc;
using namespace sdfgc::analysis;
using sym::S;

namespace {

void print(const char *what, const std::vector<test::RandomPair> &pairs, int times) {
    const std::clock_t begin = std::clock();
    std::size_t conflicts = 0;
    for (int n = 0; n < times; ++n)
        for (const test::RandomPair &p : pairs)
            conflicts += conflictOf(p.a, p.b, p.common, p.facts).has_value();
    const double all = static_cast<double>(std::clock() - begin) * 1e6 / CLOCKS_PER_SEC;
    const double count = static_cast<double>(pairs.size()) * times;
    std::cout << what << ": " << all / count << " us per pair, " << static_cast<double>(conflicts) * 100 / count
              << "% in conflict\n";
}

/// Loops over i, j and k up to N, and assumptions like those of a program with twenty sizes.
test::RandomPair pair(const char *a, const char *b, std::size_t loops) {
    test::RandomPair p;
    for (std::size_t i = 0; i < loops; ++i)
        p.a.loops.push_back({Name(std::string(1, static_cast<char>('i' + i))), S("0:N").dims[0]});
    p.b.loops = p.a.loops;
    p.common = loops;
    p.a.subset = S(a);
    p.b.subset = S(b);
    for (char c = 'A'; c < 'U'; ++c)
        p.facts[Name(std::string(1, c))].positive = true;
    return p;
}

} // namespace

TEST_CASE("time of a pair of accesses", "[.][time]") {
    print("A[i, j] and A[i - 1, j + 1]", {pair("i, j", "i - 1, j + 1", 2)}, 100000);
    print("A[i, k] and A[i, k]", {pair("i, k", "i, k", 3)}, 100000);
    print("A[i, 0:N] and A[i, 0:N]", {pair("i, 0:N", "i, 0:N", 1)}, 100000);
    print("A[i, j] and A[j, i]", {pair("i, j", "j, i", 2)}, 2000);
    print("A[i + j] and A[i + j]", {pair("i + j", "i + j", 2)}, 2000);
    print("A[i:i + 2, j] and A[i, j:j + 2]", {pair("i:i + 2, j", "i, j:j + 2", 2)}, 2000);
    print("A[0:M] and A[M:2*M]", {pair("0:M", "M:2*M", 0)}, 5000);
    print("A[N*i + j] and A[N*i + j]", {pair("N*i + j", "N*i + j", 2)}, 2000);
    print("A[i + j, j + k] and A[i + j, j + k]", {pair("i + j, j + k", "i + j, j + k", 3)}, 500);
    test::RandomNumbers random(1);
    std::vector<test::RandomPair> pairs;
    for (int n = 0; n < 1000; ++n)
        pairs.push_back(test::randomPair(random, test::Style::Symbolic));
    print("random pairs with symbolic sizes", pairs, 5);
}
