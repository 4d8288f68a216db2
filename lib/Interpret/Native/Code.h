// All C++ code of a graph: one library, with a function for each tasklet.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Interpret/Interpret.h"

#include <deque>

namespace sdfgc::interpret {

class NativeCall;
struct Site;

class NativeCode {
public:
    NativeCode();
    ~NativeCode();
    /// Why the tasklet's code cannot be called; empty if it can.
    std::string refusal(const ir::Tasklet &t) const;
    /// A call that lives as long as this object.
    NativeCall &call(const Site *site);
    /// Adds the code of a call whose parameters are known.
    void define(const NativeCall &call, const ir::Tasklet &t);
    /// Compiles all of it.
    void compile(const ir::SDFG &root, const NativeCompiler &compiler, diag::Engine &diags);

private:
    std::deque<NativeCall> calls_;
    std::string declarations_, functions_;
    std::vector<Name> environments_;
};

} // namespace sdfgc::interpret
