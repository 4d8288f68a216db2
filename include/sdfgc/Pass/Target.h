// A target of sdfgc. What kind it is follows from its name once; everything else asks for the kind.
#pragma once

#include "sdfgc/Platform/Dialects.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sdfgc::pass {

enum class Family : uint8_t {
    Host, // processors alone
    Gpu,  // a device beside them
};

/// A target, by the name that --target takes. The name of a GPU target is that of its dialect (Platform/Dialects.def); every other one
/// is for the host. Targets.def lists those that there are.
class Target {
public:
    explicit Target(std::string_view name) : name_(name), dialect_(platform::dialect(name)) {}
    const std::string &name() const { return name_; }
    /// Of the sources for a device; null for the family Host.
    const platform::Dialect *dialect() const { return dialect_; }
    Family family() const { return dialect_ ? Family::Gpu : Family::Host; }
    friend bool operator==(const Target &a, const Target &b) { return a.name_ == b.name_; }
    friend std::string optionText(const Target &t) { return t.name_; }

private:
    std::string name_;
    const platform::Dialect *dialect_;
};

} // namespace sdfgc::pass
