// The compiled program against the graph that it was made of, executed by the interpreter: what `run --validate` says at the end.
#pragma once

#include "Driver/Compilation.h"

namespace sdfgc::driver {

class Agreement {
public:
    /// Keeps a copy of the graph as it was read. Of a graph that the interpreter does not know nothing is said.
    Agreement(Session &session, const ir::SDFG &graph, const validate::ValidateOptions &options, bool compatDace);
    /// Reports what a call of the program left in memory that the interpreter does not.
    void compare(const validate::Input &input, const std::vector<std::string> &memory);
    /// Calls the program on the inputs that its passes are judged by, `seconds` at most each, and says that it agrees or in what it
    /// does not.
    void tryProgram(const Compiled &made, double seconds);

private:
    bool agrees(const validate::Input &input, const validate::Execution &expected, const std::vector<std::string> &memory);
    bool call(const Compiled &made, const validate::Judged &judged, double seconds);
    Session &session_;
    validate::ValidateOptions options_;
    std::unique_ptr<ir::SDFG> graph_;
    std::unique_ptr<validate::Subject> subject_; // null: not known
};

} // namespace sdfgc::driver
