// Rules of SDFGs and descriptors; the walk over nested SDFGs.
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Memory/Allocation.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;
using diag::Id;

bool verify(const SDFG &root, Level level, diag::Engine &diags, const std::string &file, Level kept) {
    std::size_t before = diags.errorCount();
    Verifier(level, diags, file, kept).run(root);
    return diags.errorCount() == before;
}

std::string suggestion(Name wrong, const std::vector<std::string> &known) {
    std::string near = diag::nearest(wrong.view(), known);
    return near.empty() ? "" : " (did you mean `" + near + "`?)";
}

std::vector<std::string> containerNames(const SDFG &g) {
    std::vector<std::string> names;
    for (const auto &[name, d] : g.arrays)
        names.push_back(name.str());
    return names;
}

void Verifier::report(diag::Message message, diag::Location place) {
    place.file = file_;
    diags_.report(std::move(message), std::move(place));
}

bool Verifier::provablyLess(sym::Expr a, sym::Expr b, const SDFG &g) {
    if (auto x = a.asInt(), y = b.asInt(); x && y)
        return *x < *y;
    if (comparing_ != &g) {
        if (comparing_ && !(comparing_->symbolHints == g.symbolHints))
            comparisons_.clear();
        comparing_ = &g;
    }
    auto [it, fresh] = comparisons_.try_emplace({a, b}, false);
    if (fresh)
        it->second = sym::isLess(a, b, g.symbolHints) == sym::Truth::True;
    return it->second;
}

void Verifier::run(const SDFG &root) {
    if (warns())
        readDeclarations(root);
    pending_.push_back({root});
    while (!pending_.empty()) { // nested SDFGs are queued by their states
        Frame f = std::move(pending_.front());
        pending_.pop_front();
        sdfg(f);
    }
    if (!atLeast(Level::Allocated) || diags_.errorCount() > 0)
        return;
    declarations(root);
    memoryOnPaths(root);
    if (!atLeast(Level::Scheduled) || diags_.errorCount() > 0)
        return;
    streams(root);
    barriers(root);
    copyMethods(root);
    schedules(root);
}

void Verifier::sdfg(Frame &f) {
    const SDFG &g = f.g;
    if (!isKept())
        sdfgNames(g);
    constants(g);
    for (const auto &[name, d] : g.arrays) {
        const std::set<Name> inSizes = d.freeSymbols();
        if (!isKept())
            descriptor(g, name, d, inSizes);
        f.defined.insert(name);
        f.defined.insert(inSizes.begin(), inSizes.end()); // sizes determine which symbols exist
    }
    if (g.blocks().empty())
        report(Id::EmptySDFG, g);

    for (const auto &[name, type] : g.symbols)
        f.defined.insert(name);
    for (const SDFG *up = &g; up; up = up->parentSDFG())
        for (const auto &[name, c] : up->constants) {
            f.defined.insert(name);
            f.initialized.insert(name);
        }
    if (g.parentNode)
        for (const auto &[name, value] : g.parentNode->symbolMapping)
            f.defined.insert(name);
    f.initialized.insert(Name("__pystate")); // orders callbacks; never written
    const std::size_t before = diags_.errorCount();
    region(g, f);
    if (warns() && diags_.errorCount() == before) // otherwise facts about symbols may be wrong
        unsetSymbols(g);
    if (warns())
        unwrittenInControlFlow(g);
}

/// Transients that control flow, ranges or symbol mappings read, but no state writes. State::initialization has those that nodes read.
void Verifier::unwrittenInControlFlow(const SDFG &g) {
    const auto isAlias = [&g](const Node *n) {
        const auto *a = dyn_cast<AccessNode>(n);
        const DataDesc *d = a ? g.desc(a->data) : nullptr;
        return d && d->alias != AliasKind::None;
    };
    const auto maybeWrites = [&](const AccessNode *n) {
        return n->setZero ||
               std::any_of(n->inEdges().begin(), n->inEdges().end(), [](const Edge *e) { return !e->memlet.isEmpty(); }) ||
               std::any_of(n->outEdges().begin(), n->outEdges().end(), [&](const Edge *e) { return isAlias(e->dst); });
    };
    for (const auto &[name, uses] : usesOfContainers(g)) {
        const DataDesc *d = g.desc(name);
        if (uses.inControlFlow && d && needsMemory(g, name, *d) && (d->isArray() || d->isScalar()) && !d->isReference() &&
            d->lifetime != Lifetime::Persistent && d->lifetime != Lifetime::External &&
            std::none_of(uses.nodes.begin(), uses.nodes.end(), maybeWrites))
            report(Id::UninitializedTransient, *uses.blocks.front(), name.str());
    }
}

void Verifier::sdfgNames(const SDFG &g) {
    if (!isName(g.name.view()))
        report(Id::NotAnIdentifier, g, "SDFG", g.name.str());
    for (const auto &[name, type] : g.symbols) {
        if (!isSymbolName(name.view()) && name.view() != undefinedSize)
            report(Id::NotAnIdentifier, g, "symbol", name.str());
        if (g.arrays.contains(name))
            report(Id::NameClash, g, name.str());
    }
}

void Verifier::constants(const SDFG &g) {
    if (!warns())
        return;
    for (const auto &[name, c] : g.constants) {
        const DataDesc *d = g.arrays.find(name);
        const Type *t = g.symbols.find(name);
        if (d && !(d->dtype == c.desc.dtype))
            report(Id::ConstantTypeMismatch, g, name.str(), c.desc.dtype.str(), "container", d->dtype.str());
        else if (!d && t && !(*t == c.desc.dtype))
            report(Id::ConstantTypeMismatch, g, name.str(), c.desc.dtype.str(), "symbol", t->str());
    }
}

void Verifier::descriptor(const SDFG &g, Name name, const DataDesc &d, const std::set<Name> &inSizes) {
    auto at = [&] { return placeOf(g, d, name); };
    if (!isName(name.view()))
        report(Id::NotAnIdentifier, at(), "container", name.str());
    if (g.isRoot() && d.isScalar() && !d.transient && name.view().substr(0, 8) == "__return")
        report(Id::ScalarReturn, at(), name.str());
    if ((d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::External) && d.storage == Storage::Register)
        report(Id::LifetimeInRegister, at(), name.str(), ir::name(d.lifetime));
    if (atLeast(Level::Typed) && d.storage == Storage::Default)
        report(Id::UndecidedStorage, at(), name.str());
    sizes(g, name, d, inSizes);
}

void Verifier::sizes(const SDFG &g, Name name, const DataDesc &d, const std::set<Name> &inSizes) {
    for (const auto *list : {&d.shape, &d.strides, &d.offset})
        for (sym::Expr e : *list)
            if (hasElementOrCall(e))
                readElement(e, placeOf(g, d, name), g);
    if (hasElementOrCall(d.totalSize))
        readElement(d.totalSize, placeOf(g, d, name), g);
    for (const auto *list : {&d.shape, &d.strides, &d.offset})
        for (sym::Expr e : *list)
            if (const auto real = realPartOf(e, g))
                report(Id::RealSize, placeOf(g, d, name), real->str(), e.str());
    for (Name n : inSizes)
        if (const DataDesc *value = g.arrays.find(n); value && !value->isScalar())
            report(Id::SymbolNotDefined, placeOf(g, d, name), n.str(), ": it is a container but not a scalar");
    auto rank = [&](const std::vector<sym::Expr> &list, const char *what) {
        if (list.size() != d.rank())
            report(Id::DescriptorRank, placeOf(g, d, name), name.str(), d.rank(), list.size(), what);
    };
    if (d.isArray() || d.isContainerArray()) {
        rank(d.strides, "strides");
        rank(d.offset, "offsets");
    }
    const bool isKnown = std::none_of(d.shape.begin(), d.shape.end(), [](sym::Expr e) { return e.isUndefined(); });
    if (warns() && isKnown && d.numElements().isUndefined())
        report(Id::TooManyElements, placeOf(g, d, name), name.str());
    if (!d.transient)
        return;
    auto undefined = [&](const std::string &what) { report(Id::UndefinedSize, placeOf(g, d, name), what, name.str()); };
    auto defined = [&](const std::vector<sym::Expr> &list, const char *what) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list[i].isUndefined())
                undefined(what + (" " + std::to_string(i)));
    };
    defined(d.shape, "dimension");
    defined(d.strides, "stride");
    defined(d.offset, "offset");
    if (d.totalSize.isUndefined())
        undefined("total size");
}

} // namespace sdfgc::analysis
