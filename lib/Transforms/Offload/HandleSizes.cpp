// Sizes that only copies need.
//
//     def total(A: float64[M, N], s: float64[1]): for i: s[0] += A[i, 0]
//
// Code that indexes `A` needs the stride N, but not the number of rows, M. So M is not a parameter of the program. A copy
// of `A` to the device needs it, and the parameters of a program must not depend on the target. The size therefore comes
// by another way: callers set it on the handle (`total_set_size_M`), and the wrappers for C++, Fortran and Python do so
// from the arrays that they get.
//
// A symbol that an expansion of a library node needs is a parameter on the host. So nodes are expanded first, in a copy
// of the graph, as for the CPU.
//
// Not handled: sizes that are undefined, that the program computes, or that the graph does not declare as integers.
#include "Transforms/Offload/HandleSizes.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"

#include <algorithm>

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

std::string uncopiable(const SDFG &root) {
    const auto isUndefined = [](sym::Expr e) { return e.isUndefined(); };
    const analysis::ArgumentList arguments = analysis::argumentList(root);
    for (const analysis::Argument &a : arguments.program)
        if (a.desc && (isUndefined(a.desc->totalSize) || std::any_of(a.desc->shape.begin(), a.desc->shape.end(), isUndefined) ||
                       std::any_of(a.desc->strides.begin(), a.desc->strides.end(), isUndefined)))
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
    std::unique_ptr<SDFG> expanded;
    if (hasLibraryNodes(root)) {
        pass::CompileOptions options = context.options;
        options.target = pass::Target("cpu");
        diag::Engine scratch;
        pass::Context own(scratch, options);
        expanded = clone(root);
        for (int round = 0; round < 8 && expandAll(*expanded, own); ++round) {
        }
    }
    const analysis::ArgumentList arguments = analysis::argumentList(expanded ? *expanded : root);
    std::set<Name> out;
    for (const analysis::Argument &a : arguments.program)
        out.insert(a.name);
    return out;
}

std::string neededForCopies(const SDFG &root, const std::set<Name> &onHost) {
    for (const analysis::Argument &a : analysis::argumentList(root).program)
        if (a.desc && a.desc->isArray())
            for (const Name symbol : a.desc->freeSymbols())
                if (!onHost.count(symbol) && !root.constant(symbol))
                    return "the size of `" + a.name.str() + "` needs `" + symbol.str() +
                           "`, which is not an argument of the program";
    return "";
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
