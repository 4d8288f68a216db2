// The containers of gradients (`gradient_A` for `A`) or of tangents.
#pragma once

#include "Transforms/Differentiate/Maker.h"

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms::gradient {

class Gradients {
public:
    /// `prefix`: of their names.
    Gradients(Maker &maker, std::string prefix) : maker_(maker), prefix_(std::move(prefix)) {}

    /// Returns the gradient of a container. For an argument that has one, this is the argument's; otherwise a transient
    /// like the container, created on first use.
    Name of(Name data);
    /// Makes a container without a gradient share that of another container, element by element.
    void share(Name data, Name with) { all_.set(data, shared_[data] = of(with)); }
    bool isShared(Name data) const { return shared_.count(data) != 0; }
    bool has(Name data) const { return all_.contains(data); }
    /// Declares the gradients of arguments, which become arguments themselves. Returns false, after an error, if a name
    /// is taken.
    bool declare(const std::vector<Name> &data, pass::Context &context);
    /// Returns a use of the same elements of the gradient. For a view, this goes through a view of the gradient of the
    /// viewed container.
    nest::Use use(const nest::Use &of, nest::UseKind kind, Name connector);
    /// Gradients by container, in the order of creation; excludes those of views.
    const OrderedMap<Name, Name> &all() const { return all_; }

private:
    Name viewOf(const ir::AccessNode &view);

    Maker &maker_;
    std::string prefix_;
    OrderedMap<Name, Name> all_;
    std::map<Name, Name> shared_;
    std::map<std::pair<Name, std::string>, Name> views_; // by view and viewed subset
};

} // namespace sdfgc::transforms::gradient
