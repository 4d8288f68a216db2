// The functions of a module in MLIR.
#pragma once

#include "Tasklet/Mlir/Operations.h"

#include <map>

namespace sdfgc::mlir {

/// Where a function begins in the text: behind its name, or at the body of the generic form.
struct Function {
    std::size_t at = 0;
    bool isGeneric = false;
};

class Functions {
public:
    /// Finds the functions of a module. Refuses two of the same name, and text that is no MLIR.
    explicit Functions(std::string_view text);
    /// Returns a function by name, or null.
    const Function *find(const std::string &name) const;

private:
    void custom();
    void generic();
    std::string nameIn(std::string_view end);
    void add(const std::string &name, Function f);

    Tokens tokens_;
    std::map<std::string, Function> all_;
};

} // namespace sdfgc::mlir
