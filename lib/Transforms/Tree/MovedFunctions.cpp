#include "MovedFunctions.h"

#include "Jumps.h"

#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

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

/// Does a block rebind a variable to other memory, or contain verbatim text?
bool isOpaque(const Block &b) {
    return contains(b, TreeKind::Allocate) || contains(b, TreeKind::Release) || contains(b, TreeKind::SetPointer) ||
           contains(b, TreeKind::RawTasklet);
}

/// Arrays are passed as pointers.
bool isPassedArray(const Variable &v) {
    return v.kind == VarKind::Pointer || v.kind == VarKind::Stack || v.kind == VarKind::Buffer;
}

/// Variables with the same name must have the same type, and all be arrays or of the same kind, so that it does not matter which
/// of them is meant. An array must appear outside of symbolic expressions, whose names outline() passes as values.
bool isPassableName(const Function &f, Name n, const Effects &all) {
    const bool isChanged = all.changed.count(n) != 0;
    const Variable *first = nullptr;
    for (const Variable &v : f.vars) {
        if (v.name != n)
            continue;
        if (first && (first->type != v.type || (first->kind != v.kind && !(isPassedArray(*first) && isPassedArray(v)))))
            return false;
        first = &v;
    }
    if (!first)
        return !isChanged; // visible everywhere
    if (isPassedArray(*first))
        return isChanged || all.read.count(n);
    return first->kind == VarKind::Constant || (first->kind == VarKind::Value && !isChanged);
}

} // namespace

bool isPassable(const Function &f, const Block &body) {
    if (isOpaque(body) || leavesIteration(body))
        return false;
    EffectTable table(f);
    Effects all;
    for (const NodePtr &n : body.body)
        all.add(table.of(*n));
    return all.inText.empty() && std::all_of(all.names.begin(), all.names.end(),
                                             [&](Name n) { return all.declared.count(n) || isPassableName(f, n, all); });
}

Type passedType(const Function &f, Name n) {
    for (const Variable &v : f.vars)
        if (v.name == n)
            return v.kind == VarKind::Value ? v.type : Type();
    return {};
}

std::unique_ptr<Call> MovedFunctions::add(Outlined made) {
    auto call = std::make_unique<Call>();
    call->function = FunctionId(m_.functions.size() + all_.size());
    call->arguments = std::move(made.arguments);
    all_.push_back(std::move(made.function));
    return call;
}

Name MovedFunctions::freshName(const Function &f, const std::string &suffix) const {
    const std::string base = f.name.str() + suffix;
    const auto isTaken = [this](Name name) {
        const auto has = [name](const auto &other) { return other->name == name; };
        return std::any_of(m_.functions.begin(), m_.functions.end(), has) || std::any_of(all_.begin(), all_.end(), has);
    };
    Name name(base);
    for (int k = 2; isTaken(name); ++k)
        name = Name(base + "_" + std::to_string(k));
    return name;
}

bool moveHostFunctions(Module &m, const std::function<void(Function &, MovedFunctions &)> &cut) {
    if (std::any_of(m.functions.begin(), m.functions.end(), [](const auto &f) { return f->source > 0; }))
        return false;
    return moveFunctions(m, [&cut](Function &f, MovedFunctions &parts) {
        if (!f.kernel && !f.device && !f.graph)
            cut(f, parts);
    });
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
