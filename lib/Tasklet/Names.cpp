// Finds the names that expressions and blocks read, write and call.
#include "Tasklet/AstUtil.h"
#include "Tasklet/Functions.h"

#include <algorithm>

namespace sdfgc::py {

using namespace detail;

namespace {

using Visit = std::function<void(Name)>;

bool isConstantName(Name n) { return n.view() == "inf" || n.view() == "nan"; }

// Calls `read` for every name that the value of e depends on, `called` for every function name.
void visitNames(const Expr &e, const Visit &read, const Visit &called) {
    if (e.kind == ExprKind::Name) {
        if (!isConstantName(e.name))
            read(e.name);
        return;
    }
    if (e.kind == ExprKind::Lambda) {
        auto outer = [&](Name n) {
            if (std::find(e.params.begin(), e.params.end(), n) == e.params.end())
                read(n);
        };
        return visitNames(*e.args[0], outer, called);
    }
    if (e.kind == ExprKind::Attribute) {
        const Expr *root = &e;
        while (root->kind == ExprKind::Attribute)
            root = root->args[0].get();
        if (!isModule(*root))
            visitNames(*root, read, called);
        return;
    }
    const Expr *callee = e.kind == ExprKind::Call ? e.args[0].get() : nullptr;
    if (callee) {
        const std::string function = dottedName(*callee);
        if (!function.empty())
            called(Name(function));
        if (callee->kind != ExprKind::Name)
            visitNames(*callee, read, called);
        if (function == "decltype") // a type, not a value
            return;
    }
    forEachChild(e, [&](const Expr &c) {
        if (&c != callee)
            visitNames(c, read, called);
    });
}

class BlockScan {
public:
    BlockNames names;

    // Reads and writes of the block in order; `assigned` are the names assigned on every path to this point.
    void block(const std::vector<StmtRef> &stmts, std::set<Name> &assigned) {
        for (const StmtRef &s : stmts)
            statement(*s, assigned);
    }

private:
    void read(const Expr &e, const std::set<Name> &assigned) {
        auto onRead = [&](Name n) {
            if (!assigned.count(n))
                names.read.insert(n);
        };
        visitNames(e, onRead, [&](Name n) { names.called.insert(n); });
    }

    // A store: indices are read, the root is written. Only a store to the entire name counts as its definition.
    void write(const Expr &target, std::set<Name> &assigned) {
        if (target.kind == ExprKind::Tuple) {
            for (const ExprRef &t : target.args)
                write(*t, assigned);
            return;
        }
        for (const Expr *at = &target; at->kind == ExprKind::Subscript || at->kind == ExprKind::Attribute; at = at->args[0].get())
            for (std::size_t k = 1; k < at->args.size(); ++k)
                read(*at->args[k], assigned);
        if (const Name root = rootName(target)) {
            names.written.insert(root);
            if (target.kind == ExprKind::Name)
                assigned.insert(root);
        }
    }

    // py_divmod(a, b, q, r) and similar calls, whose last arguments are results.
    bool callWithResults(const Expr &e, std::set<Name> &assigned) {
        if (e.kind != ExprKind::Call || e.args[0]->kind != ExprKind::Name)
            return false;
        const Function *f = findFunction(e.args[0]->name.view());
        if (!f || f->results == 0 || e.args.size() <= f->results)
            return false;
        names.called.insert(e.args[0]->name);
        const std::size_t firstResult = e.args.size() - f->results;
        for (std::size_t k = 1; k < firstResult; ++k)
            read(*e.args[k], assigned);
        for (std::size_t k = firstResult; k < e.args.size(); ++k)
            write(*e.args[k], assigned);
        return true;
    }

    void branches(const Stmt &s, std::set<Name> &assigned) {
        std::set<Name> inThen = assigned, inElse = assigned;
        block(s.body, inThen);
        block(s.orelse, inElse);
        assigned.clear();
        std::set_intersection(inThen.begin(), inThen.end(), inElse.begin(), inElse.end(), std::inserter(assigned, assigned.end()));
    }

    void statement(const Stmt &s, std::set<Name> &assigned) {
        if (s.kind == StmtKind::ExprStmt && callWithResults(*s.value, assigned))
            return;
        if (s.value)
            read(*s.value, assigned);
        if (s.extra && s.kind != StmtKind::AnnAssign)
            read(*s.extra, assigned);
        if (s.kind == StmtKind::AugAssign)
            read(*s.targets[0], assigned);
        if (s.kind == StmtKind::If)
            return branches(s, assigned);
        if (s.kind == StmtKind::While || s.kind == StmtKind::For) {
            std::set<Name> inBody = assigned; // the body may not run at all
            for (const ExprRef &t : s.targets)
                write(*t, inBody);
            return block(s.body, inBody);
        }
        if (s.kind == StmtKind::AnnAssign && !s.value)
            return;
        for (const ExprRef &t : s.targets)
            write(*t, assigned);
    }
};

} // namespace

std::set<Name> freeNames(const Expr &e) {
    std::set<Name> names;
    visitNames(
        e, [&](Name n) { names.insert(n); }, [](Name) {});
    return names;
}

BlockNames blockNames(const std::vector<StmtRef> &block) {
    BlockScan scan;
    scan.block(block, scan.names.always);
    return std::move(scan.names);
}

} // namespace sdfgc::py
