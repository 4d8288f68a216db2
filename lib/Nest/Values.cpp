#include "Nest/Values.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

bool isValue(Name n) { return n.view().find('#') != std::string_view::npos; }

bool Values::Element::operator<(const Element &other) const {
    if (memory != other.memory || data != other.data)
        return memory != other.memory ? memory < other.memory : data < other.data;
    return std::lexicographical_compare(at.begin(), at.end(), other.at.begin(), other.at.end(),
                                        [](sym::Expr a, sym::Expr b) { return sym::Expr::compare(a, b) < 0; });
}

Values::Values(analysis::Memories &memories, std::vector<analysis::Place> written, std::set<Name> &varying)
    : memories_(memories), written_(std::move(written)), varying_(varying) {}

void Values::enter(SDFG &g, std::set<Name> assigned) { at_ = {&g, std::move(assigned), {}, {}}; }

Values::Frame Values::enter(SDFG &g, std::map<Name, sym::Expr> meaning, Place place) {
    Frame inner{&g, {}, {}, std::move(place)};
    for (const auto &[name, value] : meaning)
        inner.values[name] = {value, false};
    return std::exchange(at_, std::move(inner));
}

// ---------------------------------------------------------------------------------------------------- points

void Values::join(const Point &other) {
    for (auto &[name, v] : at_.values) {
        const auto there = other.find(name);
        const bool isSame = there != other.end() && there->second.value == v.value;
        v.mayBeOld |= there == other.end() ? at_.assigned.count(name) != 0 : there->second.mayBeOld;
        if (!isSame)
            v.value = unknown(name);
    }
    for (const auto &[name, v] : other)
        if (!at_.values.count(name))
            at_.values[name] = {unknown(name), at_.assigned.count(name) != 0 || v.mayBeOld};
}

void Values::forget(const std::set<Name> &symbols) {
    for (const Name n : symbols) {
        const bool old = mayBeOld(n);
        at_.values[n] = {unknown(n), old};
    }
}

bool Values::mayBeOld(Name symbol) const {
    const auto v = at_.values.find(symbol);
    return v == at_.values.end() ? at_.assigned.count(symbol) != 0 : v->second.mayBeOld;
}

// ---------------------------------------------------------------------------------------------------- values

Name Values::fresh(Name base) const { return Name(base.str() + "#" + std::to_string(++count_)); }

sym::Expr Values::unknown(Name base) {
    const Name n = fresh(base);
    varying_.insert(n);
    return sym::Expr::symbol(n);
}

sym::Expr Values::valueOf(Name symbol) {
    const auto v = at_.values.find(symbol);
    if (v != at_.values.end())
        return v->second.value;
    return at_.place ? unknown(symbol) : sym::Expr::symbol(symbol);
}

sym::Expr Values::assigned(Name symbol, const std::string &text, const InterstateEdge &e) {
    const Type *type = at_.g->symbols.find(symbol);
    const sym::ParseResult parsed = sym::parse(text, nullptr, [this](Name n) { return at_.g->desc(n) != nullptr; });
    const bool usesOther = parsed.expr && std::any_of(e.assignments.begin(), e.assignments.end(), [&](const auto &a) {
                               return parsed.expr->dependsOn(a.first); // which of its values depends on the order of assignments
                           });
    if (!type || !type->isInteger() || !parsed.expr || usesOther || !analysis::isInteger(*parsed.expr, at_.g))
        return unknown(symbol);
    return translated(*parsed.expr);
}

// ---------------------------------------------------------------------------------------------------- expressions

namespace {

/// `s`, or the scalar member `s.x`; empty for anything else.
Name dottedName(sym::Expr e) {
    if (e.isSymbol())
        return e.name();
    const Name base = e.kind() == sym::SymbolicKind::Attr ? dottedName(e.operands()[0]) : Name();
    return base.empty() ? base : Name(base.str() + "." + e.name().str());
}

} // namespace

bool Values::isVarying(const sym::Subset &s) const {
    const std::set<Name> names = s.freeSymbols();
    return std::any_of(names.begin(), names.end(), isValue);
}

bool Values::isWritten(const analysis::Place &p) const {
    return std::any_of(written_.begin(), written_.end(), [&](const analysis::Place &w) { return !memories_.apart(w, p); });
}

/// The value of an element: the same for equal indices if nothing writes the container. `at`: in terms of values. What a view shows
/// may move.
sym::Expr Values::element(Name data, const sym::Subset &at) {
    const analysis::Memory m = memories_.of(*at_.g, data);
    const DataDesc *d = at_.g->desc(data);
    const auto [root, elements] = at_.place ? at_.place(data, at) : std::pair(data, std::optional(at));
    if ((d && d->isView()) || isWritten(memories_.placeOf(*at_.g, data)) || !elements || !elements->isOneElement())
        return unknown(data);
    Element key{m, root, elements->begins()};
    if (const auto known = elements_.find(key); known != elements_.end())
        return known->second;
    const sym::Expr made = isVarying(*elements) ? unknown(data) : sym::Expr::symbol(fresh(data));
    elements_.emplace(std::move(key), made);
    return made;
}

sym::Expr Values::translated(sym::Expr e) {
    if (e.freeSymbols().empty())
        return e;
    return sym::rewrite(e, [this](sym::Expr x) {
        switch (x.kind()) {
        case sym::SymbolicKind::Symbol:
            return isValue(x.name())       ? x
                   : at_.g->desc(x.name()) ? element(x.name(), at_.g->desc(x.name())->fullSubset())
                                           : valueOf(x.name());
        case sym::SymbolicKind::Subscript:
            return at_.g->desc(x.name()) ? element(x.name(), sym::Subset::point({x.operands().begin(), x.operands().end()}))
                                         : unknown(x.name());
        case sym::SymbolicKind::Attr:
        case sym::SymbolicKind::Call:
            return unknown(x.name());
        default:
            return x;
        }
    });
}

sym::Range Values::translated(const sym::Range &r) {
    return {translated(r.begin), translated(r.end), translated(r.step), translated(r.tile)};
}

sym::Subset Values::translated(const sym::Subset &s) {
    sym::Subset out;
    for (const sym::Range &r : s.dims)
        out.dims.push_back(translated(r));
    return out;
}

std::map<Name, BodyElement> Values::elements() const {
    std::map<Name, BodyElement> out;
    for (const auto &[element, value] : elements_)
        out.emplace(value.name(), BodyElement{element.data, element.at});
    return out;
}

std::vector<std::pair<Name, sym::Subset>> Values::elementsIn(sym::Expr e) const {
    std::vector<std::pair<Name, sym::Subset>> out;
    addElements(e, out);
    return out;
}

void Values::addElements(sym::Expr e, std::vector<std::pair<Name, sym::Subset>> &out) const {
    const bool isElement = e.kind() == sym::SymbolicKind::Subscript;
    const Name data = isElement ? e.name() : dottedName(e);
    if (const DataDesc *d = data.empty() ? nullptr : at_.g->desc(data))
        out.emplace_back(data, isElement ? sym::Subset::point({e.operands().begin(), e.operands().end()}) : d->fullSubset());
    if (data.empty() || isElement)
        for (const sym::Expr inner : e.operands())
            addElements(inner, out);
}

} // namespace sdfgc::nest
