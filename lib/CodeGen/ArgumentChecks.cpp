// The argument checks at the start of a call. They depend only on the interface, so callers in all languages get the same errors.
#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Tree/CertainUse.h"

#include <algorithm>
#include <set>

namespace sdfgc::codegen {

using namespace tree;

namespace {

/// Sums, products, minima and maxima: cheap, and defined for all values. A quotient would crash the process if its divisor is zero.
bool isHarmless(sym::Expr e) {
    switch (e.kind()) {
    case sym::SymbolicKind::Integer:
    case sym::SymbolicKind::Symbol:
        return true;
    case sym::SymbolicKind::Add:
    case sym::SymbolicKind::Mul:
    case sym::SymbolicKind::Min:
    case sym::SymbolicKind::Max:
        return std::all_of(e.operands().begin(), e.operands().end(), isHarmless);
    default:
        return false;
    }
}

class Checks {
public:
    Checks(const Module &m, const SymPrinter &symbols)
        : module_(m), symbols_(symbols), used_(certainlyUsed(m, *m.functions.back())) {
        for (const Param &p : m.params)
            if (!p.desc || p.desc->isScalar())
                variables_.emplace(p.name, sym::Expr::symbol(p.cName));
        for (const ConstantDef &c : m.constants)
            variables_.emplace(c.name, sym::Expr::symbol(c.name));
    }

    std::vector<std::string> all() {
        for (const Param &p : module_.params)
            if (isChecked(p))
                for (sym::Expr size : p.desc->shape)
                    addSize(p, size);
        for (const Param &p : module_.params)
            if (isChecked(p) && used_.count(p.cName))
                addMemory(p);
        return std::move(out_);
    }

private:
    /// Memory that is optional or never accessed may be missing; its sizes are then ignored. Memory that only some calls use may be
    /// missing in the others.
    static bool isChecked(const Param &p) {
        return p.desc && !p.desc->isScalar() && !p.desc->optional.value_or(false) && (p.read || p.written);
    }

    bool isKnown(sym::Expr e) const {
        const std::vector<Name> &names = e.freeSymbols();
        return std::all_of(names.begin(), names.end(), [this](Name n) { return variables_.count(n) != 0; });
    }
    std::string print(sym::Expr e) const { return symbols_.print(sym::substitute(e, variables_)); }

    void addSize(const Param &p, sym::Expr size) {
        if (size.isInteger() || !isHarmless(size) || !isKnown(size) || !sizes_.insert(size.str()).second)
            return;
        out_.push_back("sdfgc::rt::requireSize(\"" + p.name.str() + "\", \"" + size.str() + "\", " + print(size) + ");");
    }

    void addMemory(const Param &p) {
        const sym::Expr count = p.desc->isArray() ? p.desc->totalSize : sym::Expr(1);
        const std::string &name = p.cName.str();
        // If computing the size could fail, it is computed only when the pointer is null.
        const std::string when = isHarmless(count) ? "" : "if (!" + name + ") ";
        out_.push_back(when + "sdfgc::rt::requireMemory(\"" + p.name.str() + "\", " + name + ", " +
                       (isKnown(count) ? print(count) : "1") + ");");
    }

    const Module &module_;
    const SymPrinter &symbols_;
    std::map<Name, sym::Expr> variables_;
    const std::set<Name> used_;   // whatever the call does
    std::set<std::string> sizes_; // that are checked
    std::vector<std::string> out_;
};

} // namespace

std::vector<std::string> argumentChecks(const Module &m, const SymPrinter &symbols) { return Checks(m, symbols).all(); }

} // namespace sdfgc::codegen
