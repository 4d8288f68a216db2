// Single-thread kernels that compute values for control flow.
#pragma once

#include "sdfgc/Analysis/Flow/EdgeValues.h"
#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace sdfgc::transforms {

/// A device map of one iteration with one tasklet, built line by line: it reads symbol values from device memory once,
/// computes one after the other, and writes them at the end.
class ControlKernel {
public:
    /// `cells`: containers of one element in device memory that hold the values of symbols.
    ControlKernel(ir::SDFG &g, const std::map<Name, Name> &cells) : g_(g), cells_(cells) {}

    /// Returns the value as an expression of the tasklet: elements become inputs, and symbols with a cell refer to
    /// their latest value.
    std::string value(const analysis::SymbolValue &v);
    /// Assigns a value, as an expression of the tasklet, to a symbol with a cell. The value has the symbol's type.
    void assign(Name symbol, const std::string &value);
    /// The same if a condition holds; otherwise the symbol keeps its value.
    void assignIf(const std::string &condition, Name symbol, const std::string &value);
    /// Stores a value to a container of one element in device memory.
    void store(Name container, const std::string &value);
    /// Names a value that is used more than once.
    std::string named(const std::string &prefix, const std::string &value);

    bool empty() const { return lines_.empty(); }
    /// Adds the kernel to a state in which it depends on nothing.
    void build(ir::State &s, const std::string &label, const ir::DebugInfo &where);

private:
    std::string current(Name symbol);
    Name input(Name data, const sym::Subset &element);
    Name output(Name data);
    std::string fresh(const std::string &prefix);

    struct Port {
        Name connector, data;
        sym::Subset element;
    };
    ir::SDFG &g_;
    const std::map<Name, Name> &cells_;
    std::vector<Port> inputs_, outputs_;
    std::map<Name, std::string> now_; // the latest values of symbols
    std::vector<std::string> lines_;
    std::set<std::string> taken_;
};

} // namespace sdfgc::transforms
