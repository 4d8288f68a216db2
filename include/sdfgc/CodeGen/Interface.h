// The C interface of a program (contract C3): names, parameters, header.
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"
#include "sdfgc/CodeGen/SymPrinter.h"
#include "sdfgc/Support/TextWriter.h"

#include <functional>

namespace sdfgc::codegen {

/// The C spelling of a parameter, valid in C and C++: `double *A`, `int32_t N`, `struct CSR *A`, `double (*f)(double)`.
/// Memory that the program never writes is const: `const double *A`.
std::string cParameter(const tree::Param &p);
/// The C type of a value: raw bits for half precision (`uint16_t`), and `double _Complex` / `std::complex<double>` by
/// macro for complex numbers.
std::string cType(Type t);
/// Does a callback return its result as return value? It does for a single result that is a type or a scalar; arrays
/// and multiple results are parameters (DaCe: callback.is_scalar_function in dtypes.py).
bool returnsValue(Type callback);
/// `double *A, double *B, int32_t N`; empty without parameters. Excludes sizes on the handle.
std::string cParameters(const std::vector<tree::Param> &ps);
/// The function that sets a size on the handle, `NAME_set_size_N`, and the member of the state that holds it.
std::string sizeSetter(const tree::Module &m, const tree::Param &p);
std::string sizeField(const tree::Param &p);
/// The value of a C parameter as passed to the function `program`, with casts if types differ between C and C++, or if
/// only the C parameter is const.
std::string toProgram(const tree::Param &p, const tree::Function &program);
/// The statements at the start of a call (sdfgc/rt/arguments.h) that throw if a size is negative, or if an array with
/// elements is null. Optional arrays may be null, and so may arrays that some calls neither read nor write.
std::vector<std::string> argumentChecks(const tree::Module &m, const SymPrinter &symbols);
/// The storages of containers with External lifetime, in enumeration order.
std::vector<ir::Storage> externalStorages(const tree::Module &m);
/// Does the caller provide CPU_Pinned memory, as arguments or as external memory?
bool takesPinnedMemory(const tree::Module &m);
/// Does the program communicate with other ranks (docs/user/mpi.md)?
bool usesMpi(const tree::Module &m);

/// The name that sources use for the structure of a handle: `State`, unless a structure of the program has that name.
std::string stateName(const tree::Module &m);
/// Definitions for the sources, before they include the header: structures contain the program's own 8-bit and 16-bit
/// floats, of which callers see the bits. Empty without such members.
std::vector<std::string> halfDefinitions(const tree::Module &m);

/// Returns include/<name>.h; `further` adds functions that not all programs have.
std::string header(const tree::Module &m, const std::function<void(TextWriter &)> &further);

} // namespace sdfgc::codegen
