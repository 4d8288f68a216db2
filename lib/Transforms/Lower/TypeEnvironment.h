// What the names in an element's code and expressions mean, for type inference.
#pragma once

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tasklet/Types.h"

#include <map>
#include <memory>

namespace sdfgc::transforms {

/// Names visible in one SDFG or at one node of it. Cheap to make for every node of a state.
class TypeEnvironment {
public:
    using Structs = std::map<Name, Type>;

    /// At the top of an SDFG: symbols, constants, containers.
    explicit TypeEnvironment(const ir::SDFG &g) : sdfg_(g) {}
    /// At a node: also parameters and dynamic range connectors of the scopes around it. `structs` (from structTypes) must outlive
    /// this.
    TypeEnvironment(const ir::SDFG &g, const analysis::ScopeTree &scopes, const ir::Node &n, const Structs *structs = nullptr);

    /// Map parameters and worker indices are int64; a container is its element type when it is a scalar, else a pointer. Nothing if
    /// unknown.
    std::optional<Type> typeOf(Name n) const;
    /// Type of a symbolic expression: of a bare symbol its own; otherwise bool for conditions, the joined type when a floating
    /// operand is in it, else int64. Void when a bare symbol is unknown.
    Type typeOf(sym::Expr e) const;
    /// For inference of tasklet code: connectors of `node` shadow everything else.
    py::Env forCode(const ir::Node &node) const;

    /// Struct types that the containers of an SDFG mention, by name.
    static Structs structTypes(const ir::SDFG &g);

private:
    const ir::SDFG &sdfg_;
    std::map<Name, Type> scoped_;
    const Structs *structs_ = nullptr;
};

/// Type of a scalar's value, pointer to the elements of anything else.
Type containerType(const ir::DataDesc &d);

} // namespace sdfgc::transforms
