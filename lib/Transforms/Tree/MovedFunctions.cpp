#include "MovedFunctions.h"

#include "sdfgc/Tree/Effects.h"

namespace sdfgc::transforms {

using namespace tree;

namespace {

void renumber(Block &b, const Table<FunctionId, FunctionId> &numbers) {
    for (NodePtr &n : b.body) {
        if (n->kind == TreeKind::Call)
            static_cast<Call &>(*n).function = numbers[static_cast<Call &>(*n).function];
        else if (n->kind == TreeKind::Launch)
            static_cast<Launch &>(*n).function = numbers[static_cast<Launch &>(*n).function];
        forEachBlock(*n, [&](Block &inner) { renumber(inner, numbers); });
    }
}

/// Inserts the new functions: the first `before[i]` of them precede function i.
void insert(Module &m, std::vector<std::unique_ptr<Function>> added, const std::vector<std::size_t> &before) {
    // The order of functions is kept.
    Table<FunctionId, std::unique_ptr<Function>> all;
    std::vector<FunctionId> ofFunctions, ofAdded;
    for (std::size_t i = 0, p = 0; auto &f : m.functions) {
        for (; p < before[i]; ++p)
            ofAdded.push_back(all.add(std::move(added[p])));
        ofFunctions.push_back(all.add(std::move(f)));
        ++i;
    }
    Table<FunctionId, FunctionId> numbers;
    for (const auto &list : {ofFunctions, ofAdded})
        for (FunctionId id : list)
            numbers.add(id);
    m.functions = std::move(all);
    for (auto &f : m.functions) { // callees come first
        renumber(f->body, numbers);
        f->needsState = f->needsState || usesState(f->body, m);
    }
}

} // namespace

std::unique_ptr<Call> MovedFunctions::add(Outlined made) {
    auto call = std::make_unique<Call>();
    call->function = FunctionId(m_.functions.size() + all_.size());
    call->arguments = std::move(made.arguments);
    all_.push_back(std::move(made.function));
    return call;
}

bool moveFunctions(Module &m, const std::function<void(Function &, MovedFunctions &)> &cut) {
    MovedFunctions moved(m);
    std::vector<std::size_t> before;
    for (auto &f : m.functions) {
        cut(*f, moved);
        before.push_back(moved.size());
    }
    if (moved.size() == 0)
        return false;
    insert(m, std::move(moved.all_), before);
    return true;
}

} // namespace sdfgc::transforms
