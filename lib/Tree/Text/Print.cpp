// The schedule tree as text, from the tables of fields. Only special forms are written by hand: declarations, plain assignments,
// branches, and the headers of functions and of the module.
#include "PrintStatements.h"
#include "Survey.h"
#include "Words.h"

#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Text.h"
#include "sdfgc/Tree/Walk.h"

namespace sdfgc::tree {
namespace {

using namespace text;

class Printer {
public:
    explicit Printer(const Module &m) : m_(m) {}

    std::string run() {
        out_ = "module";
        for (Type t : m_.structs) // their order is kept
            useStruct(t);
        forEachOwnField(m_, [this](const auto &each, const Module &m) {
            using F = std::decay_t<decltype(each)>;
            if constexpr (F::role != Role::Parts && F::role != Role::Code)
                field(each, m, fresh<Module>());
        });
        out_ += " {\n";
        const std::size_t structs = out_.size();
        ++depth_;
        forEachOwnField(m_, [this](const auto &each, const Module &m) {
            using F = std::decay_t<decltype(each)>;
            if constexpr (F::role == Role::Parts)
                forEachPart(each.of(m), [&](const auto &part) { line(std::string(each.label), part); });
            else if constexpr (F::role == Role::Code)
                for (const std::string &text : each.of(m)) {
                    indent();
                    out_ += each.label;
                    code(text);
                    out_ += '\n';
                }
        });
        for (const auto &f : m_.functions)
            function(*f);
        --depth_;
        out_ += "}\n";
        out_.insert(structs, structTexts());
        return std::move(out_);
    }

private:
    template <class T> static const T &fresh() {
        static const T value{};
        return value;
    }
    void indent() { out_.append(static_cast<std::size_t>(depth_) * 2, ' '); }
    void word(std::string_view text) {
        if (!text.empty())
            (out_ += ' ') += text;
    }
    template <class T> void line(const std::string &head, const T &x) {
        indent();
        out_ += head;
        fields(x);
        out_ += '\n';
    }

    // ---- types
    std::string type(Type t) {
        switch (t.kind()) {
        case TypeKind::Pointer:
            return type(t.element()) + "*";
        case TypeKind::Vector:
            return "vector(" + type(t.element()) + ", " + std::to_string(t.lanes()) + ")";
        case TypeKind::Struct:
            useStruct(t);
            return "struct " + structNames_[t];
        case TypeKind::Opaque:
            return "opaque " + quoted(t.name().view());
        case TypeKind::Callback:
            return "callback(" + types(t.arguments(), t.argumentJson()) + " -> " + types(t.returns(), t.returnJson()) + ")";
        case TypeKind::Scalar:
            break;
        }
        return t.str();
    }
    std::string types(const std::vector<Type> &all, const std::vector<std::string> &json) {
        std::string text;
        for (std::size_t i = 0; i < all.size(); ++i)
            text += (i ? ", " : "") + type(all[i]) + (i < json.size() && !json[i].empty() ? " " + quoted(json[i]) : "");
        return text;
    }
    void useStruct(Type t) {
        if (structNames_.count(t))
            return;
        // Files may have two structures with the same name.
        std::string text = nameText(t.name());
        const int before = structsOfName_[t.name()]++;
        structNames_[t] = before ? t.name().str() + "'" + std::to_string(before) : text;
        for (const auto &[name, field] : t.fields())
            type(field);
        structs_.push_back(t);
    }
    /// Structures that the module defines, and others that their types mention.
    std::string structTexts() {
        std::string text;
        auto add = [&](Type t, const char *head) {
            text += std::string("  ") + head + structNames_[t] + " {";
            for (const auto &[name, field] : t.fields()) {
                text += (text.back() == '{' ? " " : ", ") + nameText(name) + ": " + type(field);
                for (const auto &[of, length] : t.fieldLengths())
                    if (of == name)
                        text += " " + quoted(length);
            }
            text += " }\n";
        };
        for (Type t : structs_)
            add(t, std::find(m_.structs.begin(), m_.structs.end(), t) == m_.structs.end() ? "type " : "struct ");
        return text;
    }

    // ---- variables and memory
    std::string var(VarId v) const {
        if (!v)
            return "?";
        const Variable &x = f_->vars[v];
        if (x.kind == VarKind::Member)
            return var(x.parent) + "." + nameText(x.name);
        auto at = survey_->names.find(v);
        return at == survey_->names.end() ? nameText(x.name) : at->second;
    }
    void declaration(VarId v, bool visible = true) {
        word(var(v));
        if (!v)
            return;
        out_ += ':';
        fields(f_->vars[v]);
        if (visible)
            names_.declare(f_->vars[v].name, v);
    }
    /// ` element A [i, j] shape [N, M]`
    static std::string element(const Element &e) {
        std::string text = " element " + nameText(e.container) + " " + listText(e.index) + " shape " + listText(e.shape);
        if (!e.extent.empty())
            text += " extent " + listText(e.extent);
        if (!e.counted.empty())
            text += " counts " + listText(e.counted);
        return e.memory.isZero() ? text : text + " memory " + e.memory.str();
    }
    static std::string listText(const std::vector<sym::Expr> &list) {
        std::string all;
        for (sym::Expr e : list)
            all += (all.empty() ? "" : ", ") + e.str();
        return "[" + all + "]";
    }
    std::string memory(RefId r, const std::vector<py::ExprRef> *indices) {
        if (!r)
            return "?";
        const MemRef &x = f_->refs[r];
        std::string text = (x.address ? "&" : "") + var(x.var) + "[" + x.offset.str();
        for (std::size_t i = 0; i < x.strides.size(); ++i)
            text += (i ? ", " : " by ") + x.strides[i].str();
        if (x.element)
            text += element(*x.element);
        if (indices && !indices->empty())
            text += " at " + expressions().list(*indices);
        text += "]";
        if (x.pop)
            text += ".pop";
        if (!x.castTo)
            return text;
        text += " as " + type(x.castTo);
        return indices ? "(" + text + ")" : text;
    }

    // ---- expressions and simple statements
    Type typeOf(Name n) const {
        if (locals_)
            if (auto at = locals_->find(n); at != locals_->end())
                return at->second;
        const VarId v = names_.find(n);
        return v ? f_->vars[v].type : Type();
    }
    const ExpressionPrinter &expressions() {
        if (!expressions_)
            expressions_.emplace(
                Surroundings{[this](Name n) { return typeOf(n); }, [this](RefId r) { return typeOfReference(*f_, f_->refs[r]); }},
                [this](RefId r, const std::vector<py::ExprRef> &indices) { return memory(r, &indices); },
                [this](Type t) { return type(t); });
        return *expressions_;
    }
    std::string value(const py::ExprRef &e, int least = Lowest) { return e ? expressions().text(*e, least) : "?"; }

    StatementPrinter simple() {
        return {expressions(), [this](Type t) { return type(t); }, depth_};
    }

    // ---- fields
    template <class T> void fields(const T &x) {
        forEachOwnField(x, [this](const auto &each, const T &owner) { field(each, owner, fresh<T>()); });
    }
    template <class F, class T> void field(const F &f, const T &owner, const T &ofFresh) {
        const auto &x = f.of(owner);
        const auto &usual = f.of(ofFresh);
        constexpr Role role = F::role;
        const bool optional = *f.label != 0 && !f.needed;
        if constexpr (role == Role::Declares || role == Role::Iterates || role == Role::Assigns || role == Role::Reads ||
                      role == Role::Writes || role == Role::Uses) {
            if (!x && optional)
                return;
            word(f.label);
            if constexpr (role == Role::Declares || role == Role::Iterates)
                declaration(x);
            else if constexpr (role == Role::Assigns)
                word(var(x));
            else
                word(memory(x, nullptr));
        } else if constexpr (role == Role::Size) {
            if (!f.needed && *f.label && x == usual)
                return;
            word(f.label);
            size(x);
        } else if constexpr (role == Role::Value) {
            if (!x)
                return;
            word(f.label);
            word(value(x));
        } else if constexpr (role == Role::Indices) {
            if (x.empty())
                return;
            word(f.label);
            word("(" + expressions().list(x) + ")");
        } else if constexpr (role == Role::Parts) {
            forEachPart(x, [&](const auto &part) {
                word(f.label);
                fields(part);
            });
        } else if constexpr (role == Role::Block) {
            block(blockIn(x));
        } else if constexpr (role == Role::Blocks) {
            for (const auto &b : x) {
                word(f.label);
                block(*b);
            }
        } else if constexpr (role == Role::Inside) {
            if (x.empty() && *f.label)
                return;
            word(f.label);
            out_ += " {\n";
            body(x);
            indent();
            out_ += '}';
        } else {
            leaf<role>(f.label, x, usual, f.needed);
        }
    }
    template <Role R, class T> void leaf(const char *label, const T &x, const T &usual, bool needed) {
        if constexpr (R == Role::Statement) {
            if constexpr (std::is_same_v<T, py::StmtRef>) {
                if (!x)
                    return;
                word(label);
                out_ += ' ';
                out_ += simple().text(*x);
            } else {
                out_ += simple().block(x);
            }
        } else if constexpr (R == Role::Locals) {
            if (x.empty())
                return;
            std::string text;
            for (const auto &[name, t] : x)
                text += (text.empty() ? "(" : ", ") + nameText(name) + ": " + type(t);
            word(label);
            word(text + ")");
        } else if constexpr (R == Role::Arguments) {
            out_ += '(';
            for (const auto &a : x) {
                if (&a != &x.front())
                    out_ += ',';
                const std::size_t before = out_.size();
                fields(a);
                if (out_.size() == before)
                    out_ += " size 0";
                if (&a == &x.front())
                    out_.erase(before, 1);
            }
            out_ += ')';
        } else if constexpr (R == Role::Callee) {
            word(m_.functions.has(x) ? nameText(m_.functions[x]->name) : "?");
        } else if constexpr (R == Role::Code) {
            if (x.empty())
                return;
            word(label);
            code(x);
        } else if constexpr (R == Role::Flag) {
            if (x != usual)
                word(label);
        } else if constexpr (R == Role::Word) {
            if (x == usual && !needed)
                return;
            word(label);
            word(text::word(x));
        } else {
            if (x == usual && *label && !needed)
                return;
            word(label);
            scalar<R>(x);
        }
    }
    template <Role R, class T> void scalar(const T &x) {
        if constexpr (R == Role::TypeName)
            word(type(x));
        else if constexpr (R == Role::Name)
            listed(x, [](Name n) { return nameText(n); });
        else if constexpr (R == Role::String)
            listed(x, [](const std::string &s) { return quoted(s); });
        else
            word(std::to_string(x));
    }
    template <class T, class F> void listed(const T &x, F &&text) {
        if constexpr (requires(T t) { t.emplace_back(); }) {
            std::string all;
            for (const auto &e : x)
                all += (all.empty() ? "" : ", ") + text(e);
            word("(" + all + ")");
        } else {
            word(text(x));
        }
    }
    template <class T> void size(const T &x) {
        if constexpr (requires { x.begin(); }) {
            word(listText({x.begin(), x.end()}));
        } else {
            word(x.str());
        }
    }
    /// Verbatim text, one line each.
    void code(const std::string &text) {
        out_ += " {\n";
        ++depth_;
        for (std::size_t at = 0; !text.empty() && at <= text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            indent();
            out_ += '|';
            out_.append(text, at, end - at);
            out_ += '\n';
            at = end + 1;
        }
        --depth_;
        indent();
        out_ += '}';
    }

    // ---- statements
    /// A statement's comment, and the graph element that it comes from.
    void note(const std::string &comment, const std::vector<int> &origin) {
        out_ += '#';
        if (!origin.empty() || (!comment.empty() && comment[0] == '[')) {
            std::string numbers;
            for (int n : origin)
                numbers += (numbers.empty() ? "" : ".") + std::to_string(n);
            word("[" + numbers + "]");
        }
        for (std::size_t i = 0; i < comment.size(); ++i) {
            if (i == 0)
                out_ += ' ';
            if (comment[i] == '\n')
                out_ += "\\n";
            else if (comment[i] == '\\')
                out_ += "\\\\";
            else
                out_ += comment[i];
        }
        out_ += '\n';
    }
    void body(const std::vector<NodePtr> &all) {
        ++depth_;
        for (const NodePtr &n : all)
            node(*n);
        --depth_;
    }
    void block(const Block &b) {
        Opened opened(names_);
        out_ += b.braces ? " { braces" : " {";
        if (b.comment.empty() && b.origin.empty()) {
            out_ += '\n';
        } else {
            out_ += ' ';
            note(b.comment, b.origin);
        }
        body(b.body);
        indent();
        out_ += '}';
    }
    void node(const Node &n) {
        const bool isComment = n.kind == TreeKind::Comment;
        if (!n.origin.empty() || (!n.comment.empty() && !isComment)) {
            indent();
            note(isComment ? "" : n.comment, n.origin);
        }
        indent();
        Opened opened(names_, opensScope(n));
        if (n.kind == TreeKind::If)
            branches(static_cast<const If &>(n));
        else if (n.kind == TreeKind::Code)
            statements(static_cast<const Code &>(n));
        else
            visit(n, [this](const auto &x) {
                out_ += keyword(x.kind);
                fields(x);
            });
        if (isComment)
            word(quoted(n.comment));
        out_ += '\n';
    }
    void branches(const If &x) {
        out_ += "if";
        for (const If::Branch &b : x.branches) {
            if (&b != &x.branches.front())
                out_ += b.condition ? " else if" : " else";
            if (b.condition)
                word(value(b.condition));
            block(*b.body);
        }
    }
    void statements(const Code &c) {
        locals_ = &c.locals;
        if (c.stmts.size() == 1 && c.stmts[0]->kind == py::StmtKind::Assign && c.locals.empty() && !c.braces) {
            out_ += simple().text(*c.stmts[0]);
        } else {
            out_ += keyword(TreeKind::Code);
            fields(c);
        }
        locals_ = nullptr;
    }

    void function(const Function &f) {
        f_ = &f;
        Survey survey(f);
        survey_ = &survey;
        names_ = {};
        indent();
        out_ += "function";
        Opened opened(names_);
        const std::size_t begin = out_.size();
        std::string params;
        for (VarId p : f.params) {
            out_.resize(begin);
            declaration(p);
            params += (params.empty() ? "\n" : ",\n") + std::string(static_cast<std::size_t>(depth_) * 2 + 4, ' ') +
                      out_.substr(begin + 1);
        }
        out_.resize(begin);
        out_ += " " + nameText(f.name) + "(" + params + ")";
        forEachOwnField(f, [this](const auto &each, const Function &owner) {
            if constexpr (!std::is_same_v<typename std::decay_t<decltype(each)>::Member, Name>)
                field(each, owner, fresh<Function>());
        });
        out_ += " {\n";
        ++depth_;
        for (VarId v : survey.undeclared) {
            indent();
            out_ += "uses";
            declaration(v, f.vars[v].kind != VarKind::Member && !survey.names.count(v));
            out_ += '\n';
        }
        --depth_;
        body(f.body.body);
        indent();
        out_ += "}\n";
    }

    const Module &m_;
    const Function *f_ = nullptr;
    const Survey *survey_ = nullptr;
    const std::map<Name, Type> *locals_ = nullptr;
    Scope names_;
    std::vector<Type> structs_; // each preceded by those that it contains
    std::unordered_map<Type, std::string> structNames_;
    std::unordered_map<Name, int> structsOfName_;
    std::optional<ExpressionPrinter> expressions_;
    std::string out_;
    int depth_ = 0;
};

} // namespace

std::string print(const Module &m) { return Printer(m).run(); }

} // namespace sdfgc::tree
