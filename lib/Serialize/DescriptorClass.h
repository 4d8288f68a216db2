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

/// DataDesc::className of a structure member that is a symbolic value in the file (`value_count` of a Tensor: "$nnz"). It is a
/// scalar of the struct in C; its totalSize holds the value.
inline constexpr std::string_view symbolicMember = "symbolic member";

/// The class with that name, including names from old versions; nothing if DaCe has no such class.
std::optional<DescriptorClass> descriptorClass(std::string_view name);
/// The name that DaCe 2.x reads for a descriptor.
std::string_view descriptorClassName(const ir::DataDesc &d);
/// Completes an MPI handle according to its class, overriding the file: it lives from init to exit, and two of the classes have a
/// known element type. (For a SubArray it is the type of the data it describes.) Does nothing for other containers.
void completeHandle(ir::DataDesc &d);
/// Does the shape, the strides or the size overflow 64 bits?
bool layoutOverflows(const ir::DataDesc &d);

} // namespace sdfgc::serialize
