#include "Tasklet/Mlir/Functions.h"

namespace sdfgc::mlir {
namespace {

bool isFunction(const std::string &name) { return plainName(name) == "func"; }

} // namespace

Functions::Functions(std::string_view text) : tokens_(text) {
    while (tokens_.peek().kind != TokenKind::End) {
        const Token t = tokens_.take();
        if (t.kind == TokenKind::Word && isFunction(t.text))
            custom();
        else if (t.kind == TokenKind::String && isFunction(t.text))
            generic();
    }
}

const Function *Functions::find(const std::string &name) const {
    const auto at = all_.find(name);
    return at == all_.end() ? nullptr : &at->second;
}

void Functions::custom() {
    if (tokens_.peek().kind == TokenKind::Word)
        tokens_.take(); // private
    const std::string name = tokens_.expectKind(TokenKind::Symbol, "the name of a function");
    add(name, {tokens_.mark(), false});
}

/// `"func"() ({ body }) {sym_name = "f"} : () -> ()`, in newer versions with `<{...}>` in front of the body.
void Functions::generic() {
    tokens_.skipPair("(", ")");
    std::string name;
    if (tokens_.accept("<")) {
        name = nameIn("}");
        tokens_.expect(">");
    }
    const std::size_t at = tokens_.mark();
    tokens_.skipPair("(", ")");
    if (name.empty() && tokens_.is("{"))
        name = nameIn("}");
    add(name, {at, true});
}

/// The value of sym_name in attributes that end with a mark.
std::string Functions::nameIn(std::string_view end) {
    std::string name;
    while (!tokens_.is(end) && tokens_.peek().kind != TokenKind::End)
        if (const Token t = tokens_.take(); t.kind == TokenKind::Word && t.text == "sym_name" && tokens_.accept("="))
            name = tokens_.take().text;
    tokens_.expect(end);
    return name;
}

void Functions::add(const std::string &name, Function f) {
    if (!all_.emplace(name, f).second)
        throw Refused("there are two functions `" + name + "`");
}

} // namespace sdfgc::mlir
