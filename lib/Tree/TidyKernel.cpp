// The last look at a kernel's body before it becomes a function:
//
//   * memory that only one thread sees needs no atomics, and a device cannot do them there (registers, arrays of a thread);
//   * an index of the grid or block that every thread has once and that nothing mentions is not declared.
#include "sdfgc/Tree/TidyKernel.h"
#include "sdfgc/Tree/Effects.h"

#include <iterator>

namespace sdfgc::tree {
namespace {

bool isPrivate(const Function &f, RefId slot) {
    const VarKind kind = f.vars[f.refs[slot].var].kind;
    return kind == VarKind::Value || kind == VarKind::Stack;
}

/// Is it only a name for an index, which nothing uses?
bool isIdle(EffectTable &table, const Function &f, const Node &n) {
    const auto *loop = dyn_cast<For>(&n);
    if (!loop || !loop->spread || !loop->spread->exact)
        return false;
    const Name index = f.vars[loop->var].name;
    for (const NodePtr &inside : loop->body.body)
        if (table.of(*inside).has(index) || table.of(*inside).inText.count(index))
            return false;
    return true;
}

void tidy(const Function &f, EffectTable &table, Block &b) {
    for (std::size_t i = 0; i < b.body.size(); ++i) {
        Node &n = *b.body[i];
        if (auto *u = dyn_cast<Update>(&n); u && u->atomic && isPrivate(f, u->target))
            u->atomic = false;
        if (!isIdle(table, f, n)) {
            forEachBlock(n, [&](Block &inner) { tidy(f, table, inner); });
            continue;
        }
        std::vector<NodePtr> inside = std::move(static_cast<For &>(n).body.body);
        b.body.erase(b.body.begin() + static_cast<std::ptrdiff_t>(i));
        insert(b, i, std::move(inside));
        --i; // what came instead is looked at, too
    }
}

} // namespace

void tidyKernel(const Function &f, Block &body) {
    EffectTable table(f);
    tidy(f, table, body);
}

} // namespace sdfgc::tree
