#include "PrintStatements.h"

namespace sdfgc::tree::text {

std::string StatementPrinter::assignment(const py::Stmt &s) const {
    std::string text;
    for (const py::ExprRef &t : s.targets)
        text += value(t) + " = ";
    return text + value(s.value) + (s.old ? " old " + nameText(s.old) : "");
}

std::string StatementPrinter::text(const py::Stmt &s) {
    using py::StmtKind;
    switch (s.kind) {
    case StmtKind::Assign:
        return assignment(s);
    case StmtKind::AnnAssign:
        return "annotate " + value(s.targets[0]) + " as " + type_(s.type) + (s.extra ? " from " + value(s.extra) : "") +
               (s.value ? " = " + value(s.value) : "");
    case StmtKind::AugAssign:
        return "augment " + value(s.targets[0], Postfix) + " " + std::string(operatorText(s.op)) + "= " + value(s.value);
    case StmtKind::ExprStmt:
        return "do " + value(s.value);
    case StmtKind::If:
        return "if " + value(s.value) + block(s.body) + (s.orelse.empty() ? "" : " else" + block(s.orelse));
    case StmtKind::While:
        return "while " + value(s.value) + block(s.body);
    case StmtKind::For:
        return "for " + value(s.targets[0]) + " over " + value(s.value) + block(s.body);
    case StmtKind::Break:
        return "break";
    case StmtKind::Continue:
        return "continue";
    case StmtKind::Pass:
        return "pass";
    case StmtKind::Return:
        return s.value ? "return " + value(s.value) : "return";
    case StmtKind::Assert:
        return "assert " + value(s.value) + (s.extra ? " else " + value(s.extra) : "");
    case StmtKind::Raw:
        return "raw " + quoted(s.text, '`');
    }
    return {};
}

std::string StatementPrinter::block(const std::vector<py::StmtRef> &body) {
    std::string out = " {\n";
    ++depth_;
    for (const py::StmtRef &s : body)
        out += margin() + text(*s) + "\n";
    --depth_;
    return out + margin() + "}";
}

} // namespace sdfgc::tree::text
