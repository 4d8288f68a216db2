// Names that new variables of a function must avoid.
#pragma once

#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/NameScopes.h"

#include <algorithm>

namespace sdfgc::transforms {

namespace detail {

/// Declares a name unless it is visible already.
inline void take(tree::NameScopes &names, Name n) {
    if (!names.visible(n))
        names.declare(n);
}

/// Declares the names that C++ tasklets use for memory.
inline void takeBindings(tree::NameScopes &names, const tree::Block &b) {
    for (const tree::NodePtr &n : b.body) {
        if (n->kind == tree::TreeKind::RawTasklet)
            for (const tree::RawTasklet::Binding &x : static_cast<const tree::RawTasklet &>(*n).bindings)
                take(names, x.name);
        tree::forEachBlock(*n, [&](tree::Block &inner) { takeBindings(names, inner); });
    }
}

/// Does the state of every program (lib/Targets), or of a program with one of the libraries, have a member of this
/// name?
inline bool isMemberOfState(Name n) {
    static constexpr std::string_view own[] = {"gpu", "gpu_graphs", "error", "report", "times", "data", "mpi"};
    const std::string end = " " + n.str() + ";";
    return std::find(std::begin(own), std::end(own), n.view()) != std::end(own) ||
           std::any_of(platform::environments().begin(), platform::environments().end(),
                       [&](const platform::Environment &e) { return e.field.ends_with(end); });
}

} // namespace detail

/// Returns a scope with all names that a function mentions (`mentions`, its effects) or declares, and those at file
/// scope. Names from its `declare` neither hide anything nor are hidden anywhere in the function.
inline tree::NameScopes namesOf(const tree::Module &m, const tree::Function &f, const tree::Effects &mentions) {
    tree::NameScopes names;
    names.open();
    for (Name n : mentions.names)
        detail::take(names, n);
    for (const tree::Variable &v : f.vars)
        detail::take(names, v.name);
    for (const auto &other : m.functions)
        detail::take(names, other->name);
    for (const tree::ConstantDef &c : m.constants)
        detail::take(names, c.name);
    for (const Type t : m.structs)
        names.occupy(t.name());
    detail::takeBindings(names, f.body);
    return names;
}

/// Returns an unused name for a field of the state: `first`, which the function may use, or else one similar to
/// `wanted` that the function does not use either.
inline Name freshField(const tree::Module &m, tree::NameScopes &names, Name wanted, Name first) {
    const auto taken = [&m](Name n) {
        return detail::isMemberOfState(n) ||
               std::any_of(m.fields.begin(), m.fields.end(), [&](const tree::StateField &f) { return f.name == n; }) ||
               std::any_of(m.rawFields.begin(), m.rawFields.end(),
                           [&](const std::string &text) { return text.find(n.str()) != std::string::npos; });
    };
    Name out = first;
    while (taken(out))
        out = names.declare(wanted);
    return out;
}

} // namespace sdfgc::transforms
