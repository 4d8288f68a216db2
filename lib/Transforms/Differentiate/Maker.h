// Creates the building blocks of reversed programs: containers, uses and items of the nest form.
#pragma once

#include "sdfgc/Nest/Nest.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::transforms::gradient {

/// Creates pieces for one SDFG. Uses refer to access nodes in a scratch state that is not part of the program and that
/// the destructor removes, so everything must be written before.
class Maker {
public:
    Maker(ir::SDFG &g, analysis::Memories &memories);
    ~Maker();
    Maker(const Maker &) = delete;
    Maker &operator=(const Maker &) = delete;

    ir::SDFG &sdfg() { return g_; }
    /// Does the SDFG have device memory? New containers use it only if the program does.
    bool hasDeviceMemory() const { return hasDeviceMemory_; }
    analysis::Memories &memories() { return memories_; }

    /// A state for temporary nodes.
    ir::State &scratch() { return *scratch_; }
    const ir::State &scratch() const { return *scratch_; }

    // ---- containers
    /// Creates a transient with the shape, strides and type of another container.
    Name transientLike(std::string_view name, const ir::DataDesc &like);
    /// Creates a transient array in row-major order, or a scalar if it has no dimensions, with the type and storage of
    /// another container.
    Name transient(std::string_view name, const ir::DataDesc &like, std::vector<sym::Expr> shape);
    /// Adds a described container under this name, or a name derived from it.
    Name add(std::string_view name, ir::DataDesc d);
    /// Makes a declared view refer to a part of a container.
    void setView(Name view, Name viewed, sym::Subset part);
    /// Returns a name for a connector or a map parameter that is not used in the SDFG.
    Name connector(std::string_view base) const { return g_.freshName(base); }

    // ---- uses
    nest::Use use(nest::UseKind kind, Name data, sym::Subset subset, Name connector = {});
    /// A use of the entire container.
    nest::Use whole(nest::UseKind kind, Name data, Name connector = {});
    nest::Use read(Name data, sym::Subset s, Name connector = {}) {
        return use(nest::UseKind::Read, data, std::move(s), connector);
    }
    nest::Use write(Name data, sym::Subset s, Name connector = {}) {
        return use(nest::UseKind::Write, data, std::move(s), connector);
    }
    /// A use of other elements of the container of `of`, which may be accessed through a view.
    nest::Use part(const nest::Use &of, nest::UseKind kind, sym::Subset s, Name connector = {});
    /// Combines elements with the old contents by a function.
    nest::Use update(Name data, sym::Subset s, Name connector, std::string wcr) {
        nest::Use u = use(nest::UseKind::Update, data, std::move(s), connector);
        u.memlet.wcr = std::move(wcr);
        return u;
    }
    /// Adds to elements.
    nest::Use sum(Name data, sym::Subset s, Name connector = {}) {
        return use(nest::UseKind::Update, data, std::move(s), connector);
    }

    // ---- items
    /// Creates a Python tasklet. Its connectors are those of the uses, and have the element types of the containers, or
    /// pointers for uses of several elements.
    nest::Item tasklet(std::string label, std::string code, std::vector<nest::Use> uses) const;
    /// Creates an item of a node with the uses at its connectors.
    static nest::Item step(std::shared_ptr<ir::Node> node, std::vector<nest::Use> uses);
    nest::Item copy(nest::Use from, nest::Use to) const;
    /// Creates a map over boxes. `inScope`: inside a map, where it is sequential.
    nest::Item map(std::string label, std::vector<Name> params, std::vector<sym::Range> ranges, std::vector<nest::Item> body,
                   bool inScope) const;
    /// Creates a Reduce node. `axes`: value of its property; null: all dimensions.
    static nest::Item reduction(std::string_view label, std::string_view wcr, const json::Value *axes, std::string_view identity,
                                nest::Use in, nest::Use out, bool inScope);
    /// Sets elements to a number.
    nest::Item fill(Name data, const sym::Subset &s, std::string_view number, bool inScope);

    /// The parameters of a map over a subset, one for each dimension with more than one element, and the element of an
    /// iteration.
    struct Walk {
        std::vector<Name> params;
        std::vector<sym::Range> ranges;                    // starting at 0
        std::vector<sym::Expr> positions;                  // the parameters
        sym::Subset elementOf(const sym::Subset &s) const; // of a subset with the same dimensions of more than one element
        sym::Expr number() const;                          // index of the element, from 0, last dimension fastest
    };
    Walk walkOver(const sym::Subset &s) const;
    /// Wraps the item in a map over the elements; returns it unchanged if there is only one.
    nest::Item over(const Walk &walk, std::string label, nest::Item item, bool inScope) const;

private:
    ir::SDFG &g_;
    analysis::Memories &memories_;
    const bool hasDeviceMemory_;
    ir::State *scratch_;
    std::map<std::string, int> numbers_; // next number for each name of added containers
    ir::Block *storedStart_;
};

/// Can values of the type have gradients?
bool isReal(Type t);

} // namespace sdfgc::transforms::gradient
