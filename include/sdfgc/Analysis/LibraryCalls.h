// Library calls in tasklets.
//
// An expansion calls a library by a tasklet in the language `Library`: a single call, in Python syntax, of a function
// with a row in Platform/Environments.def, possibly in loops and with a result:
//
//     for _p0 in range(8):
//         cblas_dgemm("CblasRowMajor", ..., _in_a + _p0 * 4096, 64, ..., 0.0, _out_c + _p0 * 4096, 64)
//     _out_c = cblas_ddot(N, _in_a, 1, _in_b, 1)
//     gpuTensors.permute(1, tensor(_in_a, "'a'", N, 1), tensor(_out_c, "'a'", N, 1))
//
// An argument is memory (a pointer connector, optionally with an offset in elements), a value, a value passed by
// address (`by_address(x)`), a quoted C++ word, or the result of a library function applied to arguments.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Tasklet/Ast.h"

#include <unordered_set>

namespace sdfgc::analysis {

/// Argument of a library call.
struct LibraryArgument {
    enum Kind : uint8_t { Memory, Value, ByAddress, Word, Made } kind = Value;
    Name name;                          // Memory: the connector; Made: the function
    py::ExprRef value;                  // Value, ByAddress; Memory: the offset, null for none
    std::string word;                   // Word
    std::vector<LibraryArgument> parts; // Made
};

struct LibraryCall {
    struct Loop {
        Name variable;
        py::ExprRef count; // from 0
    };
    std::vector<Loop> loops; // surrounding loops, outermost first
    Name result;             // output connector for the function's result; empty: none
    std::string function;    // `cblas_dgemm`, `gpuBlas.gemm`
    const platform::Environment *environment = nullptr;
    std::vector<LibraryArgument> arguments;
};

/// Parses the call of a tasklet in the language Library. If its text is not such a call, returns nothing and sets
/// `why`.
std::optional<LibraryCall> libraryCall(const ir::Tasklet &t, std::string &why);

/// Loops of a program that call libraries, directly or in nested SDFGs: there, threads of the program and of the
/// library alternate. Valid until blocks change.
class LoopsAroundLibraries {
public:
    /// Finds the loops of an SDFG and of everything nested in it.
    void find(const ir::SDFG &g) { find(g, {}); }
    /// Is a state in one of them, at any depth?
    bool enclose(const ir::State &s) const;

private:
    void find(const ir::SDFG &g, const std::vector<const ir::Region *> &around);
    std::unordered_set<const ir::Region *> loops_;
};

} // namespace sdfgc::analysis
