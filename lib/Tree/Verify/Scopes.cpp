// SD2152, SD2153, SD2164: a variable is declared once, before its uses and in a block around them, and no two variables visible at
// the same point have the same name. This is checked by id, and by name in expressions and sizes. Fields of the state, constants
// and members are not declared. Other names in expressions are declared by the code itself, are parameters of lambdas, or belong to
// the file.
#include "Rules.h"

#include "../Text/Scope.h"

#include <algorithm>

namespace sdfgc::tree::rules {
namespace {

class Scopes {
public:
    explicit Scopes(Report &r) : r_(r) {}

    void run() {
        for (VarId p : r_.f.params)
            scope_.declare(r_.var(p).name, p);
        for (const Variable &v : r_.f.vars) {
            known_.insert(v.name);
            if (isEverywhere(v))
                everywhere_.insert(v.name);
        }
        body(r_.f.body.body);
    }

private:
    bool isEverywhere(const Variable &v) const {
        return v.kind == VarKind::StateField || v.kind == VarKind::Constant || v.kind == VarKind::Member || isScalarConstant(v);
    }
    /// A constant of the module that is a value: functions do not declare it either.
    bool isScalarConstant(const Variable &v) const {
        return v.isConst && v.kind == VarKind::Value &&
               std::any_of(r_.m.constants.begin(), r_.m.constants.end(),
                           [&](const ConstantDef &c) { return c.name == v.name && !c.isArray; });
    }
    void body(const std::vector<NodePtr> &all) {
        for (const NodePtr &n : all)
            node(*n);
    }
    void block(const Block &b) {
        text::Opened opened(scope_);
        body(b.body);
    }
    void use(VarId v, const Node &at) {
        const VarId root = rootOf(r_.f, v);
        const Variable &x = r_.var(root);
        if (!isEverywhere(x) && scope_.find(x.name) != root)
            r_.fault(diag::Id::TreeUndeclared, at, x.name.str());
    }
    void declare(VarId v, const Node &at) {
        if (!v)
            return;
        const Name n = r_.var(v).name;
        if (!declared_.insert(v).second)
            r_.fault(diag::Id::TreeDeclaredTwice, at, n.str());
        else if (scope_.find(n))
            r_.fault(diag::Id::TreeNameTwice, at, n.str());
        scope_.declare(n, v);
    }
    void node(const Node &n) {
        text::Opened opened(scope_, text::opensScope(n));
        const std::map<Name, Type> *outer = locals_;
        if (n.kind == TreeKind::Code)
            locals_ = &static_cast<const Code &>(n).locals;
        // Variables declared by loops and regions are visible in their headers.
        visit(n, [&](const auto &x) {
            forEachField(x, [&](const auto &each, const auto &owner) {
                constexpr Role role = std::decay_t<decltype(each)>::role;
                if constexpr (role == Role::Iterates)
                    declare(each.of(owner), n);
                else if constexpr (role == Role::Assigns) {
                    if (each.of(owner))
                        use(each.of(owner), n);
                }
            });
        });
        forEachReference(n, [&](RefId r) {
            if (r)
                use(r_.f.refs[r].var, n);
        });
        forEachName(r_.f, n, [&](Name name, NameIn where) {
            if (known_.count(name) || (where == NameIn::Size && !isKnownElsewhere(name)))
                named(name, n);
        });
        if (n.kind == TreeKind::Declare)
            declare(static_cast<const Declare &>(n).var, n);
        locals_ = outer;
        if (n.kind == TreeKind::Block)
            return body(static_cast<const Block &>(n).body);
        if (n.kind == TreeKind::RawTasklet)
            return after(static_cast<const RawTasklet &>(n));
        forEachBlock(n, [this](const Block &b) { block(b); });
    }
    /// The write-backs of a tasklet mention variables that its bindings declare.
    void after(const RawTasklet &t) {
        const std::set<Name> outer = bound_;
        for (const RawTasklet::Binding &b : t.bindings)
            bound_.insert(b.name);
        body(t.after);
        bound_ = outer;
    }
    /// Names besides variables that sizes may mention: constants and kernels of the module, values of the target, and definitions
    /// of user code at file scope. Expressions may also mention names of C++ and its libraries.
    bool isKnownElsewhere(Name n) const {
        return n == number::threadX || n == number::threadY || n == number::threadZ || !r_.m.globalCode.empty() ||
               std::any_of(r_.m.constants.begin(), r_.m.constants.end(), [&](const ConstantDef &c) { return c.name == n; }) ||
               std::any_of(r_.m.functions.begin(), r_.m.functions.end(), [&](const auto &f) { return f->name == n; });
    }
    void named(Name n, const Node &at) {
        if (everywhere_.count(n) || bound_.count(n) || (locals_ && locals_->count(n)) || scope_.find(n))
            return;
        r_.fault(diag::Id::TreeUndeclared, at, n.str());
    }

    Report &r_;
    text::Scope scope_;
    std::set<Name> known_, everywhere_, bound_;
    std::set<VarId> declared_;
    const std::map<Name, Type> *locals_ = nullptr;
};

} // namespace

void scopes(Report &r) { Scopes(r).run(); }

} // namespace sdfgc::tree::rules
