// Kernels of one thread that compute what control flow needs.
#pragma once

#include "Transforms/Optimize/SymbolValues.h"

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace sdfgc::transforms {

/// A map of one iteration on the device with one tasklet, built line by line: values of symbols in device memory are read once, computed
/// one after the other, and written at the end.
class ControlKernel {
public:
    /// `cells`: containers of one element in device memory that have the values of symbols.
    ControlKernel(ir::SDFG &g, const std::map<Name, Name> &cells) : g_(g), cells_(cells) {}

    /// The value in the tasklet's words: elements become inputs, symbols with a cell the latest value of that.
    std::string value(const SymbolValue &v);
    /// A symbol with a cell gets a value, in the tasklet's words, of the symbol's type.
    void assign(Name symbol, const std::string &value);
    /// The same if another value, in the tasklet's words, holds; else it stays as it is.
    void assignIf(const std::string &condition, Name symbol, const std::string &value);
    /// A container of one element in device memory gets a value.
    void store(Name container, const std::string &value);
    /// A name for a value that is used more than once.
    std::string named(const std::string &prefix, const std::string &value);

    bool empty() const { return lines_.empty(); }
    /// Puts the kernel into a state, which has nothing that it depends on.
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
