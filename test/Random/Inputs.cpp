#include "Inputs.h"

#include "../RandomNumbers.h"

#include "sdfgc/Run/Values.h"

namespace sdfgc::random {
namespace {

/// One element: a multiple of 1/8, or a small integer.
run::Number number(Type type, test::RandomNumbers &random) {
    run::Number n;
    const bool isUnsigned = type.isScalar() && (type.scalar() == ScalarKind::UInt8 || type.scalar() == ScalarKind::UInt16 ||
                                                type.scalar() == ScalarKind::UInt32 || type.scalar() == ScalarKind::UInt64);
    if (type.isFloat() || type.isComplex()) {
        const double imaginary = type.isComplex() ? static_cast<double>(random.between(-32, 32)) / 8 : 0;
        n.value = {static_cast<double>(random.between(-64, 64)) / 8, imaginary};
        return n;
    }
    n.isInteger = true;
    n.integer = type.isBool() ? random.between(0, 1) : isUnsigned ? random.between(0, 20) : random.between(-9, 20);
    n.value = static_cast<double>(n.integer);
    return n;
}

void fill(run::Argument &a, test::RandomNumbers &random) {
    if (!a.type.isScalar())
        return;
    const std::size_t bytes = a.data.size();
    std::string data;
    while (data.size() < bytes)
        if (!run::store(a.type, number(a.type, random), data))
            return;
    a.data = std::move(data);
}

} // namespace

std::optional<run::Arguments> inputsFor(const ir::SDFG &graph, const Sizes &sizes, uint64_t seed, std::string *why) {
    diag::Engine diags;
    run::ArgumentOptions options;
    options.otherwise = "zeros";
    const tree::Module module = run::interfaceOf(graph);
    for (const auto &[name, value] : sizes)
        for (const tree::Param &p : module.params)
            if (p.name == Name(name))
                options.given.push_back({name, std::to_string(value)});
    std::optional<run::Arguments> arguments = run::prepare(module, options, diags);
    if (!arguments) {
        *why = diags.all().empty() ? "no arguments" : diags.sorted().front().message;
        return std::nullopt;
    }
    test::RandomNumbers random(seed);
    for (run::Argument &a : arguments->all)
        if (!sizes.contains(a.name.str()) && !arguments->symbols.contains(a.name))
            fill(a, random);
    return arguments;
}

} // namespace sdfgc::random
