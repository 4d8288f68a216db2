// Gradients that can reuse another gradient's memory, or that need not be cleared.
//
//     t = a + b;  c = 2 * t                gradient_t = 2 * gradient_c
//                                     ->   gradient_a += gradient_t        where only `t` is made of `a`, gradient_a is gradient_t
//                                          gradient_b += gradient_t
//
// A container that is private to an iteration has a gradient that is zero at the start of each reversed iteration.
// Nothing is then passed from one iteration to the next, so iterations may turn out to be independent.
#include "Transforms/Differentiate/Items.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

namespace {

/// What a use is of in all iterations of the maps around it.
std::optional<sym::Subset> overMaps(const nest::PlacedUse &u, const DataDesc &d) {
    std::optional<sym::Subset> s = u.use->subset;
    for (auto l = u.loops.rbegin(); s && l != u.loops.rend(); ++l)
        s = sym::propagate(*s, l->variable, l->range, d.fullSubset());
    return s;
}

/// A transient that is no view, with the life of its scope.
bool isOwnTransient(const DataDesc &d) { return d.transient && d.lifetime == Lifetime::Scope && analysis::isPlain(&d); }

bool haveSameElements(const DataDesc &a, const DataDesc &b) {
    return a.kind == b.kind && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides && a.storage == b.storage;
}

} // namespace

std::set<Name> ItemReverser::freshOf(const nest::Run &run, const std::set<Name> &own) const {
    std::set<Name> out = own;
    std::erase_if(out, [this](Name n) { return gradients_.has(n); }); // a result of a nested SDFG, whose caller gives the gradient
    for (const Item &i : run.items)
        for (const nest::PlacedUse &u : nest::usesOf(i))
            if (u.use->writes() && out.count(u.use->data)) {
                const DataDesc &d = *maker_.sdfg().desc(u.use->data);
                const std::optional<sym::Subset> all = overMaps(u, d);
                if (!all || !(*all == d.fullSubset()))
                    out.erase(u.use->data);
            }
    return out;
}

bool ItemReverser::beginsWithZero(const Use &write, const Body &body) const {
    const Body *owner = body.ownerOf(write.data);
    return owner && gradients_.has(write.data) && owner->gradients.count(gradients_.of(write.data));
}

/// Do `read` and `written` each access a single element of equally large containers that a single iteration owns, and
/// is the value read nowhere else?
bool ItemReverser::canShare(const Use &read, const Use &written, const Body &b) const {
    const DataDesc &from = *maker_.sdfg().desc(read.data), &to = *maker_.sdfg().desc(written.data);
    if (!isOwnTransient(from) || !isOwnTransient(to) || !haveSameElements(from, to) || read.memory == written.memory ||
        read.kind != UseKind::Read || read.memlet.allowOob || written.kind != UseKind::Write || !written.certain ||
        written.memlet.dynamic || !read.subset || !written.subset || !(*read.subset == *written.subset) ||
        b.ownerOf(read.data) != b.ownerOf(written.data))
        return false;
    const Program::Writers ofRead = program_.writersOf(read.memory), ofWritten = program_.writersOf(written.memory);
    const bool isOwn = b.ownerOf(read.data) != nullptr;
    const auto reads = std::count_if(program_.sites().begin(), program_.sites().end(),
                                     [&](const Site &s) { return s.use->memory == read.memory && !s.use->writes(); });
    return reads == 1 && ofRead.count == 1 && ofWritten.count == 1 && (isOwn || (!ofRead.inLoop && !ofWritten.inLoop)) &&
           !program_.isReadByFlow(read.data);
}

/// Operands whose gradient is that of the result, as it is: they get the same container, and nothing is left to do.
void ItemReverser::share(const nest::Step &s, const py::Signature &signature, const py::Derivative &d, std::set<Name> &results,
                         Body &b, Reversed &r) {
    if (signature.activeOutputs.size() != 1)
        return;
    const Name out = *signature.activeOutputs.begin();
    const std::vector<const Use *> written = usesAt(s, out, true);
    if (written.size() != 1 || d.partial.count(out) || d.stored.count(out))
        return;
    std::vector<py::StmtRef> block = py::parseBlockOrRaw(r.code);
    for (const Name c : d.results) {
        const std::vector<const Use *> read = usesAt(s, c, false);
        const auto unchanged = std::find_if(block.begin(), block.end(), [&](const py::StmtRef &st) {
            return st->kind == py::StmtKind::Assign && py::equal(*st->targets[0], *py::name(signature.gradient(c))) &&
                   py::equal(*st->value, *py::name(signature.gradient(out)));
        });
        if (read.size() != 1 || d.indexed.count(c) || unchanged == block.end())
            continue;
        const Use &operand = *read.front(), &result = *written.front();
        if (!gradients_.isShared(operand.data)) {     // by a part of the map before
            if (another_ && !isLocal(result.data, b)) // the last part may clear what is shared
                continue;
            if (gradients_.has(operand.data) || !canShare(operand, result, b) || mustClear(result, b))
                continue;
            gradient(result, UseKind::Read, out, b); // which makes it
            gradients_.share(operand.data, result.data);
        }
        block.erase(unchanged);
        r.code = py::print(block);
        results.erase(c);
    }
}

} // namespace sdfgc::transforms::gradient
