// Data descriptors: what a container is (format reference section 3).
#pragma once

#include "sdfgc/IR/Enums.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Support/Name.h"
#include "sdfgc/Support/OrderedMap.h"
#include "sdfgc/Symbolic/Expr.h"
#include "sdfgc/Symbolic/Subset.h"
#include "sdfgc/Types/Type.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::ir {

/// Attributes that sdfgc does not know, kept and written back in order. Takes the memory of one pointer if there are
/// none.
class Extra {
public:
    Extra() = default;
    Extra(const Extra &o) : values_(o.values_ ? std::make_unique<Map>(*o.values_) : nullptr) {}
    Extra(Extra &&) noexcept = default;
    Extra &operator=(const Extra &o) {
        values_ = o.values_ ? std::make_unique<Map>(*o.values_) : nullptr;
        return *this;
    }
    Extra &operator=(Extra &&) noexcept = default;

    using Map = std::vector<std::pair<std::string, json::Value>>;
    void add(std::string key, json::Value v) {
        if (!values_)
            values_ = std::make_unique<Map>();
        values_->emplace_back(std::move(key), std::move(v));
    }
    const json::Value *find(std::string_view key) const {
        if (values_)
            for (const auto &[k, v] : *values_)
                if (k == key)
                    return &v;
        return nullptr;
    }
    const Map &all() const {
        static const Map none;
        return values_ ? *values_ : none;
    }
    bool empty() const { return !values_ || values_->empty(); }

private:
    std::unique_ptr<Map> values_;
};

/// The position in the user's program that an element comes from (DaCe: DebugInfo).
struct DebugInfo {
    Name file;
    int32_t startLine = 0, endLine = 0, startColumn = 0, endColumn = 0;
    bool known() const { return startLine > 0; }
    friend bool operator==(const DebugInfo &, const DebugInfo &) = default;
};

enum class DataKind : uint8_t { Scalar, Array, Stream, Structure, ContainerArray, ProcessGrid, SubArray, RedistrArray };
enum class AliasKind : uint8_t { None, View, Reference };

struct DataDesc {
    DataKind kind = DataKind::Array;
    AliasKind alias = AliasKind::None; // ArrayView, StructureReference, ...
    Name className; // class in the file if it is not one of DaCe's own or carries more attributes (ParameterArray, Tensor,
                    // ArraySubclass)
    Type dtype = ScalarKind::Int32;
    std::vector<sym::Expr> shape;
    std::vector<sym::Expr> strides; // in elements; after reading, always as many as shape (row-major if absent from the file)
    std::vector<sym::Expr> offset;  // added to every subset; after reading, always as many as shape
    sym::Expr totalSize;            // elements to allocate; product of the shape if absent from the file
    std::vector<Name> cancelled;    // of a transient: symbols in its size as written in the file, although it does not depend on
                                    // them (`N * (I + 1) - N * I`)
    sym::Expr startOffset;
    sym::Expr bufferSize; // Stream
    bool transient = false;
    bool mayAlias = false;
    bool allowConflicts = false;
    bool pool = false;
    std::optional<bool> optional;
    Storage storage = Storage::Default;
    Lifetime lifetime = Lifetime::Scope;
    MemoryKind memory = MemoryKind::Undecided; // of a transient, set by place-in-memory
    Name arena;                                // for the memory kinds Slices and Grid: the container outside the kernel that
                                               // provides the memory
    int64_t alignment = 0;
    std::unique_ptr<DataDesc> elementDesc;                           // stype of a ContainerArray
    std::vector<std::pair<Name, std::unique_ptr<DataDesc>>> members; // Structure (and Tensor)
    Name structName;                                                 // Structure
    DebugInfo debugInfo;
    Extra extra;

    DataDesc() = default;
    DataDesc(const DataDesc &);
    DataDesc &operator=(const DataDesc &);
    DataDesc(DataDesc &&) noexcept = default;
    DataDesc &operator=(DataDesc &&) noexcept = default;

    std::size_t rank() const { return shape.size(); }
    bool isScalar() const { return kind == DataKind::Scalar; }
    bool isArray() const { return kind == DataKind::Array; }
    bool isStream() const { return kind == DataKind::Stream; }
    bool isStructure() const { return kind == DataKind::Structure; }
    bool isContainerArray() const { return kind == DataKind::ContainerArray; }
    bool isView() const { return alias == AliasKind::View; }
    bool isReference() const { return alias == AliasKind::Reference; }
    /// Returns a member of a structure by name, or null.
    const DataDesc *member(Name n) const;
    /// Product of the shape.
    sym::Expr numElements() const;
    /// `0 : shape-1` minus the offset.
    sym::Subset fullSubset() const;
    /// Are the elements contiguous in row-major order without padding?
    bool isPackedC() const;
    std::set<Name> freeSymbols() const;

    static DataDesc scalar(Type t, bool transient = false);
    static DataDesc array(Type t, std::vector<sym::Expr> shape, bool transient = false); // row-major
};

} // namespace sdfgc::ir
