// The packages that provide libraries and programs, and their origins: advice for `doctor` and for errors. The rows of
// Libraries.def and Programs.def name packages as `apt-cache show` and `dpkg --contents` do on Debian 12 (bookworm);
// packages that only a vendor distributes have the name in the vendor's repository. The package index is not consulted
// at run time: it may be outdated, or missing as in most containers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sdfgc::platform {

/// The distributor of a package. Debian: section main of Debian 12, which is in every machine's index, so a single `apt
/// install` of several such packages works. The others are in the index only if their repository was added.
enum class Origin : std::uint8_t { Debian, DebianNonFree, Nvidia, Amd };

struct Package {
    std::string_view name;
    Origin origin = Origin::Debian;
};

/// A program that sdfgc or its results can use.
struct ExternalProgram {
    std::string_view name, purpose; // `it compiles programs`
    Package package;
};

/// The programs, in table order.
std::span<const ExternalProgram> programs();

/// Returns the package that provides a library (by its link name: `openblas`) or a program (`nvcc`); nothing if unknown
/// to sdfgc.
std::optional<Package> packageOf(std::string_view need);

/// Returns `Debian package cmake`, `package hipblas-dev of AMD's repository (repo.radeon.com)`.
std::string describe(const Package &package);

} // namespace sdfgc::platform
