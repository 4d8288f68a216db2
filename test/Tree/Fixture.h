// Functions of the schedule tree in a few lines, and their text.
#pragma once

#include "sdfgc/Tree/Effects.h"

#include <catch2/catch.hpp>

namespace sdfgc::test {

using namespace sdfgc::tree;

inline sym::Expr symbol(const char *n) { return sym::Expr::symbol(n); }
/// Python text without types.
inline py::ExprRef expr(std::string_view text) { return py::parseExpr(text).value.value(); }

/// A module with one function `f`, whose statements are added to the innermost open block.
struct Body {
    Module m;
    Function *f;
    std::vector<Block *> open;

    Body() {
        m.name = "m";
        f = m.functions[m.functions.add(std::make_unique<Function>())].get();
        f->name = "f";
        open.push_back(&f->body);
    }
    VarId var(const char *name, VarKind kind = VarKind::Value, Type type = ScalarKind::Float64, sym::Expr count = 0) {
        Variable v;
        v.name = name;
        v.kind = kind;
        v.type = type;
        v.count = count;
        return f->vars.add(std::move(v));
    }
    VarId integer(const char *name) { return var(name, VarKind::Value, ScalarKind::Int64); }
    VarId param(const char *name, VarKind kind = VarKind::Pointer, Type type = ScalarKind::Float64) {
        f->params.push_back(var(name, kind, type));
        return f->params.back();
    }
    VarId size(const char *name) { return param(name, VarKind::Value, ScalarKind::Int64); }
    py::ExprRef at(VarId v, sym::Expr offset = 0) {
        MemRef r;
        r.var = v;
        r.offset = offset;
        return tree::memRef(f->refs.add(std::move(r)), f->vars[v].type);
    }

    template <class T, class... A> T *add(A &&...a) { return open.back()->add<T>(std::forward<A>(a)...); }
    VarId declared(VarId v) {
        add<Declare>(v);
        return v;
    }
    void assign(py::ExprRef target, py::ExprRef value) { add<Code>()->stmts = {py::assign(std::move(target), std::move(value))}; }
    void update(py::ExprRef target, py::ExprRef value, py::Reduction kind = py::Reduction::Sum) {
        auto *u = add<Update>();
        u->target = refOf(*target);
        u->value = std::move(value);
        u->reduction = kind;
        u->atomic = true;
    }
    /// `for v = 0 to N - 1`; statements go to its body until `close`.
    For *loop(const char *name, bool parallel = false) {
        auto *l = add<For>();
        l->var = integer(name);
        l->begin = 0;
        l->end = symbol("N") - 1;
        if (parallel)
            l->omp.emplace();
        open.push_back(&l->body);
        return l;
    }
    void close() { open.pop_back(); }

    /// The statements of the function, without its head.
    std::string text(FunctionId function = FunctionId(0)) {
        std::string all = print(m), head = "  function " + m.functions[function]->name.str() + "(";
        std::size_t begin = all.find('\n', all.find(head)); // in front of the first statement
        return all.substr(begin + 1, all.find("\n  }\n", begin) - begin);
    }
};

} // namespace sdfgc::test
