// The argument list of a program: its ABI (format reference 8.1, 8.2).
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

namespace {

/// Names that callers never pass, since the generated code provides them.
bool isInternal(Name n) { return n.view().substr(0, 6) == "__dace"; }

void sortByName(std::vector<Argument> &list) {
    std::sort(list.begin(), list.end(), [](const Argument &a, const Argument &b) { return a.name < b.name; });
}

} // namespace

ArgumentList argumentList(const SDFG &root) {
    ArgumentList out;
    std::vector<Argument> scalars;
    for (const auto &[name, d] : root.arrays) {
        if (d.transient || root.constants.contains(name))
            continue;
        if (!d.isScalar())
            out.program.push_back({name, d.dtype, &d});
        else if (!isInternal(name))
            scalars.push_back({name, d.dtype, &d});
    }
    SymbolTypes types(root);
    for (Name n : freeSymbols(root)) {
        if (isInternal(n))
            continue;
        const bool onHandle = std::find(root.handleSizes.begin(), root.handleSizes.end(), n) != root.handleSizes.end();
        if (Type t = types.of(n); t && onHandle) {
            out.sizes.push_back({n, t});
        } else if (t) {
            scalars.push_back({n, t});
            out.init.push_back({n, t});
        } else {
            out.undefined.push_back(n);
        }
    }
    sortByName(out.program);
    sortByName(scalars);
    out.program.insert(out.program.end(), scalars.begin(), scalars.end());
    return out;
}

} // namespace sdfgc::analysis
