#include "sdfgc/IR/Code.h"

namespace sdfgc::ir {

struct Code::Trees {
    std::optional<py::Parsed<Block>> block;
    std::optional<py::Parsed<py::ExprRef>> expression;
};

namespace {

const py::ParseError kNotPython{"this is not Python code", {1, 1}};

/// Calls of libraries are written as Python calls.
bool hasPythonGrammar(const Code &code) { return code.isPython() || code.language() == Language::Library; }

/// What `known` holds; it is made first if it is empty.
template <class T, class Parse>
const py::Parsed<T> &keep(std::optional<py::Parsed<T>> &known, const Code &code, const Parse &parse) {
    if (!known)
        known = hasPythonGrammar(code) ? parse(code.text()) : py::Parsed<T>{std::nullopt, kNotPython};
    return *known;
}

} // namespace

Code::Trees &Code::trees() const {
    if (!trees_)
        trees_ = std::make_shared<Trees>();
    return *trees_;
}

const py::Parsed<Code::Block> &Code::asBlock() const { return keep(trees().block, *this, py::parseBlock); }

const py::Parsed<py::ExprRef> &Code::asExpression() const { return keep(trees().expression, *this, py::parseExpr); }

const Code::Block *Code::block() const {
    const py::Parsed<Block> &parsed = asBlock();
    return parsed.value ? &*parsed.value : nullptr;
}

py::ExprRef Code::expression() const { return asExpression().value.value_or(nullptr); }

Code::Block Code::blockOrRaw() const {
    if (const Block *statements = block())
        return *statements;
    return {py::rawStatement(text_)};
}

py::ExprRef Code::expressionOrRaw() const {
    const py::ExprRef e = expression();
    return e ? e : py::raw(text_);
}

} // namespace sdfgc::ir
