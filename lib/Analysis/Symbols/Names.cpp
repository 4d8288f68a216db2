// Names in code strings (format reference 8.2: tasklets of every language).
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

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

std::set<Name> declaredWords(const ir::Code &code, const ir::SDFG &scope) {
    std::set<Name> out;
    for (Name n : identifiers(code.text()))
        if (scope.symbols.contains(n))
            out.insert(n);
    return out;
}

/// Names mentioned in Python text.
struct Mentioned {
    std::set<Name> read, called;
};

std::optional<Mentioned> mentionedBy(const std::string &text, bool inTasklet) {
    auto block = py::parseBlock(text).value;
    if (!block)
        return std::nullopt;
    if (inTasklet && text.find('.') != std::string::npos)
        block = py::rewrite(*block, [](const py::ExprRef &e) {
            return e->kind == py::ExprKind::Attribute && e->args[0]->kind == py::ExprKind::Name ? py::boolLit(true) : e;
        });
    py::BlockNames names = py::blockNames(*block);
    return Mentioned{std::move(names.read), std::move(names.called)};
}

/// Caches the names in texts, which depend on nothing else. The verifier asks for every tasklet after every pass, so each text is
/// parsed only once per process.
class Texts {
public:
    /// Nothing for text that is not Python. The reference stays valid forever.
    const std::optional<Mentioned> &of(const std::string &text, bool inTasklet) {
        const std::lock_guard guard(lock_);
        auto [it, fresh] = known_[inTasklet].try_emplace(text);
        if (fresh)
            it->second = mentionedBy(text, inTasklet);
        return it->second;
    }

private:
    std::mutex lock_;
    std::unordered_map<std::string, std::optional<Mentioned>> known_[2];
};

std::set<Name> namesIn(const ir::Code &code, const ir::SDFG &scope, bool inTasklet) {
    static Texts texts;
    if (!code.isPython() && code.language() != ir::Language::Library)
        return declaredWords(code, scope);
    const std::optional<Mentioned> &mentioned = texts.of(code.text(), inTasklet);
    if (!mentioned)
        return declaredWords(code, scope);
    std::set<Name> names = mentioned->read;
    for (Name callback : mentioned->called)
        if (scope.symbols.contains(callback))
            names.insert(callback);
    return names;
}

} // namespace

std::set<Name> namesInCode(const ir::Code &code, const ir::SDFG &scope) { return namesIn(code, scope, false); }
std::set<Name> namesInTasklet(const ir::Code &code, const ir::SDFG &scope) { return namesIn(code, scope, true); }

} // namespace sdfgc::analysis
