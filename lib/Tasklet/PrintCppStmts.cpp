// Lowered, typed statements as C++ text.
#include "Tasklet/AstUtil.h"
#include "Tasklet/Infer.h"
#include "Tasklet/LocalPlan.h"
#include "Tasklet/PrintCpp.h"

#include <algorithm>

namespace sdfgc::py {

namespace {

using namespace detail;

class StmtPrinter {
public:
    StmtPrinter(const CppPrinter &printer, const std::vector<StmtRef> &block, const std::map<Name, Type> &locals)
        : expr_(printer), locals_(locals), plan_(planLocals(block, locals)), order_(inOrder(block)) {
        for (const Stmt *s : order_)
            collectNames(*s);
    }

    std::string block(const std::vector<StmtRef> &stmts, int indent) {
        std::string saved;
        std::swap(saved, out_);
        for (const StmtRef &s : stmts)
            statement(*s, indent);
        std::swap(saved, out_);
        return saved;
    }

private:
    CppExprPrinter expr_;
    const std::map<Name, Type> &locals_;
    LocalPlan plan_;
    std::vector<const Stmt *> order_;
    std::set<Name> taken_; // names used in the text
    int next_ = 0;         // number of the next statement
    std::string out_;

    void collectNames(const Stmt &s) {
        const std::function<void(const Expr &)> add = [&](const Expr &e) {
            if (e.kind == ExprKind::Name)
                taken_.insert(e.name);
            forEachChild(e, add);
        };
        forEachExpr(s, add);
    }

    std::string fresh(std::string text) {
        while (taken_.count(Name(text)) || locals_.count(Name(text)))
            text += "_";
        taken_.insert(Name(text));
        return text;
    }

    void line(int indent, const std::string &text) { out_ += std::string(static_cast<std::size_t>(indent) * 4, ' ') + text + "\n"; }

    std::string text(const Expr &e) const { return expr_.text(e, cppLowest); }
    std::string value(const Expr &e) const { return expr_.text(e); }
    std::string place(const Expr &e) const { return expr_.place(e, cppLowest); }
    /// The value as `target` stores it. A local has the type that its declaration gives it.
    std::string valueFor(const Expr &target, const Expr &e) const {
        const auto local = target.kind == ExprKind::Name ? locals_.find(target.name) : locals_.end();
        return expr_.textAs(e, local != locals_.end() && local->second ? local->second : target.type);
    }

    std::string typeName(Name n) const {
        const auto it = locals_.find(n);
        const std::string name = it != locals_.end() && it->second ? expr_.type(it->second) : "";
        return name.empty() ? "auto" : name;
    }

    static std::string declaration(const std::string &type, const std::string &name) {
        return type + (type.back() == '*' ? "" : " ") + name;
    }

    void statement(const Stmt &s, int indent) {
        const int id = next_++;
        if (const auto it = plan_.before.find(id); it != plan_.before.end())
            for (Name n : it->second)
                declareBefore(n, indent);
        switch (s.kind) {
        case StmtKind::Assign:
            return assignment(s, id, indent);
        case StmtKind::AnnAssign:
            return annotated(s, id, indent);
        case StmtKind::AugAssign:
            return augmented(s, indent);
        case StmtKind::ExprStmt:
            if (s.value->kind != ExprKind::String) // documentation
                line(indent, text(*s.value) + ";");
            return;
        case StmtKind::If:
            return ifStatement(s, indent);
        case StmtKind::While:
            return nested(indent, "while (" + text(*s.value) + ") {", s.body);
        case StmtKind::For:
            return forStatement(s, id, indent);
        case StmtKind::Break:
            return line(indent, "break;");
        case StmtKind::Continue:
            return line(indent, "continue;");
        case StmtKind::Pass:
            return;
        case StmtKind::Return:
            return line(indent, s.value ? "return " + value(*s.value) + ";" : "return;");
        case StmtKind::Assert:
            return assertion(s, indent);
        case StmtKind::Raw:
            return rawLines(s.text, indent);
        }
    }

    // `T x;`. If inference does not know the type, it is the type of the first value.
    void declareBefore(Name n, int indent) {
        std::string type = typeName(n);
        if (type == "auto") {
            expr_.uses("type_traits");
            type = "std::decay_t<decltype(" + firstValue(n) + ")>";
        }
        line(indent, declaration(type, n.str()) + ";");
    }

    std::string firstValue(Name n) const {
        for (const Stmt *s : order_) {
            if (s->kind != StmtKind::Assign)
                continue;
            for (const ExprRef &t : s->targets) {
                if (t->kind == ExprKind::Name && t->name == n)
                    return value(*s->value);
                for (std::size_t k = 0; t->kind == ExprKind::Tuple && k < t->args.size(); ++k)
                    if (isName(*t->args[k], n.view()))
                        return "std::get<" + std::to_string(k) + ">(" + value(*s->value) + ")";
            }
        }
        return "0";
    }

    void assignment(const Stmt &s, int id, int indent) {
        const bool declares = plan_.initialised.count(id) > 0;
        const Expr &target = *s.targets[0];
        if (s.targets.size() > 1)
            return chain(s, indent);
        if (target.kind == ExprKind::Tuple)
            return line(indent, tupleTarget(target, declares) + " = " + value(*s.value) + ";");
        const std::string left = declares ? declaration(typeName(target.name), place(target)) : place(target);
        line(indent, left + " = " + valueFor(target, *s.value) + ";");
    }

    void augmented(const Stmt &s, int indent) {
        const Expr &target = *s.targets[0];
        if (const std::string whole = expr_.updated(target, s.op, *s.value); !whole.empty())
            return line(indent, place(target) + " = " + whole + ";");
        line(indent, text(target) + " " + std::string(cppOperator(s.op)) + "= " + value(*s.value) + ";");
    }

    std::string sharedType(const Expr &e) const { return "const " + (expr_.inOpenCl() ? expr_.type(e.type) : "auto") + " "; }

    std::string tupleTarget(const Expr &target, bool declares) const {
        std::string names;
        for (const ExprRef &t : target.args)
            names += (names.empty() ? "" : ", ") + text(*t);
        if (declares)
            return "auto [" + names + "]";
        expr_.uses("tuple");
        return "std::tie(" + names + ")";
    }

    // `a = b = v`. C++ would convert v through the type of b, so v goes through its own variable if the types differ.
    void chain(const Stmt &s, int indent) {
        const Type first = s.targets[0]->type;
        const bool plain = std::all_of(s.targets.begin(), s.targets.end(),
                                       [&](const ExprRef &t) { return t->kind != ExprKind::Tuple && t->type == first; });
        if (plain) {
            std::string all;
            for (const ExprRef &t : s.targets)
                all += place(*t) + " = ";
            return line(indent, all + valueFor(*s.targets[0], *s.value) + ";");
        }
        const std::string shared = fresh("value");
        line(indent, "{");
        line(indent + 1, sharedType(*s.value) + shared + " = " + value(*s.value) + ";");
        for (const ExprRef &t : s.targets)
            line(indent + 1, (t->kind == ExprKind::Tuple ? tupleTarget(*t, false) : text(*t)) + " = " + shared + ";");
        line(indent, "}");
    }

    void annotated(const Stmt &s, int id, int indent) {
        const Expr &target = *s.targets[0];
        const std::string left = plan_.initialised.count(id) ? declaration(typeName(target.name), place(target)) : place(target);
        if (s.value)
            line(indent, left + " = " + valueFor(target, *s.value) + ";");
        else if (plan_.initialised.count(id))
            line(indent, left + ";");
    }

    void nested(int indent, const std::string &head, const std::vector<StmtRef> &body) {
        line(indent, head);
        out_ += block(body, indent + 1);
        line(indent, "}");
    }

    // An `else if` chain stays flat, unless a declaration must come before the inner `if`.
    void ifStatement(const Stmt &first, int indent) {
        const Stmt *s = &first;
        line(indent, "if (" + text(*s->value) + ") {");
        out_ += block(s->body, indent + 1);
        while (s->orelse.size() == 1 && s->orelse[0]->kind == StmtKind::If && !plan_.before.count(next_)) {
            s = s->orelse[0].get();
            ++next_;
            line(indent, "} else if (" + text(*s->value) + ") {");
            out_ += block(s->body, indent + 1);
        }
        if (!s->orelse.empty()) {
            line(indent, "} else {");
            out_ += block(s->orelse, indent + 1);
        }
        line(indent, "}");
    }

    // Python computes the end of a range once. It may stay in the condition if the body cannot change it.
    static bool isStable(const Expr &e, const std::vector<StmtRef> &body) {
        if (e.kind == ExprKind::Name)
            return !assigns(body, e.name);
        if (e.kind == ExprKind::Call || e.kind == ExprKind::Subscript || e.kind == ExprKind::Attribute ||
            e.kind == ExprKind::MemRef || e.kind == ExprKind::Raw)
            return false;
        bool stable = true;
        forEachChild(e, [&](const Expr &c) { stable = stable && isStable(c, body); });
        return stable;
    }

    void forStatement(const Stmt &s, int id, int indent) {
        if (!isRange(*s.value))
            return nested(indent, "for (auto " + text(*s.targets[0]) + " : " + value(*s.value) + ") {", s.body);
        const auto &args = s.value->args;
        const bool owns = plan_.loops.count(id) > 0;
        const std::string variable = text(*s.targets[0]), counter = owns ? variable : fresh(s.targets[0]->name.str() + "_next");
        std::string init = "int64_t " + counter + " = " + (args.size() == 2 ? "0" : value(*args[1]));
        const Expr &last = args.size() == 2 ? *args[1] : *args[2];
        std::string end = expr_.text(last, cppShift);
        if (!isStable(last, s.body)) {
            const std::string name = fresh(s.targets[0]->name.str() + "_end");
            init += ", " + name + " = " + value(last);
            end = name;
        }
        const std::string head = loopHead(s, counter, std::move(init), end);
        line(indent, head);
        if (!owns)
            line(indent + 1, variable + " = " + counter + ";");
        out_ += block(s.body, indent + 1);
        line(indent, "}");
    }

    // If the sign of the step is unknown, the direction is decided at run time.
    std::string loopHead(const Stmt &s, const std::string &counter, std::string init, const std::string &end) {
        const auto &args = s.value->args;
        const auto step = args.size() == 4 ? intValue(*args[3]) : std::optional<int64_t>(1);
        std::string condition = counter + (!step || *step >= 0 ? " < " : " > ") + end, advance;
        if (!step) {
            const std::string name = fresh(s.targets[0]->name.str() + "_step");
            init += ", " + name + " = " + value(*args[3]);
            condition = name + " > 0 ? " + condition + " : " + counter + " > " + end;
            advance = counter + " += " + name;
        } else if (*step == 1 || *step == -1) {
            advance = (*step == 1 ? "++" : "--") + counter;
        } else {
            const bool down = args[3]->kind == ExprKind::Unary;
            advance = counter + (down ? " -= " + value(*args[3]->args[0]) : " += " + value(*args[3]));
        }
        return "for (" + init + "; " + condition + "; " + advance + ") {";
    }

    void assertion(const Stmt &s, int indent) {
        expr_.uses("cassert");
        const bool message = s.extra && s.extra->kind == ExprKind::String;
        line(indent, "assert(" + (message ? expr_.text(*s.value, cppBitOr) + " && " + value(*s.extra) : value(*s.value)) + ");");
    }

    void rawLines(const std::string &text, int indent) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            line(indent, text.substr(at, end - at));
            at = end + 1;
        }
    }
};

} // namespace

std::string CppPrinter::stmts(const std::vector<StmtRef> &block, const std::map<Name, Type> &locals, int indent) const {
    return StmtPrinter(*this, block, locals).block(block, indent);
}

} // namespace sdfgc::py
