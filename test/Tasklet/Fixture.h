// Shared by the tests of Tasklet: code strings that pass through the entire front end, with a fixed set of typed names.
#pragma once

#include "sdfgc/Tasklet/Types.h"

#include <catch2/catch.hpp>

namespace sdfgc::py::test {

/// Names by type: i, j int32; l int64; n uint64; u uint32; s int8; b, c bool; x, y float64; f, g float32; h float16; z, w
/// complex128; q complex64; p pointer to float64; v vector of 4 float32; k vector of 4 int32; S is a struct, r a value of it, t a
/// pointer to it; cb is a callback that returns float64; out, out2 are float64 outputs, iout an int32 output, zout a complex64
/// output, sout an S output.
inline std::optional<Type> typeOf(Name name) {
    static const Type structure = Type::structure("S", {{"first", ScalarKind::Float32}, {"second", ScalarKind::Int32}});
    static const std::map<Name, Type> types = {
        {"i", ScalarKind::Int32},
        {"j", ScalarKind::Int32},
        {"l", ScalarKind::Int64},
        {"n", ScalarKind::UInt64},
        {"u", ScalarKind::UInt32},
        {"s", ScalarKind::Int8},
        {"b", ScalarKind::Bool},
        {"c", ScalarKind::Bool},
        {"x", ScalarKind::Float64},
        {"y", ScalarKind::Float64},
        {"f", ScalarKind::Float32},
        {"g", ScalarKind::Float32},
        {"h", ScalarKind::Float16},
        {"z", ScalarKind::Complex128},
        {"w", ScalarKind::Complex128},
        {"q", ScalarKind::Complex64},
        {"p", Type::pointer(ScalarKind::Float64)},
        {"v", Type::vector(ScalarKind::Float32, 4)},
        {"k", Type::vector(ScalarKind::Int32, 4)},
        {"r", structure},
        {"t", Type::pointer(structure)},
        {"S", structure},
        {"cb", Type::callback({}, {Type(ScalarKind::Float64)})},
        {"out", ScalarKind::Float64},
        {"out2", ScalarKind::Float64},
        {"iout", ScalarKind::Int32},
        {"zout", ScalarKind::Complex64},
        {"sout", structure},
    };
    const auto it = types.find(name);
    return it == types.end() ? std::nullopt : std::optional<Type>(it->second);
}

inline Env env() {
    Env e;
    e.typeOf = [](Name n) { return n == Name("S") ? std::nullopt : typeOf(n); };
    e.structByName = [](Name n) { return n == Name("S") ? typeOf(n) : std::nullopt; };
    return e;
}

inline bool isOutput(Name n) { return n.view().find("out") != std::string_view::npos; }

inline ExprRef parsed(const std::string &text) {
    auto p = parseExpr(text);
    INFO(text << ": " << p.error.message);
    REQUIRE(p.value);
    return *p.value;
}

inline ExprRef resolved(const std::string &text) { return resolveModules(parsed(text), env()); }

inline ExprRef typed(const std::string &text, Semantics s = Semantics::Python) { return inferTypes(resolved(text), env(), s); }

inline ExprRef lowered(const std::string &text, Semantics s = Semantics::Python) { return lowerOperators(typed(text, s), s); }

/// The C++ text of an expression.
inline std::string cpp(const std::string &text, Semantics s = Semantics::Python) { return CppPrinter().expr(*lowered(text, s)); }

inline TypedBlock typedBlock(const std::string &text, Semantics s = Semantics::Python) {
    auto p = parseBlock(text);
    INFO(text << ": " << p.error.message);
    REQUIRE(p.value);
    return inferTypes(resolveModules(*p.value, env()), env(), isOutput, s);
}

/// The C++ text of a block.
inline std::string cppBlock(const std::string &text, Semantics s = Semantics::Python) {
    const TypedBlock t = typedBlock(text, s);
    INFO((t.errors.empty() ? "" : t.errors[0].message));
    CHECK(t.errors.empty());
    return CppPrinter().stmts(lowerOperators(t.block, s), t.locals, 0);
}

} // namespace sdfgc::py::test
