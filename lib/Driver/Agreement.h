// The compiled program against the graph that it was made of, executed by the interpreter: what `run --validate` says at the end.
#pragma once

#include "Driver/Compilation.h"
#include "sdfgc/Run/Call.h"

namespace sdfgc::driver {

class Agreement {
public:
    /// Keeps a copy of the graph as it was read from `path`. Of a graph that the interpreter does not know nothing is said.
    Agreement(Session &session, const ir::SDFG &graph, const Compilation &compilation, const std::string &path);
    /// Reports what a call of the program left in memory that the interpreter does not.
    void compare(const Compiled &made, const validate::Input &input, const std::vector<std::string> &memory);
    /// Calls the program on the inputs that its passes are judged by, `seconds` at most each, and says that it agrees or in what it
    /// does not.
    void tryProgram(const Compiled &made, double seconds);

private:
    using Memory = std::vector<std::string>;
    std::unique_ptr<validate::Subject> interpreted(diag::Engine &diags) const;
    std::optional<run::CallResult> call(const Compiled &made, const validate::Judged &judged);
    enum class Outcome { Agrees, Open, Differs }; // Open: it differs in what the graph leaves open
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
    std::unique_ptr<validate::Subject> subject_; // null: not known
    std::vector<validate::Judged> inputs_;       // that the program is tried on
    double seconds_ = 60;                        // for one call
    bool isSaid_ = false;                        // that a difference is open
};

} // namespace sdfgc::driver
