#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {

void registerPasses(pass::Registry &registry) {
#define SDFGC_PASS(Create, Name, Needs, Leaves, Summary) registry.add({Name, Summary, ir::Level::Needs, ir::Level::Leaves, {}, Create});
#include "sdfgc/Transforms/Passes.def"
#undef SDFGC_PASS
}

} // namespace sdfgc::transforms
