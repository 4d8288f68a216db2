// Names in code strings (format reference 8.2: tasklets of every language).
#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::analysis {

namespace {

bool isWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWord(char c) { return isWordStart(c) || isDigit(c); }

/// Is the word at [at, end) the exponent of a number: `1e5`, `1e-5`?
bool isExponent(std::string_view text, std::size_t at, std::size_t end) {
    if (text[at] != 'e' || at == 0 || !isDigit(text[at - 1]))
        return false;
    if (end - at == 1)
        return end < text.size() && (text[end] == '+' || text[end] == '-');
    return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1, text.begin() + static_cast<std::ptrdiff_t>(end),
                       isDigit);
}

} // namespace

std::vector<Name> identifiers(std::string_view cpp) {
    std::vector<Name> out;
    std::unordered_set<Name> seen;
    for (std::size_t at = 0; at < cpp.size();) {
        if (!isWordStart(cpp[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < cpp.size() && isWord(cpp[end]))
            ++end;
        if (Name n(cpp.substr(at, end - at)); !isExponent(cpp, at, end) && seen.insert(n).second)
            out.push_back(n);
        at = end;
    }
    return out;
}

namespace {

std::set<Name> namesInBlock(const std::vector<py::StmtRef> &block, const ir::SDFG &scope) {
    py::BlockNames names = py::blockNames(block);
    for (Name callback : names.called)
        if (scope.symbols.contains(callback))
            names.read.insert(callback);
    return std::move(names.read);
}

std::set<Name> declaredWords(const ir::Code &code, const ir::SDFG &scope) {
    std::set<Name> out;
    for (Name n : identifiers(code.text))
        if (scope.symbols.contains(n))
            out.insert(n);
    return out;
}

/// The syntax tree, nothing for other languages and text that is no Python.
std::optional<std::vector<py::StmtRef>> parsed(const ir::Code &code) {
    const bool hasTree = code.language == ir::Language::Python || code.language == ir::Language::Library;
    return hasTree ? py::parseBlock(code.text).value : std::nullopt;
}

} // namespace

std::set<Name> namesInCode(const ir::Code &code, const ir::SDFG &scope) {
    auto block = parsed(code);
    return block ? namesInBlock(*block, scope) : declaredWords(code, scope);
}

std::set<Name> namesInTasklet(const ir::Code &code, const ir::SDFG &scope) {
    auto block = parsed(code);
    if (!block)
        return declaredWords(code, scope);
    if (code.text.find('.') == std::string::npos)
        return namesInBlock(*block, scope);
    auto withoutAttributes = py::rewrite(*block, [](const py::ExprRef &e) {
        return e->kind == py::ExprKind::Attribute && e->args[0]->kind == py::ExprKind::Name ? py::boolLit(true) : e;
    });
    return namesInBlock(withoutAttributes, scope);
}

} // namespace sdfgc::analysis
