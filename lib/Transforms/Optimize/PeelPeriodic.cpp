// peel-periodic: compute the ends of a periodic loop separately.
//
//     map[i = 0:N, j = 0:M] {                                      map[i = 0:N] {
//         v[i, j] = u[i, (j - 1) % M] + u[i, (j + 1) % M]              map[j = 0:1]     { ... }      as it was
//     }                                                     ->         map[j = 1:M - 1] { v[i, j] = u[i, j - 1] + u[i, j + 1] }
//                                                                      map[j = max(1, M - 1):M] { ... }      as it was
//                                                                  }
//
// Each remainder is a division, which takes as long as the rest of such a loop, and hides from the compiler that accesses walk along
// memory. A stencil on a torus took 21 times as long as with separate ends. In outer loops, a remainder per row does not matter.
//
// With remainders `(j + c) % M` for constants c, from least to greatest, the iterations in the middle are those with
//
//     j >= -least and j <= M - 1 - greatest,
//
// and then 0 <= j + c < M for all of them, whatever the sign of M. Parts may be empty: all three have bounds that make each
// iteration part of exactly one, in the order of before.
//
// Legal when:
//   - the loop counts by one;
//   - the map contains only Python tasklets and copies of elements, without conflict resolution.
// The same operations are applied to the same elements, in the same order: class F0.
//
// Profitable when all remainders that move with the loop have the same divisor, and the ends are short.
//
// Not handled: remainders in code; shifts that are symbols; outer loops; programs for a GPU.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Step;
using nest::Use;

constexpr int64_t longestEnd = 8;      // iterations that wrap around, on each side
constexpr int64_t shortestMiddle = 16; // of a loop of known length
constexpr std::size_t littleCode = 40; // steps, which are written three times

/// Remainders by one divisor, of the loop's variable plus constants.
struct Remainders {
    std::optional<sym::Expr> divisor;
    int64_t least = 0, greatest = 0;
    Reason why; // if they have another form
};

class Peeling {
public:
    Peeling(SDFG &g, analysis::Memories &memories, pass::Context &context) : g_(g), memories_(memories), context_(context) {}

    /// Returns whether anything changed.
    bool in(std::vector<Item> &items) {
        bool changed = false;
        std::vector<Item> out;
        for (Item &i : items) {
            if (i.map && !i.map->body.empty() && !isPlain(*i.map)) {
                changed |= in(i.map->body);
            } else if (i.map && peels(*i.map)) {
                changed = true;
                const std::size_t outer = i.map->params.size() - 1;
                if (outer > 0)
                    nest::splitOff(*i.map, outer);
                Item inner = outer > 0 ? std::move(i.map->body.front()) : std::move(i);
                std::vector<Item> parts = partsOf(std::move(inner.map));
                if (outer > 0)
                    i.map->body = std::move(parts);
                else
                    std::move(parts.begin(), parts.end(), std::back_inserter(out));
                if (outer == 0)
                    continue;
            }
            out.push_back(std::move(i));
        }
        items = std::move(out);
        return changed;
    }

private:
    static bool isPlain(const Map &m) {
        return std::all_of(m.body.begin(), m.body.end(), [](const Item &i) {
            return i.step && !i.step->effects && (i.step->isCopy() || nest::isPythonTasklet(*i.step)) &&
                   std::all_of(i.step->uses.begin(), i.step->uses.end(),
                               [](const Use &u) { return u.kind != nest::UseKind::Update && u.subset; });
        });
    }

    /// Are the ends of the innermost loop computed separately?
    bool peels(const Map &m) {
        found_ = remaindersIn(m);
        const sym::Range &r = m.ranges.back();
        if (!found_.divisor && !found_.why)
            return false;
        Reason why = found_.why;
        if (!why && (!nest::canSplit(m) || !r.step.isOne() || !r.tile.isOne()))
            why = {Why::LoopForm, "the loop cannot be split, or does not count by one"};
        else if (!why && (found_.greatest - found_.least > longestEnd || std::abs(found_.least) > longestEnd ||
                          std::abs(found_.greatest) > longestEnd || r.size().asInt().value_or(shortestMiddle) < shortestMiddle))
            why = {Why::Unprofitable, "most iterations may wrap around"};
        else if (!why && m.body.size() > littleCode)
            why = {Why::Budget, "too much code would be duplicated"};
        if (why) {
            context_.missed(elementOfItem(m, g_), "all iterations compute remainders", why);
            return false;
        }
        return context_.mayChange(elementOfItem(m, g_),
                                  "only the ends of its innermost loop compute remainders by `" + found_.divisor->str() + "`");
    }

    static Remainders remaindersIn(const Map &m) {
        Remainders out;
        const Name variable = m.params.back();
        const auto see = [&](sym::Expr e) {
            if (e.kind() != sym::SymbolicKind::Mod || !e.dependsOn(variable))
                return e;
            const sym::Expr divisor = e.operands()[1];
            const std::optional<int64_t> shift = (e.operands()[0] - sym::Expr::symbol(variable)).asInt();
            if (!shift || divisor.dependsOn(variable) || (out.divisor && !(*out.divisor == divisor))) {
                out.why = {Why::NotAffine, "`" + e.str() + "` is not a remainder of a neighbour, or of another divisor"};
                return e;
            }
            out.least = out.divisor ? std::min(out.least, *shift) : *shift;
            out.greatest = out.divisor ? std::max(out.greatest, *shift) : *shift;
            out.divisor = divisor;
            return e;
        };
        for (const Item &i : m.body)
            for (const Use &u : i.step->uses)
                for (const sym::Range &r : u.subset->dims)
                    for (const sym::Expr e : {r.begin, r.end})
                        sym::rewrite(e, see);
        return out;
    }

    // ---- the three parts

    std::vector<Item> partsOf(std::unique_ptr<Map> m) {
        const sym::Range all = m->ranges.back();
        const sym::Expr start = later(all.begin, -found_.least), last = earlier(all.end, *found_.divisor - 1 - found_.greatest);
        std::vector<Item> out;
        const auto add = [&](std::unique_ptr<Map> part, sym::Expr begin, sym::Expr end) {
            if (sym::isLess(end, begin) == sym::Truth::True)
                return;
            part->ranges.back().begin = begin;
            part->ranges.back().end = end;
            out.push_back({std::move(part), nullptr});
        };
        const auto twin = [&] {
            if (connectors_.empty())
                connectors_ = nest::connectorsOf(g_);
            return nest::twinOf(*m, g_, memories_, connectors_);
        };
        std::unique_ptr<Map> middle = twin(), end = twin();
        const Name variable = m->params.back();
        withoutRemainders(*middle, variable);
        add(std::move(m), all.begin, earlier(start - 1, all.end));
        add(std::move(middle), start, last);
        add(std::move(end), later(start, last + 1), all.end);
        return out;
    }

    /// Whatever is said about symbols, sizes may be zero: then all parts must be empty.
    static sym::Expr later(sym::Expr a, sym::Expr b) {
        if (sym::isLessEqual(a, b) == sym::Truth::True)
            return b;
        return sym::isLessEqual(b, a) == sym::Truth::True ? a : sym::max({a, b});
    }
    static sym::Expr earlier(sym::Expr a, sym::Expr b) {
        if (sym::isLessEqual(a, b) == sym::Truth::True)
            return a;
        return sym::isLessEqual(b, a) == sym::Truth::True ? b : sym::min({a, b});
    }

    void withoutRemainders(Map &m, Name variable) const {
        const auto drop = [&](sym::Expr e) {
            return e.kind() == sym::SymbolicKind::Mod && e.dependsOn(variable) && e.operands()[1] == *found_.divisor
                       ? e.operands()[0]
                       : e;
        };
        const auto dropIn = [&](std::optional<sym::Subset> &s) {
            if (s)
                for (sym::Range &r : s->dims) {
                    r.begin = sym::rewrite(r.begin, drop);
                    r.end = sym::rewrite(r.end, drop);
                }
        };
        for (Item &i : m.body)
            for (Use &u : i.step->uses) {
                dropIn(u.subset);
                dropIn(u.memlet.subset);
                dropIn(u.memlet.otherSubset);
                if (u.shown)
                    for (sym::Range &r : u.shown->subset.dims) {
                        r.begin = sym::rewrite(r.begin, drop);
                        r.end = sym::rewrite(r.end, drop);
                    }
            }
    }

    SDFG &g_;
    analysis::Memories &memories_;
    pass::Context &context_;
    std::set<Name> connectors_;
    Remainders found_; // of the map that is looked at
};

class PeelPeriodic : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu())
            return false;
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            Peeling peeling(g, memories, context);
            for (nest::Run &run : runs)
                run.changed |= peeling.in(run.items);
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPeelPeriodic() { return std::make_unique<PeelPeriodic>(); }

} // namespace sdfgc::transforms
