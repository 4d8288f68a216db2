// Calls of libraries as tasklets have them.
//
// What an expansion calls in a library is a tasklet in the language `Library`: one call, in the syntax of Python, of a function
// that a row of Platform/Environments.def has, maybe in loops, maybe with a result:
//
//     for _p0 in range(8):
//         cblas_dgemm("CblasRowMajor", ..., _in_a + _p0 * 4096, 64, ..., 0.0, _out_c + _p0 * 4096, 64)
//     _out_c = cblas_ddot(N, _in_a, 1, _in_b, 1)
//     gpuTensors.permute(1, tensor(_in_a, "'a'", N, 1), tensor(_out_c, "'a'", N, 1))
//
// An argument is memory (a connector that is a pointer, with an offset in elements or without), a value, a value by address
// (`by_address(x)`), a word of C++ in quotes, or what a function of the library makes of arguments.
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
    std::vector<Loop> loops; // around it, outermost first
    Name result;             // output connector that gets what the function returns; empty: none does
    std::string function;    // `cblas_dgemm`, `gpuBlas.gemm`
    const platform::Environment *environment = nullptr;
    std::vector<LibraryArgument> arguments;
};

/// The call of a tasklet in the language Library. None, and what is wrong in `why`, where its text is no such call.
std::optional<LibraryCall> libraryCall(const ir::Tasklet &t, std::string &why);

/// Loops of a program that call libraries, themselves or in what is nested in them: there, threads of the program and of the library take
/// turns. Valid until blocks change.
class LoopsAroundLibraries {
public:
    /// Finds those of an SDFG, and of all that is nested in it.
    void find(const ir::SDFG &g) { find(g, {}); }
    /// Is a state in one of them, however deep?
    bool enclose(const ir::State &s) const;

private:
    void find(const ir::SDFG &g, const std::vector<const ir::Region *> &around);
    std::unordered_set<const ir::Region *> loops_;
};

} // namespace sdfgc::analysis
