// What reversed programs are made of: containers, uses of them, and items of the nest form.
#pragma once

#include "sdfgc/Nest/Nest.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::transforms::gradient {

/// Makes pieces for one SDFG. Access nodes that uses refer to stand in a state of its own, which is no part of the program and goes with
/// the maker: what was made must have been written by then.
class Maker {
public:
    Maker(ir::SDFG &g, analysis::Memories &memories);
    ~Maker();
    Maker(const Maker &) = delete;
    Maker &operator=(const Maker &) = delete;

    ir::SDFG &sdfg() { return g_; }
    /// Does the SDFG have memory of a device? What is made has some only where the program had.
    bool hasDeviceMemory() const { return hasDeviceMemory_; }
    analysis::Memories &memories() { return memories_; }

    /// A state for nodes that must be in one for a while.
    ir::State &scratch() { return *scratch_; }
    const ir::State &scratch() const { return *scratch_; }

    // ---- containers
    /// A new transient with the shape, strides and type of another one.
    Name transientLike(std::string_view name, const ir::DataDesc &like);
    /// A new transient array in row-major order, or a scalar if it has no dimensions, with type and storage of another container.
    Name transient(std::string_view name, const ir::DataDesc &like, std::vector<sym::Expr> shape);
    /// Adds a container that was described, under this name or one derived from it.
    Name add(std::string_view name, ir::DataDesc d);
    /// Lets a view, which is declared, look at a part of a container.
    void setView(Name view, Name viewed, sym::Subset part);
    /// A name for a connector, or for the parameter of a map, that means nothing else in the SDFG.
    Name connector(std::string_view base) const { return g_.freshName(base); }

    // ---- uses
    nest::Use use(nest::UseKind kind, Name data, sym::Subset subset, Name connector = {});
    /// A use of the whole container.
    nest::Use whole(nest::UseKind kind, Name data, Name connector = {});
    nest::Use read(Name data, sym::Subset s, Name connector = {}) {
        return use(nest::UseKind::Read, data, std::move(s), connector);
    }
    nest::Use write(Name data, sym::Subset s, Name connector = {}) {
        return use(nest::UseKind::Write, data, std::move(s), connector);
    }
    /// A use of other elements of what a use is of, which may be seen through a view.
    nest::Use part(const nest::Use &of, nest::UseKind kind, sym::Subset s, Name connector = {});
    /// Combines elements with what is in a container by a function.
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
    /// A tasklet in Python. Connectors are those of the uses; they get the types of the containers' elements, pointers for uses of several.
    nest::Item tasklet(std::string label, std::string code, std::vector<nest::Use> uses) const;
    /// A node with the uses at its connectors.
    static nest::Item step(std::shared_ptr<ir::Node> node, std::vector<nest::Use> uses);
    nest::Item copy(nest::Use from, nest::Use to) const;
    /// A map over boxes. `inScope`: in a map, where it is sequential.
    nest::Item map(std::string label, std::vector<Name> params, std::vector<sym::Range> ranges, std::vector<nest::Item> body,
                   bool inScope) const;
    /// A Reduce node. `axes`: as its property; null: all dimensions.
    static nest::Item reduction(std::string_view label, std::string_view wcr, const json::Value *axes, std::string_view identity,
                                nest::Use in, nest::Use out, bool inScope);
    /// Sets elements to a number.
    nest::Item fill(Name data, const sym::Subset &s, std::string_view number, bool inScope);

    /// Parameters for a map over a subset, one for each dimension of more than one element, and the element that an iteration takes.
    struct Walk {
        std::vector<Name> params;
        std::vector<sym::Range> ranges;                    // from 0
        std::vector<sym::Expr> positions;                  // the parameters
        sym::Subset elementOf(const sym::Subset &s) const; // of one with the same dimensions of more than one element
        sym::Expr number() const;                          // of the element, from 0, the last dimension fastest
    };
    Walk walkOver(const sym::Subset &s) const;
    /// The item in a map over the elements; itself, if there is one.
    nest::Item over(const Walk &walk, std::string label, nest::Item item, bool inScope) const;

private:
    ir::SDFG &g_;
    analysis::Memories &memories_;
    const bool hasDeviceMemory_;
    ir::State *scratch_;
    std::map<std::string, int> numbers_; // by the name of containers that were added, the next one after it
    ir::Block *storedStart_;
};

/// Is the type one that has gradients?
bool isReal(Type t);

} // namespace sdfgc::transforms::gradient
