// The meaning of names in an element's code and expressions, for type inference.
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
    /// At the top level of an SDFG: symbols, constants, containers.
    explicit TypeEnvironment(const ir::SDFG &g) : sdfg_(g) {}
    /// At a node: also parameters and dynamic range connectors of the surrounding scopes. `structs` (analysis::structTypes)
    /// must outlive this object.
    TypeEnvironment(const ir::SDFG &g, const analysis::ScopeTree &scopes, const ir::Node &n,
                    const std::map<Name, Type> *structs = nullptr);

    /// Map parameters and worker indices are int64; a scalar has its element type, any other container is a pointer.
    /// Nothing if the name is unknown.
    std::optional<Type> typeOf(Name n) const;
    /// Returns the type of a symbolic expression: that of a bare symbol; otherwise bool for conditions, the joined type
    /// if an operand is a floating-point number, or int64. Void for an unknown bare symbol.
    Type typeOf(sym::Expr e) const;
    /// For inference of tasklet code: the connectors of `node` shadow everything else.
    py::Env forCode(const ir::Node &node) const;

private:
    const ir::SDFG &sdfg_;
    std::map<Name, Type> scoped_;
    const std::map<Name, Type> *structs_ = nullptr;
};

} // namespace sdfgc::transforms
