// Contractions as maps.
//
//   before   A, B -> MatMul -> C
//   after    A, B -> nested SDFG { init: map i, j { C = 0 };  product: map i { map k, j (sequential) { C += A * B } } } -> C
//
// Order of the loops. The innermost loop is the label along which most operands are contiguous (or do not move at all). If the
// result has that label, it is accumulated in memory, row by row; the other labels of the result form the outer parallel map. If
// the label is summed over, the sum is kept in a register. If the result has no labels, a single map with conflict resolution
// remains, which lowering turns into an OpenMP reduction.
//
// Conflict resolution on the node's output: at top level, a sum is accumulated directly. Everything else is computed into a
// temporary and combined element by element, so concurrent writers conflict only there.
#include "Contraction.h"
#include "Expanders.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

bool Factor::has(int label) const { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

sym::Expr Factor::stride(int label) const {
    sym::Expr s = 0;
    for (std::size_t d = 0; d < labels.size(); ++d)
        if (labels[d] == label)
            s += operand.allStrides[d];
    return s;
}

namespace {

bool isNumber(const Coefficient &c, double v) {
    if (c.value.kind() == sym::SymbolicKind::Float)
        return c.value.floatValue() == v;
    return c.value.isConstant(static_cast<int64_t>(v));
}

} // namespace

bool Coefficient::isZero() const { return isNumber(*this, 0); }
bool Coefficient::isOne() const { return isNumber(*this, 1); }

Coefficient coefficient(Expansion &x, std::string text) {
    Coefficient c;
    c.text = std::move(text);
    auto parsed = sym::parse(c.text);
    c.value = parsed.expr ? x.inside(*parsed.expr) : sym::Expr::symbol(Name(c.text));
    if (parsed.expr && !c.value.freeSymbols().empty())
        c.text = c.value.str();
    return c;
}

std::vector<int> Contraction::kept() const {
    std::vector<int> out;
    for (int l : result.labels)
        if (l != Factor::unit && std::find(out.begin(), out.end(), l) == out.end())
            out.push_back(l);
    return out;
}

std::vector<int> Contraction::summed() const {
    std::vector<int> out;
    for (const Factor &f : factors)
        for (int l : f.labels)
            if (l != Factor::unit && !result.has(l) && std::find(out.begin(), out.end(), l) == out.end())
                out.push_back(l);
    return out;
}

namespace {

Name parameter(int label) { return Name("_i" + std::to_string(label)); }

std::vector<sym::Expr> index(const Factor &f) {
    std::vector<sym::Expr> out;
    for (int l : f.labels)
        out.push_back(l == Factor::unit ? sym::Expr(0) : sym::Expr::symbol(parameter(l)));
    if (out.empty())
        out.emplace_back(0);
    return out;
}

class Builder {
public:
    Builder(Expansion &x, Contraction c) : x_(x), c_(std::move(c)) {}
    bool run();

private:
    Expansion::Params params(const std::vector<int> &labels) const {
        Expansion::Params out;
        for (int l : labels)
            out.emplace_back(parameter(l), c_.sizes[static_cast<std::size_t>(l)]);
        return out;
    }
    bool check();
    void bindAll();
    /// The container to compute into, and how: a temporary if the product cannot apply the conflict resolution itself.
    void chooseTarget();
    void addBeta();
    /// Without a sum, the addend is added to each product directly.
    bool addsInPlace() const { return c_.summed().empty() && c_.addend.operand && !c_.beta.isZero(); }
    bool product();
    void call(const LibraryCall &c);
    void maps();
    void combine();
    int innermost() const;
    std::string term() const;
    std::vector<Expansion::Access> inputs() const;
    Type type() const { return c_.result.operand.type; }
    /// The library whose BLAS is called. Emulated programs use the name of the vendor's library, too.
    std::string_view implementation() const {
        return x_.where() != Where::Device ? "OpenBLAS" : platform::titleOf("gpublas", x_.context().options.vendor());
    }

    Expansion &x_;
    Contraction c_;
    Factor target_;
    std::string wcr_;         // of the output; empty if there is none, or if it is a sum that is accumulated directly
    bool accumulate_ = false; // the target already holds the addend
};

bool Builder::check() {
    for (const Factor *f : {&c_.result, &c_.addend})
        for (int l : f->labels)
            if (l != Factor::unit &&
                std::none_of(c_.factors.begin(), c_.factors.end(), [&](const Factor &in) { return in.has(l); }))
                return x_.refuse("a dimension of `" + f->connector.str() + "` occurs in no input");
    return true;
}

void Builder::bindAll() {
    for (const Factor &f : c_.factors)
        x_.bindFull(f.connector, f.operand);
    x_.bindFull(c_.result.connector, c_.result.operand);
    if (c_.addend.operand)
        x_.bindFull(c_.addend.connector, c_.addend.operand);
}

void Builder::chooseTarget() {
    target_ = c_.result;
    wcr_ = c_.result.operand.edge->memlet.wcr;
    auto parsed = py::parseWcr(wcr_);
    bool sum = !wcr_.empty() && parsed.value && parsed.value->kind == py::Reduction::Sum;
    if (!c_.addend.operand && !c_.beta.isZero() && x_.writesFirst(c_.result.operand))
        c_.beta = {"0", 0};
    if (wcr_.empty())
        return;
    // An output with conflict resolution adds to its old contents, as does beta without an addend (7.3).
    if (!c_.addend.operand)
        c_.beta = {"0", 0};
    if (sum && x_.parallel() && !c_.addend.operand) {
        wcr_.clear();
        accumulate_ = true;
        return;
    }
    std::vector<sym::Expr> shape;
    target_.labels = c_.kept();
    for (int l : target_.labels)
        shape.push_back(c_.sizes[static_cast<std::size_t>(l)]);
    target_.connector = x_.temporary("_product", type(), shape);
    const DataDesc *d = x_.inner().desc(target_.connector);
    target_.operand.desc = d;
    target_.operand.subset = d->fullSubset();
    target_.operand.allStrides = d->strides;
}

/// target = beta * addend, or zero; nothing if the target already holds the addend.
void Builder::addBeta() {
    if (accumulate_)
        return;
    if (c_.beta.isZero() || addsInPlace())
        return;
    bool own = !c_.addend.operand;
    if (own && c_.beta.isOne()) {
        accumulate_ = true;
        return;
    }
    const Factor &from = own ? c_.result : c_.addend;
    std::string scale = c_.beta.isOne() ? "" : typedLiteral(type(), c_.beta.text) + " * ";
    x_.mapped(x_.addState("init"), "init", params(c_.kept()), {{"i", from.connector, index(from), ""}},
              {{"o", target_.connector, index(target_), ""}}, "o = " + scale + "i");
    accumulate_ = true;
}

std::string Builder::term() const {
    std::string out = c_.alpha.isOne() ? "" : typedLiteral(type(), c_.alpha.text) + " * ";
    for (std::size_t i = 0; i < c_.factors.size(); ++i)
        out += (i ? " * f" : "f") + std::to_string(i);
    if (addsInPlace())
        out += (c_.beta.isOne() ? std::string(" + ") : " + " + typedLiteral(type(), c_.beta.text) + " * ") + std::string("g");
    return out;
}

std::vector<Expansion::Access> Builder::inputs() const {
    std::vector<Expansion::Access> out;
    for (std::size_t i = 0; i < c_.factors.size(); ++i)
        out.push_back({"f" + std::to_string(i), c_.factors[i].connector, index(c_.factors[i]), ""});
    if (addsInPlace())
        out.push_back({"g", c_.addend.connector, index(c_.addend), ""});
    return out;
}

/// The label along which most operands move by at most one element; if there are several, the last label of the result, else of the
/// sum.
int Builder::innermost() const {
    std::vector<int> order = c_.summed();
    for (int l : c_.kept())
        order.push_back(l);
    int best = Factor::unit, bestScore = -1;
    for (int l : order) {
        int score = 0;
        auto count = [&](const Factor &f) { score += f.stride(l).isZero() || f.stride(l).isOne(); };
        std::for_each(c_.factors.begin(), c_.factors.end(), count);
        count(target_);
        if (score >= bestScore) {
            best = l;
            bestScore = score;
        }
    }
    return best;
}

void Builder::maps() {
    std::vector<int> kept = c_.kept(), summed = c_.summed();
    Expansion::Access out{"o", target_.connector, index(target_), ""};
    const std::string sum = "lambda a, b: a + b";
    if (summed.empty() && !accumulate_) {
        x_.mapped(x_.addState("product"), "product", params(kept), inputs(), {out}, "o = " + term());
        return;
    }
    int last = innermost();
    bool lastKept = std::find(kept.begin(), kept.end(), last) != kept.end();
    if (!summed.empty() && !lastKept && !kept.empty()) {
        if (x_.context().allows(pass::FloatClass::F1)) {
            std::erase(summed, last);
            summed.push_back(last);
        }
        out.wcr = accumulate_ ? sum : "";
        x_.accumulated(x_.addState("product"), "product",
                       {{{params(kept)}}, params(summed), {}, inputs(), out, sum, typedLiteral(type(), "0"), "o = " + term()});
        return;
    }
    if (!accumulate_)
        x_.mapped(x_.addState("init"), "init", params(kept), {}, {out}, "o = " + typedLiteral(type(), "0"));
    out.wcr = sum;
    std::vector<Expansion::Level> levels{{params(kept.empty() ? summed : kept)}};
    if (!summed.empty() && !kept.empty()) {
        std::erase(kept, last);
        summed.push_back(last);
        levels = {{params(kept)}, {params(summed), Schedule::Sequential}};
    }
    x_.nested(x_.addState("product"), "product", levels, inputs(), {out}, "o = " + term());
}

void Builder::call(const LibraryCall &c) {
    std::vector<Name> in;
    for (const Factor &f : c_.factors)
        if (std::find(in.begin(), in.end(), f.connector) == in.end())
            in.push_back(f.connector);
    if (accumulate_)
        in.push_back(target_.connector);
    if (c.terms && !accumulate_ && sym::isLess(0, *c.terms) != sym::Truth::True) // empty sums
        x_.mapped(x_.addStateIf("empty", x_.word("k", *c.terms) + " < 1"), "empty", params(c_.kept()), {},
                  {{"o", target_.connector, index(target_), ""}}, "o = " + typedLiteral(type(), "0"));
    x_.call(x_.addState("product"), "product", in, {target_.connector}, c);
}

bool Builder::product() {
    std::string why;
    if (auto made = blasProduct(x_, c_, target_, !accumulate_, why)) {
        call(*made);
        x_.took(implementation(), why);
        return true;
    }
    if (auto made = tensorProduct(x_, c_, target_, !accumulate_)) {
        call(*made);
        x_.took(platform::titleOf("gputensor", x_.context().options.vendor()), why);
        return true;
    }
    maps();
    x_.took("pure", why);
    return true;
}

void Builder::combine() {
    if (wcr_.empty())
        return;
    x_.mapped(x_.addState("combine"), "combine", params(c_.kept()), {{"i", target_.connector, index(target_), ""}},
              {{"o", c_.result.connector, index(c_.result), wcr_}}, "o = i");
}

bool Builder::run() {
    if (!check())
        return false;
    bindAll();
    chooseTarget();
    addBeta();
    product();
    combine();
    x_.finish();
    return true;
}

/// The first dimension whose size is provably not that of its label, as a sentence; empty if they agree.
std::string misfit(const Contraction &c) {
    std::vector<const Factor *> all{&c.result};
    for (const Factor &f : c.factors)
        all.push_back(&f);
    for (const Factor *f : all)
        for (std::size_t d = 0; d < f->labels.size(); ++d) {
            const int label = f->labels[d];
            if (label != Factor::unit && sym::isEqual(f->size(d), c.sizes[static_cast<std::size_t>(label)]) == sym::Truth::False)
                return "dimension " + std::to_string(d) + " of `" + f->connector.str() + "` has " + f->size(d).str() +
                       " elements, and what it stands for " + c.sizes[static_cast<std::size_t>(label)].str();
        }
    return "";
}

/// The node's indexing without loops of one element. The remaining labels are renumbered in order.
class ContractionReader {
public:
    ContractionReader(Expansion &x, const analysis::Indexing &indexing) : x_(x), indexing_(indexing) {
        for (std::size_t k = 0; k < indexing.labels.size(); ++k) {
            const bool isUnit = indexing.isUnit(static_cast<int>(k));
            labels_.push_back(isUnit ? Factor::unit : static_cast<int>(out_.sizes.size()));
            if (!isUnit)
                out_.sizes.push_back(indexing.labels[k].size);
        }
    }

    Contraction read() {
        for (const analysis::IndexedOperand &f : indexing_.factors)
            out_.factors.push_back(factor(f, f.connector));
        out_.result = factor(indexing_.result, indexing_.result.connector);
        out_.alpha = coefficient(x_, indexing_.how.alpha);
        out_.beta = coefficient(x_, indexing_.how.beta);
        if (indexing_.addend)
            readAddend(*indexing_.addend);
        return std::move(out_);
    }

private:
    /// Renames connectors that the program named, so that they cannot clash with a connector, parameter or temporary of the
    /// expansion.
    Factor factor(const analysis::IndexedOperand &o, Name connector) {
        if (indexing_.hasOwnNames) {
            const Name own("_op_" + connector.str());
            o.written ? x_.renameOutput(connector, own) : x_.renameInput(connector, own);
            connector = own;
        }
        Factor f{connector, o.written ? x_.output(connector) : x_.input(connector), {}};
        for (const int l : o.labels)
            f.labels.push_back(l == analysis::Indexing::none ? Factor::unit : labels_[static_cast<std::size_t>(l)]);
        return f;
    }

    /// An addend at the result's connector is the old contents of the result, unless it is different memory or the result has
    /// conflict resolution.
    void readAddend(const analysis::IndexedOperand &o) {
        const Factor &result = out_.result;
        Name connector = o.connector;
        const bool isResult = connector == result.connector && sameMemory(x_.input(connector), result.operand) &&
                              result.operand.edge->memlet.wcr.empty();
        if (connector == result.connector && !isResult) {
            x_.renameInput(connector, "_addend");
            connector = "_addend";
        }
        if (!out_.beta.isZero() && !isResult)
            out_.addend = factor(o, connector);
    }

    Expansion &x_;
    const analysis::Indexing &indexing_;
    Contraction out_;
    std::vector<int> labels_; // of the contraction, by those of the indexing
};

} // namespace

bool expandContraction(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    const analysis::Indexed indexing = x.indexing();
    if (!indexing)
        return x.refuse(indexing.why, indexing.hint);
    if (!indexing->others.empty())
        return x.refuse("`" + indexing->others.front().str() + "` is not one of its operands",
                        "factors are properties, `alpha` and `beta`");
    Contraction contraction = ContractionReader(x, *indexing).read();
    if (const std::string why = misfit(contraction); !why.empty())
        return x.refuse(why);
    return Builder(x, std::move(contraction)).run();
}

} // namespace sdfgc::libnodes
