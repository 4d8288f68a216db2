// Compares the compiled program with its graph, executed by the interpreter: the final result of `run --validate`.
#pragma once

#include "Driver/Compilation/Compilation.h"
#include "sdfgc/Run/Call.h"

namespace sdfgc::driver {

class Agreement {
public:
    /// Keeps a copy of the graph as read from `path`. A graph that the interpreter does not support is not compared.
    Agreement(Session &session, const ir::SDFG &graph, const Compilation &compilation, const std::string &path);
    /// Reports memory contents after a call that differ from those after interpretation.
    void compare(const Compiled &made, const validate::Input &input, const std::vector<std::string> &memory);
    /// Calls the program on the inputs that its passes are judged by, for at most `seconds` each, and reports whether it agrees or
    /// where it differs.
    void tryProgram(const Compiled &made, double seconds);

private:
    using Memory = std::vector<std::string>;
    std::unique_ptr<validate::Subject> interpreted(diag::Engine &diags) const;
    std::optional<run::CallResult> call(const Compiled &made, const validate::Judged &judged);
    enum class Outcome { Agrees, Open, Differs }; // Open: the difference is in something that the graph leaves unspecified
    Outcome judge(const Compiled &made, const validate::Judged &judged, const Memory &memory, bool isGiven);
    std::string doubt(const Compiled &made, const validate::Judged &judged, const validate::Difference &found);
    bool differsInOrder(const validate::Judged &judged);
    bool differs(const Compiled &made, const validate::Judged &judged);
    std::string inputFolder() const;
    std::vector<std::string> kept(const validate::Input &input) const;
    void report(const validate::Judged &judged, const validate::Difference &found, bool isGiven);

    Session &session_;
    const Compilation &compilation_;
    std::string path_;
    validate::ValidateOptions options_;
    std::unique_ptr<ir::SDFG> graph_;
    validate::Reductions reductions_;
    std::unique_ptr<validate::Subject> subject_; // null: not supported
    std::vector<validate::Judged> inputs_;       // the inputs of the program
    double seconds_ = 60;                        // per call
    bool isSaid_ = false;                        // an open difference has been reported
};

} // namespace sdfgc::driver
