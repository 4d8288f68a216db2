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

/// DataDesc::className of a structure's member that is a symbolic value in the file (`value_count` of a Tensor: "$nnz"). It is a
/// scalar of the struct in C; its totalSize holds the value.
inline constexpr std::string_view symbolicMember = "symbolic member";

/// The class of that name, names of old versions included; nothing if it is none of DaCe's.
std::optional<DescriptorClass> descriptorClass(std::string_view name);
/// The name that DaCe 2.x reads for a descriptor.
std::string_view descriptorClassName(const ir::DataDesc &d);
/// Makes a handle of MPI what its class says, whatever the file says: it lives from init to exit, and of two classes the element
/// type is known. (Of a SubArray it is that of the data it describes.) Nothing for other containers.
void completeHandle(ir::DataDesc &d);
/// Does what follows from the shape, strides or size, leave 64 bits?
bool layoutOverflows(const ir::DataDesc &d);

} // namespace sdfgc::serialize
