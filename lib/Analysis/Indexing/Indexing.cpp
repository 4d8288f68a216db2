#include "sdfgc/Analysis/Indexing.h"

#include "Analysis/Indexing/Labelling.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

namespace {

enum class Combine : uint8_t { Nothing, Sum, Function };

struct NodeRow {
    std::string_view className, library;
    LabelFunction label = nullptr;
    Combine combine = Combine::Nothing;
    std::string_view alpha = {}, beta = {}, addends = {};
    int traits = 0;
};
constexpr Trait operator|(Trait a, Trait b) { return static_cast<Trait>(static_cast<int>(a) | static_cast<int>(b)); }
constexpr NodeRow nodeRows[] = {
#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary)                                                     \
    {                                                                                                                              \
        .className = #Class, .library = #Library
#define SDFGC_LIBRARY_NODE_INDEXING(Label, How, Alpha, Beta, Addends)                                                              \
    , .label = Label, .combine = Combine::How, .alpha = Alpha, .beta = Beta, .addends = Addends
#define SDFGC_LIBRARY_NODE_TRAITS(Traits)                                                                                          \
    , .traits = [] {                                                                                                               \
        using enum Trait;                                                                                                          \
        return static_cast<int>(Traits);                                                                                           \
    }()
#define SDFGC_LIBRARY_NODE_FACTS(Pure, Types, Calls, When, Device)                                                                 \
    }                                                                                                                              \
    ,
#include "sdfgc/Analysis/LibraryNodes.def"
};

const NodeRow *rowOf(const LibraryNode &n) {
    const auto at = libraryRow(n);
    return at ? &nodeRows[*at] : nullptr;
}

/// `alpha`, `beta=1`, `=1`: the value of a property, or the text after the equals sign, or `otherwise`.
std::string coefficientOf(const LibraryNode &n, std::string_view column, const char *otherwise) {
    const std::size_t equals = std::min(column.find('='), column.size());
    const json::Value *v = n.properties.find(std::string(column.substr(0, equals)));
    if (v && !v->isNull() && !v->text().empty())
        return v->text();
    return equals < column.size() ? std::string(column.substr(equals + 1)) : otherwise;
}

bool isNumber(const std::string &text, int64_t value) {
    const auto parsed = sym::parse(text).expr;
    if (!parsed)
        return false;
    return parsed->kind() == sym::SymbolicKind::Float ? parsed->floatValue() == static_cast<double>(value)
                                                      : parsed->isConstant(value);
}

/// The first of the connectors `_cin _c` at which the node reads something.
Name addendAmong(std::string_view connectors, const std::vector<IndexedOperand> &operands) {
    while (!connectors.empty()) {
        const std::size_t end = std::min(connectors.find(' '), connectors.size());
        const Name name(connectors.substr(0, end));
        for (const IndexedOperand &o : operands)
            if (!o.written && o.connector == name)
                return name;
        connectors.remove_prefix(std::min(end + 1, connectors.size()));
    }
    return {};
}

} // namespace

const std::vector<MovedNode> &movedNodes() {
    static const std::vector<MovedNode> table{
#define SDFGC_LIBRARY_NODE_MOVED(Class, From, To) {#Class, From, To},
#include "sdfgc/Analysis/LibraryNodes.def"
    };
    return table;
}

std::optional<std::size_t> libraryRow(const LibraryNode &n) {
    const std::string className = n.className(), written = n.libraryName();
    std::string_view library = written;
    for (const MovedNode &m : movedNodes())
        if (m.className == className && m.from == library)
            library = m.to;
    for (std::size_t k = 0; k < std::size(nodeRows); ++k)
        if (nodeRows[k].className == className && nodeRows[k].library == library)
            return k;
    return std::nullopt;
}

bool IndexedOperand::has(int label) const { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

std::vector<IndexedOperand> operandsOf(const LibraryNode &n) {
    std::vector<IndexedOperand> out;
    const SDFG &g = *n.state()->sdfg();
    const auto add = [&](const Edge *e, bool written) {
        const auto *end = dyn_cast<AccessNode>(written ? pathDestination(e) : pathSource(e));
        const DataDesc *d = e->memlet.data ? g.desc(e->memlet.data) : nullptr;
        d = d || !end ? d : g.desc(end->data);
        if (e->memlet.isEmpty() || !end || !d || d->isStream() || d->dtype.isOpaque())
            return;
        const auto subset = written ? destinationSubset(e) : sourceSubset(e);
        IndexedOperand o{
            written ? e->srcConn : e->dstConn, written, subset && subset->rank() == d->rank() ? *subset : d->fullSubset(), {}};
        out.push_back(std::move(o));
    };
    for (const Edge *e : n.inEdges())
        add(e, false);
    for (const Edge *e : n.outEdges())
        add(e, true);
    return out;
}

bool Combination::isAlpha(int64_t value) const { return isNumber(alpha, value); }
bool Combination::isBeta(int64_t value) const { return isNumber(beta, value); }

std::optional<Combination> combinationOf(const LibraryNode &n, const std::vector<IndexedOperand> &operands) {
    const NodeRow *row = rowOf(n);
    if (!row || row->combine == Combine::Nothing)
        return std::nullopt;
    Combination out;
    if (row->combine == Combine::Function) {
        out.isReduction = true;
        out.function = coefficientOf(n, "wcr", "lambda a, b: a");
        if (const json::Value *identity = n.properties.find("identity"); identity && !identity->isNull())
            out.start = identity->text();
        return out;
    }
    out.function = "lambda a, b: a + b";
    out.alpha = coefficientOf(n, row->alpha, "1");
    out.beta = coefficientOf(n, row->beta, "0");
    out.addend = addendAmong(row->addends, operands);
    return out;
}

std::optional<Combination> combinationOf(const LibraryNode &n) { return combinationOf(n, operandsOf(n)); }

bool isReduction(const LibraryNode &n) {
    const NodeRow *row = rowOf(n);
    return row && row->combine == Combine::Function;
}

bool isIndexed(const LibraryNode &n) {
    const NodeRow *row = rowOf(n);
    return row && row->label && row->label != labelNone;
}

bool has(const LibraryNode &n, Trait trait) {
    const NodeRow *row = rowOf(n);
    return row && (row->traits & static_cast<int>(trait)) != 0;
}

std::vector<int> Indexing::loopsOf(const IndexedOperand &o) const {
    std::vector<int> out;
    std::copy_if(o.labels.begin(), o.labels.end(), std::back_inserter(out), [this](int l) { return !isUnit(l); });
    return out;
}

std::vector<int> Indexing::combined() const {
    std::vector<int> out;
    for (const IndexedOperand &f : factors)
        for (const int l : f.labels)
            if (l != none && !result.has(l) && std::find(out.begin(), out.end(), l) == out.end())
                out.push_back(l);
    return out;
}

std::vector<int> Indexing::dimsInResult(const IndexedOperand &factor) const {
    std::vector<int> out;
    for (const int l : loopsOf(factor)) {
        const auto at = std::find(result.labels.begin(), result.labels.end(), l);
        out.push_back(at == result.labels.end() ? -1 : static_cast<int>(at - result.labels.begin()));
    }
    return out;
}

Indexed indexingOf(const LibraryNode &n, std::vector<IndexedOperand> operands) {
    Indexed out;
    const NodeRow *row = rowOf(n);
    if (!row || !row->label) {
        out.why = "it has no loops";
        return out;
    }
    for (IndexedOperand &o : operands)
        o.labels.assign(o.subset.rank(), Indexing::none);
    const Combination how = *combinationOf(n, operands);
    Labelling l(n, operands, how.addend);
    if (!row->label(l)) {
        out.why = l.why;
        out.hint = l.hint;
        return out;
    }
    Indexing &x = out.emplace();
    x.labels = l.labels;
    x.how = how;
    x.hasOwnNames = l.hasOwnNames;
    IndexedOperand *addend = how.addend.empty() ? nullptr : l.input(how.addend);
    for (std::size_t i = 1; addend && i <= std::min(addend->labels.size(), l.result->labels.size()); ++i)
        if (int &label = addend->labels[addend->labels.size() - i]; label == Indexing::none)
            l.set(*addend, addend->labels.size() - i, l.result->labels[l.result->labels.size() - i]);
    for (const IndexedOperand *f : l.factors)
        x.factors.push_back(*f);
    x.result = *l.result;
    if (addend)
        x.addend = *addend;
    for (const IndexedOperand &o : operands)
        if (!o.written && &o != addend && std::find(l.factors.begin(), l.factors.end(), &o) == l.factors.end())
            x.others.push_back(o.connector);
    return out;
}

Indexed indexingOf(const LibraryNode &n) { return indexingOf(n, operandsOf(n)); }

} // namespace sdfgc::analysis
