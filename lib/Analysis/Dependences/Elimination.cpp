// Fourier-Motzkin elimination over integers.
//
// An unknown is eliminated by combining each of its lower bounds with each of its upper ones. For integers that keeps all solutions,
// and adds none where one of each two coefficients is 1. Every new row is divided by what its coefficients have in common, and its
// constant rounded down.
#include "Analysis/Dependences/System.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace sdfgc::analysis::dependences {
namespace {

/// An elimination that would make more rows than this forgets its unknown instead.
constexpr std::size_t mostRows = 300;

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

class Elimination {
public:
    explicit Elimination(Rows rows) : rows_(std::move(rows)) {}

    Feasibility run() {
        if (!tidy())
            return Feasibility::No;
        while (const std::optional<Column> next = choose())
            if (!eliminate(*next))
                return Feasibility::No;
        return exact_ ? Feasibility::Yes : Feasibility::Unknown;
    }

private:
    struct Occurrences {
        std::size_t below = 0, above = 0; // rows that bound the unknown from below, and from above
        bool unitBelow = true, unitAbove = true;

        bool exact() const { return unitBelow || unitAbove || below == 0 || above == 0; }
        int64_t cost() const {
            const auto p = static_cast<int64_t>(below), q = static_cast<int64_t>(above);
            return p * q - p - q + (exact() ? 0 : 4);
        }
    };

    Occurrences count(Column c) const {
        Occurrences o;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const int64_t v = rows_[i][c];
            if (v > 0) {
                ++o.below;
                o.unitBelow = o.unitBelow && v == 1;
            } else if (v < 0) {
                ++o.above;
                o.unitAbove = o.unitAbove && v == -1;
            }
        }
        return o;
    }

    /// The unknown whose elimination makes the fewest rows; nothing if none is left.
    std::optional<Column> choose() const {
        std::optional<Column> best;
        int64_t least = std::numeric_limits<int64_t>::max();
        for (Column c = 1; c < rows_.width(); ++c) {
            const Occurrences o = count(c);
            if (o.below + o.above > 0 && o.cost() < least) {
                least = o.cost();
                best = c;
            }
        }
        return best;
    }

    /// False: a contradiction was found.
    bool eliminate(Column c) {
        const Occurrences o = count(c);
        const std::size_t old = rows_.size();
        const bool tooMany = old - o.below - o.above + o.below * o.above > mostRows;
        exact_ = exact_ && o.exact() && !tooMany;
        if (!tooMany)
            for (std::size_t lower = 0; lower < old; ++lower)
                if (rows_[lower][c] > 0)
                    for (std::size_t upper = 0; upper < old; ++upper)
                        if (rows_[upper][c] < 0)
                            combine(lower, upper, c);
        for (std::size_t i = old; i-- > 0;)
            if (rows_[i][c] != 0)
                rows_.remove(i);
        return tidy();
    }

    void combine(std::size_t lower, std::size_t upper, Column c) {
        rows_.addZero();
        const auto to = rows_[rows_.size() - 1];
        const auto a = rows_[lower], b = rows_[upper];
        const int64_t common = std::gcd(a[c], b[c]), forA = -(b[c] / common), forB = a[c] / common;
        for (std::size_t k = 0; k < rows_.width(); ++k)
            if (!accumulate(to[k], a[k], forA) || !accumulate(to[k], b[k], forB)) {
                rows_.removeLast();
                exact_ = false;
                return;
            }
    }

    /// Rows in lowest terms, each sum of unknowns once. False: a contradiction.
    bool tidy() {
        for (std::size_t i = rows_.size(); i-- > 0;) {
            const auto row = rows_[i];
            int64_t common = 0;
            for (std::size_t k = 1; k < row.size(); ++k)
                common = std::gcd(common, row[k]);
            if (common == 0 && row[0] < 0)
                return false;
            if (common == 0) {
                rows_.remove(i);
            } else if (common > 1) {
                for (std::size_t k = 1; k < row.size(); ++k)
                    row[k] /= common;
                row[0] = floorDivide(row[0], common);
            }
        }
        removeWeaker();
        return true;
    }

    /// Of rows that differ only in their constants the least stays.
    void removeWeaker() {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (std::size_t j = i + 1; j < rows_.size();) {
                const auto a = rows_[i], b = rows_[j];
                if (std::equal(a.begin() + 1, a.end(), b.begin() + 1)) {
                    a[0] = std::min(a[0], b[0]);
                    rows_.remove(j);
                } else {
                    ++j;
                }
            }
    }

    Rows rows_;
    bool exact_ = true;
};

} // namespace

Feasibility solveInequalities(Rows rows) { return Elimination(std::move(rows)).run(); }

} // namespace sdfgc::analysis::dependences
