// Gradients of sums of products: MatMul, BatchedMatMul, Gemm, Gemv, Dot, Einsum, TensorDot.
//
//     C = alpha sum(A B)     ij,jk->ik       gradient_A += alpha sum(gradient_C B)     ik,jk->ij
//                                            gradient_B += alpha sum(gradient_C A)     ik,ij->jk
//
// All become Einsum nodes, which call the same libraries as the original nodes. Each dimension has the same letter in
// all operands; dimensions of size one have none (docs/user/library-nodes.md).
#include "Transforms/Differentiate/Rules.h"

#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

namespace {

/// An operand and the letters of its dimensions, with 0 for dimensions of size one.
struct Operand {
    const Use *use = nullptr;
    std::vector<char> letters;
    std::string text() const {
        std::string out;
        for (const char c : letters)
            if (c)
                out += c;
        return out;
    }
};

struct Product {
    std::vector<Operand> factors;
    Operand result;
    std::string alpha = "1";
};

std::vector<sym::Expr> sizesOf(const Use &u) {
    const auto s = subsetOf(u);
    return s ? s->sizes() : std::vector<sym::Expr>();
}

bool isUnit(const Use &u, std::size_t d) { return sizesOf(u)[d].isOne(); }

/// The dimensions of an operand, or only those with more than one element.
std::vector<std::size_t> dimsOf(const Use &u, bool all) {
    std::vector<std::size_t> out;
    const auto sizes = sizesOf(u);
    for (std::size_t d = 0; d < sizes.size(); ++d)
        if (all || !sizes[d].isOne())
            out.push_back(d);
    return out;
}

/// Assigns letters to the dimensions of a product as defined by NumPy. False if the shapes do not match.
class Lettering {
public:
    Lettering(const Use &a, const Use &b, const Use &c) : a_(operand(a)), b_(operand(b)), c_(operand(c)) {}

    bool matmul(std::vector<std::size_t> a, std::vector<std::size_t> b, bool transA, bool transB) {
        if (a.empty() || b.empty())
            return false;
        if (transA && a.size() > 1)
            std::swap(a[a.size() - 1], a[a.size() - 2]);
        if (transB && b.size() > 1)
            std::swap(b[b.size() - 1], b[b.size() - 2]);
        const std::size_t ka = a.back(), kb = b.size() > 1 ? b[b.size() - 2] : b.back();
        if (isUnit(*a_.use, ka) != isUnit(*b_.use, kb) ||
            sym::isEqual(sizesOf(*a_.use)[ka], sizesOf(*b_.use)[kb]) == sym::Truth::False)
            return false;
        const char k = letter();
        set(a_, ka, k);
        set(b_, kb, k);
        std::vector<char> result;
        const std::size_t batchA = a.size() > 2 ? a.size() - 2 : 0, batchB = b.size() > 2 ? b.size() - 2 : 0,
                          batch = std::max(batchA, batchB);
        for (std::size_t i = 0; i < batch; ++i) {
            const char l = letter();
            if (i + batchA >= batch)
                set(a_, a[i + batchA - batch], l);
            if (i + batchB >= batch)
                set(b_, b[i + batchB - batch], l);
            result.push_back(l);
        }
        if (a.size() > 1) {
            result.push_back(letter());
            set(a_, a[a.size() - 2], result.back());
        }
        if (b.size() > 1) {
            result.push_back(letter());
            set(b_, b.back(), result.back());
        }
        return setResult(result);
    }
    Product product() const { return {{a_, b_}, c_}; }

private:
    static Operand operand(const Use &u) { return {&u, std::vector<char>(sizesOf(u).size(), 0)}; }
    static void set(Operand &o, std::size_t d, char l) {
        if (!isUnit(*o.use, d))
            o.letters[d] = l;
    }
    /// Letters without an operand stand for one element.
    bool setResult(std::vector<char> letters) {
        std::erase_if(letters, [this](char l) {
            const auto has = [l](const Operand &o) { return std::find(o.letters.begin(), o.letters.end(), l) != o.letters.end(); };
            return !has(a_) && !has(b_);
        });
        const std::vector<std::size_t> dims = dimsOf(*c_.use, false);
        if (dims.size() != letters.size())
            return false;
        for (std::size_t k = 0; k < dims.size(); ++k)
            c_.letters[dims[k]] = letters[k];
        return true;
    }
    char letter() { return static_cast<char>('a' + next_++); }

    Operand a_, b_, c_;
    int next_ = 0;
};

/// `isMatrix`: the first operand has two dimensions, regardless of others of size one. Otherwise these count if the shapes match.
std::optional<Product> matmul(const Use *a, const Use *b, const Use *c, bool transA, bool transB, bool isMatrix = false) {
    if (!a || !b || !c)
        return std::nullopt;
    for (const bool all : {!isMatrix, isMatrix}) {
        Lettering l(*a, *b, *c);
        if (l.matmul(dimsOf(*a, all), dimsOf(*b, all), transA, transB))
            return l.product();
    }
    return std::nullopt;
}

/// Letters as written in an Einsum node: one per dimension, or per dimension with more than one element.
std::optional<Operand> written(const Use &u, const std::string &letters) {
    Operand o{&u, std::vector<char>(sizesOf(u).size(), 0)};
    const bool full = letters.size() == o.letters.size();
    const std::vector<std::size_t> dims = dimsOf(u, full);
    if (dims.size() != letters.size())
        return std::nullopt;
    for (std::size_t k = 0; k < dims.size(); ++k)
        if (!isUnit(u, dims[k]))
            o.letters[dims[k]] = letters[k];
    return o;
}

std::optional<Product> einsum(const Rule &r) {
    std::string notation = r.text("einsum_str");
    std::erase(notation, ' ');
    const std::size_t arrow = notation.find("->");
    std::vector<const Use *> inputs = r.uses(false), outputs = r.uses(true);
    std::sort(inputs.begin(), inputs.end(), [](const Use *a, const Use *b) { return a->connector.view() < b->connector.view(); });
    if (arrow == std::string::npos || outputs.size() != 1)
        return std::nullopt;
    Product p;
    std::string left = notation.substr(0, arrow) + ",";
    for (const Use *u : inputs) {
        const std::size_t end = left.find(',');
        if (end == std::string::npos)
            return std::nullopt;
        const auto o = written(*u, left.substr(0, end));
        if (!o)
            return std::nullopt;
        p.factors.push_back(*o);
        left.erase(0, end + 1);
    }
    const auto result = written(*outputs.front(), notation.substr(arrow + 2));
    if (!result)
        return std::nullopt;
    p.result = *result;
    return p;
}

std::vector<std::size_t> axesOf(const Rule &r, const char *property) {
    std::vector<std::size_t> out;
    if (const json::Value *axes = r.node.properties.find(property); axes && axes->isArray())
        for (const json::Value &a : axes->items())
            out.push_back(static_cast<std::size_t>(std::stoull(a.text())));
    return out;
}

/// Paired axes share a letter; the result has the letters of the others, left ones first, in the order of `permutation`.
std::optional<Product> tensorDot(const Rule &r) {
    const Use *left = r.use(Name("_left_tensor"), false), *right = r.use(Name("_right_tensor"), false),
              *out = r.use(Name("_out_tensor"), true);
    const std::vector<std::size_t> pairedLeft = axesOf(r, "left_axes"), pairedRight = axesOf(r, "right_axes"),
                                   order = axesOf(r, "permutation");
    if (!left || !right || !out || pairedLeft.size() != pairedRight.size())
        return std::nullopt;
    std::string a(sizesOf(*left).size(), '\0'), b(sizesOf(*right).size(), '\0'), free;
    char next = 'a';
    for (std::size_t k = 0; k < pairedLeft.size(); ++k) {
        if (pairedLeft[k] >= a.size() || pairedRight[k] >= b.size())
            return std::nullopt;
        a[pairedLeft[k]] = b[pairedRight[k]] = next++;
    }
    for (std::string *letters : {&a, &b})
        for (char &c : *letters)
            if (!c)
                free += c = next++;
    std::string result = free;
    for (std::size_t k = 0; k < order.size() && k < free.size(); ++k)
        result[k] = order[k] < free.size() ? free[order[k]] : free[k];
    const auto fa = written(*left, a), fb = written(*right, b), fc = written(*out, result);
    return fa && fb && fc ? std::optional(Product{{*fa, *fb}, *fc}) : std::nullopt;
}

std::optional<Product> productOf(const Rule &r) {
    const std::string name = r.node.className();
    if (name == "TensorDot")
        return tensorDot(r);
    if (name == "Einsum")
        return einsum(r);
    if (name == "Dot")
        return matmul(r.use(Name("_x"), false), r.use(Name("_y"), false), r.use(Name("_result"), true), false, false);
    if (name == "Gemv")
        return matmul(r.use(Name("_A"), false), r.use(Name("_x"), false), r.use(Name("_y"), true), r.isSet("transA", false), false,
                      true);
    return matmul(r.use(Name("_a"), false), r.use(Name("_b"), false), r.use(Name("_c"), true), r.isSet("transA", false),
                  r.isSet("transB", false));
}

bool hasRepeated(const std::string &letters) {
    return std::any_of(letters.begin(), letters.end(), [&](char c) { return std::count(letters.begin(), letters.end(), c) > 1; });
}

/// Does the gradient of a factor require no sum?
bool isByElement(const Product &p, std::size_t at) {
    const std::string target = p.factors[at].text();
    const auto within = [&](const Operand &o) { return o.text().find_first_not_of(target) == std::string::npos; };
    return within(p.result) && std::all_of(p.factors.begin(), p.factors.end(), within);
}

/// If so, adds it with a map, which can be fused with others.
///
///     s = sum(x y)   ->   map i { gradient_x[i] += gradient_s * y[i] }
bool addByElement(Rule &r, const Product &p, std::size_t at) {
    Maker &m = r.maker();
    const std::string target = p.factors[at].text();
    const Use sum = r.reverser.gradient(*p.factors[at].use, UseKind::Update, {}, r.body);
    const Maker::Walk walk = m.walkOver(*sum.subset);
    std::vector<Use> uses;
    std::string code = m.connector("__out").str() + " = " + (p.alpha == "1" ? "" : "(" + p.alpha + ") * ");
    const auto multiply = [&](const Use &u, const Operand &o) {
        std::vector<sym::Expr> positions;
        for (const char c : o.text())
            positions.push_back(walk.positions[target.find(c)]);
        code += (uses.empty() ? "" : " * ") + u.connector.str();
        uses.push_back(m.part(u, UseKind::Read, nest::elementOf(*subsetOf(u), positions), u.connector));
    };
    multiply(r.reverser.gradient(*p.result.use, UseKind::Read, m.connector("__g"), r.body), p.result);
    for (std::size_t k = 0; k < p.factors.size(); ++k) {
        if (k == at)
            continue;
        const std::optional<Use> v = r.reverser.value(*p.factors[k].use, m.connector("__in" + std::to_string(k)), r.body);
        if (!v)
            return false;
        multiply(*v, p.factors[k]);
    }
    uses.push_back(m.part(sum, UseKind::Update, walk.elementOf(*sum.subset), m.connector("__out")));
    const std::string label = "gradient_of_" + r.node.label;
    r.out.push_back(m.over(walk, label, m.tasklet(label, code, std::move(uses)), r.body.inScope()));
    return true;
}

/// Adds to the gradient of one factor the contribution of the result's gradient and the other factors.
bool reverseFactor(Rule &r, const Product &p, std::size_t at) {
    const std::string target = p.factors[at].text();
    if (!hasRepeated(target) && isByElement(p, at))
        return addByElement(r, p, at);
    auto node = std::make_shared<LibraryNode>();
    node->classPath = "dace.libraries.blas.nodes.einsum.Einsum";
    node->name = node->label = "gradient_of_" + r.node.label;
    node->schedule = r.node.schedule;
    node->debugInfo = r.node.debugInfo;
    std::string notation = p.result.text();
    std::vector<Use> uses{r.reverser.gradient(*p.result.use, UseKind::Read, Name("_a"), r.body)};
    for (std::size_t k = 0; k < p.factors.size(); ++k)
        if (k != at) {
            const Name connector("_" + std::string(1, static_cast<char>('b' + k)));
            const std::optional<Use> v = r.reverser.value(*p.factors[k].use, connector, r.body);
            if (!v)
                return false;
            uses.push_back(*v);
            notation += "," + p.factors[k].text();
        }
    if (hasRepeated(target) ||
        std::any_of(target.begin(), target.end(), [&](char c) { return notation.find(c) == std::string::npos; }))
        return r.refuse("an operand has a dimension that no other tensor has, or the same dimension twice");
    node->properties.set("einsum_str", json::Value(notation + "->" + target));
    node->properties.set("alpha", json::Value(p.alpha));
    node->properties.set("beta", json::Value("1"));
    for (const Use &u : uses)
        node->addIn(u.connector, Type::pointer(r.reverser.desc(u).dtype));
    Use out = r.reverser.gradient(*p.factors[at].use, UseKind::Write, Name("_out"), r.body);
    out.certain = false; // it is added to
    node->addOut(out.connector, Type::pointer(r.reverser.desc(out).dtype));
    uses.push_back(std::move(out));
    r.out.push_back(Maker::step(std::move(node), std::move(uses)));
    return true;
}

/// The operand multiplied by `beta`: a separate addend, or null.
const Use *addendOf(const Rule &r, const Product &p) {
    for (const char *connector : {"_cin", "_c", "_y"}) {
        const Use *u = r.use(Name(connector), false);
        if (u && std::none_of(p.factors.begin(), p.factors.end(), [u](const Operand &o) { return o.use == u; }))
            return u;
    }
    return nullptr;
}

/// `to = factor * gradient`, or an update with it, element by element.
void scale(Rule &r, const Use &result, Use to, const std::string &factor) {
    Maker &m = r.maker();
    const Name in = m.connector("__g"), out = m.connector("__scaled");
    const Use from = r.reverser.gradient(result, UseKind::Read, in, r.body);
    const Maker::Walk walk = m.walkOver(*from.subset);
    Use target = m.part(to, to.kind, walk.elementOf(*to.subset), out);
    Item item = m.tasklet("scale", out.str() + " = " + (factor == "1" ? "" : "(" + factor + ") * ") + in.str(),
                          {m.part(from, UseKind::Read, walk.elementOf(*from.subset), in), std::move(target)});
    r.out.push_back(m.over(walk, "scale_gradient", std::move(item), r.body.inScope()));
}

} // namespace

/// Passes the rest of the result's gradient to the addend, or keeps it if the node adds to the result's old value.
bool reverseAddend(Rule &r, const Use *addend, const Use &result) {
    const std::string beta = r.text("beta", "0");
    const bool isZero = beta == "0" || beta == "0.0", isOne = beta == "1" || beta == "1.0";
    if (isZero) {
        r.reverser.clear(result, r.body, r.out);
        return true;
    }
    if (!addend || (addend->memory == result.memory && addend->data == result.data && subsetOf(*addend) == subsetOf(result))) {
        if (!isOne && r.reverser.mustClear(result, r.body))
            scale(r, result, r.reverser.gradient(result, UseKind::Write, {}, r.body), beta);
        return true;
    }
    if (r.reverser.isActive(*addend)) {
        if (addend->memory == result.memory || !haveSameShape(*subsetOf(*addend), *subsetOf(result)))
            return r.refuse("it adds an operand with a different shape, or one that its result overwrites");
        scale(r, result, r.reverser.gradient(*addend, UseKind::Update, {}, r.body), isOne ? "1" : beta);
    }
    r.reverser.clear(result, r.body, r.out);
    return true;
}

bool reverseProduct(Rule &r) {
    std::optional<Product> p = productOf(r);
    if (!p)
        return r.refuse("the shapes of its operands do not match");
    p->alpha = r.text("alpha", "1");
    const Use *addend = addendOf(r, *p);
    if (r.uses(false).size() != p->factors.size() + (addend ? 1 : 0))
        return r.refuse("it has an additional operand");
    for (std::size_t k = 0; k < p->factors.size(); ++k)
        if (r.reverser.isActive(*p->factors[k].use) && !reverseFactor(r, *p, k))
            return false;
    return reverseAddend(r, addend, *p->result.use);
}

} // namespace sdfgc::transforms::gradient
