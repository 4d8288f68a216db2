#include "Tasklet/Derive/Derivation.h"
#include "Tasklet/Derive/Simplify.h"
#include "Tasklet/Functions.h"

#include <algorithm>

namespace sdfgc::py::detail {

namespace {

void namesIn(const std::vector<StmtRef> &block, std::set<Name> &names) {
    rewrite(block, [&](const ExprRef &e) {
        if (e->kind == ExprKind::Name)
            names.insert(e->name);
        return e;
    });
}

// Names that derivatives must not use for their own values. Locals and outputs are free, since the program's values are not
// available.
std::set<Name> takenNames(const std::vector<StmtRef> &block, const Signature &signature) {
    std::set<Name> all, taken;
    namesIn(block, all);
    const BlockNames names = blockNames(block);
    for (Name n : all)
        if (!names.written.count(n))
            taken.insert(n);
    for (const auto *connectors : {&signature.inputs, &signature.outputs})
        for (const auto &[n, type] : *connectors) {
            taken.insert(signature.gradient(n));
            if (connectors == &signature.inputs)
                taken.insert(n);
        }
    return taken;
}

// Replaces C++ names of sdfgc's functions with their Python names.
std::vector<StmtRef> asWritten(const std::vector<StmtRef> &block) {
    return rewrite(block, [](const ExprRef &e) {
        if (e->kind != ExprKind::Name || e->name.view().find("::") == std::string_view::npos)
            return e;
        std::string text = e->name.str();
        for (std::size_t at = 0; (at = text.find("::", at)) != std::string::npos;)
            text.replace(at, 2, ".");
        return name(Name(text));
    });
}

} // namespace

Derivation::Derivation(const std::vector<StmtRef> &block, const Signature &signature)
    : signature_(signature), builder_(signature, takenNames(block, signature)) {
    for (const auto *connectors : {&signature.inputs, &signature.outputs})
        for (const auto &[n, type] : *connectors) {
            const bool pointer = signature.pointers.count(n) && !type.isPointer();
            const Type t = pointer ? Type::pointer(type) : type;
            builder_.define(n, t);
            builder_.define(signature.gradient(n), t);
        }
    straight_ = straighten(block, signature, builder_);
}

Type Derivation::typeOfConnector(Name n) const {
    const auto &in = signature_.inputs;
    const auto it = in.find(n);
    return valueOf(it != in.end() ? it->second : signature_.outputs.at(n));
}

ExprRef Derivation::gradientOf(Name connector) const { return name(signature_.gradient(connector), typeOfConnector(connector)); }

ExprRef Derivation::gradientOf(const Expr &element) const {
    Expr copy = element;
    copy.args[0] = name(signature_.gradient(rootName(element)));
    copy.type = typeOfConnector(rootName(element));
    return share(std::move(copy));
}

void Derivation::forEachOperand(const DerivationStep &let, const std::function<void(const ExprRef &, const ExprRef &)> &f) {
    const Expr &flat = *let.value;
    const auto check = [&](const ExprRef &value) {
        const Type t = builder_.typeOf(value);
        if (laneOf(t).isComplex())
            refuse(DerivativeError::Kind::Complex, print(flat), let.at);
        if (t.isVector())
            refuseConstruct("a value of type " + t.str(), let.at);
    };
    check(name(let.name));
    if (flat.kind == ExprKind::Attribute && laneOf(builder_.typeOf(flat.args[0])).isComplex())
        refuse(DerivativeError::Kind::Complex, print(*flat.args[0]), let.at);
    if (flat.kind == ExprKind::Attribute)
        refuseConstruct("a member of a structure", let.at);
    for (auto k = static_cast<std::size_t>(firstOperand(flat)); k < flat.args.size(); ++k)
        if (isActive(flat.args[k])) {
            check(flat.args[k]);
            f(flat.args[k], partialOf(flat, k, let.name, signature_.ties, builder_));
        }
}

void Derivation::put(const ExprRef &target, const ExprRef &value) {
    DerivationStep s;
    s.kind = DerivationStep::Kind::Put;
    s.target = target;
    s.value = builder_.leaf(value);
    builder_.push(std::move(s));
}

Derivative Derivation::finished(std::set<Name> assigned) const {
    Derivative d;
    d.block = *parseBlock(print(asWritten(builder_.renumbered(tidied(builder_.top, assigned))))).value;
    const BlockNames names = blockNames(d.block);
    for (const auto &[n, type] : signature_.inputs)
        if (names.read.count(n))
            d.primals.insert(n);
    d.stored = straight_.stored;
    d.partial = straight_.partial;
    return d;
}

} // namespace sdfgc::py::detail
