#include "Serialize/Text/ExprText.h"

namespace sdfgc::serialize::text {

bool isIndexed(const ir::SDFG &g, Name n) { return g.arrays.contains(n) || g.constants.contains(n); }

const std::string &ExprText::of(sym::Expr e) {
    auto [it, isNew] = texts_.try_emplace(e);
    if (!isNew)
        return it->second;
    it->second = e.str();
    if (e.isSymbol() || e.isInteger())
        return it->second;
    const sym::ParseResult again = sym::parse(it->second, nullptr, [&](Name n) { return isIndexed(g_, n); });
    if (!again.expr || !(*again.expr == e))
        it->second = sym::printDace(e, {});
    return it->second;
}

std::string ExprText::of(const sym::Range &r) {
    if (r.begin == r.end && r.step.isOne() && r.tile.isOne())
        return of(r.begin);
    const sym::Expr end = r.end + 1;
    const bool isDown = r.step.asInt().value_or(1) < 0; // the exclusive end is on the other side of the last element
    std::string text = of(r.begin) + (end - 1 == r.end && !isDown ? ":" + of(end) : ".." + of(r.end));
    if (!r.step.isOne() || !r.tile.isOne())
        text += ":" + of(r.step);
    if (!r.tile.isOne())
        text += ":" + of(r.tile);
    return text;
}

std::string ExprText::of(const std::vector<sym::Range> &ranges) {
    std::string text;
    for (const sym::Range &r : ranges) {
        text += text.empty() ? "" : ", ";
        text += of(r);
    }
    return text;
}

std::string ExprText::of(const std::vector<sym::Expr> &list) {
    std::string text;
    for (sym::Expr e : list) {
        text += text.empty() ? "" : ", ";
        text += of(e);
    }
    return text;
}

} // namespace sdfgc::serialize::text
