// name-sizes: replace scalar arguments in loop headers with symbols.
//
//     argument n: int64                          argument n: int64
//     for i = 0; i < n; i = i + 1 { a }   ->     symbol n_value: int64
//                                                n_value = n
//                                                for i = 0; i < n_value; i = i + 1 { a }
//
// Sizes of tapes, bounds of subsets and trip counts are expressions over symbols, so more is known about symbols than
// about containers. An edge from the first state assigns the value once.
//
// Legal when:
//   - The scalar is an integer argument that nothing in the SDFG writes.
//
// Not handled: elements of arrays (name-elements), and headers that are not Python.
#include "Transforms/Edits/Outline.h"
#include "Transforms/Normalise/Normalise.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <map>

namespace sdfgc::transforms {

using namespace ir;

namespace {

bool nameSizes(SDFG &g) {
    const std::set<Name> written = writtenIn(g);
    std::map<Name, py::ExprRef> names;
    std::vector<std::pair<Name, std::string>> values;
    std::vector<LoopRegion *> loops;
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r))
            loops.push_back(l);
    for (const LoopRegion *l : loops)
        for (const Name n : analysis::containersRead(*l, g)) {
            const DataDesc &d = *g.desc(n);
            if (!d.isScalar() || d.transient || !d.dtype.isInteger() || written.count(n) || names.count(n))
                continue;
            const Name symbol = g.freshName(n.str() + "_value");
            g.symbols[symbol] = d.dtype;
            names.emplace(n, py::name(symbol));
            values.emplace_back(symbol, n.str());
        }
    if (names.empty())
        return false;
    std::set<Name> symbols;
    for (const auto &[symbol, text] : values)
        symbols.insert(symbol);
    const auto named = [&](const py::ExprRef &e) -> py::ExprRef {
        if (const auto n = e->kind == py::ExprKind::Name ? names.find(e->name) : names.end(); n != names.end())
            return n->second;
        const bool isElement = e->kind == py::ExprKind::Subscript && e->args[0]->kind == py::ExprKind::Name;
        return isElement && symbols.count(e->args[0]->name) ? e->args[0] : e; // n[0]
    };
    for (LoopRegion *l : loops)
        for (std::optional<Code> *c : {&l->init, &l->condition, &l->update})
            if (*c && (*c)->isPython())
                *c = Code(py::rewrite((*c)->blockOrRaw(), named));
    Block *start = g.start();
    State *s = g.addStateBefore(start, g.freshLabel("sizes"));
    for (InterstateEdge *e : s->outEdges())
        e->assignments = values;
    return true;
}

} // namespace

std::unique_ptr<pass::Pass> createNameSizes() { return std::make_unique<ForEachSdfg>(nameSizes); }

} // namespace sdfgc::transforms
