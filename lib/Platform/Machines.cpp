#include "sdfgc/Platform/Machines.h"

#include <algorithm>
#include <iterator>

namespace sdfgc::platform {

const Machine *machine(std::string_view target) {
    static constexpr Machine table[] = {
#define SDFGC_MACHINE(Target, Architecture, Compiler, March) {Target, Architecture, Compiler, March},
#include "sdfgc/Platform/Machines.def"
    };
    const auto *at = std::find_if(std::begin(table), std::end(table), [target](const Machine &m) { return m.target == target; });
    return at == std::end(table) ? nullptr : at;
}

} // namespace sdfgc::platform
