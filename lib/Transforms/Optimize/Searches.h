// Searches: what loops look for, with a position or other values that belong to it.
//
//     if A[i] > most {            an extremum: the test compares the key, `most`, and stores the value that was compared.
//         most = A[i]             Companions, as `at`, are stored whenever the key is. All tests of the key are of one kind:
//         at = i                  `>`, `>=`, `<`, or `<=`
//     }
//
//     if A[i] == 0 {              the first hit: each branch that leaves the loop stores all results
//         at = i
//         break
//     }
//
//     if A[i] > 0 {               the last hit: the last of these branches that runs decides
//         at = i
//     }
//
// The loop does nothing else with the results: tests read the key, and nothing reads the others. Branches may be anywhere in the
// body: under conditions, several in a row, those of an extremum also in inner loops.
#pragma once

#include "Transforms/Optimize/BodyTests.h"

#include <map>

namespace sdfgc::transforms {

/// A symbol, or a container of one element, that a search stores.
struct SearchResult {
    Name name;
    bool isSymbol = false;
    Type type;
    std::vector<ir::InterstateEdge *> assignments; // of a symbol, one in each arm
    std::vector<ir::Edge *> writes;                // of a container, likewise
};

struct Search {
    enum class Kind : uint8_t { Extremum, First, Last };
    Kind kind = Kind::Extremum;
    std::vector<ir::Region *> arms;
    std::vector<BodyTests::Test> tests; // of the key of an extremum, one for each arm
    std::vector<SearchResult> results;  // that key comes first
    const SearchResult &key() const { return results.front(); }
    bool isMaximum() const { return tests.front().isMaximum; }
    bool isStrict() const { return tests.front().isStrict; }
};

/// Finds the searches of one loop.
class Searches : private BodyTests {
public:
    Searches(ir::LoopRegion &l, ir::SDFG &g) : BodyTests(l, g) {}
    /// A loop that a jump leaves has at most one search, for the first hit.
    std::vector<Search> find() const;

private:
    using Stored = std::map<Name, SearchResult>;
    std::optional<Search> searchUntil(const std::vector<ir::Region *> &arms) const;
    void addLast(std::vector<Search> &out) const;
    std::optional<Search> searchFor(Name key) const;
    static std::optional<std::vector<ir::Region *>> armsThatLeave(ir::LoopRegion &l);
    Stored storedBy(ir::Region &arm) const;
    bool isStoredOnly(Name n, const std::vector<Stored> &arms, const std::function<bool(const ir::Block &)> &isTest) const;
    static SearchResult resultOf(Name n, const std::vector<Stored> &arms);
    bool storesValue(const SearchResult &key, const Test &t) const;
    std::size_t assignmentsOf(Name symbol) const;
};

} // namespace sdfgc::transforms
