// Which package has a library or a program, and where that package comes from: advice for `doctor` and for errors. The rows of
// Libraries.def and Programs.def name packages as `apt-cache show` and `dpkg --contents` have them on Debian 12 (bookworm); what
// only a vendor distributes has the name that the vendor's own repository gives it. The index is not asked at run time: it may be
// old, or absent as in most containers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sdfgc::platform {

/// Who distributes a package. Debian: section main of Debian 12, which every machine's index has, so that one `apt install` of
/// several such packages works as a whole. The others are in the index only where their repository was added.
enum class Origin : std::uint8_t { Debian, DebianNonFree, Nvidia, Amd };

struct Package {
    std::string_view name;
    Origin origin = Origin::Debian;
};

/// A program that sdfgc or its results can use.
struct Program {
    std::string_view name, purpose; // `it compiles programs`
    Package package;
};

/// The programs, in the order of their table.
std::span<const Program> programs();

/// The package that provides a library (by its link name: `openblas`) or a program (`nvcc`); nothing for what sdfgc does not know.
std::optional<Package> packageOf(std::string_view need);

/// `Debian package cmake`, `package hipblas-dev of AMD's repository (repo.radeon.com)`.
std::string describe(const Package &package);

} // namespace sdfgc::platform
