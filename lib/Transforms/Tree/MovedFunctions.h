// Outlines parts of functions into new functions, which precede their callers.
#pragma once

#include "sdfgc/Tree/Outline.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace sdfgc::transforms {

/// New functions of a module, in the order of creation. Until they are added to the module, calls refer to them by
/// numbers after those of its existing functions.
class MovedFunctions {
public:
    explicit MovedFunctions(const tree::Module &m) : m_(m) {}

    /// Adds a function; returns the call of it.
    std::unique_ptr<tree::Call> add(tree::Outlined made);
    std::size_t size() const { return all_.size(); }
    /// A name that no function has yet: that of `f` and the suffix, with a number if needed.
    Name freshName(const tree::Function &f, const std::string &suffix) const;

private:
    friend bool moveFunctions(tree::Module &, const std::function<void(tree::Function &, MovedFunctions &)> &);
    const tree::Module &m_;
    std::vector<std::unique_ptr<tree::Function>> all_;
};

/// Lets `cut` outline parts of each function, and inserts the new functions before it. Calls and launches are
/// renumbered, and functions that call one with the program's state receive the state as well. Returns whether there
/// are any new functions.
bool moveFunctions(tree::Module &m, const std::function<void(tree::Function &, MovedFunctions &)> &cut);

/// The same for functions of the host. A module with several sources stays as it is.
bool moveHostFunctions(tree::Module &m, const std::function<void(tree::Function &, MovedFunctions &)> &cut);

/// Can the body of a loop become a function? Everything that it uses can be passed, and it neither changes values from outside, nor
/// leaves the iteration, nor rebinds variables to other memory.
bool isPassable(const tree::Function &f, const tree::Block &body);
/// The type of a value that such a body knows by name, for outline(); void for other names.
Type passedType(const tree::Function &f, Name n);

/// The variables in scope at the current point of a walk over a function.
class VisibleVariables {
public:
    explicit VisibleVariables(const tree::Function &f) : f_(f) {
        for (tree::VarId p : f.params)
            see(p);
    }
    /// A variable enters the scope or leaves it (last in, first out); a null variable is ignored.
    void see(tree::VarId v) {
        if (v)
            visible_[f_.vars[v].name].push_back(v);
    }
    void forget(tree::VarId v) {
        if (v)
            visible_[f_.vars[v].name].pop_back();
    }
    /// Returns the innermost variable with the name, or none.
    tree::VarId find(Name n) const {
        const auto at = visible_.find(n);
        return at == visible_.end() || at->second.empty() ? tree::VarId() : at->second.back();
    }
    /// Its type, as outline() needs it; void if there is none.
    Type typeOf(Name n) const {
        const tree::VarId v = find(n);
        return v ? f_.vars[v].type : Type();
    }

private:
    const tree::Function &f_;
    std::map<Name, std::vector<tree::VarId>> visible_; // innermost last
};

} // namespace sdfgc::transforms
