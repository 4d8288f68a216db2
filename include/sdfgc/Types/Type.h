// Element types of containers, symbols and connectors (DaCe: dace/dtypes.py; format reference section 3).
//
// A Type is an interned, immutable handle: equal types are the same pointer. It describes a value; CodeGen spells it in
// target languages (cppName is here only because C++ is the language of tasklets in the files).
#pragma once

#include "sdfgc/Support/Name.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sdfgc {

enum class ScalarKind : uint8_t {
    Void, // JSON null: as connector type "infer it", as pointee void
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    BFloat16,
    Float8E4M3FN,
    Float8E5M2,
    Float32,
    Float64,
    Complex64,
    Complex128,
    String,
    PyObject,
};

enum class TypeKind : uint8_t { Scalar, Vector, Pointer, Struct, Opaque, Callback };

class Type {
public:
    /// The void type ("not known yet" on connectors).
    Type();
    Type(ScalarKind kind);

    static Type vector(Type element, int64_t lanes);
    /// The `lanes` of a vector that has as many as the vector registers of the processor that runs the program: `__dace_sve_len`
    /// elements in files.
    static constexpr int64_t scalableLanes = -1;
    static constexpr std::string_view scalableLanesName = "__dace_sve_len";
    static Type pointer(Type pointee);
    static Type opaque(Name ctype);
    /// A struct is identified by name and fields. Fields are in ABI order.
    static Type structure(Name name, std::vector<std::pair<Name, Type>> fields,
                          std::vector<std::pair<Name, std::string>> lengths = {});
    /// `argumentJson` keeps entries that are full descriptors (as JSON text) besides the element types.
    static Type callback(std::vector<Type> arguments, std::vector<Type> returns, std::vector<std::string> argumentJson = {},
                         std::vector<std::string> returnJson = {});

    TypeKind kind() const;
    ScalarKind scalar() const; // Void for non-scalars: the is...() of scalars below are false for vectors and pointers
    bool isVoid() const { return kind() == TypeKind::Scalar && scalar() == ScalarKind::Void; }
    explicit operator bool() const { return !isVoid(); }
    bool isScalar() const { return kind() == TypeKind::Scalar; }
    bool isVector() const { return kind() == TypeKind::Vector; }
    bool isScalableVector() const { return isVector() && lanes() == scalableLanes; }
    bool isPointer() const { return kind() == TypeKind::Pointer; }
    bool isStruct() const { return kind() == TypeKind::Struct; }
    bool isOpaque() const { return kind() == TypeKind::Opaque; }
    bool isCallback() const { return kind() == TypeKind::Callback; }

    bool isBool() const;
    bool isInteger() const;  // signed or unsigned, not bool
    bool isSigned() const;   // signed integer
    bool isUnsigned() const; // unsigned integer
    bool isFloat() const;    // any real floating type
    bool isComplex() const;
    bool isNumeric() const { return isBool() || isInteger() || isFloat() || isComplex(); }

    Type element() const;          // of a vector or pointer; void otherwise
    int64_t lanes() const;         // of a vector, or scalableLanes; 1 otherwise
    std::string lanesText() const; // the same, as files write it
    /// Returns the element of a scalable vector, for a pointer the pointer to that, and otherwise the type itself: lanes are iterations
    /// (the pass scalarise-sve).
    Type ofLane() const;
    Name name() const;                                                     // of a struct or opaque type
    const std::vector<std::pair<Name, Type>> &fields() const;              // of a struct
    const std::vector<std::pair<Name, std::string>> &fieldLengths() const; // of a struct
    std::optional<Type> field(Name name) const;
    const std::vector<Type> &arguments() const; // of a callback
    const std::vector<Type> &returns() const;
    const std::vector<std::string> &argumentJson() const;
    const std::vector<std::string> &returnJson() const;

    /// Size in bytes on the host; nothing for void, opaque and struct types and callbacks (use sizeof in generated
    /// code), and for scalable vectors.
    std::optional<int64_t> bytes() const;
    /// `float64`, `vector(float32, 4)`, `pointer(int32)`, `S`: for messages and the text form.
    std::string str() const;
    /// C++ spelling in generated code: `double`, `int64_t`, `std::complex<float>`, `sdfgc::rt::float16`,
    /// `sdfgc::rt::vec<float, 4>`, `T *`; names in `dace` come from the runtime headers. Empty for a callback and types
    /// that contain one (CodeGen spells function pointers).
    std::string cppName() const;
    /// The spelling in kernels, where complex numbers are `sdfgc::gpu::complex<float>`
    /// (runtime-headers/sdfgc/rt/gpu_complex.h explains why).
    std::string kernelName() const;
    /// The spelling in OpenCL C, without an address space: `long`, `uchar`, `double`. Empty for types that kernels in OpenCL C do not
    /// have.
    std::string openClName() const;

    friend bool operator==(Type a, Type b) { return a.data_ == b.data_; }
    std::size_t hash() const { return std::hash<const void *>()(data_); }
    struct Data;

private:
    explicit Type(const Data *d) : data_(d) {}
    const Data *data_;
};

/// Returns the scalar type with a DaCe name (`float64`, `bool`, `bool_`, `int32`, ...): the complete list of format
/// reference 3.1. Nothing if unknown.
std::optional<Type> scalarTypeByName(std::string_view name);
/// The name of a scalar type in files (`void` for Void, which files write as null).
std::string_view scalarTypeName(ScalarKind kind);

/// NumPy / C++ style common type of two operands of an arithmetic operator: bool < integers < floats < complex; the
/// wider type wins; mixed signedness of one size gives the unsigned type as in C; two float formats of one size give
/// float32; complex with a float takes the wider component; vectors join element-wise with each other and with scalars
/// (a scalable one with any other is scalable);
/// a pointer with an integer is the pointer; void joins to the other type. Void if there is no common type.
/// docs/user/semantics.md.
Type commonType(Type a, Type b);

} // namespace sdfgc

template <> struct std::hash<sdfgc::Type> {
    std::size_t operator()(sdfgc::Type t) const { return t.hash(); }
};
