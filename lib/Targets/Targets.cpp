#include "sdfgc/Targets/Targets.h"
#include "sdfgc/Targets/Cpu.h"

namespace sdfgc::targets {

const std::vector<TargetInfo> &all() {
    static const std::vector<TargetInfo> table{
#define SDFGC_TARGET(Name, Emit, Summary, Description) {Name, Emit, Summary, Description},
#include "sdfgc/Targets/Targets.def"
#undef SDFGC_TARGET
    };
    return table;
}

const TargetInfo *find(const std::string &name) {
    for (const TargetInfo &t : all())
        if (t.name == name)
            return &t;
    return nullptr;
}

} // namespace sdfgc::targets
