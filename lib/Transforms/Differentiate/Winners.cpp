#include "Transforms/Differentiate/Winners.h"

#include <limits>

namespace sdfgc::transforms::gradient {

std::string Winners::none() { return std::to_string(std::numeric_limits<int64_t>::max()); }

ir::DataDesc Winners::like(const ir::DataDesc &result) const {
    ir::DataDesc d = result;
    if (first_)
        d.dtype = ScalarKind::Int64;
    return d;
}

std::string Winners::isOne(Name x, Name y) const {
    return (converted_.empty() ? x.str() : converted_ + "(" + x.str() + ")") + " == " + y.str();
}

std::string Winners::entry(Name x, Name y) const { return (first_ ? number_ : "1") + " if " + isOne(x, y) + " else " + begin(); }

std::string Winners::part(Name value, Name n, Name x, Name y) const {
    if (first_)
        return value.str() + " if " + n.str() + " == " + number_ + " else 0";
    return value.str() + " / " + n.str() + " if " + isOne(x, y) + " else 0";
}

} // namespace sdfgc::transforms::gradient
