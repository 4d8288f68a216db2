#include "Analysis/Indexing/Labelling.h"

#include <algorithm>

namespace sdfgc::analysis {

IndexedOperand *Labelling::find(Name connector, bool written) {
    const auto at = std::find_if(operands_.begin(), operands_.end(),
                                 [&](const IndexedOperand &o) { return o.connector == connector && o.written == written; });
    return at == operands_.end() ? nullptr : &*at;
}

IndexedOperand *Labelling::only(bool written) {
    IndexedOperand *out = nullptr;
    for (IndexedOperand &o : operands_)
        if (o.written == written) {
            if (out)
                return nullptr;
            out = &o;
        }
    return out;
}

std::vector<IndexedOperand *> Labelling::inputs() {
    std::vector<IndexedOperand *> out;
    for (IndexedOperand &o : operands_)
        if (!o.written)
            out.push_back(&o);
    std::sort(out.begin(), out.end(), [](const auto *a, const auto *b) { return a->connector < b->connector; });
    return out;
}

int Labelling::label(sym::Expr size, char letter) {
    labels.push_back({size, letter ? letter : static_cast<char>('a' + labels.size())});
    return static_cast<int>(labels.size()) - 1;
}

void Labelling::set(IndexedOperand &o, std::size_t dim, int label) {
    if (!o.isUnit(dim) || isUnit(label))
        o.labels[dim] = label;
}

bool Labelling::setAll(IndexedOperand &o, const std::vector<int> &given) {
    bool fits = given.size() == o.labels.size();
    for (std::size_t d = 0; fits && d < given.size(); ++d)
        fits = o.isUnit(d) == isUnit(given[d]);
    if (fits) {
        o.labels = given;
        return true;
    }
    std::vector<int> loops;
    std::copy_if(given.begin(), given.end(), std::back_inserter(loops), [this](int l) { return !isUnit(l); });
    const std::vector<std::size_t> dims = o.subset.nonUnitDims();
    for (std::size_t k = 0; k < dims.size() && k < loops.size(); ++k)
        o.labels[dims[k]] = loops[k];
    return dims.size() == loops.size();
}

void Labelling::clear() {
    labels.clear();
    for (IndexedOperand &o : operands_)
        std::fill(o.labels.begin(), o.labels.end(), Indexing::none);
}

std::vector<std::int64_t> Labelling::integers(const char *property, bool *isGiven) const {
    std::vector<std::int64_t> out;
    const json::Value *v = node.properties.find(property);
    const bool isList = v && v->isArray() && std::all_of(v->items().begin(), v->items().end(), [](const json::Value &i) {
                            return i.asInt().has_value();
                        });
    if (isGiven)
        *isGiven = isList;
    if (isList)
        for (const json::Value &i : v->items())
            out.push_back(*i.asInt());
    return out;
}

bool Labelling::flag(const char *property) const {
    const json::Value *v = node.properties.find(property);
    return v && v->asBool();
}

std::string Labelling::text(const char *property) const {
    const json::Value *v = node.properties.find(property);
    return v && !v->isNull() ? v->text() : "";
}

bool Labelling::refuse(std::string reason, std::string advice) {
    why = std::move(reason);
    hint = std::move(advice);
    return false;
}

bool labelNone(Labelling &l) { return l.refuse("its operands have no loops in common"); }

} // namespace sdfgc::analysis
