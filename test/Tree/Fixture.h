// Functions of the schedule tree in a few lines, and their text.
#pragma once

#include "Tree/Text/Expressions.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Text.h"

#include <catch2/catch.hpp>

namespace sdfgc::test {

using namespace sdfgc::tree;

inline sym::Expr symbol(const char *n) { return sym::Expr::symbol(n); }
/// Python text without types.
inline py::ExprRef python(std::string_view text) { return py::parseExpr(text).value.value(); }

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

    /// The statements of the function, without its head and the declarations of names that it only uses. Expressions get the types
    /// that their parts imply.
    std::string text(FunctionId function = FunctionId(0)) {
        typed(*m.functions[function]);
        std::string all = print(m), head = "  function " + m.functions[function]->name.str() + "(";
        std::size_t begin = all.find(" {\n", all.find(head)) + 3; // before the first statement
        while (all.compare(begin, 9, "    uses ") == 0)
            begin = all.find('\n', begin) + 1;
        return all.substr(begin, all.find("\n  }\n", begin - 1) + 1 - begin);
    }

private:
    static void typed(Function &f) {
        struct Types {
            Function &f;
            py::ExprRef of(const py::ExprRef &e) {
                const tree::text::Surroundings around{[this](Name n) {
                                                          for (const Variable &v : f.vars)
                                                              if (v.name == n)
                                                                  return v.type;
                                                          return Type();
                                                      },
                                                      [this](RefId r) { return tree::text::typeOfReference(f, f.refs[r]); }};
                auto copy = std::make_shared<py::Expr>(*e);
                copy->type = tree::text::impliedType(*e, around);
                return copy;
            }
            void var(VarId &) {}
            void slot(RefId &) {}
            void sym(sym::Expr &) {}
            void expr(py::ExprRef &e) {
                if (e)
                    e = py::rewrite(e, [this](const py::ExprRef &x) { return of(x); });
            }
            void stmt(py::StmtRef &s) {
                if (s)
                    s = py::rewrite(std::vector<py::StmtRef>{s}, [this](const py::ExprRef &x) { return of(x); }).front();
            }
        } types{f};
        typed(f.body, types);
    }
    template <class T> static void typed(Block &b, T &types) {
        for (NodePtr &n : b.body) {
            rebind(*n, types);
            forEachBlock(*n, [&](Block &inner) { typed(inner, types); });
        }
    }
};

} // namespace sdfgc::test
