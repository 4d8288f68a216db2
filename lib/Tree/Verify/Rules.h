// Internal: shared code of the schedule tree's rules.
#pragma once

#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Verify.h"

namespace sdfgc::tree::rules {

/// Reports faults in one function.
class Report {
public:
    Report(const Module &m, const Function &f, diag::Engine &diagnostics) : m(m), f(f), diagnostics_(diagnostics) {}

    /// `fault(diag::Id::TreeLabel, statement, arguments of the kind...)`
    template <class... Args>
    void fault(diag::MessageKind<std::type_identity_t<Args>...> kind, const Node &at, const Args &...args) {
        report(diag::Message(kind, args...), at);
    }
    bool faults() const { return faults_; }
    const Variable &var(VarId v) const { return f.vars[v]; }

    const Module &m;
    const Function &f;

private:
    void report(diag::Message message, const Node &at);

    diag::Engine &diagnostics_;
    bool faults_ = false;
};

/// Calls `use` for every variable that a statement itself mentions by id: directly, or through its memory references.
void forEachVariable(const Function &f, const Node &n, const std::function<void(VarId)> &use);
/// Calls `use` for every memory reference of a statement itself; `use` must accept invalid references.
void forEachReference(const Node &n, const std::function<void(RefId)> &use);
/// Calls `use` for every name in the expressions and sizes of a statement itself, including those in its memory references. Sizes
/// are integer arithmetic over variables; expressions may come from code that uses other names.
enum class NameIn : uint8_t { Expression, Size };
void forEachName(const Function &f, const Node &n, const std::function<void(Name, NameIn)> &use);

// ---- the rules
bool ids(Report &r);      // Ids.cpp: the others need them to hold
void scopes(Report &r);   // Scopes.cpp: declared before use, by id and by name
void jumps(Report &r);    // Jumps.cpp: labels, break, continue, goto, return
void parallel(Report &r); // Parallel.cpp: teams, loops with distributed iterations, barriers
void calls(Report &r);    // Calls.cpp: arguments, kernels and what they may use
void memory(Report &r);   // Memory.cpp: allocated before use on every path
void graphs(Report &r);   // Graphs.cpp: graphs of the device: numbers and edges
void streams(Report &r);  // Streams.cpp: stream numbers; no release before the work that uses the memory is done

} // namespace sdfgc::tree::rules
