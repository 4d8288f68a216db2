#include "sdfgc/CodeGen/BodyPrinter.h"

#include "sdfgc/Support/CommentText.h"

namespace sdfgc::codegen {

using namespace tree;
using py::ExprKind;
using py::ExprRef;

BodyPrinter::BodyPrinter(const Module &m, const Function &f, TextWriter &w, std::set<std::string> &topics,
                         std::vector<MapEntry> &map, std::string file)
    : m_(m), f_(f), w_(w), topics_(topics), map_(map), file_(std::move(file)), symbols_([this](std::string_view t) { use(t); }) {
    values_.inKernel = onDevice();
    values_.uses = [this](std::string_view t) { use(t); };
    values_.spell = [this](const py::Expr &e) -> std::string {
        if (e.kind == ExprKind::MemRef)
            return memory(refOf(e), e.args);
        const std::string name = functionName(e.name);
        if (name.starts_with("sdfgc::rt::check"))
            use("checks");
        if (name.starts_with("omp_"))
            use("omp");
        return name;
    };
}

/// A type's name in C++, on the side of the machine that the function runs on.
std::string BodyPrinter::typeName(Type t) const { return onDevice() ? t.kernelName() : t.cppName(); }

void BodyPrinter::useType(Type t) const {
    for (const std::string &topic : topicsOf(t))
        use(topic == "complex" && onDevice() ? "gpu_complex" : topic);
}

std::string BodyPrinter::value(const ExprRef &e) const { return values_.expr(*e); }

// ---------------------------------------------------------------------------------------------------- functions and blocks

std::string BodyPrinter::signature() const {
    std::string text = (onDevice() ? kernelHead() : "void ") + f_.name.str() + "(";
    bool first = true;
    auto add = [&](const std::string &p) {
        text += (first ? "" : ", ") + p;
        first = false;
    };
    if (f_.needsState)
        add("State *__state");
    for (VarId p : f_.params)
        add(declarator(var(p)));
    return text + ")";
}

void BodyPrinter::function(const std::string &linkage) {
    if (f_.graph)
        return graphFunction(linkage);
    comment(f_.comment);
    w_.wrapAt(lineWidth);
    w_.open((onDevice() ? "" : f_.inlined ? "[[gnu::always_inline]] static inline " : linkage) + signature());
    if (onDevice())
        kernelConstants();
    statements(f_.body);
    w_.close();
}

void BodyPrinter::comment(const std::string &text) {
    if (!text.empty())
        w_.line("// " + commentText(text));
}

void BodyPrinter::statements(const Block &b) {
    for (std::size_t i = 0; i < b.body.size(); ++i) {
        const NodePtr &n = b.body[i];
        if (describing_ && n->kind == Kind::Comment && i + 1 < b.body.size() && isOfHostPath(*b.body[i + 1]))
            continue;
        int from = w_.nextLine();
        statement(*n);
        if (!n->origin.empty() && w_.nextLine() > from)
            map_.push_back({file_, from, w_.nextLine() - 1, n->origin});
    }
}

void BodyPrinter::block(const Block &b) {
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

void BodyPrinter::statement(const Node &n) {
    if (describing_ && isOfHostPath(n))
        return;
    switch (n.kind) {
    case Kind::Block:
        return block(static_cast<const Block &>(n));
    case Kind::Comment:
        return comment(n.comment);
    case Kind::Declare:
        return declare(static_cast<const Declare &>(n));
    case Kind::Allocate:
        return allocate(static_cast<const Allocate &>(n));
    case Kind::Code:
        return code(static_cast<const Code &>(n));
    case Kind::Update:
        return update(static_cast<const Update &>(n));
    case Kind::LibraryCall:
        return libraryCall(static_cast<const LibraryCall &>(n));
    case Kind::RawTasklet:
        return rawTasklet(static_cast<const RawTasklet &>(n));
    case Kind::For:
        return forLoop(static_cast<const For &>(n));
    case Kind::Loop:
        return describing_ ? graphLoop(static_cast<const Loop &>(n)) : loop(static_cast<const Loop &>(n));
    case Kind::If:
        return branches(static_cast<const If &>(n));
    case Kind::Memcpy: {
        const auto &m = static_cast<const Memcpy &>(n);
        use("cstring");
        w_.line("std::memcpy(" + addressOf(m.target) + ", " + addressOf(m.source) + ", " +
                sym(m.count, Precedence::Multiplicative) + " * sizeof(" + typeName(m.type) + "));");
        return;
    }
    case Kind::Fill:
        return fill(static_cast<const Fill &>(n));
    case Kind::SetPointer: {
        const auto &s = static_cast<const SetPointer &>(n);
        w_.line(varText(s.var) + " = " + memory(s.source) + ";");
        return;
    }
    case Kind::Call:
        return call(static_cast<const Call &>(n));
    case Kind::Break:
        w_.line("break;");
        return;
    case Kind::Continue:
        w_.line("continue;");
        return;
    case Kind::Return:
        w_.line("return;");
        return;
    case Kind::Goto:
        w_.line("goto " + static_cast<const Goto &>(n).label.str() + ";");
        return;
    case Kind::Label:
        w_.line(static_cast<const Label &>(n).label.str() + ":;");
        return;
    case Kind::ParallelRegion:
        return parallelRegion(static_cast<const ParallelRegion &>(n));
    case Kind::Sections: {
        use("openmp");
        w_.line("#pragma omp parallel sections");
        w_.open();
        for (const auto &s : static_cast<const Sections &>(n).sections) {
            w_.line("#pragma omp section");
            w_.open();
            statements(*s);
            w_.close();
        }
        w_.close();
        return;
    }
    case Kind::Consume:
        return consume(static_cast<const Consume &>(n));
    case Kind::StreamPush: {
        const auto &p = static_cast<const StreamPush &>(n);
        std::string what = p.value ? value(p.value) : memory(p.source) + ", " + sym(p.count);
        w_.line(elementOf(p.stream) + ".push(" + what + ");");
        return;
    }
    case Kind::StreamPop: {
        const auto &p = static_cast<const StreamPop &>(n);
        w_.line((p.countVar ? varText(p.countVar) + " = " : "") + elementOf(p.stream) + ".pop(" + memory(p.target) + ", " +
                sym(p.count) + ");");
        return;
    }
    case Kind::GraphRegion: // none that has not become a function
        comment(n.comment);
        w_.open();
        statements(static_cast<const GraphRegion &>(n).body);
        w_.close();
        return;
    case Kind::Timer:
        return timer(static_cast<const Timer &>(n));
    case Kind::DataProbe:
        return probe(static_cast<const DataProbe &>(n));
    default:
        deviceOperation(n);
        return;
    }
}

// ---------------------------------------------------------------------------------------------------- calls and the rest

namespace {

bool isZeroLiteral(const py::Expr &e) {
    return (e.kind == ExprKind::Int && e.text == "0") || (e.kind == ExprKind::Bool && e.text == "False") ||
           (e.kind == ExprKind::Float && (e.text == "0.0" || e.text == "0"));
}

} // namespace

void BodyPrinter::fill(const Fill &f) {
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

void BodyPrinter::call(const Call &c) {
    const Function &callee = *m_.functions[c.function];
    std::string text = callee.name.str() + "(";
    bool first = true;
    auto add = [&](const std::string &a) {
        text += (first ? "" : ", ") + a;
        first = false;
    };
    if (callee.needsState)
        add("__state");
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
        const Call::Argument &a = c.arguments[i];
        if (a.expr)
            add(value(a.expr));
        else if (!a.ref)
            add(sym(a.value));
        else
            add(memory(a.ref));
    }
    w_.line(text + ");");
}

void BodyPrinter::parallelRegion(const ParallelRegion &p) {
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

void BodyPrinter::consume(const Consume &c) {
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

void BodyPrinter::timer(const Timer &t) {
    use("report");
    w_.open();
    w_.line("const sdfgc::rt::Timer timer(__state->report, \"" + t.name + "\", \"" + t.category + "\", {" + std::to_string(t.cfg) +
            ", " + std::to_string(t.state) + ", " + std::to_string(t.node) + "});");
    statements(t.body);
    w_.close();
}

void BodyPrinter::probe(const DataProbe &p) {
    use("probe");
    auto list = [&](const std::vector<sym::Expr> &es) {
        std::string text = "{";
        for (std::size_t i = 0; i < es.size(); ++i)
            text += (i ? ", " : "") + sym(es[i]);
        return text + "}";
    };
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
