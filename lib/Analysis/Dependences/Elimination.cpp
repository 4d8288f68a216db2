// Fourier-Motzkin elimination over integers.
//
// An unknown is eliminated by combining each of its lower bounds with each of its upper bounds. Over the integers this keeps all
// solutions, and it adds none if one of the two coefficients of each pair is 1. Every new row is divided by the greatest common
// divisor of its coefficients, and its constant is rounded down.
#include "Analysis/Dependences/System.h"

#include <algorithm>
#include <numeric>

namespace sdfgc::analysis::dependences {
namespace {

/// An elimination that would create more rows than this drops its unknown instead.
constexpr std::size_t mostRows = 300;

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

class Elimination {
public:
    explicit Elimination(Rows rows) : rows_(std::move(rows)) {}

    Feasibility run() {
        if (!tidy(0))
            return Feasibility::No;
        while (const std::optional<Occurrences> next = choose())
            if (!eliminate(*next))
                return Feasibility::No;
        return exact_ ? Feasibility::Yes : Feasibility::Unknown;
    }

private:
    struct Occurrences {
        Column column = 0;
        std::size_t below = 0, above = 0; // rows that bound the unknown from below and from above
        bool unitBelow = true, unitAbove = true;

        void count(int64_t coefficient) {
            if (coefficient > 0) {
                ++below;
                unitBelow = unitBelow && coefficient == 1;
            } else if (coefficient < 0) {
                ++above;
                unitAbove = unitAbove && coefficient == -1;
            }
        }
        bool exact() const { return unitBelow || unitAbove || below == 0 || above == 0; }
        int64_t cost() const {
            const auto p = static_cast<int64_t>(below), q = static_cast<int64_t>(above);
            return p * q - p - q + (exact() ? 0 : 4);
        }
    };

    /// The unknown whose elimination creates the fewest rows; nothing if none is left.
    std::optional<Occurrences> choose() {
        counts_.assign(rows_.width(), {});
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (Column c = 1; c < rows_.width(); ++c)
                counts_[c].count(rows_[i][c]);
        std::optional<Occurrences> best;
        for (Column c = 1; c < rows_.width(); ++c) {
            counts_[c].column = c;
            if (counts_[c].below + counts_[c].above > 0 && (!best || counts_[c].cost() < best->cost()))
                best = counts_[c];
        }
        return best;
    }

    /// Returns false if it finds a contradiction.
    bool eliminate(const Occurrences &o) {
        const Column c = o.column;
        const bool tooMany = rows_.size() - o.below - o.above + o.below * o.above > mostRows;
        exact_ = exact_ && o.exact() && !tooMany;
        Rows old(rows_.width());
        std::swap(old, rows_);
        for (std::size_t i = 0; i < old.size(); ++i)
            if (old[i][c] == 0)
                rows_.add(old[i]);
        const std::size_t kept = rows_.size();
        for (std::size_t lower = 0; !tooMany && lower < old.size(); ++lower)
            for (std::size_t upper = 0; old[lower][c] > 0 && upper < old.size(); ++upper)
                if (old[upper][c] < 0)
                    combine(old[lower], old[upper], c);
        return tidy(kept);
    }

    /// Adds a positive multiple of `a` to a positive multiple of `b` so that `c` cancels.
    void combine(std::span<const int64_t> a, std::span<const int64_t> b, Column c) {
        rows_.addZero();
        const auto to = rows_[rows_.size() - 1];
        const int64_t common = std::gcd(a[c], b[c]), forA = -(b[c] / common), forB = a[c] / common;
        for (std::size_t k = 0; k < rows_.width(); ++k)
            if (!accumulate(to[k], a[k], forA) || !accumulate(to[k], b[k], forB)) {
                rows_.removeLast();
                exact_ = false;
                return;
            }
    }

    /// Reduces the rows from `first` on to lowest terms and keeps each sum of unknowns only once. Returns false on a contradiction.
    bool tidy(std::size_t first) {
        for (std::size_t i = rows_.size(); i-- > first;) {
            const auto row = rows_[i];
            int64_t common = 0;
            for (std::size_t k = 1; k < row.size() && common != 1; ++k)
                common = std::gcd(common, row[k]);
            if (common == 0 && row[0] < 0)
                return false;
            if (common > 1) {
                for (std::size_t k = 1; k < row.size(); ++k)
                    row[k] /= common;
                row[0] = floorDivide(row[0], common);
            }
            if (common == 0 || isWeaker(i))
                rows_.remove(i);
        }
        return true;
    }

    /// Does another row differ from this one only in its constant? It then gets the smaller constant.
    bool isWeaker(std::size_t i) {
        const auto row = rows_[i];
        for (std::size_t j = 0; j < rows_.size(); ++j)
            if (j != i && std::equal(row.begin() + 1, row.end(), rows_[j].begin() + 1)) {
                rows_[j][0] = std::min(rows_[j][0], row[0]);
                return true;
            }
        return false;
    }

    Rows rows_;
    std::vector<Occurrences> counts_; // by column
    bool exact_ = true;
};

} // namespace

Feasibility solveInequalities(Rows rows) { return Elimination(std::move(rows)).run(); }

} // namespace sdfgc::analysis::dependences
