// Types of blocks: a local gets the join of all types assigned to it, found by iteration to a fixed point.
#include "Tasklet/Infer.h"

#include <algorithm>

namespace sdfgc::py {

using namespace detail;

namespace {

class BlockInference {
public:
    BlockInference(const Env &env, const std::function<bool(Name)> &isOutput, Semantics semantics)
        : outer_(env), isOutput_(isOutput), semantics_(semantics), env_(env) {
        env_.typeOf = [this](Name n) { return lookUp(n); };
    }

    TypedBlock run(const std::vector<StmtRef> &stmts) {
        // This terminates because types only grow: joins have a finite height, and each round but the last raises a local's type.
        std::map<Name, Type> before;
        do {
            before = result_.locals;
            result_.errors.clear();
            result_.assigned.clear();
            result_.block = block(stmts);
        } while (before != result_.locals);
        return std::move(result_);
    }

private:
    const Env &outer_;
    const std::function<bool(Name)> &isOutput_;
    Semantics semantics_;
    Env env_; // outer_ and the locals
    TypedBlock result_;

    std::optional<Type> lookUp(Name n) const {
        if (const auto it = result_.locals.find(n); it != result_.locals.end())
            return it->second;
        return outer_.typeOf ? outer_.typeOf(n) : std::nullopt;
    }

    bool isLocal(Name n) const {
        if (result_.locals.count(n))
            return true;
        return !(isOutput_ && isOutput_(n)) && !(outer_.typeOf && outer_.typeOf(n));
    }

    void error(std::string message, Position at) { result_.errors.push_back({std::move(message), at}); }

    ExprRef value(const ExprRef &e) {
        const ExprRef typed = inferTypes(e, env_, semantics_);
        collectUnsupported(*typed, result_.errors);
        return typed;
    }

    // Name n is assigned a value of type t.
    void define(Name n, Type t, Position at) {
        if (!isLocal(n)) {
            result_.assigned[n] = t;
            return;
        }
        const auto [it, isNew] = result_.locals.try_emplace(n, t);
        if (isNew) {
            result_.localOrder.push_back(n);
            return;
        }
        const Type joined = commonType(it->second, t);
        if (it->second && t && !joined)
            error("`" + n.str() + "` is assigned values of types " + it->second.str() + " and " + t.str(), at);
        else
            it->second = joined;
    }

    ExprRef store(const ExprRef &target, const ExprRef &from, Type t) {
        if (target->kind == ExprKind::Tuple) {
            const bool pairs = from && from->kind == ExprKind::Tuple && from->args.size() == target->args.size();
            if (from && from->kind == ExprKind::Tuple && !pairs)
                error("cannot assign " + std::to_string(from->args.size()) + " values to " + std::to_string(target->args.size()) +
                          " names",
                      target->at);
            std::size_t k = 0;
            return mapChildren(target, [&](const ExprRef &c) {
                const ExprRef part = pairs ? from->args[k++] : nullptr;
                return store(c, part, part ? part->type : Type());
            });
        }
        if (target->kind == ExprKind::Name)
            define(target->name, t, target->at);
        return value(target);
    }

    std::vector<StmtRef> block(const std::vector<StmtRef> &stmts) {
        std::vector<StmtRef> out;
        out.reserve(stmts.size());
        for (const StmtRef &s : stmts)
            out.push_back(std::make_shared<const Stmt>(statement(*s)));
        return out;
    }

    Stmt statement(const Stmt &s) {
        Stmt typed = s;
        switch (s.kind) {
        case StmtKind::For:
            return forLoop(typed);
        case StmtKind::AnnAssign:
            return annotated(typed);
        case StmtKind::AugAssign:
            return augmented(typed);
        case StmtKind::ExprStmt:
            results(*s.value);
            break;
        default:
            break;
        }
        if (s.value)
            typed.value = value(s.value);
        if (s.extra)
            typed.extra = value(s.extra);
        for (ExprRef &t : typed.targets)
            t = store(t, typed.value, typed.value->type);
        typed.body = block(s.body);
        typed.orelse = block(s.orelse);
        return typed;
    }

    Stmt forLoop(Stmt s) {
        if (isRange(*s.value))
            s.value = value(s.value);
        else
            error("a `for` loop needs `range(...)`", s.at);
        s.targets[0] = store(s.targets[0], nullptr, Type(ScalarKind::Int64));
        s.body = block(s.body);
        return s;
    }

    Stmt annotated(Stmt s) {
        if (!s.type)
            error("the annotation is not a type", s.at);
        if (s.value)
            s.value = value(s.value);
        s.targets[0] = store(s.targets[0], nullptr, s.type);
        return s;
    }

    Stmt augmented(Stmt s) {
        s.value = value(s.value);
        const ExprRef combined = binary(s.op, value(s.targets[0]), s.value);
        s.targets[0] = store(s.targets[0], nullptr, binaryType(*combined, semantics_));
        return s;
    }

    // Locals that a call assigns by reference have the type of its other arguments.
    void results(const Expr &e) {
        if (e.kind != ExprKind::Call || e.args[0]->kind != ExprKind::Name)
            return;
        const Function *f = findFunction(e.args[0]->name.view());
        if (!f || f->results == 0 || e.args.size() <= f->results)
            return;
        Type t;
        const std::size_t first = e.args.size() - f->results;
        for (std::size_t k = 1; k < first; ++k)
            t = commonType(t, valueOf(inferTypes(e.args[k], env_, semantics_)->type));
        for (std::size_t k = first; k < e.args.size(); ++k) {
            const bool exponent = f->name == "np_frexp" && k + 1 == e.args.size();
            if (e.args[k]->kind == ExprKind::Name)
                define(e.args[k]->name,
                       exponent                                        ? Type(ScalarKind::Int32)
                       : f->name == "np_modf" || f->name == "np_frexp" ? floating(t)
                                                                       : t,
                       e.at);
        }
    }
};

} // namespace

TypedBlock inferTypes(const std::vector<StmtRef> &block, const Env &env, const std::function<bool(Name)> &isOutput,
                      Semantics semantics) {
    return BlockInference(env, isOutput, semantics).run(block);
}

} // namespace sdfgc::py
