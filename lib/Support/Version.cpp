#include "sdfgc/Support/Version.h"

namespace sdfgc {

std::string_view version() { return SDFGC_VERSION; }

} // namespace sdfgc
