#include "sdfgc/Types/Type.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace sdfgc;
using K = ScalarKind;

namespace {

const std::vector<K> allScalars = {K::Void,    K::Bool,    K::Int8,      K::Int16,      K::Int32,    K::Int64,        K::UInt8,
                                   K::UInt16,  K::UInt32,  K::UInt64,    K::Float16,    K::BFloat16, K::Float8E4M3FN, K::Float8E5M2,
                                   K::Float32, K::Float64, K::Complex64, K::Complex128, K::String,   K::PyObject};

Type common(K a, K b) { return commonType(Type(a), Type(b)); }

} // namespace

TEST_CASE("equal types are one type", "[types]") {
    CHECK(Type() == Type(K::Void));
    CHECK(Type::vector(Type(K::Float32), 4) == Type::vector(Type(K::Float32), 4));
    CHECK_FALSE(Type::vector(Type(K::Float32), 4) == Type::vector(Type(K::Float32), 8));
    CHECK_FALSE(Type::vector(Type(K::Float32), 4) == Type::vector(Type(K::Float64), 4));
    CHECK(Type::pointer(Type()) == Type::pointer(Type()));
    CHECK_FALSE(Type::pointer(Type()) == Type());
    CHECK(Type::opaque("MPI_Request") == Type::opaque("MPI_Request"));
    CHECK_FALSE(Type::opaque("S") == Type::structure("S", {}));
    Type s = Type::structure("S", {{"a", Type(K::Int32)}, {"b", Type(K::Float64)}});
    CHECK(s == Type::structure("S", {{"a", Type(K::Int32)}, {"b", Type(K::Float64)}}));
    CHECK_FALSE(s == Type::structure("S", {{"b", Type(K::Float64)}, {"a", Type(K::Int32)}}));
    CHECK_FALSE(s == Type::structure("S", {{"a", Type(K::Int32)}, {"b", Type(K::Float64)}}, {{"a", "n"}}));
    CHECK_FALSE(Type::callback({Type(K::Int32)}, {}) == Type::callback({}, {Type(K::Int32)}));
    CHECK_FALSE(Type::callback({}, {}, {"x"}) == Type::callback({}, {}, {}, {"x"}));
    CHECK(std::hash<Type>()(s) == s.hash());
}

TEST_CASE("names of scalar types", "[types]") {
    for (K k : allScalars) {
        INFO(static_cast<int>(k));
        CHECK(Type(k).scalar() == k);
        CHECK(Type(k).str() == scalarTypeName(k));
        if (k == K::Void)
            CHECK_FALSE(scalarTypeByName(scalarTypeName(k)));
        else
            CHECK(scalarTypeByName(scalarTypeName(k)) == Type(k));
    }
    CHECK(scalarTypeByName("bool_") == Type(K::Bool));
    for (const char *no : {"", "int", "float", "double", "half", "complex", "intc", "Float64"})
        CHECK_FALSE(scalarTypeByName(no));
}

TEST_CASE("classes of scalar types", "[types]") {
    for (K k : allScalars) {
        INFO(static_cast<int>(k));
        Type t(k);
        int classes = t.isBool() + t.isInteger() + t.isFloat() + t.isComplex() + t.isVoid() + (k == K::String) + (k == K::PyObject);
        CHECK(classes == 1);
        CHECK(t.isInteger() == (t.isSigned() || t.isUnsigned()));
        CHECK(t.isSigned() == (k == K::Int8 || k == K::Int16 || k == K::Int32 || k == K::Int64));
        CHECK(static_cast<bool>(t) == (k != K::Void));
    }
    CHECK(Type(K::Float16).isFloat());
    CHECK_FALSE(Type::vector(Type(K::Float32), 4).isFloat());
    CHECK_FALSE(Type::pointer(Type()).isVoid());
}

TEST_CASE("C++ spellings", "[types]") {
    CHECK(Type(K::Bool).cppName() == "bool");
    CHECK(Type(K::Int32).cppName() == "int32_t");
    CHECK(Type(K::UInt64).cppName() == "uint64_t");
    CHECK(Type(K::Float32).cppName() == "float");
    CHECK(Type(K::Float64).cppName() == "double");
    CHECK(Type(K::Complex64).cppName() == "std::complex<float>");
    CHECK(Type(K::Float16).cppName() == "sdfgc::rt::float16");
    CHECK(Type(K::Float8E5M2).cppName() == "sdfgc::rt::float8_e5m2");
    CHECK(Type(K::String).cppName() == "char *");
    CHECK(Type(K::PyObject).cppName() == "void *");
    CHECK(Type::vector(Type(K::Float32), 4).cppName() == "sdfgc::rt::vec<float, 4>");
    CHECK(Type::pointer(Type()).cppName() == "void *");
    CHECK(Type::pointer(Type::pointer(Type(K::Float64))).cppName() == "double **");
    CHECK(Type::structure("S", {}).cppName() == "S");
    CHECK(Type::opaque("MPI_Comm").cppName() == "MPI_Comm");
    CHECK(Type::callback({}, {}).cppName() == "");
    CHECK(Type::pointer(Type::callback({}, {})).cppName() == "");
}

TEST_CASE("text for people", "[types]") {
    CHECK(Type::vector(Type(K::Float32), 4).str() == "vector(float32, 4)");
    CHECK(Type::pointer(Type(K::Int32)).str() == "pointer(int32)");
    CHECK(Type::callback({Type(K::Float64), Type(K::Int32)}, {Type(K::Float64)}).str() == "callback(float64, int32 -> float64)");
    CHECK(Type::callback({}, {}).str() == "callback()");
}

TEST_CASE("parts of composite types", "[types]") {
    Type v = Type::vector(Type(K::Float32), 4);
    CHECK(v.element() == Type(K::Float32));
    CHECK(v.lanes() == 4);
    CHECK(Type(K::Int8).lanes() == 1);
    CHECK(Type(K::Int8).element().isVoid());
    CHECK(Type().element() == Type());
    Type s = Type::structure("S", {{"a", Type(K::Int32)}, {"b", v}}, {{"a", "n + 1"}});
    CHECK(s.field("b") == v);
    CHECK_FALSE(s.field("c"));
    CHECK(s.fieldLengths()[0].second == "n + 1");
    CHECK(s.name() == Name("S"));
}

TEST_CASE("sizes", "[types]") {
    CHECK(Type(K::Bool).bytes() == 1);
    CHECK(Type(K::Float8E4M3FN).bytes() == 1);
    CHECK(Type(K::BFloat16).bytes() == 2);
    CHECK(Type(K::Complex128).bytes() == 16);
    CHECK(Type(K::String).bytes() == 8);
    CHECK(Type::vector(Type(K::Float64), 4).bytes() == 32);
    CHECK(Type::pointer(Type()).bytes() == 8);
    CHECK(Type::callback({}, {}).bytes() == 8);
    CHECK_FALSE(Type().bytes());
    CHECK_FALSE(Type::opaque("X").bytes());
    CHECK_FALSE(Type::structure("S", {{"a", Type(K::Int32)}}).bytes());
    CHECK_FALSE(Type::vector(Type::opaque("X"), 2).bytes());
    CHECK_FALSE(Type::vector(Type(K::Float64), std::numeric_limits<int64_t>::max()).bytes());
}

TEST_CASE("common type of two operands", "[types]") {
    CHECK(common(K::Bool, K::Bool) == Type(K::Bool));
    CHECK(common(K::Bool, K::Int8) == Type(K::Int8));
    CHECK(common(K::Int32, K::Int64) == Type(K::Int64));
    CHECK(common(K::Int64, K::UInt64) == Type(K::UInt64));
    CHECK(common(K::UInt8, K::Int32) == Type(K::Int32));
    CHECK(common(K::Int64, K::Float32) == Type(K::Float32));
    CHECK(common(K::Float32, K::Float64) == Type(K::Float64));
    CHECK(common(K::Float16, K::BFloat16) == Type(K::Float32));
    CHECK(common(K::Float8E4M3FN, K::Float16) == Type(K::Float16));
    CHECK(common(K::Complex64, K::Float64) == Type(K::Complex128));
    CHECK(common(K::Complex64, K::Int64) == Type(K::Complex64));
    CHECK(common(K::Complex64, K::Complex128) == Type(K::Complex128));
    CHECK(common(K::Void, K::Int8) == Type(K::Int8));
    CHECK(common(K::String, K::Int8).isVoid());
    CHECK(common(K::String, K::String) == Type(K::String));
    for (K a : allScalars)
        for (K b : allScalars)
            CHECK(common(a, b) == common(b, a));
}

TEST_CASE("common type with vectors and pointers", "[types]") {
    Type f4 = Type::vector(Type(K::Float32), 4), p = Type::pointer(Type(K::Float32));
    CHECK(commonType(f4, Type(K::Float64)) == Type::vector(Type(K::Float64), 4));
    CHECK(commonType(Type(K::Int32), f4) == f4);
    CHECK(commonType(f4, Type::vector(Type(K::Int32), 4)) == f4);
    CHECK(commonType(f4, Type::opaque("X")).isVoid());
    CHECK(commonType(p, Type(K::Int64)) == p);
    CHECK(commonType(Type(K::Int64), p) == p);
    CHECK(commonType(p, Type(K::Float64)).isVoid());
}

TEST_CASE("types: complex numbers have a name of their own in kernels") {
    const Type complex(ScalarKind::Complex64), real(ScalarKind::Float64);
    CHECK(complex.cppName() == "std::complex<float>");
    CHECK(complex.kernelName() == "sdfgc::gpu::complex<float>");
    CHECK(Type::pointer(complex).kernelName() == "sdfgc::gpu::complex<float> *");
    CHECK(Type::vector(complex, 4).kernelName() == "sdfgc::rt::vec<sdfgc::gpu::complex<float>, 4>");
    CHECK(real.kernelName() == real.cppName());
}

TEST_CASE("types: vectors with the lanes of a register have no size, and their lanes are elements") {
    const Type f8(ScalarKind::Float64), lanes = Type::vector(f8, Type::scalableLanes);
    CHECK(lanes.isScalableVector());
    CHECK_FALSE(Type::vector(f8, 4).isScalableVector());
    CHECK_FALSE(lanes.bytes());
    CHECK(lanes.str() == "vector(float64, __dace_sve_len)");
    CHECK(lanes.ofLane() == f8);
    CHECK(Type::pointer(lanes).ofLane() == Type::pointer(f8));
    CHECK(Type::vector(f8, 4).ofLane() == Type::vector(f8, 4));
    CHECK(commonType(lanes, Type(ScalarKind::Int32)) == lanes);
    CHECK(commonType(Type::vector(f8, 4), lanes) == lanes);
}
