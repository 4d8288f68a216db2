#include "InsertFunctions.h"

#include "sdfgc/Tree/Effects.h"

namespace sdfgc::transforms {

using namespace tree;

namespace {

void renumber(Block &b, const Table<FunctionId, FunctionId> &numbers) {
    for (NodePtr &n : b.body) {
        if (n->kind == Kind::Call)
            static_cast<Call &>(*n).function = numbers[static_cast<Call &>(*n).function];
        else if (n->kind == Kind::Launch)
            static_cast<Launch &>(*n).function = numbers[static_cast<Launch &>(*n).function];
        forEachBlock(*n, [&](Block &inner) { renumber(inner, numbers); });
    }
}

} // namespace

void insertFunctions(Module &m, std::vector<std::unique_ptr<Function>> added, const std::vector<std::size_t> &before) {
    // Functions keep their order; those that are added for each stand in front of it.
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

} // namespace sdfgc::transforms
