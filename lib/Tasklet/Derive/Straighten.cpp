// Converts a block to single assignment: each value of a local or output gets its own name, and an `if` joins the values of its
// sides.
#include "Tasklet/Derive/Simplify.h"
#include "Tasklet/Derive/Steps.h"
#include "Tasklet/Infer.h"

#include <algorithm>

namespace sdfgc::py::detail {

namespace {

using Values = std::map<std::string, ExprRef>;

bool isConstantElement(const Expr &e) {
    return std::all_of(e.args.begin() + 1, e.args.end(), [](const ExprRef &a) { return intValue(*a).has_value(); });
}

class Straightener {
public:
    Straightener(const Signature &signature, Builder &builder) : signature_(signature), builder_(builder) {}

    Straight run(const std::vector<StmtRef> &parsed) {
        const std::vector<StmtRef> plain = unrolled(parsed);
        Env env = builder_.env();
        const auto isOutput = [this](Name n) { return signature_.outputs.count(n) != 0; };
        TypedBlock typed = inferTypes(resolveModules(plain, env), env, isOutput, signature_.semantics);
        if (!typed.errors.empty())
            refuse(DerivativeError::Kind::Typing, typed.errors[0].message, typed.errors[0].at);
        locals_ = typed.locals;
        outputs(typed.block);
        block(typed.block);
        result_.values = std::move(values_);
        return std::move(result_);
    }

private:
    const Signature &signature_;
    Builder &builder_;
    std::map<Name, Type> locals_;
    std::set<Name> variableIndices_; // outputs with an element whose index is not a number
    Values values_;                  // current leaf of each variable
    Straight result_;

    bool isPointer(Name n) const { return signature_.pointers.count(n) != 0; }
    bool isOutput(Name n) const { return signature_.outputs.count(n) != 0; }
    bool isInput(Name n) const { return signature_.inputs.count(n) != 0; }

    void outputs(const std::vector<StmtRef> &typed) {
        const auto element = [this](const ExprRef &e) {
            if (e->kind == ExprKind::Subscript && e->args[0]->kind == ExprKind::Name && !isConstantElement(*e))
                variableIndices_.insert(e->args[0]->name);
            return e;
        };
        rewrite(typed, element);
        const BlockNames names = blockNames(typed);
        for (Name n : signature_.activeOutputs) {
            if (isPointer(n) && names.written.count(n))
                result_.stored.insert(n);
            if (!isPointer(n) && !names.always.count(n))
                result_.partial.insert(n);
        }
    }

    // ---- reading

    std::vector<ExprRef> indices(const Expr &subscript) {
        std::vector<ExprRef> out;
        for (std::size_t k = 1; k < subscript.args.size(); ++k)
            out.push_back(read(subscript.args[k]));
        return out;
    }

    static ExprRef withArgs(const ExprRef &e, ExprRef first, const std::vector<ExprRef> &others) {
        Expr copy = *e;
        copy.args = {std::move(first)};
        copy.args.insert(copy.args.end(), others.begin(), others.end());
        return share(std::move(copy));
    }

    ExprRef variable(const std::string &key, const ExprRef &e) {
        const auto it = values_.find(key);
        if (it != values_.end() && it->second)
            return it->second;
        refuseConstruct("`" + key + "`, which is read before it is assigned", e->at);
    }

    ExprRef readName(const ExprRef &e) {
        if (isInput(e->name) && isPointer(e->name)) // its first element
            return subscript(e, {intLit(0)});
        if (const auto it = values_.find(e->name.str()); it != values_.end() && it->second)
            return it->second;
        const bool known = isInput(e->name) || (!isOutput(e->name) && !locals_.count(e->name));
        return known ? e : variable(e->name.str(), e);
    }

    static ExprRef subscript(const ExprRef &of, const std::vector<ExprRef> &indices) {
        Expr e;
        e.kind = ExprKind::Subscript;
        e.at = of->at;
        return withArgs(share(std::move(e)), of, indices);
    }

    ExprRef readSubscript(const ExprRef &e) {
        const Expr &base = *e->args[0];
        if (base.kind != ExprKind::Name || (!isPointer(base.name) && !isOutput(base.name)))
            return mapChildren(e, [this](const ExprRef &c) { return read(c); });
        if (isInput(base.name))
            return withArgs(e, e->args[0], indices(*e));
        if (!isElementwise(base.name))
            refuseConstruct("an element of output `" + base.name.str() + "` that is read back", e->at);
        return variable(print(*e), e);
    }

    bool isElementwise(Name output) const { return !variableIndices_.count(output) && !signature_.sums.count(output); }

    ExprRef readCall(const ExprRef &e) {
        if (e->args[0]->type.isCallback() ||
            (e->args[0]->kind == ExprKind::Name && signature_.env.isCallback && signature_.env.isCallback(e->args[0]->name)))
            refuseConstruct("a call of callback `" + print(*e->args[0]) + "`", e->at);
        std::vector<ExprRef> args;
        for (std::size_t k = 1; k < e->args.size(); ++k)
            args.push_back(read(e->args[k]));
        const bool extremum = isName(*e->args[0], "max") || isName(*e->args[0], "min");
        while (extremum && args.size() > 2) {
            args[0] = withArgs(e, e->args[0], {args[0], args[1]});
            args.erase(args.begin() + 1);
        }
        return extremum && args.size() == 1 ? args[0] : withArgs(e, e->args[0], args);
    }

    // A choice between anything but names and numbers becomes a branch: either side may be undefined if the other one is taken.
    ExprRef readChoice(const ExprRef &e, std::string_view wanted) {
        const auto isSimple = [this](const ExprRef &a) {
            return isLiteral(*a) || (a->kind == ExprKind::Name && !isPointer(a->name));
        };
        if (isIntegral(valueOf(e->type)) || (isSimple(e->args[1]) && isSimple(e->args[2])))
            return mapChildren(e, [this](const ExprRef &c) { return read(c); });
        DerivationStep s;
        s.kind = DerivationStep::Kind::Branch;
        s.at = e->at;
        s.value = builder_.condition(read(e->args[0]));
        Join join;
        builder_.within(s.then, s.thenScope, [&] { join.then = builder_.leaf(read(e->args[1])); });
        builder_.within(s.other, s.otherScope, [&] { join.other = builder_.leaf(read(e->args[2])); });
        const Type t = builder_.commonTypeOf(join.then, join.other);
        builder_.within(s.then, s.thenScope, [&] { join.then = builder_.leaf(builder_.converted(join.then, t)); });
        builder_.within(s.other, s.otherScope, [&] { join.other = builder_.leaf(builder_.converted(join.other, t)); });
        join.result = builder_.fresh(wanted.empty() ? "t" : std::string(wanted));
        builder_.define(join.result, t);
        s.joins.push_back(join);
        builder_.push(std::move(s));
        return name(join.result, t);
    }

    /// The expression in terms of names that are assigned once.
    ExprRef read(const ExprRef &e, std::string_view wanted = "") {
        if (!e)
            return e;
        switch (e->kind) {
        case ExprKind::Name:
            return readName(e);
        case ExprKind::Subscript:
            return readSubscript(e);
        case ExprKind::Attribute:
            return isModule(*e->args[0]) ? e : mapChildren(e, [this](const ExprRef &c) { return read(c); });
        case ExprKind::Call:
            return readCall(e);
        case ExprKind::IfExp:
            return readChoice(e, wanted);
        case ExprKind::Raw:
            refuse(DerivativeError::Kind::Foreign, e->text, e->at);
        case ExprKind::Lambda:
            refuseConstruct("a `lambda`", e->at);
        default:
            return mapChildren(e, [this](const ExprRef &c) { return read(c); });
        }
    }

    // ---- assigning

    Type typeOfVariable(Name n) const {
        if (const auto it = signature_.outputs.find(n); it != signature_.outputs.end())
            return valueOf(it->second);
        if (const auto it = signature_.inputs.find(n); it != signature_.inputs.end())
            return valueOf(it->second);
        const auto it = locals_.find(n);
        return it == locals_.end() ? Type() : it->second;
    }

    // Keeps integers literal in floating-point code, and keeps a local's value in the type of its computation.
    ExprRef inTypeOf(Name n, const ExprRef &value) {
        const Type t = typeOfVariable(n), from = builder_.typeOf(value);
        const bool local = !isOutput(n) && !isInput(n);
        const bool keeps = !t || !from || t == from || (isLiteral(*value) && isIntegral(from) && t.isFloat()) ||
                           (local && t.isFloat() && from.isFloat());
        return keeps ? value : castTo(t, builder_.leaf(value));
    }

    void keep(Name root, const std::string &key, const std::string &wanted, const ExprRef &value) {
        const ExprRef leaf = builder_.leaf(inTypeOf(root, value), wanted);
        values_[key] = leaf;
        if (!result_.partial.count(root) && key == root.str())
            return;
        DerivationStep s;
        s.kind = DerivationStep::Kind::Define;
        s.name = Name(key);
        s.value = leaf;
        builder_.push(std::move(s));
    }

    void assignTo(const ExprRef &target, const ExprRef &value) {
        const Name root = rootName(*target);
        if (target->kind == ExprKind::Name && !isPointer(root))
            return keep(root, root.str(), root.str(), value);
        if (target->kind != ExprKind::Subscript || target->args[0]->kind != ExprKind::Name || !isOutput(root))
            refuseConstruct("an assignment to `" + print(*target) + "`", target->at);
        if (isElementwise(root))
            return keep(root, print(*target), root.str() + "_t", value);
        DerivationStep s;
        s.kind = DerivationStep::Kind::Store;
        s.at = target->at;
        s.name = root;
        s.target = withArgs(target, target->args[0], indices(*target));
        s.value = builder_.leaf(inTypeOf(root, value));
        builder_.push(std::move(s));
    }

    void assignment(const Stmt &s) {
        if (s.targets.size() == 1 && s.targets[0]->kind == ExprKind::Tuple) {
            if (s.value->kind != ExprKind::Tuple)
                refuseConstruct("an assignment to several names of one value", s.at);
            std::vector<ExprRef> values;
            for (const ExprRef &v : s.value->args)
                values.push_back(builder_.leaf(read(v)));
            for (std::size_t k = 0; k < values.size(); ++k)
                assignTo(s.targets[0]->args[k], values[k]);
            return;
        }
        ExprRef value = read(s.value, s.targets[0]->kind == ExprKind::Name ? s.targets[0]->name.view() : "");
        if (s.targets.size() > 1)
            value = builder_.leaf(value);
        for (const ExprRef &t : s.targets)
            assignTo(t, value);
    }

    void branch(const Stmt &s) {
        DerivationStep step;
        step.kind = DerivationStep::Kind::Branch;
        step.at = s.at;
        step.value = builder_.condition(read(s.value));
        const Values before = values_;
        builder_.within(step.then, step.thenScope, [&] { block(s.body); });
        const Values then = std::exchange(values_, before);
        builder_.within(step.other, step.otherScope, [&] { block(s.orelse); });
        joinSides(step, then);
        builder_.push(std::move(step));
    }

    void joinSides(DerivationStep &step, Values then) {
        for (const auto &[key, leaf] : values_)
            then.try_emplace(key, nullptr);
        for (const auto &[key, leaf] : then) {
            const bool input = isInput(Name(key));
            const ExprRef a = !leaf && input ? name(Name(key), typeOfVariable(Name(key))) : leaf;
            ExprRef &now = values_[key];
            const ExprRef b = !now && input ? name(Name(key), typeOfVariable(Name(key))) : now;
            if (a && b && equal(*a, *b))
                continue;
            const std::string root = key.substr(0, key.find('['));
            const bool local = !isOutput(Name(root)) && !isInput(Name(root));
            const Type t = local ? builder_.commonTypeOf(a, b) : typeOfVariable(Name(root));
            const Name result = builder_.fresh(root == key ? key : root + "_t");
            builder_.define(result, t);
            const auto typed = [&](const ExprRef &e) { return e && isLiteral(*e) ? builder_.converted(e, t) : e; };
            step.joins.push_back({result, typed(a), typed(b)});
            now = name(result, t);
        }
    }

    void block(const std::vector<StmtRef> &stmts) {
        for (const StmtRef &s : stmts)
            statement(*s);
    }

    void statement(const Stmt &s) {
        switch (s.kind) {
        case StmtKind::Assign:
            return assignment(s);
        case StmtKind::AnnAssign:
            if (s.value)
                assignTo(s.targets[0], s.type ? builder_.converted(read(s.value), s.type) : read(s.value));
            return;
        case StmtKind::AugAssign: {
            Expr whole = *binary(s.op, read(s.targets[0]), read(s.value));
            whole.at = s.at;
            return assignTo(s.targets[0], share(std::move(whole)));
        }
        case StmtKind::If:
            return branch(s);
        case StmtKind::Pass:
        case StmtKind::Assert: // already checked by the program itself
            return;
        case StmtKind::ExprStmt:
            return call(s);
        case StmtKind::Raw:
            refuse(DerivativeError::Kind::Foreign, s.text, s.at);
        default:
            refuseConstruct(std::string(word(s.kind)), s.at);
        }
    }

    // The program itself has already performed the effects of such a call; it matters only if it has results.
    void call(const Stmt &s) {
        if (s.value->kind != ExprKind::Call || s.value->args[0]->kind != ExprKind::Name)
            return;
        const Function *f = findFunction(s.value->args[0]->name.view());
        if (f && f->results > 0)
            refuse(DerivativeError::Kind::Function, std::string(f->name), s.at);
    }

    static std::string_view word(StmtKind kind) {
        switch (kind) {
        case StmtKind::While:
            return "a `while` loop";
        case StmtKind::For:
            return "a `for` loop";
        case StmtKind::Break:
            return "`break`";
        case StmtKind::Continue:
            return "`continue`";
        case StmtKind::Return:
            return "`return`";
        default:
            return "this statement";
        }
    }
};

/// Names of steps that depend on active inputs.
class Activity {
public:
    Activity(const Signature &signature, const Builder &builder, std::set<Name> &active) : builder_(builder), active_(active) {
        for (Name n : signature.activeInputs)
            if (const auto it = signature.inputs.find(n); it == signature.inputs.end() || !isIntegral(valueOf(it->second)))
                active_.insert(n);
    }

    void mark(const std::vector<DerivationStep> &steps) {
        for (const DerivationStep &s : steps) {
            if (s.kind == DerivationStep::Kind::Let && !isIntegral(builder_.typeOf(name(s.name))) && dependsOn(*s.value))
                active_.insert(s.name);
            mark(s.then);
            mark(s.other);
            for (const Join &j : s.joins)
                if (isActive(j.then) || isActive(j.other))
                    active_.insert(j.result);
        }
    }

private:
    const Builder &builder_;
    std::set<Name> &active_;

    bool isActive(const ExprRef &leaf) const { return leaf && leaf->kind == ExprKind::Name && active_.count(leaf->name); }

    bool dependsOn(const Expr &flat) const {
        if (flat.kind == ExprKind::Subscript || flat.kind == ExprKind::Attribute)
            return active_.count(rootName(flat)) != 0;
        const auto first = flat.args.begin() + firstOperand(flat);
        return std::any_of(first, flat.args.end(), [this](const ExprRef &a) { return isActive(a); });
    }
};

} // namespace

Straight straighten(const std::vector<StmtRef> &block, const Signature &signature, Builder &builder) {
    Straight s = Straightener(signature, builder).run(block);
    Activity(signature, builder, s.active).mark(builder.top);
    return s;
}

} // namespace sdfgc::py::detail
