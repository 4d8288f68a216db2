#include "Transforms/Differentiate/Others.h"

#include "Transforms/Differentiate/Correspondence.h"
#include "Transforms/Differentiate/Values.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Use;
using nest::UseKind;

//     x             others
//     a  b  c       b c   a c   a b
//     a  0  c       0     a c   0
//     a  0  0       0     0     0
//
// using the number of zeros and the product of the nonzero factors.
Name productsOfOthers(Maker &m, const LibraryNode &node, const Use &operand, const Use &value, const Use &result,
                      const std::vector<int> &kept, bool inScope, const Matrices::Temporary &temporary,
                      std::vector<nest::Item> &out) {
    const DataDesc &like = *m.sdfg().desc(result.data);
    const std::vector<sym::Expr> shape = subsetOf(operand)->sizes(), small = subsetOf(result)->sizes();
    const Name factors = temporary("factors", like, shape), others = temporary("others", like, shape);
    const Name zeros = temporary("zeros", like, small), product = temporary("product", like, small);
    const auto whole = [&](Name n) { return m.whole(UseKind::Read, n); };
    const Name x = m.connector("__x"), f = m.connector("__f"), n = m.connector("__n"), p = m.connector("__p"),
               o = m.connector("__o");
    const Correspondence toZeros = correspond(m, value, whole(zeros), kept),
                         ofFactors = correspond(m, whole(factors), whole(product), kept),
                         ofOthers = correspond(m, whole(others), whole(product), kept);
    out.push_back(m.fill(zeros, m.sdfg().desc(zeros)->fullSubset(), "0", inScope));
    out.push_back(m.over(
        toZeros.walk, "factors",
        m.tasklet("factors",
                  f.str() + " = 1 if " + x.str() + " == 0 else " + x.str() + "\n" + n.str() + " = 1 if " + x.str() + " == 0 else 0",
                  {m.part(value, UseKind::Read, toZeros.operand, x), m.write(factors, ofFactors.operand, f),
                   m.sum(zeros, toZeros.result, n)}),
        inScope));
    const std::string start = analysis::combinationOf(node, {})->start.value_or("1"); // a factor like all others
    out.push_back(m.reduction("product", "lambda a, b: a * b", node.properties.find("axes"), start, whole(factors),
                              m.whole(UseKind::Write, product), inScope));
    const std::string isZero = x.str() + " == 0";
    out.push_back(m.over(toZeros.walk, "others",
                         m.tasklet("others",
                                   o.str() + " = " + p.str() + " / " + x.str() + " if " + n.str() + " == 0 else (" + p.str() +
                                       " if " + n.str() + " == 1 and " + isZero + " else 0)",
                                   {m.part(value, UseKind::Read, toZeros.operand, x), m.read(zeros, toZeros.result, n),
                                    m.read(product, ofFactors.result, p), m.write(others, ofOthers.operand, o)}),
                         inScope));
    return others;
}

} // namespace sdfgc::transforms::gradient
