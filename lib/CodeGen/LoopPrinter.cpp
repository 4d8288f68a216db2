// Loops and branches of a function body.
#include "sdfgc/CodeGen/BodyPrinter.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

/// The pragma that unrolls a loop: `times` times, or (0) by `automatic`.
void BodyPrinter::unroll(int64_t times, int64_t automatic) { w_.line(unrolled(times > 0 ? times : automatic)); }

void BodyPrinter::unroll(const For &f) {
    const bool known = f.end.asInt() && f.begin.asInt();
    if (f.unroll)
        unroll(f.unrollFactor, known ? std::min<int64_t>(*f.end.asInt() - *f.begin.asInt() + 1, 1024) : 8);
}

void BodyPrinter::print(const For &f) {
    comment(f.comment);
    unroll(f);
    countedLoop(f);
}

std::string BodyPrinter::condition(const For &f) const {
    const std::string name = var(f.var).name.str();
    return f.descending ? name + " >= " + sym(f.end, Precedence::Shift)
                        : name + " < " + sym(f.end + sym::Expr(1), Precedence::Shift);
}

void BodyPrinter::countedLoop(const For &f) {
    const std::string name = var(f.var).name.str(), type = typeOf(var(f.var));
    std::string step;
    if (f.step.isOne())
        step = "++" + name;
    else if (f.step.isConstant(-1))
        step = "--" + name;
    else if (f.descending)
        step = name + " -= " + sym(-f.step);
    else
        step = name + " += " + sym(f.step);
    scoped("for (" + type + " " + name + " = " + sym(f.begin) + "; " + condition(f) + "; " + step + ")", f.body);
}

void BodyPrinter::print(const Loop &l) {
    comment(l.comment);
    if (l.unroll)
        unroll(l.unrollFactor, 8);
    std::string init = l.init ? simpleStatement(*l.init) : "", update = l.update ? simpleStatement(*l.update) : "";
    if (l.declares && l.init)
        init = typeOf(var(l.declares)) + " " + init;
    std::string condition = l.condition ? value(l.condition) : "true";
    const std::string always = l.unroll ? "true" : ""; // GCC's pragma requires a condition
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

void BodyPrinter::print(const If &i) {
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

/// A statement with a body; no braces around a body of one line.
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
