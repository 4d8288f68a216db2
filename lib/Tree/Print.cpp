// Text form of the schedule tree: what every statement is, over variable names. For --print-after lower and tests.
#include "sdfgc/Tree/Tree.h"

#include <algorithm>

namespace sdfgc::tree {

Node::~Node() = default;

namespace {

class Printer {
public:
    explicit Printer(const Module &m) : m_(m) {}

    std::string run() {
        list("module " + m_.name.str() + "(", names(m_.params), m_.init.empty() ? ") {" : ")");
        if (!m_.init.empty())
            list("init(", names(m_.init), ") {");
        ++depth_;
        for (const ConstantDef &c : m_.constants)
            line("constant " + c.name.str() + ": " + c.type.str());
        for (const StateField &f : m_.fields)
            line("field " + f.name.str() + ": " + f.type.str() + "[" + f.count.str() + "] " + std::string(ir::name(f.lifetime)));
        for (const auto &f : m_.functions)
            function(*f);
        --depth_;
        line("}");
        return std::move(out_);
    }

private:
    static std::vector<std::string> names(const std::vector<Param> &ps) {
        std::vector<std::string> out;
        for (const Param &p : ps)
            out.push_back(p.name.str());
        return out;
    }

    std::string clauses(const Omp &o) const {
        std::string text = " parallel" + (o.collapse > 1 ? " collapse " + std::to_string(o.collapse) : "") + onlyIf(o.onlyIf);
        for (const Omp::Reduction &r : o.reductions)
            text += " reduce " + std::string(py::reductionName(r.kind)) + " " + var(r.var);
        return text;
    }
    static std::string onlyIf(sym::Expr condition) { return condition == sym::Expr::boolean(true) ? "" : " if " + condition.str(); }
    /// Text with several lines keeps them, all of them indented.
    void line(const std::string &text) {
        const std::string indent(static_cast<std::size_t>(depth_) * 2, ' ');
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            out_ += indent + text.substr(at, end - at) + "\n";
            at = end + 1;
        }
    }

    /// `head` item, item, ... `tail`, on as many lines as it takes.
    void list(const std::string &head, const std::vector<std::string> &items, const std::string &tail) {
        constexpr std::size_t widest = 120;
        std::string current = head;
        bool first = true;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::string item = items[i] + (i + 1 < items.size() ? "," : tail);
            if (!first && current.size() + item.size() + 1 > widest) {
                line(current);
                current = "   ";
                first = false;
            }
            current += (first ? "" : " ") + item;
            first = false;
        }
        line(items.empty() ? current + tail : current);
    }

    void function(const Function &f) {
        f_ = &f;
        std::vector<std::string> args;
        for (VarId p : f.params)
            args.push_back(var(p) + ": " + f.vars[p].type.str());
        list("function " + f.name.str() + "(", args, ") {");
        body(f.body);
        line("}");
    }

    std::string var(VarId v) const {
        if (!v)
            return "_";
        const Variable &x = f_->vars[v];
        return x.kind == VarKind::Member ? var(x.parent) + "." + x.name.str() : x.name.str();
    }

    std::string ref(RefId slot) const {
        if (!slot)
            return "_";
        const MemRef &r = f_->refs[slot];
        std::string text = (r.address ? "&" : "") + var(r.var) + "[" + r.offset.str();
        for (std::size_t i = 0; i < r.strides.size(); ++i)
            text += " + #" + std::to_string(i) + " * " + r.strides[i].str();
        return text + "]" + (r.pop ? ".pop" : "") + (r.castTo ? " as " + r.castTo.str() : "");
    }

    /// Values with their memory references spelled out.
    std::string value(const py::ExprRef &e) const {
        if (!e)
            return "_";
        return py::print(*py::rewrite(e, [this](const py::ExprRef &x) -> py::ExprRef {
            if (x->kind != py::ExprKind::MemRef)
                return x;
            return py::name(Name(ref(refOf(*x))), x->type);
        }));
    }

    std::string statement(const py::StmtRef &s) const {
        if (!s)
            return "";
        auto shown = py::rewrite(std::vector<py::StmtRef>{s}, [this](const py::ExprRef &x) -> py::ExprRef {
            return x->kind == py::ExprKind::MemRef ? py::name(Name(ref(refOf(*x))), x->type) : x;
        });
        std::string text = py::print(shown);
        while (!text.empty() && text.back() == '\n')
            text.pop_back();
        return text;
    }

    void body(const Block &b) {
        ++depth_;
        for (const NodePtr &n : b.body)
            node(*n);
        --depth_;
    }

    void block(const std::string &head, const Block &b) {
        line(head + " {");
        body(b);
        line("}");
    }

    void launch(const Launch &l) {
        std::string text = "queue on " + std::to_string(l.stream) + ": launch " + m_.functions[l.function]->name.str();
        for (const auto *sizes : {&l.grid, &l.block})
            text += " (" + (*sizes)[0].str() + ", " + (*sizes)[1].str() + ", " + (*sizes)[2].str() + ")";
        for (const Call::Argument &a : l.arguments)
            text += " " + (a.expr ? value(a.expr) : a.ref ? ref(a.ref) : a.value.str());
        line(text);
    }

    void node(const Node &n) {
        switch (n.kind) {
        case Kind::Block:
            return block("block" + (n.comment.empty() ? "" : " '" + n.comment + "'"), static_cast<const Block &>(n));
        case Kind::Comment:
            return line("# " + n.comment);
        case Kind::Declare: {
            const auto &d = static_cast<const Declare &>(n);
            const Variable &v = f_->vars[d.var];
            std::string size = v.kind == VarKind::Stack || v.kind == VarKind::Buffer ? "[" + v.count.str() + "]" : "";
            return line("declare " + var(d.var) + ": " + v.type.str() + size + (d.init ? " = " + value(d.init) : "") +
                        (d.target ? " = " + ref(d.target) : ""));
        }
        case Kind::Release:
            return line("release " + var(static_cast<const Release &>(n).var) + " on stream " +
                        std::to_string(static_cast<const Release &>(n).stream));
        case Kind::Allocate:
            return line("allocate " + var(static_cast<const Allocate &>(n).var) + "[" +
                        static_cast<const Allocate &>(n).count.str() + "]");
        case Kind::Code:
            for (const py::StmtRef &s : static_cast<const Code &>(n).stmts)
                line(statement(s));
            return;
        case Kind::Update: {
            const auto &u = static_cast<const Update &>(n);
            return line(std::string(u.byBlock  ? "atomic by block "
                                    : u.atomic ? "atomic "
                                               : "") +
                        ref(u.target) + " (" + std::string(py::reductionName(u.reduction)) + ")= " + value(u.value));
        }
        case Kind::RawTasklet:
            return line("c++ '" + n.comment + "'");
        case Kind::For: {
            const auto &f = static_cast<const For &>(n);
            return block("for " + var(f.var) + " = " + f.begin.str() + " to " + f.end.str() + " step " + f.step.str() +
                             (f.omp ? clauses(*f.omp) : ""),
                         f.body);
        }
        case Kind::Loop: {
            const auto &l = static_cast<const Loop &>(n);
            const char *form = l.form == Loop::Normal ? "loop" : l.form == Loop::DoWhile ? "do-while" : "loop-test-last";
            return block(std::string(form) + " " + statement(l.init) + "; " + value(l.condition) + "; " + statement(l.update),
                         l.body);
        }
        case Kind::If:
            for (const If::Branch &b : static_cast<const If &>(n).branches)
                block(b.condition ? "if " + value(b.condition) : "else", *b.body);
            return;
        case Kind::Memcpy: {
            const auto &m = static_cast<const Memcpy &>(n);
            return line("copy " + ref(m.source) + " -> " + ref(m.target) + " count " + m.count.str());
        }
        case Kind::Fill:
            return line("fill " + ref(static_cast<const Fill &>(n).target) + " count " + static_cast<const Fill &>(n).count.str());
        case Kind::SetPointer:
            return line("set " + var(static_cast<const SetPointer &>(n).var) + " = " +
                        ref(static_cast<const SetPointer &>(n).source));
        case Kind::Call:
            return line("call " + m_.functions[static_cast<const Call &>(n).function]->name.str());
        case Kind::Break:
            return line("break");
        case Kind::Continue:
            return line("continue");
        case Kind::Return:
            return line("return");
        case Kind::Goto:
            return line("goto " + static_cast<const Goto &>(n).label.str());
        case Kind::Label:
            return line(static_cast<const Label &>(n).label.str() + ":");
        case Kind::ParallelRegion: {
            const auto &p = static_cast<const ParallelRegion &>(n);
            return block("parallel region" + onlyIf(p.onlyIf), p.body);
        }
        case Kind::Sections:
            for (const auto &s : static_cast<const Sections &>(n).sections)
                block("section", *s);
            return;
        case Kind::Consume:
            return block("consume " + ref(static_cast<const Consume &>(n).stream), static_cast<const Consume &>(n).body);
        case Kind::StreamPush:
            return line("push " + ref(static_cast<const StreamPush &>(n).stream));
        case Kind::StreamPop:
            return line("pop " + ref(static_cast<const StreamPop &>(n).stream));
        case Kind::Timer:
            return block("timer '" + static_cast<const Timer &>(n).name + "'", static_cast<const Timer &>(n).body);
        case Kind::Launch:
            return launch(static_cast<const Launch &>(n));
        case Kind::DeviceCopy: {
            const auto &c = static_cast<const DeviceCopy &>(n);
            const std::string slices = c.slices.isOne() ? "" : c.slices.str() + " x ";
            return line("queue on " + std::to_string(c.stream) + ": copy " + ref(c.target) + " <- " + ref(c.source) + ", " +
                        slices + c.rows.str() + " x " + c.width.str() + " elements, pitches " + c.targetPitch.str() + " <- " +
                        c.sourcePitch.str() +
                        (slices.empty() ? "" : ", slices " + c.targetSlice.str() + " <- " + c.sourceSlice.str()));
        }
        case Kind::DeviceFill: {
            const auto &x = static_cast<const DeviceFill &>(n);
            return line("queue on " + std::to_string(x.stream) + ": fill " + ref(x.target) + "[" + x.count.str() + "] with " +
                        value(x.value));
        }
        case Kind::Synchronise:
            return line("synchronise " + std::to_string(static_cast<const Synchronise &>(n).stream));
        case Kind::EventRecord: {
            const auto &r = static_cast<const EventRecord &>(n);
            return line("record event " + std::to_string(r.event) + " on " + std::to_string(r.stream));
        }
        case Kind::EventWait: {
            const auto &w = static_cast<const EventWait &>(n);
            return line((w.stream < 0 ? std::string("host") : std::to_string(w.stream)) + " waits for event " +
                        std::to_string(w.event));
        }
        case Kind::Barrier:
            return line(static_cast<const Barrier &>(n).ofGrid ? "barrier of the grid" : "barrier");
        case Kind::DataProbe:
            return line("probe " + static_cast<const DataProbe &>(n).container);
        }
    }

    const Module &m_;
    const Function *f_ = nullptr;
    std::string out_;
    int depth_ = 0;
};

} // namespace

std::string print(const Module &m) { return Printer(m).run(); }

} // namespace sdfgc::tree
