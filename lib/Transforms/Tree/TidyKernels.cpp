// Removes unused indices and parameters of kernels.
//
//     for b from 0 to N - 1 spread grid exact        becomes     A[t] = 1.0
//         A[t] = 1.0
//
// Every parameter of a kernel's maps is a loop that is spread over blocks or threads. If there are exactly as many of
// these as iterations, the loop only defines the index, which is removed if it is unused. The bounds of such loops may
// be the last uses of some parameters, which are then removed with their arguments.
//
// Not handled: loops that guard their body, and names mentioned in verbatim C++ text.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

namespace sdfgc::transforms {
namespace {

using namespace tree;

/// Does it only declare an index that is not used?
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

/// Replaces idle loops with their bodies. Returns whether there were any.
bool openIdleLoops(const Function &f, EffectTable &table, Block &b) {
    bool changed = false;
    for (std::size_t i = 0; i < b.body.size(); ++i) {
        Node &n = *b.body[i];
        if (!isIdle(table, f, n)) {
            forEachBlock(n, [&](Block &inner) { changed = openIdleLoops(f, table, inner) || changed; });
            continue;
        }
        std::vector<NodePtr> inside = std::move(static_cast<For &>(n).body.body);
        b.body.erase(b.body.begin() + static_cast<std::ptrdiff_t>(i));
        insert(b, i, std::move(inside));
        --i; // the replacement is checked, too
        changed = true;
    }
    return changed;
}

template <class T> void keepOnly(std::vector<T> &all, const std::vector<bool> &kept) {
    std::size_t number = 0;
    std::erase_if(all, [&](const T &) { return !kept[number++]; });
}

/// Removes parameters that are not mentioned. Returns for each parameter whether it was kept.
std::vector<bool> dropParameters(Function &f) {
    const Effects all = effectsOf(f);
    std::vector<bool> kept;
    for (VarId p : f.params)
        kept.push_back(all.has(f.vars[p].name) || all.inText.count(f.vars[p].name) != 0);
    keepOnly(f.params, kept);
    return kept;
}

class TidyKernels : public pass::TreePass {
    bool run(Module &m, pass::Context &) override {
        std::map<FunctionId, std::vector<bool>> kept;
        for (FunctionId id : m.functions.ids()) {
            Function &f = *m.functions[id];
            if (!f.kernel)
                continue;
            EffectTable table(f);
            if (openIdleLoops(f, table, f.body))
                kept[id] = dropParameters(f);
        }
        if (kept.empty())
            return false;
        for (const auto &f : m.functions)
            dropArguments(f->body, kept);
        return true;
    }

    static void dropArguments(Block &b, const std::map<FunctionId, std::vector<bool>> &kept) {
        for (NodePtr &n : b.body) {
            if (auto *launch = dyn_cast<Launch>(n.get()))
                if (const auto found = kept.find(launch->function); found != kept.end())
                    keepOnly(launch->arguments, found->second);
            forEachBlock(*n, [&](Block &inner) { dropArguments(inner, kept); });
        }
    }
};

} // namespace

std::unique_ptr<pass::Pass> createTidyKernels() { return std::make_unique<TidyKernels>(); }

} // namespace sdfgc::transforms
