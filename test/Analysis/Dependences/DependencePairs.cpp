#include "Analysis/Dependences/DependencePairs.h"

#include <algorithm>
#include <array>

namespace sdfgc::test {

using namespace analysis;
using sym::Expr;

namespace {

constexpr std::array<const char *, 4> commonNames{"i", "j", "k", "l"};

class Maker {
public:
    Maker(RandomNumbers &random, Style style) : random_(random), style_(style) {}

    RandomPair make() {
        RandomPair p;
        p.common = random_.below(4) == 0 ? 0 : 1 + random_.below(2 + random_.below(2));
        if (style_ == Style::Constant) {
            p.sizes = {{}};
        } else {
            p.facts["N"].positive = true;
            (random_.oneIn(2) ? p.facts["M"].nonnegative : p.facts["M"].positive) = true;
            for (int64_t n : {1, 2, 3, 5})
                for (int64_t m : {0, 1, 2, 4})
                    if (m > 0 || !p.facts["M"].positive)
                        p.sizes.push_back({{"N", n}, {"M", m}});
        }
        for (std::size_t i = 0; i < p.common; ++i)
            p.a.loops.push_back({commonNames[i], loopRange(p.a.loops)});
        p.b.loops = p.a.loops;
        addOwnLoops(p.a, "p", 3 - std::min<std::size_t>(p.common, 3));
        addOwnLoops(p.b, "q", 3 - std::min<std::size_t>(p.common, 3));
        const std::size_t rank = 1 + random_.below(3);
        p.a.subset.emplace();
        p.b.subset.emplace();
        for (std::size_t d = 0; d < rank; ++d) {
            p.a.subset->dims.push_back(elements(p.a.loops));
            p.b.subset->dims.push_back(random_.oneIn(2) ? resembling(p.a.subset->dims[d], p) : elements(p.b.loops));
        }
        return p;
    }

private:
    Expr number(int64_t low, int64_t high) { return random_.between(low, high); }
    Expr variable(const std::vector<LoopLevel> &loops) { return Expr::symbol(random_.pick(loops).variable); }
    Expr size() { return Expr::symbol(random_.oneIn(3) ? "M" : "N"); }

    void addOwnLoops(AccessInstance &access, const char *name, std::size_t most) {
        const std::size_t count = random_.oneIn(2) ? 0 : random_.below(std::min<std::size_t>(most, 2) + 1);
        for (std::size_t i = 0; i < count; ++i) {
            const bool hides = random_.oneIn(10); // a variable of a common loop
            access.loops.push_back({hides ? Name("i") : Name(name + std::to_string(i)), loopRange(access.loops)});
        }
    }

    sym::Range loopRange(const std::vector<LoopLevel> &around) {
        if (style_ == Style::Flattened && random_.oneIn(2))
            return {0, size() - 1};
        Expr low = random_.oneIn(3) ? number(0, 2) : Expr(0), high = number(0, 6);
        if (style_ != Style::Constant && !random_.oneIn(3))
            high = size() + number(-1, 1);
        if (!around.empty() && random_.oneIn(4))
            high = variable(around) + number(-1, 2);
        else if (!around.empty() && random_.oneIn(4))
            low = variable(around) + number(-2, 1);
        if (style_ == Style::Divided && random_.oneIn(4))
            high = sym::min({high, low + number(1, 3)});
        static constexpr std::array steps{1, 1, 1, 1, 2, 3, -1, -1, -2};
        const int step = random_.pick(steps);
        const Expr size = style_ != Style::Constant && random_.oneIn(10) ? Expr::symbol("N") : Expr(1);
        return step > 0 ? sym::Range{low, high, step * size} : sym::Range{high, low, step * size};
    }

    Expr affine(const std::vector<LoopLevel> &loops) {
        Expr e = number(-3, 3);
        if (style_ != Style::Constant && random_.oneIn(4))
            e += number(-1, 1) * size();
        if (loops.empty())
            return e;
        const std::size_t terms = random_.below(4) == 0 ? 0 : 1 + random_.below(2);
        for (std::size_t t = 0; t < terms; ++t)
            e += (random_.oneIn(2) ? Expr(1) : number(-3, 3)) * variable(loops);
        if (style_ == Style::Flattened && random_.oneIn(2))
            e = size() * (variable(loops) + number(-1, 1)) + (random_.oneIn(3) ? e : variable(loops));
        if (style_ == Style::Divided && random_.oneIn(2))
            e = random_.oneIn(2) ? sym::floorDiv(e, number(2, 3)) : sym::mod(e, number(2, 4));
        if (style_ == Style::Divided && random_.oneIn(6))
            e = e / Expr(2);
        return e;
    }

    sym::Range elements(const std::vector<LoopLevel> &loops) {
        sym::Range r{affine(loops), 0};
        r.end = r.begin;
        if (random_.below(3) != 0)
            return r;
        r.end = r.begin + (style_ != Style::Constant && random_.oneIn(2) ? size() : number(-1, 4));
        if (!loops.empty() && random_.oneIn(4))
            r.end = affine(loops);
        static constexpr std::array steps{1, 1, 1, 2, 3, -1, -2};
        r.step = random_.pick(steps);
        if (r.step.numerator() < 0)
            std::swap(r.begin, r.end);
        else if (random_.oneIn(5))
            r.tile = number(1, 3);
        return r;
    }

    /// The same elements, slightly shifted, in the loops of `b`.
    sym::Range resembling(const sym::Range &r, const RandomPair &p) {
        std::map<Name, Expr> others;
        for (std::size_t i = p.common; i < p.a.loops.size(); ++i)
            others[p.a.loops[i].variable] = p.b.loops.empty() ? Expr(1) : variable(p.b.loops);
        const Expr by = random_.oneIn(2) ? Expr(0) : number(-2, 2);
        auto in = [&](Expr e) { return sym::substitute(e, others); };
        return {in(r.begin) + by, in(r.end) + by, r.step, r.tile};
    }

    RandomNumbers &random_;
    Style style_;
};

// ---------------------------------------------------------------------------------------------------- enumeration

/// The value of an expression of the form that Maker produces.
class Evaluator {
public:
    explicit Evaluator(Values &values) : values_(values) {}

    /// Truncated if it is a quotient.
    int64_t operator()(Expr e) const {
        const auto [above, below] = e.isInteger() || e.isSymbol() ? std::pair(e, Expr(1)) : sym::asFraction(e);
        return of(above) / of(below);
    }

private:
    int64_t of(Expr e) const {
        const std::span<const Expr> ops = e.operands();
        switch (e.kind()) {
        case sym::SymbolicKind::Integer:
            return e.numerator();
        case sym::SymbolicKind::Symbol:
            return values_.at(e.name());
        case sym::SymbolicKind::Add:
        case sym::SymbolicKind::Mul: {
            int64_t result = e.kind() == sym::SymbolicKind::Add ? 0 : 1;
            for (Expr op : ops)
                result = e.kind() == sym::SymbolicKind::Add ? result + of(op) : result * of(op);
            return result;
        }
        default:
            return *sym::evaluate(e, values_);
        }
    }

    Values &values_;
};

using Element = std::vector<int64_t>;
/// Iterations of the common loops, each with the elements that it accesses.
using Touched = std::map<std::vector<int64_t>, std::set<Element>>;

class Enumeration {
public:
    Enumeration(const AccessInstance &access, std::size_t common, const Values &size)
        : access_(access), common_(common), values_(size), evaluate_(values_) {
        loop(0);
    }
    Touched take() { return std::move(touched_); }

private:
    void loop(std::size_t level) {
        if (level == access_.loops.size())
            return touch(0);
        const sym::Range &r = access_.loops[level].range;
        const Name variable = access_.loops[level].variable;
        const auto hidden = values_.find(variable);
        const bool hides = hidden != values_.end();
        const int64_t outer = hides ? hidden->second : 0;
        const int64_t begin = evaluate_(r.begin), end = evaluate_(r.end), step = evaluate_(r.step);
        for (int64_t v = begin; step > 0 ? v <= end : v >= end; v += step) {
            values_[variable] = v;
            if (level < common_)
                iteration_.push_back(v);
            loop(level + 1);
            if (level < common_)
                iteration_.pop_back();
        }
        if (hides)
            values_[variable] = outer;
        else
            values_.erase(variable);
    }

    void touch(std::size_t d) {
        if (d == access_.subset->rank()) {
            touched_[iteration_].insert(element_);
            return;
        }
        const sym::Range &r = access_.subset->dims[d];
        const int64_t begin = evaluate_(r.begin), end = evaluate_(r.end), step = r.step.numerator(), tile = r.tile.numerator();
        for (int64_t v = begin; step > 0 ? v <= end : v >= end; v += step)
            for (int64_t t = 0; t < tile; ++t) {
                element_.push_back(v + t);
                touch(d + 1);
                element_.pop_back();
            }
    }

    const AccessInstance &access_;
    std::size_t common_;
    Values values_;
    Evaluator evaluate_;
    std::vector<int64_t> iteration_;
    Element element_;
    Touched touched_;
};

std::string text(const AccessInstance &access) {
    std::string s;
    for (const LoopLevel &l : access.loops)
        s += "for " + l.variable.str() + " in [" + sym::Subset{{l.range}}.str() + "]: ";
    return s + "[" + access.subset->str() + "]";
}

} // namespace

std::string RandomPair::str() const { return std::to_string(common) + " common\na: " + text(a) + "\nb: " + text(b); }

RandomPair randomPair(RandomNumbers &random, Style style) { return Maker(random, style).make(); }

bool enumerate(const RandomPair &p, const std::vector<Values> &sizes, const OnConflict &found) {
    bool covered = true;
    for (const Values &size : sizes) {
        const Touched byA = Enumeration(p.a, p.common, size).take(), byB = Enumeration(p.b, p.common, size).take();
        std::map<Element, std::vector<const std::vector<int64_t> *>> iterationsOfB;
        for (const auto &[iteration, elements] : byB)
            for (const Element &e : elements)
                iterationsOfB[e].push_back(&iteration);
        for (const auto &[iteration, elements] : byA) {
            const auto same = byB.find(iteration);
            covered = covered && same != byB.end() &&
                      std::includes(same->second.begin(), same->second.end(), elements.begin(), elements.end());
            for (const Element &e : elements)
                if (const auto at = iterationsOfB.find(e); at != iterationsOfB.end())
                    for (const std::vector<int64_t> *other : at->second) {
                        std::vector<int64_t> distance;
                        for (std::size_t i = 0; i < p.common; ++i)
                            distance.push_back((*other)[i] - iteration[i]);
                        found(size, distance);
                    }
        }
    }
    return covered;
}

bool enumerateCovers(const AccessInstance &a, std::size_t common, const std::vector<SharedAccess> &covers,
                     const std::vector<AccessInstance> *exempt, const std::vector<Values> &sizes) {
    for (const Values &size : sizes) {
        const Touched byA = Enumeration(a, common, size).take();
        std::vector<Touched> byCovers;
        for (const SharedAccess &c : covers)
            byCovers.push_back(Enumeration(c.access, c.common, size).take());
        std::set<Element> written;
        if (exempt)
            for (const AccessInstance &w : *exempt)
                for (const auto &[iteration, elements] : Enumeration(w, 0, size).take())
                    written.insert(elements.begin(), elements.end());
        for (const auto &[iteration, elements] : byA)
            for (const Element &e : elements) {
                bool covered = exempt && !written.count(e);
                for (std::size_t k = 0; k < covers.size() && !covered; ++k) {
                    const auto end = iteration.begin() + static_cast<std::ptrdiff_t>(covers[k].common);
                    const auto same = byCovers[k].find({iteration.begin(), end});
                    covered = same != byCovers[k].end() && same->second.count(e);
                }
                if (!covered)
                    return false;
            }
    }
    return true;
}

} // namespace sdfgc::test
