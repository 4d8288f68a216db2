// Address spaces of the variables of kernels, and the functions that are printed once for each combination of them.
#include "sdfgc/CodeGen/OpenClPrinter.h"

#include "sdfgc/Tree/Walk.h"

#include <algorithm>
#include <set>

namespace sdfgc::codegen {

using namespace tree;

namespace {

bool refersToMemory(VarKind k) { return k == VarKind::Pointer || k == VarKind::Reference; }

AddressSpace ownSpace(VarKind k) {
    return k == VarKind::Shared ? AddressSpace::Local : k == VarKind::Constant ? AddressSpace::Constant : AddressSpace::Private;
}

/// Finds what pointers and references of a body refer to.
class SpaceFinder {
public:
    SpaceFinder(const Function &f, const std::vector<AddressSpace> &parameters) : f_(f), isKnown_(f.vars.size(), false) {
        for (const Variable &v : f.vars) {
            isKnown_[out_.of.size()] = !refersToMemory(v.kind);
            out_.of.push_back(ownSpace(v.kind));
        }
        std::size_t next = 0;
        for (const VarId p : f.params)
            if (refersToMemory(f.vars[p].kind))
                set(p, next < parameters.size() ? parameters[next++] : AddressSpace::Global);
    }

    OpenClSpaces find() {
        do { // a pointer may be set to one that is set later in the text
            isChanged_ = false;
            block(f_.body);
        } while (isChanged_);
        for (std::size_t i = 0; i < isKnown_.size(); ++i)
            if (!isKnown_[i])
                out_.of[i] = AddressSpace::Global; // a pointer that is null
        return std::move(out_);
    }

private:
    void set(VarId v, AddressSpace space) {
        const auto i = static_cast<std::size_t>(v.index);
        if (isKnown_[i] && out_.of[i] != space)
            out_.conflict = v;
        if (isKnown_[i])
            return;
        isKnown_[i] = true;
        isChanged_ = true;
        out_.of[i] = space;
    }
    void setFrom(VarId v, RefId source) {
        const auto root = static_cast<std::size_t>(rootOf(f_, f_.refs[source].var).index);
        if (isKnown_[root])
            set(v, out_.of[root]);
    }
    void block(const Block &b) {
        for (const NodePtr &n : b.body) {
            if (const auto *d = dyn_cast<Declare>(n.get()); d && d->target && refersToMemory(f_.vars[d->var].kind))
                setFrom(d->var, d->target);
            if (const auto *s = dyn_cast<SetPointer>(n.get()); s && s->source)
                setFrom(s->var, s->source);
            forEachBlock(std::as_const(*n), [this](const Block &inner) { block(inner); });
        }
    }

    const Function &f_;
    OpenClSpaces out_;
    std::vector<bool> isKnown_;
    bool isChanged_ = false;
};

/// Adds what the calls in a block need.
void addCallees(const Module &m, const Function &f, const OpenClSpaces &spaces, const Block &b, std::set<OpenClVariant> &out) {
    for (const NodePtr &n : b.body) {
        if (const auto *c = dyn_cast<Call>(n.get()))
            out.insert(openClCallee(m, f, spaces, *c));
        forEachBlock(std::as_const(*n), [&](const Block &inner) { addCallees(m, f, spaces, inner, out); });
    }
}

} // namespace

OpenClSpaces openClSpaces(const Function &f, const std::vector<AddressSpace> &parameters) {
    return SpaceFinder(f, parameters).find();
}

OpenClVariant openClCallee(const Module &m, const Function &f, const OpenClSpaces &spaces, const Call &c) {
    const Function &callee = *m.functions[c.function];
    OpenClVariant out{c.function, {}};
    for (std::size_t i = 0; i < callee.params.size(); ++i)
        if (refersToMemory(callee.vars[callee.params[i]].kind)) {
            const RefId r = c.arguments[i].ref;
            out.spaces.push_back(r ? spaces.of[static_cast<std::size_t>(rootOf(f, f.refs[r].var).index)] : AddressSpace::Global);
        }
    return out;
}

std::vector<OpenClVariant> openClVariants(const Module &m) {
    std::set<OpenClVariant> all;
    for (std::size_t i = m.functions.size(); i-- > 0;) {
        const FunctionId id(i);
        const Function &f = *m.functions[id];
        if (f.kernel)
            all.insert({id, {}});
        for (auto at = all.lower_bound({id, {}}); at != all.end() && at->function == id; ++at)
            addCallees(m, f, openClSpaces(f, at->spaces), f.body, all); // of functions before this one
    }
    return {all.begin(), all.end()};
}

} // namespace sdfgc::codegen
