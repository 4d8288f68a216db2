#include "sdfgc/CodeGen/HostPrinter.h"

#include "Updates.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

std::string HostPrinter::functionName(Name n) const {
    const std::string name = n == number::teamSize ? "omp_get_max_threads"
                             : n == number::thread ? "omp_get_thread_num"
                                                   : BodyPrinter::functionName(n);
    if (name.starts_with("omp_"))
        use("omp");
    return name;
}

BodyPrinter::Owner HostPrinter::owner(VarKind) const { return {"buffer", "rt::Buffer"}; }

// ---------------------------------------------------------------------------------------------------- teams of threads

std::string HostPrinter::pragma(const Omp &o) const {
    use("openmp");
    std::string text = o.inParallelRegion ? "#pragma omp for" : "#pragma omp parallel for";
    if (o.simd)
        text += " simd";
    if (o.collapse > 1)
        text += " collapse(" + std::to_string(o.collapse) + ")";
    if (o.schedule != ir::OmpSchedule::Default) {
        std::string kind(ir::name(o.schedule));
        kind[0] = static_cast<char>(kind[0] - 'A' + 'a');
        text += " schedule(" + kind + (o.chunk > 0 ? ", " + std::to_string(o.chunk) : "") + ")";
    }
    return text + (o.inParallelRegion ? "" : team(o.numThreads, o.onlyIf, o.simd)) + reductions(o.reductions);
}

/// The clauses that set the number of threads of a parallel region. With `simd` the `if` clause names its directive; otherwise it
/// would disable vectorisation, too.
std::string HostPrinter::team(sym::Expr numThreads, sym::Expr onlyIf, bool simd) const {
    return (numThreads.isZero() ? "" : " num_threads(" + sym(numThreads) + ")") +
           (onlyIf == sym::Expr::boolean(true) ? "" : (simd ? " if(parallel : " : " if(") + sym(onlyIf) + ")");
}

/// One clause for each operator: `reduction(+ : a, b)`.
std::string HostPrinter::reductions(const std::vector<Omp::Reduction> &list) const {
    std::vector<std::pair<std::string_view, std::string>> clauses;
    for (const Omp::Reduction &r : list) {
        const std::string name = var(r.var).name.str() + (r.count.isZero() ? "" : "[:" + sym(r.count) + "]");
        const std::string_view op = r.kind == py::Reduction::LogicalXor ? "^" : spellingOf(r.kind).op;
        auto it = std::find_if(clauses.begin(), clauses.end(), [&](const auto &c) { return c.first == op; });
        if (it == clauses.end())
            clauses.emplace_back(op, name);
        else
            it->second += ", " + name;
    }
    std::string text;
    for (const auto &[op, names] : clauses)
        text += " reduction(" + std::string(op) + " : " + names + ")";
    return text;
}

void HostPrinter::print(const For &f) {
    comment(f.comment);
    if (f.checkStep) {
        use("abi");
        w_.line("if (" + sym(f.step, Precedence::Relational) + " <= 0)");
        w_.line("    throw sdfgc::rt::Error(sdfgc::rt::InvalidArgument, \"the step of a map is not positive\");");
    }
    unroll(f);
    if (f.omp) {
        w_.line(pragma(*f.omp));
    } else if (f.simd || !f.accumulators.empty()) {
        use("openmp");
        w_.line("#pragma omp simd" + reductions(f.accumulators));
    }
    countedLoop(f);
}

void HostPrinter::print(const ParallelRegion &p) {
    comment(p.comment);
    if (p.threadVar || p.teamSizeVar)
        use("omp");
    use("openmp");
    w_.line("#pragma omp parallel" + team(p.numThreads, p.onlyIf));
    w_.open();
    if (p.threadVar)
        w_.line("[[maybe_unused]] const int64_t " + var(p.threadVar).name.str() + " = omp_get_thread_num();");
    if (p.teamSizeVar)
        w_.line("[[maybe_unused]] const int64_t " + var(p.teamSizeVar).name.str() + " = omp_get_num_threads();");
    statements(p.body);
    w_.close();
}

void HostPrinter::print(const Sections &s) {
    use("openmp");
    w_.line("#pragma omp parallel sections");
    w_.open();
    for (const auto &section : s.sections) {
        w_.line("#pragma omp section");
        w_.open();
        statements(*section);
        w_.close();
    }
    w_.close();
}

void HostPrinter::print(const Consume &c) {
    use("consume");
    std::string text = "sdfgc::rt::consume(" + elementOf(c.stream) + ", " + sym(c.numPes) + ", " + std::to_string(c.chunk) + ", ";
    if (c.condition)
        text += "[&] { return " + value(c.condition) + "; }, ";
    std::string pe = c.peVar ? "[[maybe_unused]] int64_t " + var(c.peVar).name.str() : "int64_t";
    text += "[&](" + pe + ", " + declarator(var(c.elementVar));
    if (c.countVar)
        text += ", int64_t " + var(c.countVar).name.str();
    comment(c.comment);
    w_.open(text + ")");
    statements(c.body);
    w_.close(");");
}

// ---------------------------------------------------------------------------------------------------- updates

void HostPrinter::atomicUpdate(const Update &u) {
    const Type type = ref(u.target).castTo ? ref(u.target).castTo : var(ref(u.target).var).type;
    const bool native = type.isScalar() && (type.isInteger() || type.isFloat()) && type.bytes().value_or(0) >= 4;
    if (!u.old && native && spellingOf(u.reduction).assigns()) {
        use("openmp");
        w_.line("#pragma omp atomic");
        return plainUpdate(u);
    }
    use("atomic");
    w_.line((u.old ? varText(u.old) + " = " : "") + "sdfgc::rt::atomic_" + std::string(spellingOf(u.reduction).function) + "(&" +
            elementOf(u.target, u.targetIndices) + ", " + value(u.value) + (isCustom(u) ? ", " + value(u.lambda) : "") + ");");
}

// ---------------------------------------------------------------------------------------------------- instrumentation

std::string HostPrinter::measured(const Measure &m) const {
    return "__state->report, " + textLiteral(m.name) + ", {" + std::to_string(m.cfg) + ", " + std::to_string(m.state) + ", " +
           std::to_string(m.node) + "}";
}

std::string HostPrinter::measurement(const Measure &m) const {
    switch (m.by) {
    case ir::Instrumentation::PAPI_Counters:
        use("papi");
        return "const sdfgc::rt::PapiCounters counters(" + measured(m) + ", " + textLiteral(m.counters) + ", " +
               (m.team ? "sdfgc::rt::inTeam" : "sdfgc::rt::inThread") + ");";
    case ir::Instrumentation::LIKWID_CPU:
        use("likwid");
        return "const sdfgc::rt::LikwidRegion region(" + measured(m) + ", " + textLiteral(m.counters) + ");";
    default: {
        use("report");
        const bool isKnown = !m.bytes.isZero() || !m.operations.isZero();
        return "const sdfgc::rt::Timer timer(" + measured(m) +
               (isKnown ? ", {" + sym(m.bytes) + ", " + sym(m.operations) + "}" : "") + ");";
    }
    }
}

void HostPrinter::print(const Measure &m) {
    if (m.team)
        use("openmp");
    w_.open();
    w_.line(measurement(m));
    statements(m.body);
    w_.close();
}

void HostPrinter::print(const DataProbe &p) {
    use("probe");
    std::string call = std::string("__state->data.") + (p.restore ? "restore" : "save") + "(\"" + p.container + "\", \"" + p.key +
                       "\", " + memory(p.ref) + ", " + list(p.shape) + ", " + list(p.strides) + ", " + sym(p.count) + ");";
    if (!p.condition) {
        w_.line(call);
    } else {
        w_.line("if (" + value(p.condition) + ")");
        w_.line("    " + call);
    }
}

} // namespace sdfgc::codegen
