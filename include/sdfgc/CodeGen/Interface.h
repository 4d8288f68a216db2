// The C interface of a program (contract C3): names, parameters, header.
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"
#include "sdfgc/CodeGen/SymPrinter.h"
#include "sdfgc/Support/TextWriter.h"

#include <functional>

namespace sdfgc::codegen {

/// C spelling of a parameter, valid in C and C++: `double *A`, `int32_t N`, `struct CSR *A`, `double (*f)(double)`. Memory that the
/// program never writes is const: `const double *A`.
std::string cParameter(const tree::Param &p);
/// C type of a value of this type: half precision as raw bits (`uint16_t`), complex as `double _Complex` / `std::complex<double>`
/// by macro.
std::string cType(Type t);
/// Does a callback give its result as return value? It does for one result that is a type or a scalar; arrays and several results
/// are parameters (DaCe: callback.is_scalar_function in dtypes.py).
bool returnsValue(Type callback);
/// `double *A, double *B, int32_t N`; empty text for no parameters.
std::string cParameters(const std::vector<tree::Param> &ps);
/// The value of a C parameter as the function `program` takes it: casts where types of C and C++ differ, and where the parameter is
/// const but that of the function is not.
std::string toProgram(const tree::Param &p, const tree::Function &program);
/// Statements with which a call begins (sdfgc/rt/arguments.h): they throw where a size is negative, or an array with elements null.
/// Optional arrays may be null, and those that some call of the program neither reads nor writes.
std::vector<std::string> argumentChecks(const tree::Module &m, const SymPrinter &symbols);
/// Storages that have containers with External lifetime, in enumeration order.
std::vector<ir::Storage> externalStorages(const tree::Module &m);
/// Does the caller provide memory with storage CPU_Pinned, as arguments or as external memory?
bool takesPinnedMemory(const tree::Module &m);
/// Does the program talk to other ranks (docs/user/mpi.md)?
bool usesMpi(const tree::Module &m);

/// include/<name>.h; `further` adds what the program has besides the functions that all programs have.
std::string header(const tree::Module &m, const std::function<void(TextWriter &)> &further);

} // namespace sdfgc::codegen
