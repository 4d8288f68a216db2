// Loops and branches of a function body.
#include "sdfgc/CodeGen/BodyPrinter.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

namespace {

std::string_view ompOperator(py::Reduction r) {
    using py::Reduction;
    switch (r) {
    case Reduction::Sum:
        return "+";
    case Reduction::Sub:
        return "-";
    case Reduction::Product:
        return "*";
    case Reduction::Min:
        return "min";
    case Reduction::Max:
        return "max";
    case Reduction::LogicalAnd:
        return "&&";
    case Reduction::LogicalOr:
        return "||";
    case Reduction::BitAnd:
        return "&";
    case Reduction::BitOr:
        return "|";
    default:
        return "^";
    }
}

} // namespace

std::string BodyPrinter::pragma(const Omp &o) const {
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

/// The clauses of a parallel region that say how many threads it has. With `simd` the condition names what it is for: it would
/// forbid vectors, too.
std::string BodyPrinter::team(sym::Expr numThreads, sym::Expr onlyIf, bool simd) const {
    return (numThreads.isZero() ? "" : " num_threads(" + sym(numThreads) + ")") +
           (onlyIf == sym::Expr::boolean(true) ? "" : (simd ? " if(parallel : " : " if(") + sym(onlyIf) + ")");
}

/// One clause for each operator: `reduction(+ : a, b)`.
std::string BodyPrinter::reductions(const std::vector<Omp::Reduction> &list) const {
    std::vector<std::pair<std::string_view, std::string>> clauses;
    for (const Omp::Reduction &r : list) {
        std::string name = var(r.var).name.str() + (r.count.isZero() ? "" : "[:" + sym(r.count) + "]");
        auto it = std::find_if(clauses.begin(), clauses.end(), [&](const auto &c) { return c.first == ompOperator(r.kind); });
        if (it == clauses.end())
            clauses.emplace_back(ompOperator(r.kind), name);
        else
            it->second += ", " + name;
    }
    std::string text;
    for (const auto &[op, names] : clauses)
        text += " reduction(" + std::string(op) + " : " + names + ")";
    return text;
}

void BodyPrinter::forLoop(const For &f) {
    if (f.spread)
        return spreadLoop(f);
    const std::string name = var(f.var).name.str(), type = typeName(var(f.var).type);
    comment(f.comment);
    if (f.checkStep && !onDevice()) {
        use("abi");
        w_.line("if (" + sym(f.step, Precedence::Relational) + " <= 0)");
        w_.line("    throw sdfgc::rt::Error(sdfgc::rt::InvalidArgument, \"the step of a map is not positive\");");
    }
    if (f.unroll)
        w_.line("#pragma GCC unroll " + std::to_string(f.unrollFactor > 0 ? f.unrollFactor
                                                       : f.end.asInt() && f.begin.asInt()
                                                           ? std::min<int64_t>(*f.end.asInt() - *f.begin.asInt() + 1, 1024)
                                                           : 8));
    if (f.omp) {
        w_.line(pragma(*f.omp));
    } else if (f.simd || !f.accumulators.empty()) {
        use("openmp");
        w_.line("#pragma omp simd" + reductions(f.accumulators));
    }
    std::string step;
    if (f.step.isOne())
        step = "++" + name;
    else if (f.step.isConstant(-1))
        step = "--" + name;
    else if (f.descending)
        step = name + " -= " + sym(-f.step);
    else
        step = name + " += " + sym(f.step);
    std::string test =
        f.descending ? name + " >= " + sym(f.end, Precedence::Shift) : name + " < " + sym(f.end + sym::Expr(1), Precedence::Shift);
    std::string head = "for (" + type + " " + name + " = " + sym(f.begin) + "; " + test + "; " + step + ")";
    scoped(head, f.body);
}

void BodyPrinter::loop(const Loop &l) {
    comment(l.comment);
    if (l.unroll)
        w_.line("#pragma GCC unroll " + std::to_string(l.unrollFactor > 0 ? l.unrollFactor : 8));
    std::string init = l.init ? simpleStatement(*l.init) : "", update = l.update ? simpleStatement(*l.update) : "";
    if (l.declares && l.init)
        init = typeName(var(l.declares).type) + " " + init;
    std::string condition = l.condition ? value(l.condition) : "true";
    const std::string always = l.unroll ? "true" : ""; // GCC's pragma wants a condition to be there
    switch (l.form) {
    case Loop::Normal:
        if (init.empty() && update.empty())
            scoped("while (" + condition + ")", l.body);
        else
            scoped("for (" + init + "; " + (l.condition ? condition : always) + "; " + update + ")", l.body);
        return;
    case Loop::Once:
        if (!init.empty())
            w_.line(init + ";");
        scoped("if (" + condition + ")", l.body);
        return;
    case Loop::DoWhile:
        if (!init.empty())
            w_.line(init + ";");
        w_.open("do");
        statements(l.body);
        if (!update.empty())
            w_.line(update + ";");
        w_.close(" while (" + condition + ");");
        return;
    case Loop::TestLast:
        w_.open("for (" + init + "; " + always + "; " + update + ")");
        statements(l.body);
        w_.line("if (!(" + condition + "))");
        w_.line("    break;");
        w_.close();
        return;
    }
}

void BodyPrinter::branches(const If &i) {
    comment(i.comment);
    const bool braces = !std::all_of(i.branches.begin(), i.branches.end(), [](const If::Branch &b) { return isOneLine(*b.body); });
    bool first = true;
    for (const If::Branch &b : i.branches) {
        const std::string test = b.condition ? "if (" + value(b.condition) + ")" : "";
        const std::string head = first ? test : test.empty() ? "else" : "else " + test;
        if (!braces)
            scoped(head, *b.body);
        else if (first)
            w_.open(head);
        else
            w_.reopen(head);
        if (braces)
            statements(*b.body);
        first = false;
    }
    if (braces && !first)
        w_.close();
}

/// A statement with a body, in braces unless that is one line.
void BodyPrinter::scoped(const std::string &head, const Block &body) {
    if (isOneLine(body)) {
        w_.line(head);
        w_.indent();
        statements(body);
        w_.dedent();
        return;
    }
    w_.open(head);
    statements(body);
    w_.close();
}

} // namespace sdfgc::codegen
