// SD2151: every id is valid. Ids of variables, references and functions are in their tables; members have a structure; a function
// only calls functions above it, so there is no recursion.
#include "Rules.h"

namespace sdfgc::tree::rules {
namespace {

class Ids {
public:
    Ids(Report &r, FunctionId own) : r_(r), own_(own) {}

    bool run() {
        for (VarId p : r_.f.params)
            number("parameter", p, r_.f.vars, r_.f.body);
        for (const Variable &v : r_.f.vars)
            if (v.kind == VarKind::Member)
                number("structure of `" + v.name.str() + "`", v.parent, r_.f.vars, r_.f.body);
        body(r_.f.body);
        return ok_;
    }

private:
    template <class I, class T> void number(const std::string &what, I id, const Table<I, T> &table, const Node &at) {
        if (table.has(id))
            return;
        r_.fault(diag::Id::TreeNumber, at, what, std::to_string(id.index), std::to_string(table.size()));
        ok_ = false;
    }
    void body(const Block &b) {
        for (const NodePtr &n : b.body)
            node(*n);
    }
    void node(const Node &n) {
        forEachReference(n, [&](RefId r) {
            if (!r)
                return;
            number("memory reference", r, r_.f.refs, n);
            if (r_.f.refs.has(r))
                number("variable of a memory reference", r_.f.refs[r].var, r_.f.vars, n);
        });
        visit(n, [&](const auto &x) {
            forEachField(x, [&](const auto &each, const auto &owner) {
                constexpr Role role = std::decay_t<decltype(each)>::role;
                const auto &id = each.of(owner);
                if constexpr (role == Role::Declares || role == Role::Iterates || role == Role::Assigns) {
                    if (id || (role == Role::Declares) || n.kind == TreeKind::For)
                        number("variable", id, r_.f.vars, n);
                } else if constexpr (role == Role::Callee) {
                    number("function", id, r_.m.functions, n);
                    if (r_.m.functions.has(id) && own_ <= id)
                        r_.fault(diag::Id::TreeNumber, n, "function above", std::to_string(id.index), std::to_string(own_.index));
                } else if constexpr (role == Role::Inside) {
                    for (const NodePtr &inner : id)
                        node(*inner);
                } else if constexpr (role == Role::Block) {
                    body(blockIn(id));
                } else if constexpr (role == Role::Blocks) {
                    for (const auto &b : id)
                        body(*b);
                }
            });
        });
    }

    Report &r_;
    FunctionId own_;
    bool ok_ = true;
};

} // namespace

bool ids(Report &r) {
    FunctionId own;
    for (FunctionId id : r.m.functions.ids())
        if (r.m.functions[id].get() == &r.f)
            own = id;
    return Ids(r, own).run();
}

} // namespace sdfgc::tree::rules
