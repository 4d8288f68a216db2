// Functions, blocks and the statements that mean the same on all machines; loops, updates and declarations are in the other
// files of this folder.
#include "sdfgc/CodeGen/BodyPrinter.h"

#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Support/CommentText.h"
#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Walk.h"

namespace sdfgc::codegen {

using namespace tree;
using py::ExprKind;
using py::ExprRef;

BodyPrinter::BodyPrinter(const Module &m, const Function &f, const Output &out, bool inOpenCl)
    : m_(m), f_(f), out_(out), w_(out.text),
      symbols_([this](std::string_view t) { use(t); }, [this](Name n) { return functionName(n); }, inOpenCl) {
    values_.inOpenCl = inOpenCl;
    values_.uses = [this](std::string_view t) { use(t); };
    values_.spell = [this](const py::Expr &e) -> std::string {
        return e.kind == ExprKind::MemRef ? memory(refOf(e), e.args) : functionName(e.name);
    };
}

std::string BodyPrinter::functionName(Name n) const {
    if (!n.view().starts_with(check::prefix))
        return n.str();
    use("checks");
    return "sdfgc::rt::check" + std::string(n.view().substr(check::prefix.size() - 1));
}

void BodyPrinter::useType(Type t) const {
    for (const std::string &topic : topicsOf(t))
        use(topic);
}

// ---------------------------------------------------------------------------------------------------- functions and blocks

std::string BodyPrinter::signature() const {
    std::string text = head() + f_.name.str() + "(";
    std::string separator;
    if (f_.needsState) {
        text += stateName(m_) + " *__state";
        separator = ", ";
    }
    for (VarId p : f_.params)
        text += std::exchange(separator, ", ") + declarator(var(p));
    return text + ")";
}

std::string BodyPrinter::linkageOf(const std::string &linkage) const {
    return f_.inlined ? "[[gnu::always_inline]] static inline " : linkage;
}

void BodyPrinter::function(const std::string &linkage) {
    comment(f_.comment);
    w_.wrapAt(lineWidth);
    if (const std::string parameters = templateHead(); !parameters.empty())
        w_.line(parameters);
    w_.open(linkageOf(linkage) + signature());
    body();
    w_.close();
    companions();
}

std::string BodyPrinter::list(std::span<const sym::Expr> values) const {
    std::string text;
    for (const sym::Expr e : values)
        text += (text.empty() ? "{" : ", ") + sym(e);
    return text.empty() ? "{}" : text + "}";
}

void BodyPrinter::comment(const std::string &text) {
    if (!text.empty())
        w_.line("// " + commentText(text));
}

void BodyPrinter::statements(const Block &b) {
    for (std::size_t i = 0; i < b.body.size(); ++i) {
        if (isLeftOut(b, i))
            continue;
        const Node &n = *b.body[i];
        const int from = w_.nextLine();
        visit(n, [this](const auto &statement) { print(statement); });
        if (!n.origin.empty() && w_.nextLine() > from)
            out_.map.push_back({out_.file, from, w_.nextLine() - 1, n.origin});
    }
}

std::string BodyPrinter::textLiteral(const std::string &text) {
    std::string out = "\"";
    for (char c : text)
        if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= ' ')
            out += c;
    return out + "\"";
}

void BodyPrinter::misplaced(const Node &n) {
    w_.line("#error \"" + std::string(keyword(n.kind)) + " cannot be in " + f_.name.str() + "\"");
}

#define MISPLACED(K)                                                                                                               \
    void BodyPrinter::print(const K &n) { misplaced(n); }
MISPLACED(ParallelRegion)
MISPLACED(Sections)
MISPLACED(Consume)
MISPLACED(Measure)
MISPLACED(DataProbe)
MISPLACED(Launch)
MISPLACED(DeviceCopy)
MISPLACED(DeviceFill)
MISPLACED(Synchronise)
MISPLACED(EventRecord)
MISPLACED(EventWait)
MISPLACED(Release)
MISPLACED(Barrier)
#undef MISPLACED

void BodyPrinter::print(const Block &b) {
    if (b.body.empty())
        return;
    comment(b.comment);
    if (b.catches) {
        w_.open(b.catches.str() + ".run([&]");
        statements(b);
        w_.close(");");
        return;
    }
    if (b.braces)
        w_.open();
    if (b.raises) {
        use("parallel");
        w_.line("sdfgc::rt::DeferredError " + b.raises.str() + ";");
    }
    statements(b);
    if (b.raises)
        w_.line(b.raises.str() + ".rethrow();");
    if (b.braces)
        w_.close();
}

/// One that has not become a function.
void BodyPrinter::print(const GraphRegion &g) {
    comment(g.comment);
    w_.open();
    statements(g.body);
    w_.close();
}

void BodyPrinter::print(const tree::Comment &c) { comment(c.comment); }

void BodyPrinter::print(const Break &) { w_.line("break;"); }

void BodyPrinter::print(const Continue &) { w_.line("continue;"); }

void BodyPrinter::print(const Return &) { w_.line("return;"); }

void BodyPrinter::print(const Goto &g) { w_.line("goto " + g.label.str() + ";"); }

void BodyPrinter::print(const Label &l) { w_.line(l.label.str() + ":;"); }

// ---------------------------------------------------------------------------------------------------- memory and calls

void BodyPrinter::print(const SetPointer &s) { w_.line(varText(s.var) + " = " + memory(s.source) + ";"); }

void BodyPrinter::print(const Memcpy &m) {
    use("cstring");
    w_.line("std::memcpy(" + addressOf(m.target) + ", " + addressOf(m.source) + ", " + sym(m.count, Precedence::Multiplicative) +
            " * sizeof(" + typeName(m.type) + "));");
}

void BodyPrinter::print(const StreamPush &p) {
    w_.line(elementOf(p.stream) + ".push(" + (p.value ? value(p.value) : memory(p.source) + ", " + sym(p.count)) + ");");
}

void BodyPrinter::print(const StreamPop &p) {
    w_.line((p.countVar ? varText(p.countVar) + " = " : "") + elementOf(p.stream) + ".pop(" + memory(p.target) + ", " +
            sym(p.count) + ");");
}

namespace {

bool isZeroLiteral(const py::Expr &e) {
    return (e.kind == ExprKind::Int && e.text == "0") || (e.kind == ExprKind::Bool && e.text == "False") ||
           (e.kind == ExprKind::Float && (e.text == "0.0" || e.text == "0"));
}

} // namespace

void BodyPrinter::print(const Fill &f) {
    if (!f.value || isZeroLiteral(*f.value)) {
        use("cstring");
        w_.line("std::memset(" + memory(f.target) + ", 0, " + sym(f.count, Precedence::Multiplicative) + " * sizeof(" +
                typeName(f.type) + "));");
        return;
    }
    w_.line("for (int64_t fill_index = 0; fill_index < " + sym(f.count, Precedence::Shift) + "; ++fill_index)");
    w_.indent();
    std::string address = memory(f.target);
    bool simple = address.find_first_of("&+ (") == std::string::npos;
    w_.line((simple ? address : "(" + address + ")") + "[fill_index] = " + value(f.value) + ";");
    w_.dedent();
}

std::string BodyPrinter::argument(const Call::Argument &a) const {
    return a.expr ? value(a.expr) : a.ref ? memory(a.ref) : sym(a.value);
}

void BodyPrinter::print(const Call &c) {
    const Function &callee = *m_.functions[c.function];
    std::string arguments = callee.needsState ? "__state" : "";
    for (const Call::Argument &a : c.arguments)
        arguments += (arguments.empty() ? "" : ", ") + argument(a);
    w_.line(callee.name.str() + "(" + arguments + ");");
}

} // namespace sdfgc::codegen
