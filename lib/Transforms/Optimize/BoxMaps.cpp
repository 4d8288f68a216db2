// box-maps: give each pair of indices of a triangle a thread of the device.
//
//     map[i = 0:M, k = i:M] { C[k, i] = T[i, k] }      ->      map[i = 0:M, k = 0:M] { if k >= i: C[k, i] = T[i, k] }
//
// All rows of a grid have the same number of threads. If the range of a parameter depends on another one, each thread would
// run it as a loop (split-kernels), so that there are few threads, which access elements far from each other. With a
// condition, at most half of the threads have nothing to do.
//
// Legal when:
//   1. the map has one range that depends on another parameter, at one end, and moves by one element;
//   2. its body consists of tasklets in Python, whose code gets the condition if they write more than variables of the
//      iteration. The others may compute values that nothing uses, so they must not divide integers;
//   3. no access leaves its container in the added iterations.
//
// A map that contains nothing but a map over such a range is treated as a map over both.
//
// A map that writes the same value to an element and to its mirror image needs no condition: each iteration of the box computes one
// of the elements.
//
//     map[i = 0:M, k = i:M] {                                 map[i = 0:M, k = 0:M] {
//         C[i, k] = T[i, k] / f                          ->       C[i, k] = T[min(i, k), max(i, k)] / f
//         C[k, i] = C[i, k]                                   }
//     }
//
// The value is computed twice, from the same elements. All elements are certainly written, so a fill in front is dead. Legal
// when the tasklets that compute the value do not use the matrix.
//
// Not handled: other maps inside of maps; several such ranges.
#include "Transforms/Edits/NestRemarks.h"
#include "Transforms/Optimize/BatchedProduct.h"
#include "Transforms/Optimize/DeviceLoops.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Tasklet/Ast.h"
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

/// One map over a triangle.
class Triangle {
public:
    Triangle(Map &m, SDFG &g, const nest::Conflicts &items) : m_(m), g_(g), items_(items) {}

    /// Does a range depend on another parameter?
    bool isTriangle() const {
        return m_.entry->schedule == Schedule::CPU_Multicore && !m_.entry->ordered &&
               std::any_of(m_.ranges.begin(), m_.ranges.end(), [this](const sym::Range &r) { return dependsOnParameters(r); });
    }

    /// Why the map stays; empty if it can change.
    Reason obstacle() {
        if (Reason why = findRange())
            return why;
        if (!nest::canSplit(m_))
            return {Why::Opaque, "its schedule must not change"};
        for (const Item &i : m_.body)
            if (Reason why = whyNotGuarded(i))
                return why;
        return whyOutside();
    }

    /// Changes the map; there must be no obstacle.
    void change() {
        for (Item &i : m_.body)
            guard(*i.step);
        m_.ranges[dim_] = box_;
    }

private:
    bool dependsOnParameters(const sym::Range &r) const { return nest::mentions({{r}}, m_.params); }

    Reason findRange() {
        std::optional<std::size_t> dim;
        for (std::size_t d = 0; d < m_.ranges.size(); ++d)
            if (dependsOnParameters(m_.ranges[d])) {
                if (dim)
                    return {Why::Shape, "several of its ranges depend on others"};
                dim = d;
            }
        dim_ = *dim;
        const sym::Range r = m_.ranges[dim_];
        std::vector<std::size_t> on;
        for (std::size_t d = 0; d < m_.params.size(); ++d)
            if (nest::mentions({{r}}, {m_.params[d]}))
                on.push_back(d);
        const auto first = slopeOf(r.begin, m_.params[on.front()]), last = slopeOf(r.end, m_.params[on.front()]);
        if (on.size() != 1 || !r.step.isOne() || !r.tile.isOne() || !m_.ranges[on.front()].tile.isOne() || !first || !last ||
            *first * *last != 0 || std::abs(*first + *last) != 1)
            return {Why::Shape, "its range `" + sym::Subset{{r}}.str() + "` does not move by one element at one end"};
        const sym::Range &around = m_.ranges[on.front()];
        const auto at = [&](sym::Expr e, bool greatest) {
            return sym::substitute(e, {{m_.params[on.front()], greatest ? around.end : around.begin}});
        };
        box_ = {at(r.begin, *first < 0), at(r.end, *last > 0), 1, 1};
        const std::string k = m_.params[dim_].str();
        condition_ = *first != 0 ? k + " >= " + r.begin.str() : k + " <= " + r.end.str();
        return {};
    }

    Reason whyNotGuarded(const Item &i) const {
        const auto *t = i.step && i.step->nodes.size() == 1 ? dyn_cast<Tasklet>(i.step->nodes.front()) : nullptr;
        if (!t || !t->code.isPython() || i.step->effects || !i.step->renamed.empty())
            return {Why::Opaque, "its body contains more than tasklets in Python"};
        const bool divides = t->code.text().find('/') != std::string::npos || t->code.text().find('%') != std::string::npos;
        for (const Use &u : i.step->uses)
            if (u.writes() && m_.locals.count(u.data) && divides && !g_.desc(u.data)->dtype.isFloat() &&
                !g_.desc(u.data)->dtype.isComplex())
                return {Why::Effects, "a division of integers could fail in the added iterations"};
        return {};
    }

    Reason whyOutside() const {
        for (const Item &i : m_.body)
            for (const Use &u : i.step->uses) {
                if (m_.locals.count(u.data))
                    continue;
                const sym::Subset full = g_.desc(u.data)->fullSubset();
                if (!u.subset)
                    return {Why::Opaque, "the elements of `" + u.data.str() + "` that it uses are not known"};
                sym::Subset all = sym::propagate(*u.subset, m_.params[dim_], box_, full, items_.facts());
                for (std::size_t d = 0; d < m_.params.size(); ++d)
                    if (d != dim_)
                        all = sym::propagate(all, m_.params[d], m_.ranges[d], full, items_.facts());
                if (sym::covers(full, all, items_.facts()) != sym::Truth::True)
                    return {Why::OutOfBounds, "further iterations may use elements outside of `" + u.data.str() + "`"};
            }
        return {};
    }

    void guard(Step &s) const {
        const bool isLocal =
            std::all_of(s.uses.begin(), s.uses.end(), [this](const Use &u) { return !u.writes() || m_.locals.count(u.data) != 0; });
        if (isLocal)
            return;
        std::shared_ptr<Tasklet> t(cast<Tasklet>(ir::clone(*s.nodes.front()).release()));
        std::string code = "if " + condition_ + ":\n    ";
        for (const char c : t->code.text())
            code += c == '\n' ? std::string("\n    ") : std::string(1, c);
        t->code = std::move(code);
        for (Use &u : s.uses)
            if (u.writes()) {
                u.certain = false;
                u.memlet.dynamic = true;
                for (Connector &c : t->outConnectors)
                    if (c.name == u.connector && !(c.type.isPointer()))
                        c.type = Type::pointer(g_.desc(u.data)->dtype);
            }
        s.nodes.front() = t.get();
        s.made = std::move(t);
    }

    Map &m_;
    SDFG &g_;
    const nest::Conflicts &items_;
    std::size_t dim_ = 0;   // whose range depends on another parameter
    sym::Range box_;        // the range of the box
    std::string condition_; // for iterations of the triangle
};

/// One map over a triangle that writes a symmetric matrix.
class Mirror {
public:
    Mirror(Map &m, SDFG &g, const analysis::Memories &memories) : m_(m), g_(g), memories_(memories) {}

    bool isMirror() { return findRange() && findWrites() && findCopies() && isIndependent(); }

    /// Changes the map; it must be a mirror.
    void change() {
        Item &value = m_.body[value_];
        const auto write = std::find_if(value.step->uses.begin(), value.step->uses.end(), [](const Use &u) { return u.writes(); });
        const Use written = *write;
        const auto index = static_cast<std::size_t>(write - value.step->uses.begin());
        for (std::size_t k = 0; k < m_.body.size(); ++k)
            if (!copies_.count(k))
                nest::rename(m_.body[k], meaning_);
        value.step->uses[index] = written;
        for (auto k = copies_.rbegin(); k != copies_.rend(); ++k)
            m_.body.erase(m_.body.begin() + static_cast<std::ptrdiff_t>(*k));
        m_.locals.erase(between_);
        m_.ranges[dim_] = m_.ranges[1 - dim_];
    }

private:
    static sym::Expr symbol(Name n) { return sym::Expr::symbol(n); }

    bool findRange() {
        if (m_.params.size() != 2 || !nest::canSplit(m_))
            return false;
        dim_ = nest::mentions({{m_.ranges[1]}}, {m_.params[0]}) ? 1 : 0;
        const sym::Range &r = m_.ranges[dim_], &around = m_.ranges[1 - dim_];
        const sym::Expr k = symbol(m_.params[dim_]), i = symbol(m_.params[1 - dim_]);
        const bool upper = r.begin == i && r.end == around.end, lower = r.end == i && r.begin == around.begin;
        if (upper == lower || !r.step.isOne() || !r.tile.isOne() || !around.step.isOne() || !around.tile.isOne() ||
            nest::mentions({{around}}, {m_.params[dim_]}))
            return false;
        meaning_ = {{m_.params[1 - dim_], upper ? sym::min({i, k}) : sym::max({i, k})},
                    {m_.params[dim_], upper ? sym::max({i, k}) : sym::min({i, k})}};
        return true;
    }

    /// Two tasklets write elements of one matrix, at indices that are exchanged; all others write variables of the iteration.
    bool findWrites() {
        std::vector<std::size_t> writers;
        for (std::size_t k = 0; k < m_.body.size(); ++k) {
            const nest::Step *s = m_.body[k].step.get();
            const auto *t = s && s->nodes.size() == 1 ? dyn_cast<Tasklet>(s->nodes.front()) : nullptr;
            if (!t || !t->code.isPython() || s->effects || !nest::canRename(m_.body[k], meaning_) ||
                std::count_if(s->uses.begin(), s->uses.end(), [](const Use &u) { return u.writes(); }) != 1)
                return false;
            const Use &u = written(k);
            if (!u.subset || !u.subset->isOneElement() || u.kind != nest::UseKind::Write || !u.certain || u.memlet.data != u.data)
                return false;
            if (!m_.locals.count(u.data))
                writers.push_back(k);
        }
        if (writers.size() != 2)
            return false;
        value_ = writers[0];
        copies_ = {writers[1]};
        const Use &first = written(writers[0]), &second = written(writers[1]);
        const sym::Expr a = symbol(m_.params[0]), b = symbol(m_.params[1]);
        const sym::Subset straight = sym::Subset::point(std::vector{a, b}), turned = sym::Subset::point(std::vector{b, a});
        return first.data == second.data &&
               ((*first.subset == straight && *second.subset == turned) || (*first.subset == turned && *second.subset == straight));
    }

    const Use &written(std::size_t k) const {
        const std::vector<Use> &uses = m_.body[k].step->uses;
        return *std::find_if(uses.begin(), uses.end(), [](const Use &u) { return u.writes(); });
    }

    /// The second one stores what the first one stored, perhaps by way of a variable.
    bool findCopies() {
        const std::size_t last = *copies_.begin();
        const Use *read = copied(last);
        if (!read)
            return false;
        if (m_.locals.count(read->data)) {
            between_ = read->data;
            std::size_t writer = m_.body.size(), uses = 0;
            for (std::size_t k = 0; k < m_.body.size(); ++k)
                for (const Use &u : m_.body[k].step->uses)
                    if (u.data == between_) {
                        ++uses;
                        writer = u.writes() ? k : writer;
                    }
            if (uses != 2 || writer >= last || !(read = copied(writer)))
                return false;
            copies_.insert(writer);
        }
        const Use &first = written(value_);
        return *copies_.begin() > value_ && read->data == first.data && *read->subset == *first.subset &&
               g_.desc(first.data)->dtype == (between_ ? g_.desc(between_)->dtype : g_.desc(first.data)->dtype);
    }

    /// What a step copies to the element that it writes; null if it computes something.
    const Use *copied(std::size_t k) const {
        const nest::Step &s = *m_.body[k].step;
        const Code::Block *code = cast<Tasklet>(s.nodes.front())->code.block();
        if (s.uses.size() != 2 || !code || code->size() != 1 || code->front()->kind != py::StmtKind::Assign)
            return nullptr;
        const Use &read = s.uses.front().writes() ? s.uses.back() : s.uses.front();
        const py::Expr &value = *code->front()->value;
        return value.kind == py::ExprKind::Name && value.name == read.connector && read.subset && read.subset->isOneElement() &&
                       !read.memlet.dynamic && read.memlet.data == read.data
                   ? &read
                   : nullptr;
    }

    /// Does nothing else read the matrix?
    bool isIndependent() const {
        const analysis::Place matrix = written(value_).place();
        for (std::size_t k = 0; k < m_.body.size(); ++k)
            for (const Use &u : m_.body[k].step->uses)
                if (!copies_.count(k) && !u.writes() && !m_.locals.count(u.data) && !memories_.apart(u.place(), matrix))
                    return false;
        return true;
    }

    Map &m_;
    SDFG &g_;
    const analysis::Memories &memories_;
    std::size_t dim_ = 0;               // whose range depends on the other parameter
    std::map<Name, sym::Expr> meaning_; // of the parameters in the iteration that wrote an element
    std::size_t value_ = 0;             // the step that writes the computed value
    std::set<std::size_t> copies_;      // the steps that copy it
    Name between_;                      // the variable between them, if there is one
};

/// A map that contains nothing but another map over steps, as one map with the parameters of both; null for other maps.
std::unique_ptr<Map> flattened(const Map &m) {
    const Map *inner = m.body.size() == 1 ? m.body.front().map.get() : nullptr;
    if (!inner || !m.locals.empty() || inner->entry->ordered || !nest::canSplit(m) || !nest::canSplit(*inner) ||
        !std::all_of(inner->body.begin(), inner->body.end(), [](const Item &i) { return i.step != nullptr; }) ||
        std::any_of(inner->params.begin(), inner->params.end(),
                    [&](Name p) { return std::find(m.params.begin(), m.params.end(), p) != m.params.end(); }))
        return nullptr;
    auto out = std::make_unique<Map>(nest::copyOf(m));
    mergeInner(*out);
    return out;
}

class BoxMaps : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (!context.options.gpu())
            return false;
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            const nest::Conflicts items(g, memories);
            for (nest::Run &run : runs)
                for (Item &i : run.items) {
                    if (!i.map || analysis::isInScope(g))
                        continue;
                    std::unique_ptr<Map> flat = flattened(*i.map);
                    Triangle triangle(flat ? *flat : *i.map, g, items);
                    if (!triangle.isTriangle())
                        continue;
                    const Node &node = *i.map->entry;
                    Mirror mirror(flat ? *flat : *i.map, g, memories);
                    if (mirror.isMirror()) {
                        if (!context.mayChange(node, "becomes a map over a box, which computes each element of a symmetric matrix"))
                            continue;
                        mirror.change();
                        if (flat)
                            i.map = std::move(flat);
                        run.changed = true;
                        continue;
                    }
                    if (const Reason why = triangle.obstacle())
                        context.missed(node, "remains a map over a triangle", why);
                    else if (context.mayChange(node, "becomes a map over a box, with a condition for the triangle")) {
                        triangle.change();
                        if (flat)
                            i.map = std::move(flat);
                        run.changed = true;
                    }
                }
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createBoxMaps() { return std::make_unique<BoxMaps>(); }

} // namespace sdfgc::transforms
