// Gradients that can reuse another gradient's memory, or that need not be cleared.
//
//     t = a + b;  c = 2 * t                gradient_t = 2 * gradient_c
//                                     ->   gradient_a += gradient_t        where only `t` is made of `a`, gradient_a is gradient_t
//                                          gradient_b += gradient_t
//
// A container that is private to an iteration has a gradient that is zero at the start of each reversed iteration.
// Nothing is then passed from one iteration to the next, so iterations may turn out to be independent.
#include "Transforms/Differentiate/SharedGradients.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

namespace {

/// The elements that a use accesses in all iterations of the surrounding maps.
std::optional<sym::Subset> overMaps(const nest::PlacedUse &u, const DataDesc &d) {
    std::optional<sym::Subset> s = u.use->subset;
    for (auto l = u.instance.loops.rbegin(); s && l != u.instance.loops.rend(); ++l)
        s = sym::propagate(*s, l->variable, l->range, d.fullSubset());
    return s;
}

/// Is it a transient with the lifetime of its scope, and not a view?
bool isOwnTransient(const DataDesc &d) { return d.transient && d.lifetime == Lifetime::Scope && analysis::isPlain(&d); }

bool haveSameElements(const DataDesc &a, const DataDesc &b) {
    return a.kind == b.kind && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides && a.storage == b.storage;
}

} // namespace

std::set<Name> freshOf(const nest::Run &run, const std::set<Name> &own, const Gradients &gradients, const SDFG &g) {
    std::set<Name> out = own;
    std::erase_if(out,
                  [&gradients](Name n) { return gradients.has(n); }); // a result of a nested SDFG, whose gradient the caller passes
    for (const Item &i : run.items)
        for (const nest::PlacedUse &u : nest::usesOf(i))
            if (u.use->writes() && out.count(u.use->data)) {
                const DataDesc &d = *g.desc(u.use->data);
                const std::optional<sym::Subset> all = overMaps(u, d);
                if (!all || !(*all == d.fullSubset()))
                    out.erase(u.use->data);
            }
    return out;
}

bool canShare(ItemReverser &r, const Use &read, const Use &written, const Body &b) {
    const PrimalProgram &program = r.program();
    const DataDesc &from = r.desc(read), &to = r.desc(written);
    if (!isOwnTransient(from) || !isOwnTransient(to) || !haveSameElements(from, to) || read.memory == written.memory ||
        read.kind != UseKind::Read || read.memlet.allowOob || written.kind != UseKind::Write || !written.certain ||
        written.memlet.dynamic || !read.subset || !written.subset || !(*read.subset == *written.subset) ||
        b.ownerOf(read.data) != b.ownerOf(written.data))
        return false;
    const PrimalProgram::Writers ofRead = program.writersOf(read.memory), ofWritten = program.writersOf(written.memory);
    const bool isOwn = b.ownerOf(read.data) != nullptr;
    const auto reads = std::count_if(program.sites().begin(), program.sites().end(),
                                     [&](const Site &s) { return s.use->memory == read.memory && !s.use->writes(); });
    return reads == 1 && ofRead.count == 1 && ofWritten.count == 1 && (isOwn || (!ofRead.inLoop && !ofWritten.inLoop)) &&
           !program.isReadByFlow(read.data);
}

} // namespace sdfgc::transforms::gradient
