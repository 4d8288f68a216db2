// Gradients of products with a matrix in compressed sparse row format, C = alpha A B + beta C0.
//
//     gradient_vals[p] += alpha sum over j of gradient_C[i, j] B[cols[p], j]
//     gradient_B[cols[p], j] += alpha vals[p] gradient_C[i, j]                    for p = rows[i] .. rows[i + 1]
#include "Transforms/Differentiate/Rules.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Use;
using nest::UseKind;

namespace {

class Sparse {
public:
    explicit Sparse(Rule &r) : r_(r), m_(r.maker()), how_(r.how()), transposed_(r.isSet("transB", false)) {}

    bool run() {
        const Use *rows = r_.use(Name("_a_rows"), false), *columns = r_.use(Name("_a_cols"), false),
                  *values = r_.use(Name("_a_vals"), false), *b = r_.use(Name("_b"), false), *c = r_.use(Name("_c"), true);
        for (const Use *u : {rows, columns, values, b, c})
            if (!u || !subsetOf(*u) || subsetOf(*u)->nonUnitDims().size() != subsetOf(*u)->rank())
                return r_.refuse("an operand is missing, or has a dimension of one element");
        sizes_ = subsetOf(*c)->sizes();
        const std::optional<Use> vRows = r_.reverser.value(*rows, {}, r_.body), vColumns = r_.reverser.value(*columns, {}, r_.body);
        if (!vRows || !vColumns)
            return false;
        rows_ = *vRows, columns_ = *vColumns;
        const std::string at = sizes_.size() < 2 ? "__b[__c[__p]]" : transposed_ ? "__b[__j, __c[__p]]" : "__b[__c[__p], __j]";
        if (r_.reverser.isActive(*values) && !add(*b, "__b", *values, "__out[__p]", at, *c))
            return false;
        if (r_.reverser.isActive(*b) && !add(*values, "__v", *b, "__out" + at.substr(3), "__v[__p]", *c))
            return false;
        return reverseAddend(r_, how_.addend ? r_.use(how_.addend, false) : nullptr, *c);
    }

private:
    /// For each element of a row of A, and each column of the result: adds alpha times `factor`, a part of `read`,
    /// times the gradient of the result to `target`.
    bool add(const Use &read, const char *connector, const Use &to, const std::string &target, const std::string &factor,
             const Use &c) {
        const std::optional<Use> v = r_.reverser.value(read, {}, r_.body);
        if (!v)
            return false;
        const bool isMatrix = sizes_.size() > 1;
        const Name row = m_.connector("__row");
        const std::string scale = how_.isAlpha(1) ? "" : "(" + how_.alpha + ") * ";
        const std::string gradient = isMatrix ? "__g[" + row.str() + ", __j]" : "__g[" + row.str() + "]";
        const std::string loop = isMatrix ? "    for __j in range(" + sizes_[1].str() + "):\n        " : "    ";
        const sym::Expr i = sym::Expr::symbol(row);
        const auto whole = [&](const Use &u, const char *name) { return m_.part(u, UseKind::Read, *subsetOf(u), Name(name)); };
        const auto rowAt = [&](sym::Expr k, const char *name) {
            sym::Subset s = *subsetOf(rows_);
            s.dims[0].begin = s.dims[0].end = s.dims[0].begin + k * s.dims[0].step;
            s.dims[0].step = 1;
            return m_.part(rows_, UseKind::Read, std::move(s), Name(name));
        };
        std::vector<Use> uses{rowAt(i, "__begin"), rowAt(i + 1, "__end"), whole(*v, connector),
                              whole(r_.reverser.gradient(c, UseKind::Read, {}, r_.body), "__g")};
        if (target.find("__c") != std::string::npos || factor.find("__c") != std::string::npos)
            uses.push_back(whole(columns_, "__c"));
        uses.push_back(r_.reverser.gradient(to, UseKind::Update, Name("__out"), r_.body));
        uses.back().memlet.dynamic = true; // each store is one term of a sum
        std::vector<nest::Item> body;
        body.push_back(m_.tasklet("add_" + to.data.str(),
                                  "for __p in range(__begin, __end):\n" + loop + target + " = " + scale + factor + " * " + gradient,
                                  std::move(uses)));
        r_.out.push_back(m_.map("add_" + to.data.str(), {row}, {{0, sizes_[0] - 1, 1, 1}}, std::move(body), r_.body.inScope()));
        return true;
    }

    Rule &r_;
    Maker &m_;
    const analysis::Combination how_;
    bool transposed_;
    std::vector<sym::Expr> sizes_; // of the result
    Use rows_, columns_;
};

} // namespace

bool reverseSparse(Rule &r) { return Sparse(r).run(); }

} // namespace sdfgc::transforms::gradient
