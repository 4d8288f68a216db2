#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {

void registerPasses(pass::Registry &registry) {
#define SDFGC_PASS(Create, Name, Needs, Leaves, Summary)                                                                           \
    registry.add({Name, Summary, ir::Level::Needs, ir::Level::Leaves, {}, Create});
#define SDFGC_PASS_FALLS_TO(Lower) registry.last().fallsTo = ir::Level::Lower;
#define SDFGC_PASS_OPTION(Name, Default, Help) registry.last().options.push_back({Name, Help, pass::OptionValue(Default)});
#include "sdfgc/Transforms/Passes.def"
#undef SDFGC_PASS
}

} // namespace sdfgc::transforms
