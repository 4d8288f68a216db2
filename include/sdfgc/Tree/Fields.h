// The fields of the schedule tree's statements as values: Nodes.def as tables of members with roles, and functions that
// iterate over them.
//
// `forEachField(x, f)` calls f(field, owner) for the fields of x, a statement or a part, including those of its parts;
// each field knows its role at compile time. Everything that treats all statements alike is written with it. Code that
// depends on the kind (lowering, passes, the C++ printers) switches on the kind instead.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <tuple>

namespace sdfgc::tree {

enum class Role : uint8_t {
    Declares,
    Iterates,
    Assigns,
    Reads,
    Writes,
    Uses,
    Indices,
    Size,
    Value,
    Statement,
    Locals,
    Block,
    Blocks,
    Inside,
    Parts,
    Arguments,
    Callee,
    Word,
    Number,
    Flag,
    Name,
    String,
    Code,
    TypeName,
    Stream,
    Event,
};

template <Role R, class C, class T> struct Field {
    static constexpr Role role = R;
    using Member = T;
    const char *label;
    T C::*member;
    bool needed = false;

    T &of(C &owner) const { return owner.*member; }
    const T &of(const C &owner) const { return owner.*member; }
};
template <Role R, class C, class T> constexpr Field<R, C, T> field(const char *label, T C::*member) { return {label, member}; }
template <class F> constexpr F needed(F f) {
    f.needed = true;
    return f;
}

/// `FieldsOf<T>::all`: the fields of a statement or part in the order of the text.
template <class T> struct FieldsOf;

#define DECLARES(l, m) field<Role::Declares>(l, &T::m)
#define ITERATES(l, m) field<Role::Iterates>(l, &T::m)
#define ASSIGNS(l, m) field<Role::Assigns>(l, &T::m)
#define READS(l, m) field<Role::Reads>(l, &T::m)
#define WRITES(l, m) field<Role::Writes>(l, &T::m)
#define USES(l, m) field<Role::Uses>(l, &T::m)
#define INDICES(l, m) field<Role::Indices>(l, &T::m)
#define SIZE(l, m) field<Role::Size>(l, &T::m)
#define VALUE(l, m) field<Role::Value>(l, &T::m)
#define STATEMENT(l, m) field<Role::Statement>(l, &T::m)
#define LOCALS(l, m) field<Role::Locals>(l, &T::m)
#define BLOCK(m) field<Role::Block>("", &T::m)
#define BLOCKS(l, m) field<Role::Blocks>(l, &T::m)
#define INSIDE(l, m) field<Role::Inside>(l, &T::m)
#define PARTS(l, m) field<Role::Parts>(l, &T::m)
#define ARGUMENTS(m) field<Role::Arguments>("", &T::m)
#define CALLEE(l, m) field<Role::Callee>(l, &T::m)
#define WORD(l, m) field<Role::Word>(l, &T::m)
#define NUMBER(l, m) field<Role::Number>(l, &T::m)
#define FLAG(l, m) field<Role::Flag>(l, &T::m)
#define NAME(l, m) field<Role::Name>(l, &T::m)
#define STRING(l, m) field<Role::String>(l, &T::m)
#define CODE(l, m) field<Role::Code>(l, &T::m)
#define TYPE(l, m) field<Role::TypeName>(l, &T::m)
#define STREAM(l, m) field<Role::Stream>(l, &T::m)
#define EVENT(l, m) field<Role::Event>(l, &T::m)
#define NEEDED(f) needed(f)
#define NODE(K, keyword, ...)                                                                                                      \
    template <> struct FieldsOf<K> {                                                                                               \
        using T = K;                                                                                                               \
        static constexpr auto all = std::make_tuple(__VA_ARGS__);                                                                  \
    };
#define PART(P, ...)                                                                                                               \
    template <> struct FieldsOf<P> {                                                                                               \
        using T = P;                                                                                                               \
        static constexpr auto all = std::make_tuple(__VA_ARGS__);                                                                  \
    };
#include "sdfgc/Tree/Nodes.def"
#undef DECLARES
#undef ITERATES
#undef ASSIGNS
#undef READS
#undef WRITES
#undef USES
#undef INDICES
#undef SIZE
#undef VALUE
#undef STATEMENT
#undef LOCALS
#undef BLOCK
#undef BLOCKS
#undef INSIDE
#undef PARTS
#undef ARGUMENTS
#undef CALLEE
#undef WORD
#undef NUMBER
#undef FLAG
#undef NAME
#undef STRING
#undef CODE
#undef TYPE
#undef STREAM
#undef EVENT
#undef NEEDED

/// Calls f with the statement as its concrete type: `visit(n, [](auto &x) { ... })`. `N` is Node or const Node.
template <class N, class F> decltype(auto) visit(N &n, F &&f) {
    switch (n.kind) {
#define NODE(K, ...)                                                                                                               \
    case TreeKind::K:                                                                                                              \
        return f(static_cast<std::conditional_t<std::is_const_v<N>, const K, K> &>(n));
#include "sdfgc/Tree/Nodes.def"
    }
    __builtin_unreachable();
}

/// Calls f for each part in a field: at most one (optional, pointer), or any number (vector).
template <class M, class F> void forEachPart(M &member, F &&f) {
    if constexpr (requires { member.begin(); }) {
        for (auto &part : member)
            f(part);
    } else if (member) {
        f(*member);
    }
}

/// Calls f with the value of a field, or with each item of a list.
template <class T, class F> void forEachItem(T &x, F &&f) {
    if constexpr (requires { x.begin(); })
        for (auto &item : x)
            f(item);
    else
        f(x);
}

/// Calls f(field, owner) for the fields of `x` alone, with parts as fields.
template <class T, class F> void forEachOwnField(T &x, F &&f) {
    std::apply([&](const auto &...each) { (f(each, x), ...); }, FieldsOf<std::remove_const_t<T>>::all);
}

/// Calls f(field, owner) for the fields of `x` and of its parts, in text order.
template <class T, class F> void forEachField(T &x, F &&f) {
    forEachOwnField(x, [&](const auto &each, auto &owner) {
        using E = std::decay_t<decltype(each)>;
        if constexpr (E::role == Role::Parts || E::role == Role::Arguments)
            forEachPart(each.of(owner), [&](auto &part) { forEachField(part, f); });
        else
            f(each, owner);
    });
}

/// Returns the block in a field that stores it by value or by pointer.
inline Block &blockIn(Block &b) { return b; }
inline const Block &blockIn(const Block &b) { return b; }
inline Block &blockIn(std::unique_ptr<Block> &b) { return *b; }
inline const Block &blockIn(const std::unique_ptr<Block> &b) { return *b; }

/// Passes every reference in a statement itself to `f`, which may change it: `f` has members var(VarId &), slot(RefId
/// &), sym(sym::Expr &), expr(py::ExprRef &), stmt(py::StmtRef &); ids may be none, trees null. Does not visit inner
/// statements.
template <class F> void rebind(Node &n, F &f) {
    visit(n, [&f](auto &node) {
        forEachField(node, [&f](const auto &each, auto &owner) {
            auto &x = each.of(owner);
            constexpr Role role = std::decay_t<decltype(each)>::role;
            if constexpr (role == Role::Declares || role == Role::Iterates || role == Role::Assigns)
                f.var(x);
            else if constexpr (role == Role::Reads || role == Role::Writes || role == Role::Uses)
                f.slot(x);
            else if constexpr (role == Role::Size)
                forEachItem(x, [&f](sym::Expr &e) { f.sym(e); });
            else if constexpr (role == Role::Value || role == Role::Indices)
                forEachItem(x, [&f](py::ExprRef &e) { f.expr(e); });
            else if constexpr (role == Role::Statement)
                forEachItem(x, [&f](py::StmtRef &s) { f.stmt(s); });
        });
    });
}

} // namespace sdfgc::tree
