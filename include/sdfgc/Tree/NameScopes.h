// Names in generated C++: reserved names, and names that hide nothing where they are declared.
#pragma once

#include "sdfgc/Support/Name.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sdfgc::tree {

/// Can a function at global scope have the name? Excludes reserved words and functions of C and POSIX that headers may
/// declare.
bool isFunctionName(std::string_view name);

/// Can a structure at global scope have the name? Excludes words that cannot name members, and types, namespaces and functions that
/// generated code uses.
bool isStructName(std::string_view name);
/// Can a member of a structure have the name? Excludes keywords of C and C++, and macros of headers that most sources include.
bool isMemberName(std::string_view name);

/// Names visible in the C++ scopes of a function, innermost last.
class NameScopes {
public:
    void open() { scopes_.emplace_back(); }
    void close() { scopes_.pop_back(); }
    /// Returns a C++ identifier similar to `wanted` that hides nothing visible, and makes it visible in the innermost
    /// scope.
    Name declare(Name wanted);
    /// The same in the outermost scope: the name is new to all scopes so far, because inner ones can see it.
    Name declareOutermost(Name wanted);
    /// Makes a name that is declared elsewhere visible in the innermost scope, as it is.
    void occupy(Name n) {
        scopes_.back().names.insert(n);
        all_.insert(n);
    }
    bool visible(Name n) const;

private:
    struct Scope {
        std::unordered_set<Name> names;
        std::unordered_map<std::string, int> tried; // lower numbers after this base were visible, and remain so while the scope is
                                                    // open
    };
    std::vector<Scope> scopes_;
    std::unordered_set<Name> all_; // of all scopes, including closed ones
};

} // namespace sdfgc::tree
