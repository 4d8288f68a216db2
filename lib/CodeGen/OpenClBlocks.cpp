// Copies in C++, and what the threads of a block share: declared variables, and room for values that they combine. Kernels declare both at their
// beginning, and the device is asked for as much before it compiles them.
#include "OpenClBlocks.h"

#include "sdfgc/Support/Text.h"
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

std::optional<CopyTasklet> copyTasklet(const RawTasklet &t) {
    // `memcpy(target, source, COUNT * sizeof(TYPE));` without punctuation
    std::string text = t.text;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return std::string_view("(),;\n").find(c) != std::string_view::npos; }, ' ');
    const std::vector<std::string> words = text::words(text);
    const bool isCopy = words.size() == 7 && words[0] == "memcpy" && words[4] == "*" && words[5] == "sizeof" &&
                        words[3].find_first_not_of("0123456789") == std::string::npos;
    if (!isCopy || !t.after.empty() || std::count(t.text.begin(), t.text.end(), ';') > 1)
        return std::nullopt;
    const auto bound = [&t](const std::string &name) -> const RawTasklet::Binding * {
        const auto at = std::find_if(t.bindings.begin(), t.bindings.end(),
                                     [&name](const RawTasklet::Binding &b) { return b.name.view() == name; });
        return at != t.bindings.end() && at->form == RawTasklet::Binding::Pointer && at->ref ? &*at : nullptr;
    };
    const RawTasklet::Binding *target = bound(words[1]), *source = bound(words[2]);
    if (!target || !source || !(target->type == source->type) || target->type.cppName() != words[6])
        return std::nullopt;
    return CopyTasklet{target->ref, source->ref, words[3]};
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
        if (t)
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
