#include "Derivatives.h"

namespace sdfgc::py::test {

namespace {

std::vector<StmtRef> parsedBlock(const std::string &code) {
    auto p = parseBlock(code);
    INFO(code << ": " << p.error.message);
    REQUIRE(p.value);
    return *p.value;
}

} // namespace

Signature signatureFor(const std::string &code, Type t) {
    const std::vector<StmtRef> block = parsedBlock(code);
    const BlockNames names = blockNames(block);
    Signature s;
    for (const char *n : {"a", "b", "c", "x", "A", "B"})
        if (names.read.count(n)) {
            s.inputs[n] = t;
            s.activeInputs.insert(n);
        }
    for (const char *n : {"y", "z", "out"})
        if (names.written.count(n)) {
            s.outputs[n] = t;
            s.activeOutputs.insert(n);
        }
    for (const char *n : {"A", "B", "out"})
        if (s.inputs.count(n) || s.outputs.count(n))
            s.pointers.insert(n);
    s.env.typeOf = [](Name n) -> std::optional<Type> {
        const bool symbol = n == Name("n") || n == Name("i") || n == Name("j");
        return symbol ? std::optional<Type>(ScalarKind::Int64) : std::nullopt;
    };
    s.gradient = [](Name n) { return Name(n.str() + "_bar"); };
    return s;
}

DerivativeOr derived(const std::string &code, Type t, Mode mode) { return mode(parsedBlock(code), signatureFor(code, t)); }

std::string text(const DerivativeOr &d) {
    if (const auto *error = std::get_if<DerivativeError>(&d))
        return "error: " + error->what;
    const auto &block = std::get<Derivative>(d).block;
    const std::string printed = print(block);
    CHECK(equal(*parseBlock(printed).value, block));
    return printed;
}

} // namespace sdfgc::py::test
