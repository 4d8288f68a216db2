#include "sdfgc/Platform/Packages.h"

#include "sdfgc/Platform/Libraries.h"

namespace sdfgc::platform {

std::span<const ExternalProgram> programs() {
    static constexpr ExternalProgram table[] = {
#define SDFGC_PROGRAM(Name, Purpose, PackageName, From) {Name, Purpose, {PackageName, Origin::From}},
#include "sdfgc/Platform/Programs.def"
    };
    return table;
}

std::optional<Package> packageOf(std::string_view need) {
    if (const Library *l = library(need))
        return l->package;
    for (const ExternalProgram &p : programs())
        if (p.name == need)
            return p.package;
    return std::nullopt;
}

std::string describe(const Package &package) {
    const std::string name(package.name);
    switch (package.origin) {
    case Origin::Debian:
        break;
    case Origin::DebianNonFree:
        return "package " + name + " of Debian's section non-free";
    case Origin::Nvidia:
        return "package " + name + " of NVIDIA's repository (developer.download.nvidia.com)";
    case Origin::Amd:
        return "package " + name + " of AMD's repository (repo.radeon.com)";
    }
    return "Debian package " + name;
}

} // namespace sdfgc::platform
