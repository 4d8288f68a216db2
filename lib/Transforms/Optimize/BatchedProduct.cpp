#include "Transforms/Optimize/BatchedProduct.h"

#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Use;
using nest::UseKind;

namespace {

constexpr std::size_t mostLabels = 51; // letters of einsum notation, without the one for the loop

const LibraryNode *nodeOf(const nest::Step &s) { return s.nodes.size() == 1 ? dyn_cast<LibraryNode>(s.nodes.front()) : nullptr; }

char letterOf(int label) { return static_cast<char>(label < 26 ? 'a' + label : 'A' + label - 26); }

} // namespace

std::optional<int64_t> slopeOf(sym::Expr e, Name variable) {
    if (!e.dependsOn(variable))
        return 0;
    return (sym::substitute(e, {{variable, sym::Expr::symbol(variable) + 1}}) - e).asInt();
}

bool BatchedProduct::isProduct(const nest::Step &step) {
    const LibraryNode *node = nodeOf(step);
    return node && analysis::isIndexed(*node) && !analysis::isReduction(*node);
}

sym::Expr BatchedProduct::at(sym::Expr e, sym::Expr value) const { return sym::substitute(e, {{loop_.variable, value}}); }

Reason BatchedProduct::read() {
    const LibraryNode &node = *nodeOf(step_);
    const analysis::Indexed x = analysis::indexingOf(node, nest::operandsOf(step_.uses));
    if (!x)
        return {Why::Library, x.why};
    if (!x->how.isAlpha(1) || !x->how.isBeta(0) || !x->others.empty() || x->factors.empty())
        return {Why::Library, "it has coefficients or an addend"};
    if (x->labels.size() > mostLabels)
        return {Why::Budget, "its operands have more than " + std::to_string(mostLabels) + " dimensions"};
    labels_.assign(x->labels.size(), {});
    const auto read = [&](const analysis::IndexedOperand &o, Operand &out) -> Reason {
        const auto use = std::find_if(step_.uses.begin(), step_.uses.end(),
                                      [&o](const Use &u) { return u.connector == o.connector && u.writes() == o.written; });
        if (use == step_.uses.end())
            return {Why::Opaque, "the elements of an operand are not known"};
        return readOperand(*use, x->loopsOf(o), out);
    };
    for (const analysis::IndexedOperand &o : x->factors)
        if (Reason why = read(o, factors_.emplace_back()))
            return why;
    if (Reason why = read(x->result, result_))
        return why;
    combined_ = x->combined();
    for (Operand &o : factors_)
        if (Reason why = readRanges(o))
            return why;
    if (std::count_if(labels_.begin(), labels_.end(), [](const Label &l) { return l.triangular; }) > 1)
        return {Why::Unprofitable, "slices along several dimensions change their lengths"};
    return readResult();
}

/// Views are replaced with their containers: the dimensions with several elements are the same ones, in the same order.
Reason BatchedProduct::readOperand(const Use &u, std::vector<int> labels, Operand &out) const {
    out.use = nest::throughView(u, g_);
    const Use &seen = out.use;
    const DataDesc *d = g_.desc(seen.data);
    if (!analysis::isPlain(d) || !analysis::isOnHost(d) || !seen.subset || seen.memlet.dynamic || seen.memlet.data != seen.data)
        return {Why::Container, "the elements of `" + seen.data.str() + "` are not those of a plain array"};
    if (seen.kind == UseKind::Update)
        return {Why::Update, "it updates `" + seen.data.str() + "`"};
    out.dims = seen.subset->nonUnitDims();
    out.labels = std::move(labels);
    if (out.dims.size() != out.labels.size())
        return {Why::Layout, "a view of `" + seen.data.str() + "` has other dimensions"};
    out.all = *seen.subset;
    return findAlong(out);
}

Reason BatchedProduct::findAlong(Operand &o) const {
    for (std::size_t k = 0; k < o.all.rank(); ++k) {
        if (std::find(o.dims.begin(), o.dims.end(), k) != o.dims.end() || !o.all.dims[k].begin.dependsOn(loop_.variable))
            continue;
        const sym::Expr index = o.all.dims[k].begin;
        const auto step = slope(index);
        if (!step)
            return {Why::NotAffine, "the index " + index.str() + " of `" + o.use.data.str() + "` is not affine"};
        if (*step <= 0 || o.along)
            return {Why::Layout, "`" + o.use.data.str() + "` is used backwards or along a diagonal"};
        o.along = k;
        o.all.dims[k] = {at(index, loop_.range.begin), at(index, loop_.range.end), *step, 1};
    }
    return {};
}

/// Finds the ranges of all iterations, and how those of one iteration lie in them.
Reason BatchedProduct::readRanges(Operand &o) {
    bool grows = false;
    for (std::size_t k = 0; k < o.dims.size(); ++k) {
        sym::Range &r = o.all.dims[o.dims[k]];
        const std::string name = "`" + o.use.data.str() + "`";
        if (!r.tile.isOne() || r.step.dependsOn(loop_.variable))
            return {Why::Layout, "slices of " + name + " have unequal strides"};
        Label found{r.size(), 0, true, false};
        if (r.begin.dependsOn(loop_.variable) || r.end.dependsOn(loop_.variable)) {
            const auto first = slope(r.begin), last = slope(r.end);
            if (!first || !last)
                return {Why::NotAffine, "the slice " + sym::Subset{{r}}.str() + " of " + name + " is not affine"};
            if (*first == *last)
                return {Why::Layout, "slices of " + name + " move along a dimension of several elements"};
            if (*first * *last != 0 || std::abs(*first + *last) != 1 || !r.step.isOne())
                return {Why::Layout, "slices of " + name + " change both ends, or by several elements"};
            if (std::find(combined_.begin(), combined_.end(), o.labels[k]) != combined_.end())
                return {Why::Shape, "iterations sum up different numbers of products"};
            const sym::Expr begin = at(r.begin, *first > 0 ? loop_.range.begin : loop_.range.end);
            found.shift = r.begin - begin;
            r = {begin, at(r.end, *last > 0 ? loop_.range.end : loop_.range.begin), 1, 1};
            found.size = r.size();
            found.triangular = grows = true;
        }
        Label &known = labels_[static_cast<std::size_t>(o.labels[k])];
        if (known.isKnown && (known.triangular != found.triangular || !(known.size == found.size) || !(known.shift == found.shift)))
            return {Why::Shape, "its factors change their lengths in different ways"};
        known = found;
    }
    if (grows && sym::covers(g_.desc(o.use.data)->fullSubset(), o.all, facts_) != sym::Truth::True)
        return {Why::OutOfBounds, "the slices of all iterations may leave `" + o.use.data.str() + "`"};
    return {};
}

Reason BatchedProduct::readResult() {
    for (std::size_t k = 0; k < result_.dims.size(); ++k) {
        const sym::Range &r = result_.use.subset->dims[result_.dims[k]];
        const Label &l = labels_[static_cast<std::size_t>(result_.labels[k])];
        if (!l.isKnown || !r.tile.isOne())
            return {Why::Shape, "a dimension of its result is in no factor"};
        if (!l.triangular && (r.size().dependsOn(loop_.variable) || r.step.dependsOn(loop_.variable)))
            return {Why::Shape, "its result changes its length, but its factors do not"};
        dims_.push_back({result_.dims[k], result_.labels[k], l.triangular, l.size, l.shift});
    }
    return {};
}

bool BatchedProduct::isSpread() const {
    return result_.along && std::none_of(dims_.begin(), dims_.end(), [this](const Dim &d) {
               const sym::Range &r = result_.use.subset->dims[d.dim];
               return d.triangular || r.begin.dependsOn(loop_.variable) || r.end.dependsOn(loop_.variable);
           });
}

bool BatchedProduct::moves() const {
    return std::any_of(factors_.begin(), factors_.end(), [this](const Operand &o) { return isSpread(o); });
}

bool BatchedProduct::reads(Name data) const {
    return std::any_of(factors_.begin(), factors_.end(), [data](const Operand &o) { return o.use.data == data; });
}

bool BatchedProduct::gainsDimension() const {
    const auto isVector = [this](const Operand &o) {
        return std::all_of(o.labels.begin(), o.labels.end(),
                           [this](int l) { return std::find(combined_.begin(), combined_.end(), l) != combined_.end(); });
    };
    std::size_t spread = 0, vectors = 0;
    for (const Operand &o : factors_)
        if (isSpread(o)) {
            ++spread;
            vectors += isVector(o);
        }
    return spread == 1 && vectors == 1 && !dims_.empty();
}

/// The operand of all iterations, and a letter for each of its dimensions with several elements.
Use BatchedProduct::placed(const Operand &o, const PrivateContainers &containers, std::string &letters) const {
    const char ofLoop = letterOf(static_cast<int>(labels_.size()));
    Use u = o.use;
    sym::Subset all;
    const auto add = [&](std::size_t d) {
        const auto k = std::find(o.dims.begin(), o.dims.end(), d);
        if (o.along == d)
            letters += ofLoop;
        else if (k != o.dims.end())
            letters += letterOf(o.labels[static_cast<std::size_t>(k - o.dims.begin())]);
        all.dims.push_back(o.all.dims[d]);
    };
    if (const auto e = containers.find(u.data); e != containers.end()) {
        all.dims.push_back({0, loop_.range.size() - 1, 1, 1});
        letters += ofLoop;
        for (const std::size_t d : e->second.dims)
            add(d);
        u.moveTo(e->second.made, e->second.memory);
    } else {
        for (std::size_t d = 0; d < o.all.rank(); ++d)
            add(d);
    }
    u.subset = std::move(all);
    return u;
}

nest::Item BatchedProduct::inPlace(const PrivateContainers &containers) const {
    std::string letters;
    Use u = placed(result_, {}, letters);
    return made(std::move(u), letters, containers);
}

nest::Item BatchedProduct::into(const PerIteration &container, const PrivateContainers &containers) const {
    Use u = result_.use;
    u.moveTo(container.made, container.memory);
    u.subset = sym::Subset{{{0, loop_.range.size() - 1, 1, 1}}};
    std::string letters(1, letterOf(static_cast<int>(labels_.size())));
    for (const Dim &d : dims_) {
        const sym::Range &r = result_.use.subset->dims[d.dim];
        u.subset->dims.push_back(r.begin.dependsOn(loop_.variable) || d.triangular ? sym::Range{0, d.size - 1, 1, 1} : r);
        letters += letterOf(d.label);
    }
    return made(std::move(u), letters, containers);
}

/// Connectors are in alphabetical order, in which the notation lists them.
nest::Item BatchedProduct::made(Use result, const std::string &resultLetters, const PrivateContainers &containers) const {
    const LibraryNode &like = *nodeOf(step_);
    auto node = std::make_shared<LibraryNode>();
    node->label = node->name = like.label;
    node->classPath = "dace.libraries.blas.nodes.einsum.Einsum";
    node->schedule = like.schedule;
    node->debugInfo = like.debugInfo;
    auto step = std::make_unique<nest::Step>();
    step->nodes.push_back(node.get());
    std::string notation;
    const auto add = [&](Use u, std::string connector) {
        u.connector = Name(std::move(connector));
        const DebugInfo place = u.memlet.debugInfo;
        u.memlet = Memlet::simple(u.data, *u.subset);
        u.memlet.debugInfo = place;
        u.node = 0;
        const Type pointer = Type::pointer(g_.desc(u.data)->dtype);
        u.writes() ? node->addOut(u.connector, pointer) : node->addIn(u.connector, pointer);
        step->uses.push_back(std::move(u));
    };
    for (std::size_t k = 0; k < factors_.size(); ++k) {
        if (k > 0)
            notation += ',';
        add(placed(factors_[k], containers, notation), std::string("_") + static_cast<char>('a' + k));
    }
    add(std::move(result), "_out");
    step->uses.back().certain = true;
    node->properties.set("einsum_str", json::Value(notation + "->" + resultLetters));
    step->made = std::move(node);
    return {nullptr, std::move(step)};
}

} // namespace sdfgc::transforms
