// What the threads of a block share: declared variables, and room for values that they combine. Kernels declare both at their
// beginning, and the device is asked for as much before it compiles them.
#include "OpenClBlocks.h"

#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

namespace {

template <class F> void forEachStatement(const Block &b, const F &f) {
    for (const NodePtr &n : b.body) {
        f(*n);
        forEachBlock(std::as_const(*n), [&f](const Block &inner) { forEachStatement(inner, f); });
    }
}

} // namespace

Type openClElement(const Function &f, const Update &u) {
    const MemRef &r = f.refs[u.target];
    return r.castTo ? r.castTo : f.vars[r.var].type;
}

bool openClIsByBlock(const Function &f, const Update &u) {
    using py::Reduction;
    const bool isCustom =
        u.reduction == Reduction::Custom || u.reduction == Reduction::MinLocation || u.reduction == Reduction::MaxLocation;
    return u.byBlock && f.kernel && !u.old && !isCustom;
}

bool combinesInBlock(const LibraryCall &c) {
    return c.function == "sdfgc::gpu::blockReduce" || c.function == "sdfgc::gpu::blockReduceAll" ||
           c.function == "sdfgc::gpu::columnReduceAll";
}

std::vector<VarId> openClShared(const Function &f) {
    std::vector<VarId> out;
    forEachStatement(f.body, [&](const Node &n) {
        if (const auto *d = dyn_cast<Declare>(&n); d && f.vars[d->var].kind == VarKind::Shared)
            out.push_back(d->var);
    });
    return out;
}

std::vector<Type> openClCombined(const Function &f) {
    std::vector<Type> out;
    forEachStatement(f.body, [&](const Node &n) {
        Type t;
        if (const auto *c = dyn_cast<LibraryCall>(&n); c && combinesInBlock(*c))
            t = f.vars[f.refs[c->result].var].type;
        if (const auto *u = dyn_cast<Update>(&n); u && openClIsByBlock(f, *u))
            t = openClElement(f, *u);
        if (t && std::find(out.begin(), out.end(), t) == out.end())
            out.push_back(t);
    });
    return out;
}

int64_t openClThreads(const Function &f) { return f.kernel->maxThreads > 0 ? f.kernel->maxThreads : 1024; }

int64_t openClLocalBytes(const Function &kernel) {
    int64_t bytes = 0;
    for (const VarId v : openClShared(kernel))
        bytes += kernel.vars[v].count.asInt().value_or(0) * kernel.vars[v].type.bytes().value_or(0);
    for (const Type t : openClCombined(kernel))
        bytes += openClThreads(kernel) * t.bytes().value_or(0);
    return bytes;
}

} // namespace sdfgc::codegen
