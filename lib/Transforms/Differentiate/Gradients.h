// The containers of gradients, `gradient_A` beside `A`, or of tangents.
#pragma once

#include "Transforms/Differentiate/Maker.h"

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms::gradient {

class Gradients {
public:
    /// `prefix`: of their names.
    Gradients(Maker &maker, std::string prefix) : maker_(maker), prefix_(std::move(prefix)) {}

    /// The gradient of a container, a transient like it; made when it is asked for first. Of an argument that has one, that one.
    Name of(Name data);
    /// Lets a container without a gradient have that of another one, element for element.
    void share(Name data, Name with) { all_.set(data, shared_[data] = of(with)); }
    bool isShared(Name data) const { return shared_.count(data) != 0; }
    bool has(Name data) const { return all_.contains(data); }
    /// Declares the gradients of arguments, which become arguments. False, after an error, if a name is taken.
    bool declare(const std::vector<Name> &data, pass::Context &context);
    /// The same elements of the gradient of what a use is of; of a view, through a view of the gradient of what it shows.
    nest::Use use(const nest::Use &of, nest::UseKind kind, Name connector);
    /// Gradients by their containers, in the order in which they were made; those of views not among them.
    const OrderedMap<Name, Name> &all() const { return all_; }

private:
    Name viewOf(const ir::AccessNode &view);

    Maker &maker_;
    std::string prefix_;
    OrderedMap<Name, Name> all_;
    std::map<Name, Name> shared_;
    std::map<std::pair<Name, std::string>, Name> views_; // by view, and what it shows
};

} // namespace sdfgc::transforms::gradient
