// Names of generated C++: which are reserved, and names that hide nothing where they are declared.
#pragma once

#include "sdfgc/Support/Name.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sdfgc::tree {

/// Can a function at global scope have the name? Neither reserved words nor functions of C and POSIX, which headers may declare.
bool isFunctionName(std::string_view name);

/// Names visible in the C++ scopes of a function, innermost last.
class NameScopes {
public:
    void open() { scopes_.emplace_back(); }
    void close() { scopes_.pop_back(); }
    /// A C++ identifier near `wanted` that hides nothing visible; becomes visible in the innermost scope.
    Name declare(Name wanted);
    /// The same in the outermost scope: a name that no scope has had so far, as inner ones see it.
    Name declareOutermost(Name wanted);
    bool visible(Name n) const;

private:
    struct Scope {
        std::unordered_set<Name> names;
        std::unordered_map<std::string, int> tried; // numbers below were visible behind this base, and are while the scope is open
    };
    std::vector<Scope> scopes_;
    std::unordered_set<Name> all_; // of all scopes, closed ones too
};

} // namespace sdfgc::tree
