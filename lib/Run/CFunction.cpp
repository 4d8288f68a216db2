#include "Run/CFunction.h"

namespace sdfgc::run {
namespace {

ffi_type *ffiType(Type t) {
    switch (t.scalar()) {
    case ScalarKind::Bool:
    case ScalarKind::UInt8:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
        return &ffi_type_uint8;
    case ScalarKind::Int8:
        return &ffi_type_sint8;
    case ScalarKind::Int16:
        return &ffi_type_sint16;
    case ScalarKind::UInt16:
    case ScalarKind::Float16:
    case ScalarKind::BFloat16:
        return &ffi_type_uint16;
    case ScalarKind::Int32:
        return &ffi_type_sint32;
    case ScalarKind::UInt32:
        return &ffi_type_uint32;
    case ScalarKind::Int64:
        return &ffi_type_sint64;
    case ScalarKind::UInt64:
        return &ffi_type_uint64;
    case ScalarKind::Float32:
        return &ffi_type_float;
    case ScalarKind::Float64:
        return &ffi_type_double;
    case ScalarKind::Complex64:
        return &ffi_type_complex_float;
    case ScalarKind::Complex128:
        return &ffi_type_complex_double;
    default:
        return &ffi_type_pointer;
    }
}

} // namespace

CFunction::CFunction(ffi_type *result, const std::vector<void *> &first, const Arguments &a,
                     const std::vector<std::size_t> &parameters, std::vector<char *> &pointers,
                     const std::vector<SharedMemory> &memory) {
    for (void *pointer : first) {
        types_.push_back(&ffi_type_pointer);
        values_.push_back(pointer);
    }
    for (std::size_t i : parameters) {
        const Argument &one = a.all[i];
        types_.push_back(one.isArray ? &ffi_type_pointer : ffiType(one.type));
        values_.push_back(one.isArray ? static_cast<void *>(&pointers[i]) : memory[i].data());
    }
    ok_ = ffi_prep_cif(&cif_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), result, types_.data()) == FFI_OK;
}

} // namespace sdfgc::run
