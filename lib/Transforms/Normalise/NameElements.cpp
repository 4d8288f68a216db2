// name-elements: replace elements of arrays in loop bounds with symbols.
//
//     for i = 0; i < N; i = i + 1 {              for i = 0; i < N; i = i + 1 {
//         for j = 0; j < K[i]; j = j + 1 {           K_value = K[i]
//             a                          ->          for j = 0; j < K_value; j = j + 1 {
//         }                                              a
//     }                                              }
//                                                }
//
// An edge before the loop assigns the symbol. The loop is then a counted loop (LoopHeader.h), and the largest trip count
// can be computed before all loops (Differentiate/CountFormulas.cpp). `namedElements` returns the symbols.
//
// Legal when:
//   1. The element is an integer, and nothing in the loop assigns the symbols in its indices.
//   2. For an end: no block writes the array, from the top-level block that contains the loop on. For an initial value:
//      the loop does not write it. The gradient, which runs after the program, then finds the same element.
//   3. The loop counts by a constant and has one test, so its header reads the element whenever the loop is reached.
//
// Not handled: loops that the graph asks not to change (`optimize`), and conditions with several tests.
#include "Transforms/Edits/NamedElement.h"

#include "Transforms/Edits/Outline.h"
#include "Transforms/Normalise/Normalise.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"

#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Ast.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// Does the expression only consist of symbols that nothing in a loop changes? The loop's variable does change.
bool isFixedIn(sym::Expr e, LoopRegion &l) {
    const std::set<Name> assigned = analysis::assignedIn(l);
    const auto &names = e.freeSymbols();
    return std::none_of(names.begin(), names.end(), [&](Name n) { return assigned.count(n) || l.sdfg()->desc(n); });
}

/// The element that an expression in a loop's header consists of, if its value is the same in all iterations.
std::optional<NamedElement> fixedElement(const py::Expr &e, LoopRegion &l, const std::function<bool(Name)> &isWritten) {
    auto out = namedElement(e, l);
    const bool fixed = out && !isWritten(out->container) &&
                       std::all_of(out->index.begin(), out->index.end(), [&l](sym::Expr index) { return isFixedIn(index, l); });
    return fixed ? out : std::nullopt;
}

/// The containers that the blocks of an SDFG write, in block order.
class Writers {
public:
    explicit Writers(SDFG &g) {
        const std::vector<Block *> chain = analysis::sequenceOf(g);
        for (std::size_t k = 0; k < chain.size(); ++k) {
            positions_.emplace(chain[k], k);
            for (const Name n : writtenIn(*chain[k]))
                last_[n] = k;
        }
        if (chain.empty())
            for (const Name n : writtenIn(g))
                last_[n] = 0;
    }

    /// Does a block of the SDFG, or one after it, write the container? If the blocks are not a sequence, any of them may come after
    /// it.
    bool writeFrom(const Block *block, Name container) const {
        const auto at = positions_.find(block);
        const auto last = last_.find(container);
        return last != last_.end() && (at == positions_.end() || last->second >= at->second);
    }

private:
    std::unordered_map<const Block *, std::size_t> positions_; // none if they are not a sequence
    std::unordered_map<Name, std::size_t> last_;
};

bool nameElements(SDFG &g) {
    bool changed = false;
    const Writers writers(g);
    for (Region *r : allRegions(g)) {
        auto *l = dyn_cast<LoopRegion>(r);
        if (!l || nest::isKept(*l) || !analysis::hasPlainHeader(*l))
            continue;
        const std::set<Name> written = writtenIn(*l);
        const std::function<bool(Name)> isWritten = [&](Name n) { return written.count(n) != 0; };
        const std::function<bool(Name)> isWrittenLater = [&, block = analysis::outermost(*l)](Name n) {
            return writers.writeFrom(block, n);
        };
        std::vector<std::pair<Name, std::string>> values;
        for (std::optional<Code> *c : {&l->init, &l->condition}) {
            const auto &changes = c == &l->init ? isWritten : isWrittenLater;
            bool isNamed = false;
            const auto named = py::replace((*c)->blockOrRaw(), [&](const py::ExprRef &e) -> py::ExprRef {
                const auto element = fixedElement(*e, *l, changes);
                if (!element)
                    return nullptr;
                isNamed = true;
                const std::string text = py::print(*e);
                const auto known = std::find_if(values.begin(), values.end(), [&text](const auto &v) { return v.second == text; });
                if (known != values.end())
                    return py::name(known->first);
                const Name symbol = g.freshName(element->container.str() + "_value");
                g.symbols[symbol] = g.desc(element->container)->dtype;
                values.emplace_back(symbol, text);
                return py::name(symbol);
            });
            if (isNamed)
                *c = Code(named);
        }
        if (values.empty())
            continue;
        changed = true;
        for (InterstateEdge *e : l->parent()->addStateBefore(l, g.freshLabel("bounds"))->outEdges())
            e->assignments = values;
    }
    return changed;
}

} // namespace

std::unique_ptr<pass::Pass> createNameElements() { return std::make_unique<ForEachSdfg>(nameElements); }

} // namespace sdfgc::transforms
