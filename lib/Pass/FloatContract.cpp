#include "sdfgc/Pass/FloatContract.h"

namespace sdfgc::pass {

std::string_view name(FloatClass c) {
    switch (c) {
    case FloatClass::F0:
        return "F0";
    case FloatClass::F1:
        return "F1";
    case FloatClass::F2:
        return "F2";
    case FloatClass::V:
        return "V";
    case FloatClass::F3:
        return "F3";
    }
    return "";
}

std::string_view description(FloatClass c) {
    switch (c) {
    case FloatClass::F0:
        return "the same bits";
    case FloatClass::F1:
        return "sums that the graph leaves open may be computed in another order, library nodes by another algorithm";
    case FloatClass::F2:
        return "products and sums may be rounded once";
    case FloatClass::V:
        return "functions may be those of a vector library";
    case FloatClass::F3:
        return "operations whose order the program specifies may be reordered";
    }
    return "";
}

bool allows(FpModel model, ReductionOrder reductions, FloatClass c) {
    switch (c) {
    case FloatClass::F0:
        return true;
    case FloatClass::F1:
        return reductions != ReductionOrder::Ordered;
    case FloatClass::F2:
    case FloatClass::V:
        return model != FpModel::Strict;
    case FloatClass::F3:
        return model == FpModel::Fast;
    }
    return false;
}

} // namespace sdfgc::pass
