// Sizes that only copies need.
//
//     def total(A: float64[M, N], s: float64[1]): for i: s[0] += A[f(i), 0]
//
// Code that indexes `A` needs the stride N, but not the number of rows, M. So M is not a parameter of the program. A copy
// of `A` to the device needs it, and the parameters of a program must not depend on the target. If the program cannot find
// how many rows it accesses (AccessedExtent.h), the size comes by another way: callers set it on the handle
// (`total_set_size_M`), and the wrappers for C++, Fortran and Python do so from the arrays that they get.
//
// A symbol that an expansion of a library node needs is a parameter on the host. So nodes are expanded first, in a copy
// of the graph, as for the CPU.
//
// Not handled: sizes that are undefined, that the program computes, or that the graph does not declare as integers.
#include "Transforms/Offload/HandleSizes.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"

#include <algorithm>
#include <functional>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// Expands all library nodes that can be expanded; returns whether any was.
bool expandAll(SDFG &root, pass::Context &context) {
    bool any = false;
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (LibraryNode *n : nodesOf<LibraryNode>(*s))
                if (const libnodes::Definition *d = libnodes::find(*n); d && d->expand)
                    any = d->expand(*s, *n, context) || any;
    return any;
}

bool hasLibraryNodes(const SDFG &root) {
    for (const State *s : allStates(root))
        for (const auto &n : s->nodes())
            if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get());
                isa<LibraryNode>(n.get()) || (nested && nested->sdfg && hasLibraryNodes(*nested->sdfg)))
                return true;
    return false;
}

} // namespace

bool hasUndefinedSize(const DataDesc &d) {
    const auto isUndefined = [](sym::Expr e) { return e.isUndefined(); };
    return isUndefined(d.totalSize) || std::any_of(d.shape.begin(), d.shape.end(), isUndefined) ||
           std::any_of(d.strides.begin(), d.strides.end(), isUndefined);
}

std::string missingSize(Name array, const DataDesc &d, const std::set<Name> &known) {
    for (const Name symbol : d.freeSymbols())
        if (!known.count(symbol))
            return "the size of `" + array.str() + "` needs `" + symbol.str() + "`, which is not an argument of the program";
    return "";
}

std::string uncopiable(const SDFG &root) {
    const analysis::ArgumentList arguments = analysis::argumentList(root);
    for (const analysis::Argument &a : arguments.program)
        if (a.desc && hasUndefinedSize(*a.desc))
            return "the size of `" + a.name.str() + "` is undefined";
    std::set<Name> known, computed;
    for (const analysis::Argument &a : arguments.program)
        known.insert(a.name);
    for (const auto &[name, value] : root.constants)
        known.insert(name);
    for (const auto &[name, type] : analysis::definedSymbols(root))
        computed.insert(name);
    for (const analysis::Argument &a : arguments.program) {
        if (!a.desc || !a.desc->isArray())
            continue;
        for (Name symbol : a.desc->freeSymbols()) {
            const auto because = [&](const std::string &why) {
                return "the size of `" + a.name.str() + "` needs `" + symbol.str() + "`, " + why;
            };
            if (known.count(symbol))
                continue;
            if (computed.count(symbol) || root.arrays.contains(symbol))
                return because("which the program computes");
            if (const Type t = analysis::symbolType(root, symbol); !t || !t.isInteger())
                return because("which is not declared as an integer");
        }
    }
    return "";
}

std::set<Name> parametersOnHost(const SDFG &root, const pass::Context &context) {
    const auto namesOf = [](const analysis::ArgumentList &list) {
        std::set<Name> names;
        for (const analysis::Argument &a : list.program)
            names.insert(a.name);
        return names;
    };
    const analysis::ArgumentList arguments = analysis::argumentList(root);
    std::set<Name> names = namesOf(arguments);
    const bool knowsAll = std::none_of(arguments.program.begin(), arguments.program.end(), [&](const analysis::Argument &a) {
        return a.desc && (a.desc->isStructure() || !missingSize(a.name, *a.desc, names).empty());
    });
    if (knowsAll || !hasLibraryNodes(root))
        return names;
    pass::CompileOptions options = context.options;
    options.target = pass::Target("cpu");
    diag::Engine scratch;
    pass::Context own(scratch, options);
    const std::unique_ptr<SDFG> expanded = clone(root);
    for (int round = 0; round < 8 && expandAll(*expanded, own); ++round) {
    }
    return namesOf(analysis::argumentList(*expanded));
}

namespace {

/// Calls `f` for the arguments that are copied, with the text of missingSize.
void forMissingSizes(const SDFG &root, const std::set<Name> &onHost, const std::function<void(Name, std::string)> &f) {
    std::set<Name> known = onHost;
    for (const auto &[name, value] : root.constants)
        known.insert(name);
    for (const analysis::Argument &a : analysis::argumentList(root).program)
        if (a.desc && a.desc->isArray())
            if (std::string why = missingSize(a.name, *a.desc, known); !why.empty())
                f(a.name, std::move(why));
}

} // namespace

std::string neededForCopies(const SDFG &root, const std::set<Name> &onHost, const std::set<Name> &found) {
    std::string first;
    forMissingSizes(root, onHost, [&](Name array, std::string why) {
        if (first.empty() && !found.count(array))
            first = std::move(why);
    });
    return first;
}

std::vector<Name> arraysOfUnknownSize(const SDFG &root, const std::set<Name> &onHost) {
    std::vector<Name> arrays;
    forMissingSizes(root, onHost, [&](Name array, const std::string &) { arrays.push_back(array); });
    return arrays;
}

void keepParameters(SDFG &root, const std::set<Name> &onHost, pass::Context &context) {
    std::string names;
    for (const analysis::Argument &a : analysis::argumentList(root).program)
        if (a.isSymbol() && !onHost.count(a.name)) {
            root.handleSizes.push_back(a.name);
            context.done(root, "needs the size `" + a.name.str() + "` for copies; callers set it on the handle");
            names += (names.empty() ? "`" : ", `") + a.name.str() + "`";
        }
    if (names.empty())
        return;
    diag::Location where;
    where.element = elementName(root);
    const bool isOne = root.handleSizes.size() == 1;
    context.diags.report(diag::Id::SizesOnHandle, where, root.name.str(), (isOne ? "the size " : "the sizes ") + names,
                         isOne ? "this size" : "these sizes");
}

} // namespace sdfgc::transforms
