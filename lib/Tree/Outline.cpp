#include "sdfgc/Tree/Outline.h"

#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace sdfgc::tree {
namespace {

/// Variables declared inside a block, and the names of values that its code declares itself.
struct Inside {
    std::set<VarId> variables;
    std::set<Name> names;

    void note(VarId v, const Function &f) {
        if (!v)
            return;
        variables.insert(v);
        names.insert(f.vars[v].name);
    }
    void collect(const Node &n, const Function &f) {
        visit(n, [&](const auto &x) {
            forEachField(x, [&](const auto &each, const auto &owner) {
                constexpr Role role = std::decay_t<decltype(each)>::role;
                if constexpr (role == Role::Declares || role == Role::Iterates)
                    note(each.of(owner), f);
                else if constexpr (role == Role::Locals)
                    for (const auto &[local, type] : each.of(owner))
                        names.insert(local);
                else if constexpr (role == Role::Inside)
                    for (const NodePtr &s : each.of(owner))
                        collect(*s, f);
            });
        });
        if (n.kind != TreeKind::Block) // its statements are a field
            forEachBlock(n, [&](const Block &b) { collect(b, f); });
    }
};

/// Moves references of statements from one function's tables to another's, and determines what must be passed.
class Mover {
public:
    Mover(Function &from, Function &to, const Inside &inside, const Effects &mentions, const std::function<Type(Name)> &typeOf,
          const std::function<void(const Variable &, Obstacle)> &refuse, Handover handover)
        : from_(from), to_(to), inside_(inside), mentions_(mentions), typeOf_(typeOf), refuse_(refuse), handover_(handover) {}

    void node(Node &n) {
        rebind(n, *this);
        if (n.kind == TreeKind::RawTasklet) {
            auto &t = static_cast<RawTasklet &>(n);
            to_.needsState |= t.text.find("__state") != std::string::npos;
            for (NodePtr &after : t.after)
                node(*after);
        }
        forEachBlock(n, [&](Block &b) {
            for (NodePtr &s : b.body)
                node(*s);
        });
    }

    // ---- visitor of rebind()
    void var(VarId &v) {
        if (v)
            v = moved(v);
    }
    void slot(RefId &s) {
        if (!s)
            return;
        auto [it, isNew] = slots_.try_emplace(s);
        if (isNew) {
            MemRef r = from_.refs[s];
            r.var = moved(r.var);
            forEachSize(r, [this](sym::Expr &size) { sym(size); });
            it->second = to_.refs.add(std::move(r));
        }
        s = it->second;
    }
    void sym(sym::Expr &e) {
        for (Name n : e.freeSymbols())
            byName(n);
    }
    void expr(py::ExprRef &e) {
        if (!e)
            return;
        names(*e);
        rebindMemory(e, [this](RefId &r) { slot(r); });
    }
    void stmt(py::StmtRef &s) {
        if (!s)
            return;
        forEachExpr(*s, [this](const py::Expr &e) { names(e); });
        rebindMemory(s, [this](RefId &r) { slot(r); });
    }

    /// Values mentioned in verbatim text.
    void text() {
        for (Name n : std::set<Name>(mentions_.inText.begin(), mentions_.inText.end()))
            byName(n);
    }

    std::vector<Call::Argument> arguments;

private:
    void names(const py::Expr &e) {
        for (Name n : py::freeNames(e))
            byName(n);
    }

    /// A value of the caller that is referenced by name: a symbol, a loop variable.
    void byName(Name n) {
        if (inside_.names.count(n) || passed_.count(n))
            return;
        Type t = typeOf_(n);
        if (!t || t.isVoid())
            return;
        Variable v;
        v.name = n;
        v.type = t;
        pass(std::move(v), nullptr);
    }

    VarId pass(Variable v, const Call::Argument *argument) {
        v.comment.clear();
        v.count = 0;
        v.startOffset = 0;
        v.zeroed = false;
        v.parent = {};
        const bool changed = mentions_.changes(v.name);
        if (v.kind == VarKind::Value && changed && handover_ == Handover::ByReference)
            v.kind = VarKind::Reference;
        else if (v.kind == VarKind::Value && mentions_.changed.count(v.name)) // text that assigns a name changes its own copy
            refuse_(v, Obstacle::Written);
        if (v.kind != VarKind::StructPtr)
            v.isConst = v.kind == VarKind::Value ? false : !changed;
        Call::Argument a;
        if (argument)
            a = *argument;
        else
            a.expr = py::name(v.name, v.type);
        passed_.insert(v.name);
        VarId id = to_.vars.add(std::move(v));
        to_.params.push_back(id);
        arguments.push_back(std::move(a));
        return id;
    }

    VarId moved(VarId v) {
        auto it = vars_.find(v);
        if (it != vars_.end())
            return it->second;
        Variable x = from_.vars[v];
        VarId id;
        if (inside_.variables.count(v) || x.kind == VarKind::Constant ||
            (x.isConst && x.kind == VarKind::Value && !typeOf_(x.name))) {
            sym(x.count);
            sym(x.startOffset);
            id = to_.vars.add(std::move(x));
        } else if (x.kind == VarKind::StateField && handover_ == Handover::ByReference) {
            to_.needsState = true;
            id = to_.vars.add(std::move(x));
        } else if (x.kind == VarKind::Member) {
            x.parent = moved(x.parent);
            id = to_.vars.add(std::move(x));
        } else {
            id = captured(v, std::move(x));
        }
        return vars_[v] = id;
    }

    VarId captured(VarId original, Variable x) {
        if (x.kind == VarKind::StateField && x.count.isZero()) { // a scalar
            MemRef value;
            value.var = original;
            Call::Argument a;
            a.ref = from_.refs.add(value);
            x.kind = VarKind::Value;
            return pass(std::move(x), &a);
        }
        switch (x.kind) {
        case VarKind::Value:
            return passOnce(std::move(x));
        case VarKind::Reference:
        case VarKind::StructPtr:
            if (handover_ == Handover::ByReference)
                return passOnce(std::move(x));
            break;
        case VarKind::Pointer:
        case VarKind::Buffer:
        case VarKind::Stack:
        case VarKind::StateField:
        case VarKind::DeviceBuffer:
        case VarKind::PoolBuffer:
        case VarKind::PinnedBuffer: {
            MemRef address;
            address.var = original;
            address.address = true;
            Call::Argument a;
            a.ref = from_.refs.add(address);
            x.isRestrict = x.kind != VarKind::Pointer || x.isRestrict;
            x.kind = VarKind::Pointer;
            return pass(std::move(x), &a);
        }
        default:
            break;
        }
        refuse_(x, Obstacle::Kind);
        return to_.vars.add(std::move(x));
    }

    /// A variable used by name and by reference becomes a single parameter.
    VarId passOnce(Variable x) {
        for (VarId p : to_.params)
            if (to_.vars[p].name == x.name)
                return p;
        return pass(std::move(x), nullptr);
    }

    Function &from_, &to_;
    const Inside &inside_;
    const Effects &mentions_;
    const std::function<Type(Name)> &typeOf_;
    const std::function<void(const Variable &, Obstacle)> &refuse_;
    Handover handover_;
    std::map<VarId, VarId> vars_;
    std::map<RefId, RefId> slots_;
    std::set<Name> passed_;
};

/// Parameters in the order of the program: memory, then values, as the surrounding function declares them.
void orderParameters(const Function &from, Function &to, std::vector<Call::Argument> &arguments) {
    std::map<Name, std::size_t> declared;
    std::size_t number = 0;
    for (const Variable &v : from.vars)
        declared.try_emplace(v.name, number++);
    auto key = [&](std::size_t i) {
        const Variable &v = to.vars[to.params[i]];
        auto known = declared.find(v.name);
        return std::pair(v.kind == VarKind::Value || v.kind == VarKind::Reference,
                         known == declared.end() ? from.vars.size() : known->second);
    };
    std::vector<std::size_t> order(to.params.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<VarId> params;
    std::vector<Call::Argument> ordered;
    for (std::size_t i : order) {
        params.push_back(to.params[i]);
        ordered.push_back(std::move(arguments[i]));
    }
    to.params = std::move(params);
    arguments = std::move(ordered);
}

} // namespace

Outlined outline(Function &from, Block body, Name name, const std::function<Type(Name)> &typeOf,
                 const std::function<void(const Variable &, Obstacle)> &refuse, Handover handover) {
    Outlined out;
    out.function = std::make_unique<Function>();
    out.function->name = name;
    Inside inside;
    Effects mentions;
    {
        EffectTable table(from);
        for (NodePtr &n : body.body) {
            inside.collect(*n, from);
            mentions.add(table.of(*n));
        }
    }
    Mover mover(from, *out.function, inside, mentions, typeOf, refuse, handover);
    for (NodePtr &n : body.body)
        mover.node(*n);
    mover.text();
    out.function->body.body = std::move(body.body);
    out.arguments = std::move(mover.arguments);
    orderParameters(from, *out.function, out.arguments);
    return out;
}

} // namespace sdfgc::tree
