#include "sdfgc/Nest/Producers.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Tasklet/Cost.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;
using analysis::LoopLevel;

std::optional<Producer> producerOf(Map &m) {
    Producer out;
    for (Map *each = &m;; each = each->body.front().map.get()) {
        const Schedule schedule = each->entry->schedule;
        if ((schedule != Schedule::CPU_Multicore && schedule != Schedule::Sequential) || each->entry->ordered)
            return std::nullopt;
        analysis::addLoops(out.loops, *each);
        const bool nested = each->body.size() == 1 && each->body.front().map && each->locals.empty();
        if (nested)
            continue;
        out.inner = each;
        const bool flat = std::none_of(each->body.begin(), each->body.end(), [](const Item &i) { return i.map != nullptr; });
        return flat ? std::optional(out) : std::nullopt;
    }
}

namespace {

/// The write of a step that may become part of a value: a Python tasklet or an element copy that does nothing else.
const Use *onlyWrite(const Step &s, const SDFG &g) {
    const bool plain = s.isCopy() ? s.uses.front().subset && s.uses.front().subset->isOneElement() &&
                                        g.desc(s.uses.front().data)->dtype == g.desc(s.uses.back().data)->dtype
                                  : isPythonTasklet(s) && !s.effects;
    const Use *out = nullptr;
    for (const Use &u : s.uses) {
        const bool element =
            u.writes() ? u.kind == UseKind::Write && u.certain && u.subset && u.subset->isOneElement() && !out : true;
        if (!plain || !element)
            return nullptr;
        out = u.writes() ? &u : out;
    }
    return out;
}

} // namespace

ProducedValue valueOf(const Producer &p, std::size_t last, const SDFG &g) {
    ProducedValue out;
    std::set<Name> needed;
    for (std::size_t k = last + 1; k-- > 0;) {
        const Step &s = *p.inner->body[k].step;
        const auto writes = [&](const Use &u) { return u.writes() && (k == last || needed.count(u.data)); };
        if (std::none_of(s.uses.begin(), s.uses.end(), writes))
            continue;
        const Use *write = onlyWrite(s, g);
        const auto *t = s.nodes.size() == 1 ? dyn_cast<Tasklet>(s.nodes.front()) : nullptr;
        const std::optional<int64_t> operations = t ? py::operations(t->code.blockOrRaw()) : 0;
        if (!write || !operations)
            return {};
        out.data = k == last ? write->data : out.data;
        out.write = k == last ? write : out.write;
        out.operations += *operations;
        out.steps.push_back(&s);
        needed.erase(write->data);
        for (const Use &u : s.uses)
            if (p.inner->locals.count(u.data) && !u.writes())
                needed.insert(u.data);
            else if (!u.writes())
                out.inputs.push_back(&u);
    }
    std::reverse(out.steps.begin(), out.steps.end());
    return needed.empty() ? out : ProducedValue();
}

std::optional<std::map<Name, sym::Expr>> iterationOf(const Producer &p, const sym::Subset &written, const sym::Subset &element) {
    std::map<Name, sym::Expr> out;
    if (written.rank() != element.rank())
        return std::nullopt;
    for (std::size_t d = 0; d < written.rank(); ++d) {
        const sym::Expr at = written.dims[d].begin;
        std::vector<Name> here;
        for (const LoopLevel &l : p.loops)
            if (at.dependsOn(l.variable))
                here.push_back(l.variable);
        if (here.empty())
            continue;
        const auto affine = sym::affineIn(at, here.front());
        if (here.size() > 1 || !affine || !affine->first.isOne() || out.count(here.front()))
            return std::nullopt;
        out.emplace(here.front(), element.dims[d].begin - affine->second);
    }
    return out.size() == p.loops.size() ? std::optional(out) : std::nullopt;
}

} // namespace sdfgc::nest
