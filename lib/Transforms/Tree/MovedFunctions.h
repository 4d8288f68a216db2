// Parts of functions that become functions of their own, in front of those that call them.
#pragma once

#include "sdfgc/Tree/Outline.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace sdfgc::transforms {

/// New functions of a module, in the order in which they are made. Until they are in the module, calls name them by numbers after those of all
/// functions that it has.
class MovedFunctions {
public:
    explicit MovedFunctions(const tree::Module &m) : m_(m) {}

    /// Adds a function; returns the call of it.
    std::unique_ptr<tree::Call> add(tree::Outlined made);
    std::size_t size() const { return all_.size(); }

private:
    friend bool moveFunctions(tree::Module &, const std::function<void(tree::Function &, MovedFunctions &)> &);
    const tree::Module &m_;
    std::vector<std::unique_ptr<tree::Function>> all_;
};

/// Lets `cut` take functions out of each function of the module, and puts them in front of it. Calls and launches get the new numbers, and functions
/// that call one with the program's state take it as well. Returns whether there are any.
bool moveFunctions(tree::Module &m, const std::function<void(tree::Function &, MovedFunctions &)> &cut);

/// The variables that can be named where a walk over a function is.
class VisibleVariables {
public:
    explicit VisibleVariables(const tree::Function &f) : f_(f) {
        for (tree::VarId p : f.params)
            see(p);
    }
    /// A variable comes into scope, or leaves it, the last one that came first; none is fine.
    void see(tree::VarId v) {
        if (v)
            visible_[f_.vars[v].name].push_back(v);
    }
    void forget(tree::VarId v) {
        if (v)
            visible_[f_.vars[v].name].pop_back();
    }
    /// The innermost one with the name; none if there is no such.
    tree::VarId find(Name n) const {
        const auto at = visible_.find(n);
        return at == visible_.end() || at->second.empty() ? tree::VarId() : at->second.back();
    }
    /// Its type, as outline() asks for it; void if there is none.
    Type typeOf(Name n) const {
        const tree::VarId v = find(n);
        return v ? f_.vars[v].type : Type();
    }

private:
    const tree::Function &f_;
    std::map<Name, std::vector<tree::VarId>> visible_; // innermost last
};

} // namespace sdfgc::transforms
