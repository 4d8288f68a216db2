// Class names of data descriptors in files (format reference 3.3, 1.11).
#pragma once

#include "sdfgc/IR/Data.h"

#include <optional>
#include <string_view>

namespace sdfgc::serialize {

struct DescriptorClass {
    std::string_view name;
    ir::DataKind kind;
    ir::AliasKind alias = ir::AliasKind::None;
    /// The class has attributes or a meaning beyond its kind: DataDesc::className keeps the name.
    bool keepsName = false;
};

/// The class of that name, names of old versions included; nothing if it is none of DaCe's.
std::optional<DescriptorClass> descriptorClass(std::string_view name);
/// The name that DaCe 2.x reads for a descriptor.
std::string_view descriptorClassName(const ir::DataDesc &d);

} // namespace sdfgc::serialize
