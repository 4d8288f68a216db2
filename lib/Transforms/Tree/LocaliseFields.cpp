// Gives fields of the program's state local names, those of the graph.
//
//     for (i ...)                                    double *__restrict b = __state->__0_b.data();
//         __state->__0_b[i] = 0.0;       becomes     for (i ...)
//     __state->__0_dt2 = dt * dt;                        b[i] = 0.0;
//     x[0] = __state->__0_dt2;                       double dt2;
//                                                    dt2 = dt * dt;
//                                                    x[0] = dt2;
//
// Array memory lives as long as the handle and does not move, so a pointer to it is valid for the whole call. Nothing
// else points to it, so the pointer is `restrict`, unless the caller provided the memory. A single value that each call
// assigns before reading keeps nothing between calls: it becomes a variable, and the field is removed.
//
// Legal when only one function uses the field: restrict pointers to one array in both a function and its callee would
// be wrong.
//
// Not handled: names mentioned in verbatim C++ text, streams, structures, and GPU programs.
#include "FunctionNames.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Flow.h"
#include "sdfgc/Tree/Rebind.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

class FieldLocaliser {
public:
    FieldLocaliser(const Module &m, Function &f) : m_(m), f_(f), mentions_(effectsOf(f)), names_(namesOf(m, f, mentions_)) {}

    const Effects &mentions() const { return mentions_; }

    /// Returns true if the field became a variable and is no longer needed.
    bool localise(const StateField &field) {
        std::set<VarId> ids;
        for (VarId v : f_.vars.ids())
            if (f_.vars[v].kind == VarKind::StateField && f_.vars[v].name == field.name)
                ids.insert(v);
        const bool hasMembers = std::any_of(f_.vars.begin(), f_.vars.end(),
                                            [&](const Variable &v) { return v.kind == VarKind::Member && ids.count(v.parent); });
        if (ids.empty() || hasMembers || field.isStream || field.type.isStruct() || mentions_.inText.count(field.name))
            return false;
        const bool external = field.lifetime == ir::Lifetime::External;
        const bool single = (field.isScalar || field.count.isOne()) && !external && field.startOffset.isZero();
        EffectTable table(f_);
        if (single && valueFlow(f_, table, f_.body, field.name) != Flow::Read) {
            declare(field, VarKind::Value, ids);
            return true;
        }
        if (!field.isScalar)
            declare(field, VarKind::Pointer, ids);
        return false;
    }

    /// Inserts the declarations before the body. Returns whether there are any.
    bool finish() {
        const bool any = !declarations_.empty();
        f_.body.body.insert(f_.body.body.begin(), std::make_move_iterator(declarations_.begin()),
                            std::make_move_iterator(declarations_.end()));
        const Effects now = effectsOf(f_);
        const bool field = std::any_of(m_.fields.begin(), m_.fields.end(), [&](const StateField &x) { return now.has(x.name); });
        f_.needsState = field || now.has(Name("__state")) || usesState(f_.body, m_);
        return any;
    }

private:
    /// The container's name: the field's without `__<number>_`.
    static Name containerOf(const StateField &field) {
        const std::string &text = field.name.str();
        return Name(std::string_view(text).substr(text.find('_', 2) + 1));
    }

    void declare(const StateField &field, VarKind kind, const std::set<VarId> &ids) {
        Variable v;
        v.name = names_.declare(containerOf(field));
        v.type = field.type;
        v.kind = kind;
        v.alignment = 0;
        v.isRestrict = kind == VarKind::Pointer && field.lifetime != ir::Lifetime::External;
        v.isConst = kind == VarKind::Pointer && !mentions_.changes(field.name);
        const VarId original = *ids.begin();
        const VarId id = f_.vars.add(std::move(v));
        for (MemRef &r : f_.refs)
            if (ids.count(r.var)) {
                r.var = id;
                if (kind == VarKind::Value)
                    r.offset = 0;
            }
        auto declaration = std::make_unique<Declare>(id);
        if (kind == VarKind::Pointer) {
            MemRef memory;
            memory.var = original;
            memory.address = true;
            declaration->target = f_.refs.add(memory);
        }
        declarations_.push_back(std::move(declaration));
        from_ = &ids;
        to_ = id;
        for (NodePtr &n : f_.body.body)
            rebindAll(*n, *this);
    }

public: // ---- visitor of rebind(): references by id were changed in the table
    void var(VarId &v) {
        if (from_->count(v))
            v = to_;
    }
    void slot(RefId &) {}
    void sym(sym::Expr &) {}
    void expr(py::ExprRef &) {}
    void stmt(py::StmtRef &) {}

private:
    const Module &m_;
    Function &f_;
    Effects mentions_;
    NameScopes names_;
    std::vector<NodePtr> declarations_;
    const std::set<VarId> *from_ = nullptr;
    VarId to_;
};

/// Does user code outside of tasklets mention the field?
bool inUserCode(const Module &m, Name field) {
    for (const auto *list : {&m.globalCode, &m.initCode, &m.exitCode, &m.rawFields})
        for (const std::string &text : *list)
            if (text.find(field.str()) != std::string::npos)
                return true;
    return false;
}

class LocaliseFields : public pass::TreePass {
    bool run(Module &m, pass::Context &) override {
        if (m.fields.empty() || m.streams > 0 ||
            std::any_of(m.functions.begin(), m.functions.end(), [](const auto &f) { return f->kernel || f->device; }))
            return false;
        std::vector<FieldLocaliser> localisers;
        localisers.reserve(m.functions.size());
        for (auto &f : m.functions)
            localisers.emplace_back(m, *f);
        std::set<Name> gone;
        for (const StateField &field : m.fields) {
            auto uses = [&](const FieldLocaliser &l) { return l.mentions().has(field.name); };
            if (std::count_if(localisers.begin(), localisers.end(), uses) != 1 || inUserCode(m, field.name))
                continue;
            if (std::find_if(localisers.begin(), localisers.end(), uses)->localise(field))
                gone.insert(field.name);
        }
        std::erase_if(m.fields, [&](const StateField &f) { return gone.count(f.name) != 0; });
        bool changed = false;
        for (FieldLocaliser &l : localisers) // callees come first
            changed = l.finish() || changed;
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createLocaliseFields() { return std::make_unique<LocaliseFields>(); }

} // namespace sdfgc::transforms
