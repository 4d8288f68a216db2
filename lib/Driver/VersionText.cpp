#include "Driver/VersionText.h"

#include "Commit.h"
#include "sdfgc/Support/Version.h"

namespace sdfgc::driver {

std::string versionText() { return std::string(version()) + (*SDFGC_COMMIT ? " (" SDFGC_COMMIT ")" : ""); }

} // namespace sdfgc::driver
