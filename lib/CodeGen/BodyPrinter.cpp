#include "sdfgc/CodeGen/BodyPrinter.h"
#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Support/CppWords.h"

#include <algorithm>
#include <cctype>

namespace sdfgc::codegen {

using namespace tree;
using py::ExprKind;
using py::ExprRef;

namespace {

struct Topic {
    std::string_view topic, include;
};
constexpr Topic topicTable[] = {
    {"abi", "\"sdfgc/rt/abi.h\""},       {"atomic", "\"sdfgc/rt/atomic.h\""}, {"buffer", "\"sdfgc/rt/buffer.h\""},
    {"cmath", "<cmath>"},                {"complex", "\"sdfgc/rt/complex.h\""}, {"consume", "\"sdfgc/rt/consume.h\""},
    {"cstdint", "<cstdint>"},            {"cstdio", "<cstdio>"},              {"cstring", "<cstring>"},
    {"dace", "\"dace/dace.h\""},         {"half", "\"sdfgc/rt/lowp.h\""},     {"lowp", "\"sdfgc/rt/lowp.h\""},
    {"limits", "<limits>"},              {"math", "\"sdfgc/rt/math.h\""},     {"omp", "<omp.h>"},
    {"report", "\"sdfgc/rt/report.h\""}, {"stream", "\"sdfgc/rt/stream.h\""}, {"ufunc", "\"sdfgc/rt/ufunc.h\""},
    {"vec", "\"sdfgc/rt/vecmath.h\""},   {"probe", "\"sdfgc/rt/probe.h\""},   {"compat", "\"sdfgc/rt/compat.h\""},
    {"typeless", "\"sdfgc/rt/typeless.h\""}, {"dacemath", "\"sdfgc/rt/dacemath.h\""}, {"new", "<new>"}, {"climits", "<climits>"}, {"complexmath", "\"sdfgc/rt/complex.h\""},
    {"cfloat", "<cfloat>"}, {"cassert", "<cassert>"}, {"tuple", "<tuple>"}, {"range", "\"sdfgc/rt/range.h\""},
};

bool isZeroLiteral(const py::Expr &e) {
    return (e.kind == ExprKind::Int && e.text == "0") || (e.kind == ExprKind::Bool && e.text == "False") ||
           (e.kind == ExprKind::Float && (e.text == "0.0" || e.text == "0"));
}

std::string joinLines(const std::string &text) {
    std::string out = text;
    while (!out.empty() && (out.back() == '\n' || out.back() == ' '))
        out.pop_back();
    return out;
}

} // namespace

std::string includeOf(std::string_view topic) {
    for (const Topic &t : topicTable)
        if (t.topic == topic)
            return std::string(t.include);
    return "\"sdfgc/rt/" + std::string(topic) + ".h\"";
}

std::vector<std::string> topicsOf(Type t) {
    if (t.isPointer())
        return topicsOf(t.element());
    if (t.isVector()) {
        std::vector<std::string> out = topicsOf(t.element());
        out.emplace_back("vec");
        return out;
    }
    if (t.isStruct()) {
        std::vector<std::string> out;
        for (const auto &[n, f] : t.fields())
            if (!(f.isPointer() && f.element() == t))
                for (std::string &s : topicsOf(f))
                    out.push_back(std::move(s));
        return out;
    }
    if (t.isComplex())
        return {"complex"};
    switch (t.scalar()) {
    case ScalarKind::Float16:
    case ScalarKind::BFloat16:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2: return {"lowp"};
    default: return {};
    }
}

BodyPrinter::BodyPrinter(const Module &m, const Function &f, TextWriter &w, std::set<std::string> &topics, std::vector<MapEntry> &map,
                         std::string file)
    : m_(m), f_(f), w_(w), topics_(topics), map_(map), file_(std::move(file)), symbols_([this](std::string_view t) { use(t); }) {
    values_.uses = [this](std::string_view t) { use(t); };
    values_.spell = [this](const py::Expr &e) -> std::string {
        if (e.kind == ExprKind::MemRef)
            return memory(e.slot, e.args);
        return e.name.str();
    };
}

void BodyPrinter::useType(Type t) const {
    for (const std::string &topic : topicsOf(t))
        use(topic);
}

std::string BodyPrinter::value(const ExprRef &e) const { return values_.expr(*e); }

// ---------------------------------------------------------------------------------------------------- memory references

std::string BodyPrinter::varText(VarId v) const {
    const Variable &x = var(v);
    if (x.kind == VarKind::StateField)
        return "__state->" + x.name.str();
    if (x.kind != VarKind::Member)
        return x.name.str();
    const Variable &parent = var(x.parent);
    bool direct = parent.kind == VarKind::Value && parent.type.isStruct();
    return varText(x.parent) + (direct ? "." : "->") + x.name.str();
}

std::string BodyPrinter::index(const MemRef &r, const std::vector<ExprRef> &args) const {
    std::string text = r.offset.isZero() && !args.empty() ? "" : sym(r.offset, args.empty() ? Precedence::Conditional : Precedence::Additive);
    for (std::size_t i = 0; i < args.size(); ++i) {
        bool unit = i >= r.strides.size() || r.strides[i].isOne();
        bool simple = args[i]->kind == ExprKind::Name || args[i]->kind == ExprKind::MemRef || args[i]->kind == ExprKind::Int ||
                      (args[i]->kind == ExprKind::Cast);
        std::string term = value(args[i]);
        if (!simple)
            term = "(" + term + ")";
        if (!unit)
            term += " * " + sym(r.strides[i], Precedence::Unary);
        text += (text.empty() ? "" : " + ") + term;
    }
    return text;
}

namespace {

/// Is the variable itself the element (when the offset is zero)?
bool isValueLike(const Variable &v) {
    switch (v.kind) {
    case VarKind::Value:
    case VarKind::Reference:
    case VarKind::StreamRef:
    case VarKind::StreamView:
    case VarKind::StructPtr:
    case VarKind::Callback: return true;
    case VarKind::Stream: return v.count.isOne();
    case VarKind::Member:
    case VarKind::StateField: return v.count.isZero();
    default: return false;
    }
}

} // namespace

std::string BodyPrinter::elementOf(int slot, const std::vector<ExprRef> &args) const {
    const MemRef &r = ref(slot);
    const Variable &v = var(r.var);
    if (r.castTo) {
        useType(r.castTo);
        return "(*" + castAddress(r, addressOf(slot, args)) + ")";
    }
    bool zero = r.offset.isZero() && args.empty();
    std::string text = varText(r.var);
    if (isValueLike(v) && zero)
        return text;
    if (isValueLike(v) && v.kind != VarKind::StructPtr && v.kind != VarKind::Stream)
        return "(&" + text + ")[" + index(r, args) + "]";
    return text + "[" + index(r, args) + "]";
}

std::string BodyPrinter::addressOf(int slot, const std::vector<ExprRef> &args) const {
    const MemRef &r = ref(slot);
    const Variable &v = var(r.var);
    bool zero = r.offset.isZero() && args.empty();
    std::string text = varText(r.var);
    if ((v.kind == VarKind::StructPtr || (v.kind == VarKind::Member && v.type.isStruct())) && zero)
        return text;
    if (isValueLike(v))
        return zero ? "&" + text : "&" + text + " + " + index(r, args);
    if (!zero)
        return "&" + text + "[" + index(r, args) + "]";
    bool owns = v.kind == VarKind::Buffer || v.kind == VarKind::DeviceBuffer || v.kind == VarKind::PinnedBuffer ||
                v.kind == VarKind::PoolBuffer;
    if (v.kind == VarKind::StateField) // memory of the caller is a plain pointer
        owns = std::none_of(m_.fields.begin(), m_.fields.end(), [&](const StateField &f) { return f.name == v.name && f.lifetime == ir::Lifetime::External; });
    return owns ? text + ".data()" : text;
}

std::string BodyPrinter::memory(int slot, const std::vector<ExprRef> &args) const {
    const MemRef &r = ref(slot);
    if (r.pop)
        return elementOf(slot, args) + ".pop()";
    if (!r.address)
        return elementOf(slot, args);
    std::string text = addressOf(slot, args);
    if (r.castTo) {
        useType(r.castTo);
        return castAddress(r, text);
    }
    return text;
}

/// As a pointer to the other type; what is const stays const.
std::string BodyPrinter::castAddress(const MemRef &r, const std::string &address) const {
    return "reinterpret_cast<" + std::string(var(r.var).isConst ? "const " : "") + r.castTo.cppName() + " *>(" + address + ")";
}

// ---------------------------------------------------------------------------------------------------- functions and blocks

std::string BodyPrinter::declarator(const Variable &v) const {
    useType(v.type);
    std::string type = (v.isConst ? "const " : "") + v.type.cppName();
    switch (v.kind) {
    case VarKind::Pointer: return type + (type.back() == '*' ? "*" : " *") + (v.isRestrict ? "__restrict " : "") + v.name.str();
    case VarKind::StructPtr: return type + " *" + v.name.str();
    case VarKind::Reference: return type + " &" + v.name.str();
    case VarKind::Stream:
    case VarKind::StreamRef: use("stream"); return "sdfgc::rt::Stream<" + v.type.cppName() + "> &" + v.name.str();
    case VarKind::Callback: return cParameter({v.name, v.name, v.type, nullptr});
    default: return type + (type.back() == '*' ? "" : " ") + v.name.str();
    }
}

std::string BodyPrinter::signature() const {
    std::string text = "void " + f_.name.str() + "(";
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
    comment(f_.comment);
    w_.wrapAt(lineWidth);
    w_.open((onDevice() ? kernelHead() : linkage) + signature());
    if (onDevice())
        kernelConstants();
    statements(f_.body);
    w_.close();
}

void BodyPrinter::comment(const std::string &text) {
    if (text.empty())
        return;
    std::string line = "// ";
    for (char c : text)
        line += c == '\n' || c == '\r' || c == '\\' ? ' ' : c;
    w_.line(line);
}

void BodyPrinter::statements(const Block &b) {
    for (const NodePtr &n : b.body) {
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
    if (b.braces)
        w_.open();
    statements(b);
    if (b.braces)
        w_.close();
}

void BodyPrinter::statement(const Node &n) {
    switch (n.kind) {
    case Kind::Block: return block(static_cast<const Block &>(n));
    case Kind::Comment: return comment(n.comment);
    case Kind::Declare: return declare(static_cast<const Declare &>(n));
    case Kind::Allocate: return allocate(static_cast<const Allocate &>(n));
    case Kind::Code: return code(static_cast<const Code &>(n));
    case Kind::Update: return update(static_cast<const Update &>(n));
    case Kind::RawTasklet: return rawTasklet(static_cast<const RawTasklet &>(n));
    case Kind::For: return forLoop(static_cast<const For &>(n));
    case Kind::Loop: return loop(static_cast<const Loop &>(n));
    case Kind::If: return branches(static_cast<const If &>(n));
    case Kind::Memcpy: {
        const auto &m = static_cast<const Memcpy &>(n);
        use("cstring");
        w_.line("std::memcpy(" + addressOf(m.target) + ", " + addressOf(m.source) + ", " + sym(m.count, Precedence::Multiplicative) + " * sizeof(" +
                m.type.cppName() + "));");
        return;
    }
    case Kind::Fill: return fill(static_cast<const Fill &>(n));
    case Kind::SetPointer: {
        const auto &s = static_cast<const SetPointer &>(n);
        w_.line(varText(s.var) + " = " + memory(s.source) + ";");
        return;
    }
    case Kind::Call: return call(static_cast<const Call &>(n));
    case Kind::Break: w_.line("break;"); return;
    case Kind::Continue: w_.line("continue;"); return;
    case Kind::Return: w_.line("return;"); return;
    case Kind::Goto: w_.line("goto " + static_cast<const Goto &>(n).label.str() + ";"); return;
    case Kind::Label: w_.line(static_cast<const Label &>(n).label.str() + ":;"); return;
    case Kind::ParallelRegion: return parallelRegion(static_cast<const ParallelRegion &>(n));
    case Kind::Sections: {
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
    case Kind::Consume: return consume(static_cast<const Consume &>(n));
    case Kind::StreamPush: {
        const auto &p = static_cast<const StreamPush &>(n);
        std::string what = p.value ? value(p.value) : memory(p.source) + ", " + sym(p.count);
        w_.line(elementOf(p.stream) + ".push(" + what + ");");
        return;
    }
    case Kind::StreamPop: {
        const auto &p = static_cast<const StreamPop &>(n);
        w_.line(elementOf(p.stream) + ".pop(" + memory(p.target) + ", " + sym(p.count) + ");");
        return;
    }
    case Kind::Timer: return timer(static_cast<const Timer &>(n));
    case Kind::DataProbe: return probe(static_cast<const DataProbe &>(n));
    default: deviceOperation(n); return;
    }
}

// ---------------------------------------------------------------------------------------------------- declarations

void BodyPrinter::declare(const Declare &d) {
    const Variable &v = var(d.var);
    useType(v.type);
    std::string type = v.type.cppName(), name = v.name.str();
    switch (v.kind) {
    case VarKind::Value: {
        std::string init = d.init ? " = " + value(d.init) : v.zeroed ? (v.type.isStruct() ? "{}" : " = 0") : "";
        w_.line(declarator(v) + init + ";");
        return;
    }
    case VarKind::Stack: {
        std::string align = v.alignment > 0 ? "alignas(" + std::to_string(v.alignment) + ") " : "";
        w_.line(align + type + " " + name + "[" + sym(v.count) + "]" + (v.zeroed ? " = {}" : "") + ";");
        return;
    }
    case VarKind::Shared: w_.line("SDFGC_SHARED(" + type + ", " + name + ", " + sym(v.count) + ");"); return;
    case VarKind::Buffer:
    case VarKind::DeviceBuffer:
    case VarKind::PoolBuffer:
    case VarKind::PinnedBuffer: {
        const bool host = v.kind == VarKind::Buffer;
        use(!host ? "gpu_program" : onDevice() ? "gpu_heap" : "buffer");
        std::string args = v.countKnown ? allocation(v, v.count) : "";
        if (!host) // reports of the emulation name the container
            args = '"' + name + '"' + (args.empty() ? "" : ", " + args);
        const std::string owner = host                             ? onDevice() ? "gpu::ThreadBuffer" : "rt::Buffer"
                                  : v.kind == VarKind::DeviceBuffer ? "gpu::Buffer"
                                  : v.kind == VarKind::PoolBuffer   ? "gpu::PoolBuffer"
                                                                    : "gpu::PinnedBuffer";
        w_.line("sdfgc::" + owner + "<" + type + "> " + name + (args.empty() ? "" : "(" + args + ")") + ";");
        if (v.zeroed && v.countKnown)
            w_.line(name + ".zero();");
        return;
    }
    case VarKind::Pointer:
        if (d.target < 0)
            w_.line(declarator(v) + " = nullptr;");
        else
            w_.line(declarator(v) + " = " + memory(d.target) + ";");
        return;
    case VarKind::StructPtr:
        if (d.target < 0)
            w_.line(declarator(v) + " = nullptr;");
        else
            w_.line(declarator(v) + " = " + (var(ref(d.target).var).kind == VarKind::Value ? addressOf(d.target) : memory(d.target)) + ";");
        return;
    case VarKind::Reference:
    case VarKind::StreamRef: w_.line(declarator(v) + " = " + elementOf(d.target) + ";"); return;
    case VarKind::Stream:
        use("stream");
        if (v.count.isOne())
            w_.line("sdfgc::rt::Stream<" + type + "> " + name + ";");
        else
            w_.line("sdfgc::rt::StreamArray<" + type + "> " + name + "(" + sym(v.count) + ");");
        return;
    case VarKind::StreamView:
        use("stream");
        w_.line("sdfgc::rt::ArrayStreamView<" + type + "> " + name + "(" + memory(d.target) + ");");
        return;
    default: return;
    }
}

/// Arguments of Buffer's constructor and of allocate(): what is not the default.
std::string BodyPrinter::allocation(const Variable &v, sym::Expr count) const {
    std::string args = sym(count);
    if (!v.startOffset.isZero() || v.alignment > 0)
        args += ", " + sym(v.startOffset);
    if (v.alignment > 0)
        args += ", " + std::to_string(v.alignment);
    return args;
}

void BodyPrinter::allocate(const Allocate &a) {
    if (var(a.var).kind == VarKind::PoolBuffer) {
        comment(a.comment);
        w_.line("__state->gpu.allocate(" + std::to_string(a.stream) + ", " + varText(a.var) + ", " + allocation(var(a.var), a.count) + ");");
        if (a.zero)
            w_.line("__state->gpu.zero(" + std::to_string(a.stream) + ", " + varText(a.var) + ");");
        return;
    }
    w_.line(varText(a.var) + (a.reserve ? ".reserve(" : ".allocate(") + allocation(var(a.var), a.count) + ");");
    if (a.zero)
        w_.line(varText(a.var) + ".zero();");
}

// ---------------------------------------------------------------------------------------------------- statements

namespace {

/// The form of an operator that assigns; null where there is none.
const char *assigning(py::Op op) {
    using py::Op;
    switch (op) {
    case Op::Add: return "+=";
    case Op::Sub: return "-=";
    case Op::Mul: return "*=";
    case Op::TrueDiv:
    case Op::CDiv: return "/=";
    case Op::CMod: return "%=";
    case Op::Shl: return "<<=";
    case Op::Shr: return ">>=";
    case Op::BitAnd: return "&=";
    case Op::BitOr: return "|=";
    case Op::BitXor: return "^=";
    default: return nullptr;
    }
}

bool isOne(const py::Expr &e) { return e.kind == ExprKind::Int && e.text == "1"; }

} // namespace

/// Do both mean the same variable or element, without indices that depend on data?
bool BodyPrinter::samePlace(const py::Expr &a, const py::Expr &b) const {
    if (a.kind == ExprKind::Name && b.kind == ExprKind::Name)
        return a.name == b.name;
    if (a.kind != ExprKind::MemRef || b.kind != ExprKind::MemRef || !a.args.empty() || !b.args.empty())
        return false;
    const MemRef &x = ref(a.slot), &y = ref(b.slot);
    return x.var == y.var && x.offset == y.offset && !x.castTo && !y.castTo && !x.address && !y.address && !x.pop && !y.pop;
}

/// `i = i + 1` reads better as `++i`, and `x = x * y` as `x *= y`.
std::string BodyPrinter::assignment(const py::Stmt &s) const {
    const py::Expr &target = *s.targets[0], &v = *s.value;
    const std::string left = value(s.targets[0]);
    const bool counter = target.kind == ExprKind::Name && target.type.isVoid(); // of a loop
    const bool native = counter || target.type.isInteger() || target.type.isComplex() || target.type == Type(ScalarKind::Float32) ||
                        target.type == Type(ScalarKind::Float64);
    if (!native || v.kind != ExprKind::Binary || !assigning(v.op) || !samePlace(target, *v.args[0]))
        return left + " = " + value(s.value);
    py::Op op = v.op;
    py::ExprRef operand = v.args[1];
    if ((op == py::Op::Add || op == py::Op::Sub) && operand->kind == ExprKind::Unary && operand->op == py::Op::Neg) {
        op = op == py::Op::Add ? py::Op::Sub : py::Op::Add;
        operand = operand->args[0];
    }
    if ((op == py::Op::Add || op == py::Op::Sub) && isOne(*operand) && (counter || target.type.isInteger()))
        return (op == py::Op::Add ? "++" : "--") + left;
    return left + " " + assigning(op) + " " + value(operand);
}

std::string BodyPrinter::simpleStatement(const py::Stmt &s) const {
    if (s.kind == py::StmtKind::Assign && s.targets.size() == 1)
        return assignment(s);
    return s.kind == py::StmtKind::ExprStmt ? value(s.value) : "";
}

namespace {

/// Statements that need no declarations around them.
bool isSimple(const Code &c) {
    return c.locals.empty() && std::all_of(c.stmts.begin(), c.stmts.end(), [](const py::StmtRef &s) {
        return (s->kind == py::StmtKind::Assign && s->targets.size() == 1 && s->targets[0]->kind != ExprKind::Tuple) ||
               s->kind == py::StmtKind::ExprStmt;
    });
}

} // namespace

/// One line of text, which needs no braces around it.
bool BodyPrinter::isOneLine(const Block &b) {
    if (b.body.size() != 1)
        return false;
    const Node &n = *b.body[0];
    switch (n.kind) {
    case Kind::Code: return isSimple(static_cast<const Code &>(n)) && static_cast<const Code &>(n).stmts.size() == 1;
    case Kind::Update: return !static_cast<const Update &>(n).atomic;
    case Kind::Allocate: return !static_cast<const Allocate &>(n).zero;
    case Kind::Memcpy:
    case Kind::SetPointer:
    case Kind::Call:
    case Kind::StreamPush:
    case Kind::StreamPop:
    case Kind::Break:
    case Kind::Continue:
    case Kind::Return:
    case Kind::Goto: return true;
    default: return false;
    }
}

void BodyPrinter::code(const Code &c) {
    if (isSimple(c)) {
        for (const py::StmtRef &s : c.stmts)
            w_.line(simpleStatement(*s) + ";");
        return;
    }
    for (const auto &[n, t] : c.locals)
        useType(t);
    if (c.braces)
        w_.open();
    w_.line(joinLines(values_.stmts(c.stmts, c.locals, 0)));
    if (c.braces)
        w_.close();
}

void BodyPrinter::update(const Update &u) {
    using py::Reduction;
    std::string target = elementOf(u.target, u.targetIndices), v = value(u.value);
    Type type = ref(u.target).castTo ? ref(u.target).castTo : var(ref(u.target).var).type;
    bool native = type.isScalar() && (type.isInteger() || type.isFloat()) && type.bytes().value_or(0) >= 4;
    bool looseValue = u.value->kind == ExprKind::IfExp || u.value->kind == ExprKind::Lambda;
    std::string operand = looseValue ? "(" + v + ")" : v;
    const bool fetch = u.old >= 0;
    if (onDevice() && u.atomic)
        return deviceUpdate(u);
    auto assign = [&](const char *op) {
        if (u.atomic && native)
            w_.line("#pragma omp atomic");
        w_.line(target + " " + op + " " + v + ";");
    };
    auto atomic = [&](const std::string &name, const std::string &extra = "") {
        use("atomic");
        std::string address = "&" + target;
        w_.line((fetch ? varText(u.old) + " = " : "") + "sdfgc::rt::" + name + "(" + address + ", " + v + extra + ");");
    };
    auto lambdaText = [&] { return value(u.lambda); };
    switch (u.reduction) {
    case Reduction::Sum: return fetch || (u.atomic && !native) ? atomic("atomic_add") : assign("+=");
    case Reduction::Sub: return fetch || (u.atomic && !native) ? atomic("atomic_sub") : assign("-=");
    case Reduction::Product: return fetch || (u.atomic && !native) ? atomic("atomic_mul") : assign("*=");
    case Reduction::Div: return fetch || (u.atomic && !native) ? atomic("atomic_div") : assign("/=");
    case Reduction::BitAnd: return fetch || (u.atomic && !native) ? atomic("atomic_and") : assign("&=");
    case Reduction::BitOr: return fetch || (u.atomic && !native) ? atomic("atomic_or") : assign("|=");
    case Reduction::BitXor: return fetch || (u.atomic && !native) ? atomic("atomic_xor") : assign("^=");
    case Reduction::Exchange: return fetch || u.atomic ? atomic("atomic_exchange") : assign("=");
    case Reduction::Min:
    case Reduction::Max: {
        std::string name = u.reduction == Reduction::Min ? "min" : "max";
        if (fetch || u.atomic)
            return atomic("atomic_" + name);
        use("math");
        // A variable has its type; the type of other expressions is C++'s business, and may be wider.
        bool same = u.value->type == type && (u.value->kind == ExprKind::MemRef || u.value->kind == ExprKind::Name);
        std::string types = same ? "" : "<" + type.cppName() + ", " + type.cppName() + ">";
        w_.line(target + " = sdfgc::rt::" + name + types + "(" + target + ", " + v + ");");
        return;
    }
    case Reduction::LogicalAnd: return fetch || u.atomic ? atomic("atomic_logical_and") : w_.line(target + " = " + target + " && " + operand + ";");
    case Reduction::LogicalOr: return fetch || u.atomic ? atomic("atomic_logical_or") : w_.line(target + " = " + target + " || " + operand + ";");
    case Reduction::LogicalXor:
        return fetch || u.atomic ? atomic("atomic_logical_xor") : w_.line(target + " = !" + target + " != !(" + v + ");");
    case Reduction::Custom:
    case Reduction::MinLocation:
    case Reduction::MaxLocation:
        if (fetch || u.atomic)
            return atomic("atomic_update", ", " + lambdaText());
        w_.line(target + " = " + lambdaText() + "(" + target + ", " + v + ");");
        return;
    }
}

/// Does a text bind tighter than any operator around it? Behind a cast an address does, too.
static bool isOperand(const std::string &text, bool behindCast) {
    int depth = 0;
    for (char c : text) {
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (depth == 0 && (c == ' ' || c == '*' || (c == '&' && !behindCast)))
            return false;
    }
    return true;
}

/// The text of a statement with what its bindings are bound to: in parentheses, unless it is a whole argument or an operand anyway.
std::string BodyPrinter::inPlace(const RawTasklet &t) const {
    const std::string &text = t.text;
    std::string out;
    std::size_t done = 0;
    for (const CppWord &w : cppWords(text)) {
        auto b = std::find_if(t.bindings.begin(), t.bindings.end(), [&](const RawTasklet::Binding &x) { return x.name.view() == w.text; });
        if (b == t.bindings.end() || w.where != CppWord::Code || w.member)
            continue;
        out += text.substr(done, w.at - done);
        done = w.at + w.text.size();
        const std::size_t before = out.find_last_not_of(" \n"), after = text.find_first_not_of(" \n", done);
        const bool argument = before != std::string::npos && (out[before] == '(' || out[before] == ',') && after != std::string::npos &&
                              (text[after] == ')' || text[after] == ',');
        if (b->form == RawTasklet::Binding::Symbol) {
            out += sym(b->symbol, argument ? Precedence::Conditional : Precedence::Primary);
        } else {
            const std::string bound = memory(b->ref);
            const bool cast = before != std::string::npos && out[before] == ')';
            out += argument || isOperand(bound, cast) ? bound : "(" + bound + ")";
        }
    }
    return out + text.substr(done);
}

void BodyPrinter::rawTasklet(const RawTasklet &t) {
    comment(t.comment);
    if (t.inPlace)
        return w_.line(inPlace(t));
    use("dace");
    w_.open();
    for (const RawTasklet::Binding &b : t.bindings) {
        useType(b.type);
        const std::string name = b.name.str(), type = b.type.cppName(), c = b.isConst ? "const " : "";
        const std::string unused = b.unused ? "[[maybe_unused]] " : "";
        using Form = RawTasklet::Binding::Form;
        switch (b.form) {
        case Form::Value: w_.line(unused + type + " " + name + " = " + memory(b.ref) + ";"); break;
        case Form::ConstRef: w_.line(unused + "const " + type + " &" + name + " = " + memory(b.ref) + ";"); break;
        case Form::Pointer: w_.line(unused + c + type + " *" + name + (b.ref >= 0 ? " = " + memory(b.ref) : "") + ";"); break;
        case Form::Uninitialised: w_.line(type + " " + name + ";"); break;
        case Form::Stream: w_.line(unused + "auto &" + name + " = " + elementOf(b.ref) + ";"); break;
        case Form::Symbol: w_.line(unused + "const " + type + " " + name + " = " + sym(b.symbol) + ";"); break;
        }
    }
    w_.line(joinLines(t.text));
    for (const NodePtr &n : t.after)
        statement(*n);
    w_.close();
}

// ---------------------------------------------------------------------------------------------------- calls and the rest

void BodyPrinter::fill(const Fill &f) {
    if (!f.value || isZeroLiteral(*f.value)) {
        use("cstring");
        w_.line("std::memset(" + memory(f.target) + ", 0, " + sym(f.count, Precedence::Multiplicative) + " * sizeof(" + f.type.cppName() + "));");
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
    const Function &callee = *m_.functions[static_cast<std::size_t>(c.function)];
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
        else if (a.ref < 0)
            add(sym(a.value));
        else
            add(memory(a.ref));
    }
    w_.line(text + ");");
}

void BodyPrinter::parallelRegion(const ParallelRegion &p) {
    comment(p.comment);
    if (p.threadVar >= 0 || p.teamSizeVar >= 0)
        use("omp");
    w_.line("#pragma omp parallel" + team(p.numThreads, p.onlyIf));
    w_.open();
    if (p.threadVar >= 0)
        w_.line("[[maybe_unused]] const int64_t " + var(p.threadVar).name.str() + " = omp_get_thread_num();");
    if (p.teamSizeVar >= 0)
        w_.line("[[maybe_unused]] const int64_t " + var(p.teamSizeVar).name.str() + " = omp_get_num_threads();");
    statements(p.body);
    w_.close();
}

void BodyPrinter::consume(const Consume &c) {
    use("consume");
    std::string text = "sdfgc::rt::consume(" + elementOf(c.stream) + ", " + sym(c.numPes) + ", " + std::to_string(c.chunk) + ", ";
    if (c.condition)
        text += "[&] { return " + value(c.condition) + "; }, ";
    std::string pe = c.peVar >= 0 ? "[[maybe_unused]] int64_t " + var(c.peVar).name.str() : "int64_t";
    text += "[&](" + pe + ", " + declarator(var(c.elementVar));
    if (c.countVar >= 0)
        text += ", int64_t " + var(c.countVar).name.str();
    comment(c.comment);
    w_.open(text + ")");
    statements(c.body);
    w_.close(");");
}

void BodyPrinter::timer(const Timer &t) {
    use("report");
    w_.open();
    w_.line("const sdfgc::rt::Timer timer(__state->report, \"" + t.name + "\", \"" + t.category + "\", {" + std::to_string(t.cfg) + ", " +
            std::to_string(t.state) + ", " + std::to_string(t.node) + "});");
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
    std::string call = std::string("__state->data.") + (p.restore ? "restore" : "save") + "(\"" + p.container + "\", \"" + p.key + "\", " +
                       memory(p.ref) + ", " + list(p.shape) + ", " + list(p.strides) + ", " + sym(p.count) + ");";
    if (!p.condition) {
        w_.line(call);
    } else {
        w_.line("if (" + value(p.condition) + ")");
        w_.line("    " + call);
    }
}

} // namespace sdfgc::codegen
