#include "sdfgc/Pass/FloatContract.h"

namespace sdfgc::pass {

namespace {

struct ClassText {
    std::string_view name, description;
};
/// In the order of FloatClass.
constexpr ClassText classTexts[] = {
    {"F0", "the same bits"},
    {"F1", "sums that the graph leaves open may be computed in another order, library nodes by another algorithm"},
    {"F2", "products and sums may be rounded once"},
    {"V", "functions may be those of a vector library, at most four units in the last place away"},
    {"F3", "operations whose order the program specifies may be reordered"}};

} // namespace

std::string_view name(FloatClass c) { return classTexts[static_cast<std::size_t>(c)].name; }
std::string_view description(FloatClass c) { return classTexts[static_cast<std::size_t>(c)].description; }

bool allows(FpModel model, ReductionOrder reductions, VectorMath vectorMath, FloatClass c) {
    switch (c) {
    case FloatClass::F0:
        return true;
    case FloatClass::F1:
        return reductions != ReductionOrder::Ordered;
    case FloatClass::F2:
        return model != FpModel::Strict;
    case FloatClass::V:
        return vectorMath == VectorMath::Libmvec || vectorMath == VectorMath::Sleef;
    case FloatClass::F3:
        return model == FpModel::Fast;
    }
    return false;
}

} // namespace sdfgc::pass
