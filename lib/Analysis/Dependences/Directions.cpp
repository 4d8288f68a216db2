// The search for direction vectors: the system is solved with `<`, `=` and `>` for the outermost loop, and where a solution may
// exist, again with each direction for the next loop. Loops that are independent of all others are left out and solved once.
#include "Analysis/Dependences/Directions.h"

#include <algorithm>

namespace sdfgc::analysis::dependences {

using sym::Expr;

namespace {

using Vector = std::vector<Directions>;

/// The maximum number of systems solved for one pair, so that deep nests do not take exponential time; directions not tested count
/// as possible.
constexpr int mostSystems = 240;

void join(Directions &to, const Directions &from) {
    to.less = to.less || from.less;
    to.equal = to.equal || from.equal;
    to.greater = to.greater || from.greater;
}

class Search {
public:
    explicit Search(Pair &pair) : pair_(pair) {}

    std::optional<Conflict> run() {
        System root = pair_.unknowns().system();
        for (const CommonLoop &loop : pair_.common())
            root.follow(Form::unknown(loop.distance));
        const Feasibility found = root.solve();
        if (found == Feasibility::No)
            return std::nullopt;
        const std::size_t levels = pair_.common().size();
        confirmed_.resize(levels);
        std::vector<Vector> vectors{Vector(levels)};
        if (levels > 0) {
            alone_ = aloneIn(root);
            vectors = search(root, 0, found);
        }
        if (vectors.empty())
            return std::nullopt;
        Conflict c = conflictOf(std::move(vectors), levels);
        c.exact = levels == 0 ? found == Feasibility::Yes : c.levels == confirmed_;
        for (std::size_t i = 0; i < levels; ++i)
            if (!c.distances[i])
                c.distances[i] = distance(root, i);
        c.why = pair_.unknowns().why();
        return c;
    }

private:
    /// Loops constrained only by their ranges: a's iteration x and b's iteration x + distance take the same values, whatever the
    /// other loops do.
    std::vector<bool> aloneIn(const System &root) const {
        const std::size_t levels = pair_.common().size();
        std::vector<bool> alone(levels, true);
        for (std::size_t i = 0; i < levels; ++i) {
            const Column distance = pair_.common()[i].distance;
            for (std::size_t other = 0; other < levels; ++other)
                for (Column c = 1; c < root.inequalities().width(); ++c)
                    if (other == i || c == distance)
                        alone[i] = alone[i] && root.followed(other)[c] == (other == i && c == distance ? 1 : 0);
            for (std::size_t r = 0; alone[i] && r < root.inequalities().size(); ++r)
                alone[i] = isAlike(root.inequalities(), r, pair_.common()[i].distance);
        }
        return alone;
    }

    /// Does the row not concern the loop, or is it a bound of x or x + distance that the other one has as well?
    bool isAlike(const Rows &rows, std::size_t row, Column distance) const {
        const Column iteration = distance - 1;
        const std::span<const int64_t> bound = rows[row];
        if (bound[iteration] == 0)
            return bound[distance] == 0;
        const bool ofB = bound[distance] != 0;
        if (ofB && bound[distance] != bound[iteration])
            return false;
        for (Column c = 1; c < bound.size(); ++c)
            if (bound[c] != 0 && c != iteration && c != distance && !pair_.unknowns().symbols()[c])
                return false;
        std::vector<int64_t> other(bound.begin(), bound.end());
        other[distance] = ofB ? 0 : bound[iteration];
        for (std::size_t r = 0; r < rows.size(); ++r)
            if (std::equal(other.begin(), other.end(), rows[r].begin()))
                return true;
        return false;
    }

    /// The direction vectors for the levels from `level` on. `found`: the result for `s`.
    std::vector<Vector> search(const System &s, std::size_t level, Feasibility found) {
        if (level == pair_.common().size()) {
            if (found == Feasibility::Yes)
                for (std::size_t i = 0; i < level; ++i)
                    if (pair_.common()[i].ordered)
                        join(confirmed_[i], path_[i]);
            return {Vector()};
        }
        if (alone_[level])
            return prepended(askAlone(s, level), {.equal = true}, level, s, found);
        std::vector<Vector> result;
        for (const Directions &d : {Directions{.less = true}, Directions{.equal = true}, Directions{.greater = true}}) {
            System with = s;
            const Feasibility f = solveWith(with, level, d, found);
            if (f != Feasibility::No)
                merge(result, prepended(d, d, level, with, f));
        }
        return result;
    }

    /// The vectors that have `d` at `level`; `asked` is the system's result for them.
    std::vector<Vector> prepended(const Directions &d, const Directions &asked, std::size_t level, const System &s,
                                  Feasibility found) {
        path_.push_back(asked);
        std::vector<Vector> vectors = search(s, level + 1, found);
        path_.pop_back();
        Directions shown = d;
        if (!pair_.common()[level].ordered)
            shown.less = shown.greater = d.less || d.greater;
        for (Vector &v : vectors)
            v.insert(v.begin(), shown);
        return vectors;
    }

    /// Vectors that differ only in their first direction become one.
    static void merge(std::vector<Vector> &into, std::vector<Vector> more) {
        for (Vector &v : more) {
            const auto same = std::find_if(into.begin(), into.end(),
                                           [&](const Vector &w) { return std::equal(v.begin() + 1, v.end(), w.begin() + 1); });
            if (same == into.end())
                into.push_back(std::move(v));
            else
                join(same->front(), v.front());
        }
    }

    Feasibility solveWith(System &s, std::size_t level, const Directions &d, Feasibility found) {
        const std::span<const int64_t> row = s.followed(level);
        if (std::all_of(row.begin() + 1, row.end(), [](int64_t v) { return v == 0; })) {
            const bool holds = d.equal ? row[0] == 0 : d.greater ? row[0] > 0 : row[0] < 0;
            return holds ? found : Feasibility::No;
        }
        if (--budget_ < 0)
            return Feasibility::Unknown;
        if (d.equal)
            s.makeZero(level);
        else
            s.makeAtLeast(level, d.greater ? 1 : -1, 1);
        return s.solve();
    }

    /// The directions of an independent loop: both accesses run through its entire range, so each dependence also occurs in the
    /// opposite direction and within one iteration.
    Directions askAlone(const System &s, std::size_t level) {
        System with = s;
        const Feasibility f = solveWith(with, level, {.greater = true}, Feasibility::Unknown);
        if (f == Feasibility::No)
            return {.equal = true};
        if (f == Feasibility::Yes && pair_.common()[level].ordered)
            confirmed_[level].less = confirmed_[level].greater = true;
        return Directions::any();
    }

    std::optional<Expr> distance(const System &root, std::size_t level) const {
        const CommonLoop &loop = pair_.common()[level];
        if (!loop.ordered || !root.isFixed(level))
            return std::nullopt;
        const std::optional<Expr> d = pair_.unknowns().expressionOf(root.followed(level));
        if (!d || loop.unit.isOne())
            return d;
        const Expr steps = *d / loop.unit;
        return isPure(steps) ? std::optional(steps) : std::nullopt;
    }

    Pair &pair_;
    std::vector<bool> alone_;
    Vector path_;
    Vector confirmed_; // directions that certainly occur
    int budget_ = mostSystems;
};

} // namespace

std::optional<Conflict> conflictIn(Pair &pair) { return Search(pair).run(); }

Conflict conflictOf(std::vector<Vector> vectors, std::size_t levels) {
    Conflict c;
    c.levels.resize(levels);
    for (const Vector &v : vectors)
        for (std::size_t i = 0; i < levels; ++i)
            join(c.levels[i], v[i]);
    for (const Directions &d : c.levels)
        c.distances.push_back(d == Directions{.equal = true} ? std::optional<Expr>(0) : std::nullopt);
    c.vectors = std::move(vectors);
    return c;
}

} // namespace sdfgc::analysis::dependences
