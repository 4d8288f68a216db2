// Parses the schedule tree: the counterpart of Print.cpp, field by field.
#include "ReadStatements.h"
#include "Scope.h"
#include "Words.h"

#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Text.h"
#include "sdfgc/Tree/Walk.h"

namespace sdfgc::tree {
namespace {

using namespace text;

class Parser final : Meanings {
public:
    explicit Parser(std::string_view source) : r_(source, tokens(source)) { r_.meanings = this; }

    std::unique_ptr<Module> run() {
        m_ = std::make_unique<Module>();
        r_.skipEmptyLines();
        r_.expectWord("module");
        const Token name = r_.peek();
        forEachOwnField(*m_, [this](const auto &each, Module &m) {
            using F = std::decay_t<decltype(each)>;
            if constexpr (F::role != Role::Parts && F::role != Role::Code)
                field(each, m);
        });
        if (!ir::isIdentifier(m_->name.view()))
            r_.fail("`" + m_->name.str() + "` is not an identifier", name);
        r_.expectSign("{");
        r_.endLine();
        while (!r_.isSign("}"))
            entry();
        r_.take();
        r_.endLine();
        if (r_.peek().kind != Token::End)
            r_.fail("expected the end of the module, but found " + r_.here());
        return std::move(m_);
    }

private:
    // ---- the module
    void entry() {
        if (r_.isWord("function"))
            return function();
        if (r_.isWord("struct") || r_.isWord("type")) {
            const bool defined = r_.isWord("struct");
            const Type t = r_.structure();
            if (defined)
                m_->structs.push_back(t);
            return;
        }
        bool known = false;
        forEachOwnField(*m_, [&](const auto &each, Module &m) {
            using F = std::decay_t<decltype(each)>;
            if constexpr (F::role == Role::Parts) {
                if (!known && r_.takeLabel(each.label)) {
                    known = true;
                    fields(each.of(m).emplace_back());
                }
            } else if constexpr (F::role == Role::Code) {
                if (!known && r_.takeLabel(each.label)) {
                    known = true;
                    each.of(m).push_back(r_.code());
                }
            }
        });
        if (!known)
            r_.fail("a module has no " + r_.here());
        r_.endLine();
    }
    void function() {
        r_.take();
        auto owned = std::make_unique<Function>();
        f_ = owned.get();
        scope_ = {};
        numbered_.clear();
        Opened opened(scope_);
        f_->name = r_.name();
        r_.expectSign("(");
        while (!r_.isSign(")")) {
            f_->params.push_back(declaration());
            if (!r_.takeSign(","))
                break;
        }
        r_.expectSign(")");
        forEachOwnField(*f_, [this](const auto &each, Function &owner) {
            if constexpr (!std::is_same_v<typename std::decay_t<decltype(each)>::Member, Name>)
                field(each, owner);
        });
        const FunctionId id = m_->functions.add(std::move(owned));
        if (!functions_.try_emplace(f_->name, id).second)
            r_.fail("there is a function `" + f_->name.str() + "` already");
        r_.expectSign("{");
        r_.endLine();
        while (r_.isWord("uses")) {
            r_.take();
            declaration(true);
            r_.endLine();
        }
        body(f_->body.body);
        if (!waiting_.empty())
            r_.fail("no variable `" + waiting_.front().path.front() + "` exists in the function", waiting_.front().at);
        r_.endLine();
        f_ = nullptr;
    }

    // ---- variables
    /// `name`, `name'2`, or `parent.name` for a member: a declaration. With `used`, a numbered variable is not visible by its name.
    VarId declaration(bool used = false) {
        const Token first = r_.peek();
        std::vector<std::string> path{r_.name().str()};
        while (r_.takeSign("."))
            path.push_back(r_.name().str());
        const std::string text = path.back();
        const std::size_t number = first.kind == Token::Word ? text.find('\'') : std::string::npos;
        Variable v;
        v.name = Name(text.substr(0, number));
        r_.expectSign(":");
        fields(v);
        if (path.size() > 1)
            return addMember({std::move(path), std::move(v), first}, used);
        const VarId id = f_->vars.add(std::move(v));
        if (!used || number == std::string::npos)
            scope_.declare(f_->vars[id].name, id);
        if (number != std::string::npos)
            numbered_[text] = id;
        addWaiting(text);
        return id;
    }
    /// A member `s.x`. It waits if the structure is declared further down.
    struct Member {
        std::vector<std::string> path;
        Variable variable;
        Token at;
    };
    VarId addMember(Member m, bool mayWait) {
        const VarId parent = variable({m.path.begin(), m.path.end() - 1});
        if (!parent && !mayWait)
            r_.fail("no variable `" + m.path.front() + "` exists here", m.at);
        if (!parent) {
            waiting_.push_back(std::move(m));
            return {};
        }
        m.variable.parent = parent;
        const Name name = m.variable.name;
        return members_[{f_, parent, name}] = f_->vars.add(std::move(m.variable));
    }
    /// Adds the members of a structure that has just been declared. If two structures have the same name, the first one gets the
    /// first member of a path.
    void addWaiting(const std::string &structure) {
        std::set<std::vector<std::string>> added;
        for (auto m = waiting_.begin(); m != waiting_.end();) {
            if (m->path.front() != structure || !added.insert(m->path).second) {
                ++m;
                continue;
            }
            addMember(std::move(*m), false);
            m = waiting_.erase(m);
        }
    }
    VarId lookup(const std::string &text) {
        if (text.find('\'') == std::string::npos)
            return scope_.find(Name(text));
        auto at = numbered_.find(text);
        return at == numbered_.end() ? VarId() : at->second;
    }
    VarId member(VarId parent, Name n) {
        auto at = members_.find({f_, parent, n});
        return at == members_.end() ? VarId() : at->second;
    }
    VarId variable(const std::vector<std::string> &path) override {
        VarId v = lookup(path[0]);
        for (std::size_t i = 1; v && i < path.size(); ++i)
            v = member(v, Name(path[i]));
        return v;
    }
    /// The variable named here; `?` means none.
    VarId variableHere() {
        const Token first = r_.peek();
        if (r_.isSign("?")) {
            r_.take();
            return {};
        }
        std::vector<std::string> path{r_.name().str()};
        while (r_.takeSign("."))
            path.push_back(r_.name().str());
        const VarId v = variable(path);
        if (!v)
            r_.fail("no variable `" + path.back() + "` exists here", first);
        return v;
    }

    // ---- context of expressions
    Type typeOf(Name n) override {
        if (locals_)
            if (auto at = locals_->find(n); at != locals_->end())
                return at->second;
        const VarId v = scope_.find(n);
        return v ? f_->vars[v].type : Type();
    }
    RefId add(MemRef r) override { return f_->refs.add(std::move(r)); }
    MemRef &memory(RefId r) override { return f_->refs[r]; }
    Type typeOfMemory(RefId r) override { return typeOfReference(*f_, f_->refs[r]); }

    // ---- fields
    template <class T> void fields(T &x) {
        forEachOwnField(x, [this](const auto &each, T &owner) { field(each, owner); });
    }
    /// Consumes the label; false if the field is absent.
    template <class F> bool begins(const F &f) {
        if (!*f.label || r_.takeLabel(f.label))
            return true;
        if (f.needed)
            r_.fail("expected `" + std::string(f.label) + "`, but found " + r_.here());
        return false;
    }
    template <class F, class T> void field(const F &f, T &owner) {
        auto &x = f.of(owner);
        constexpr Role role = F::role;
        if constexpr (role == Role::Flag) {
            if (r_.takeLabel(f.label))
                x = !(x == std::decay_t<decltype(x)>(true));
        } else if constexpr (role == Role::Word) {
            using E = std::decay_t<decltype(x)>;
            if (!*f.label) {
                auto e = r_.peek().kind == Token::Word ? byWord<E>(r_.peek().text) : std::nullopt;
                if (e) {
                    r_.take();
                    x = *e;
                }
            } else if (r_.takeLabel(f.label)) {
                auto e = r_.peek().kind == Token::Word ? byWord<E>(r_.peek().text) : std::nullopt;
                if (!e)
                    r_.fail(r_.here() + " is not one of the words that `" + f.label + "` takes");
                r_.take();
                x = *e;
            }
        } else if constexpr (role == Role::Value) {
            const bool there = *f.label ? r_.takeLabel(f.label) : !r_.isSign("{");
            if (there)
                x = r_.expression();
        } else if constexpr (role == Role::Parts) {
            parts(f.label, x);
        } else if constexpr (role == Role::Block) {
            block(newBlock(x));
        } else if constexpr (role == Role::Blocks) {
            while (r_.takeLabel(f.label))
                block(*x.emplace_back(std::make_unique<Block>()));
        } else if constexpr (role == Role::Code) {
            if (r_.takeLabel(f.label))
                x = r_.code();
        } else if constexpr (role == Role::Name) {
            if (begins(f))
                names(x);
        } else if (begins(f)) {
            leaf<role>(x);
        }
    }
    template <Role R, class T> void leaf(T &x) {
        if constexpr (R == Role::Declares || R == Role::Iterates)
            x = r_.isSign("?") ? (r_.take(), VarId()) : declaration();
        else if constexpr (R == Role::Assigns)
            x = variableHere();
        else if constexpr (R == Role::Reads || R == Role::Writes || R == Role::Uses)
            x = r_.reference();
        else if constexpr (R == Role::Indices) {
            r_.expectSign("(");
            x = r_.expressions(")");
        } else if constexpr (R == Role::Size)
            size(x);
        else if constexpr (R == Role::Statement)
            statement(x);
        else if constexpr (R == Role::Locals)
            locals(x);
        else if constexpr (R == Role::Inside) {
            r_.expectSign("{");
            r_.endLine();
            body(x);
        } else if constexpr (R == Role::Arguments)
            arguments(x);
        else if constexpr (R == Role::Callee)
            x = callee();
        else if constexpr (R == Role::TypeName)
            x = r_.type();
        else if constexpr (R == Role::String)
            strings(x);
        else
            x = static_cast<T>(r_.number());
    }
    template <class T> void parts(const char *label, T &x) {
        if constexpr (requires { x.emplace_back(); }) {
            while (r_.takeLabel(label))
                fields(x.emplace_back());
        } else if (r_.takeLabel(label)) {
            std::remove_const_t<std::decay_t<decltype(*x)>> part{};
            fields(part);
            if constexpr (requires { x.emplace(); })
                x = std::move(part);
            else
                x = std::make_shared<decltype(part)>(std::move(part));
        }
    }
    static Block &newBlock(Block &b) { return b; }
    static Block &newBlock(std::unique_ptr<Block> &b) { return *(b = std::make_unique<Block>()); }

    void names(Name &x) { x = r_.name(); }
    void names(std::vector<Name> &x) {
        list([&] { x.push_back(r_.name()); });
    }
    void strings(std::string &x) { x = r_.string(); }
    void strings(std::vector<std::string> &x) {
        list([&] { x.push_back(r_.string()); });
    }
    template <class F> void list(F &&one) {
        r_.expectSign("(");
        while (!r_.isSign(")")) {
            one();
            if (!r_.takeSign(","))
                break;
        }
        r_.expectSign(")");
    }
    void size(sym::Expr &x) { x = r_.size(); }
    void size(std::vector<sym::Expr> &x) { x = r_.sizes(); }
    void size(std::array<sym::Expr, 3> &x) {
        const Token at = r_.peek();
        const std::vector<sym::Expr> all = r_.sizes();
        if (all.size() != 3)
            r_.fail("three sizes are expected", at);
        std::copy(all.begin(), all.end(), x.begin());
    }
    void locals(std::map<Name, Type> &x) {
        list([&] {
            const Name n = r_.name();
            r_.expectSign(":");
            x[n] = r_.type();
        });
        locals_ = &x;
    }
    void arguments(std::vector<Call::Argument> &x) {
        list([&] { fields(x.emplace_back()); });
    }
    FunctionId callee() {
        const Token at = r_.peek();
        if (r_.isSign("?")) {
            r_.take();
            return {};
        }
        auto known = functions_.find(r_.name());
        if (known == functions_.end())
            r_.fail("there is no function `" + at.text + "` above", at);
        return known->second;
    }

    // ---- simple statements
    void statement(py::StmtRef &x) { x = readStatement(r_); }
    void statement(std::vector<py::StmtRef> &x) { x = readStatements(r_); }

    // ---- statements
    /// `# [0.2.5] text`: the element that the statement comes from, and its comment.
    void note(Node &n, const Token &at) {
        const std::string_view text = origin(n, at);
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\\' && i + 1 < text.size())
                n.comment += text[++i] == 'n' ? '\n' : text[i];
            else
                n.comment += text[i];
        }
    }
    static std::string_view withoutBlank(std::string_view text) { return text.substr(text.starts_with(' ')); }
    /// Consumes the indices of the element and returns the text after them.
    std::string_view origin(Node &n, const Token &note) {
        const std::string_view text = withoutBlank(note.text);
        if (!text.starts_with('['))
            return text;
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos)
            r_.fail("`]` is missing after the numbers of an element", note);
        for (std::size_t at = 1; at < close;) {
            const std::size_t end = std::min(text.find('.', at), close);
            int v = 0;
            const bool negative = text[at] == '-';
            for (std::size_t i = at + negative; i < end; ++i) {
                if (text[i] < '0' || text[i] > '9' || v > 100000000)
                    r_.fail("the numbers of an element have the form `[0.2.5]`", note);
                v = v * 10 + (text[i] - '0');
            }
            n.origin.push_back(negative ? -v : v);
            at = end + 1;
        }
        return withoutBlank(text.substr(close + 1));
    }
    void block(Block &b) {
        Opened opened(scope_);
        r_.expectSign("{");
        b.braces = r_.takeLabel("braces") || b.braces;
        if (r_.peek().kind == Token::Note)
            note(b, r_.take());
        r_.endLine();
        body(b.body);
    }
    /// Statements up to the closing brace.
    void body(std::vector<NodePtr> &out) {
        if (++depth_ > 500)
            r_.fail("statements are nested too deeply");
        while (!r_.isSign("}")) {
            out.push_back(node());
            r_.endLine();
        }
        r_.take();
        --depth_;
    }
    NodePtr node() {
        std::optional<Token> above;
        if (r_.peek().kind == Token::Note) {
            above = r_.take();
            r_.endLine();
        }
        NodePtr n = statementHere();
        if (above)
            note(*n, *above);
        return n;
    }
    NodePtr statementHere() {
#define NODE(K, word, ...)                                                                                                         \
    if (r_.takeStatement(word))                                                                                                    \
        return read<K>();
#include "sdfgc/Tree/Nodes.def"
        if (r_.peek().kind == Token::Word && r_.peek(1).kind == Token::Word)
            r_.fail("there is no statement " + r_.here());
        auto code = std::make_unique<Code>();
        code->stmts.push_back(readAssignment(r_));
        return code;
    }
    template <class K> NodePtr read() {
        auto n = std::make_unique<K>();
        if constexpr (std::is_same_v<K, Block>) {
            n->braces = r_.takeLabel("braces");
            for (const auto &[label, field] : {std::pair("raises", &Block::raises), std::pair("catches", &Block::catches)})
                if (r_.takeLabel(label))
                    (*n).*field = r_.name();
            Opened opened(scope_, n->braces);
            r_.expectSign("{");
            r_.endLine();
            body(n->body);
        } else if constexpr (std::is_same_v<K, Declare>) {
            fields(*n);
        } else if constexpr (std::is_same_v<K, If>) {
            branches(*n);
        } else if constexpr (std::is_same_v<K, Comment>) {
            n->comment = r_.string();
        } else {
            Opened opened(scope_);
            fields(*n);
            locals_ = nullptr;
        }
        return n;
    }
    void branches(If &x) {
        if (r_.peek().kind == Token::Newline)
            return;
        do {
            If::Branch &b = x.branches.emplace_back();
            const bool first = x.branches.size() == 1;
            if (first || r_.takeLabel("if")) {
                if (!r_.isSign("{"))
                    b.condition = r_.expression();
            }
            block(newBlock(b.body));
        } while (r_.takeLabel("else"));
    }

    TreeReader r_;
    std::unique_ptr<Module> m_;
    Function *f_ = nullptr;
    Scope scope_;
    std::map<Name, FunctionId> functions_;
    std::map<std::string, VarId> numbered_;
    std::vector<Member> waiting_;
    std::map<std::tuple<const Function *, VarId, Name>, VarId> members_;
    const std::map<Name, Type> *locals_ = nullptr;
    int depth_ = 0;
};

} // namespace

std::unique_ptr<Module> parse(std::string_view text, const std::string &file, diag::Engine &diagnostics) {
    try {
        return Parser(text).run();
    } catch (const SyntaxError &e) {
        diagnostics.report(diag::Id::TreeSyntax, {file, e.line, e.column, {}, {}, {}}, e.message);
        return nullptr;
    }
}

} // namespace sdfgc::tree
