#include "sdfgc/Tree/CertainUse.h"

#include "sdfgc/Support/Casting.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>
#include <map>

namespace sdfgc::tree {
namespace {

class Finder {
public:
    explicit Finder(const Module &m) : module_(m) {}

    const std::set<Name> &of(const Function &f) {
        const auto [at, isNew] = found_.try_emplace(&f);
        if (isNew) { // functions are not recursive
            std::set<Name> used = ofBlock(f, f.body);
            std::set<Name> parameters;
            for (const VarId v : f.params)
                parameters.insert(f.vars[v].name);
            std::erase_if(used, [&](Name n) { return !parameters.count(n); });
            found_[&f] = std::move(used);
        }
        return found_[&f];
    }

private:
    static bool jumps(const Block &b) { return contains(b, TreeKind::Return) || contains(b, TreeKind::Goto); }

    std::set<Name> ofBlock(const Function &f, const Block &b) {
        std::set<Name> out;
        for (const NodePtr &n : b.body) {
            add(out, ofStatement(f, *n));
            bool ends = n->kind == TreeKind::Return || n->kind == TreeKind::Goto || n->kind == TreeKind::Break ||
                        n->kind == TreeKind::Continue;
            forEachBlock(*n, [&](const Block &inner) { ends = ends || jumps(inner); });
            if (ends) // later statements may be skipped
                break;
        }
        return out;
    }

    std::set<Name> ofStatement(const Function &f, const Node &n) {
        std::set<Name> out;
        if (const auto *call = dyn_cast<Call>(&n))
            return ofCall(f, call->function, call->arguments);
        if (const auto *launch = dyn_cast<Launch>(&n))
            return ofCall(f, launch->function, launch->arguments);
        if (n.kind != TreeKind::Block)
            for (const Name name : EffectTable(f).own(n).names)
                out.insert(name);
        if (const auto *choice = dyn_cast<If>(&n); choice && !f.kernel)
            add(out, ofBranches(f, *choice));
        else if (const auto *block = dyn_cast<Block>(&n))
            add(out, ofBlock(f, *block));
        else
            forEachBlock(n, [&](const Block &inner) { add(out, ofBlock(f, inner)); });
        return out;
    }

    /// The variables used by all branches, if one of them is always taken.
    std::set<Name> ofBranches(const Function &f, const If &choice) {
        if (choice.branches.empty() || choice.branches.back().condition)
            return {};
        std::set<Name> all = ofBlock(f, *choice.branches.front().body);
        for (const If::Branch &branch : choice.branches) {
            const std::set<Name> used = ofBlock(f, *branch.body);
            std::erase_if(all, [&](Name n) { return !used.count(n); });
        }
        return all;
    }

    std::set<Name> ofCall(const Function &f, FunctionId callee, const std::vector<Call::Argument> &arguments) {
        const Function &function = *module_.functions[callee];
        const std::set<Name> used = of(function);
        std::set<Name> out;
        for (std::size_t i = 0; i < std::min(arguments.size(), function.params.size()); ++i)
            if (arguments[i].ref && used.count(function.vars[function.params[i]].name))
                out.insert(f.vars[rootOf(f, f.refs[arguments[i].ref].var)].name);
        return out;
    }

    static void add(std::set<Name> &to, const std::set<Name> &from) { to.insert(from.begin(), from.end()); }

    const Module &module_;
    std::map<const Function *, std::set<Name>> found_;
};

} // namespace

std::set<Name> certainlyUsed(const Module &module, const Function &function) { return Finder(module).of(function); }

} // namespace sdfgc::tree
