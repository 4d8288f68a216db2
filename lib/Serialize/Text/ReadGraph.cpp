// Text of an SDFG: header, symbols, containers, global code.
#include "Serialize/DescriptorClass.h"
#include "Serialize/Fields.h"
#include "Serialize/Text/TextReader.h"

#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Support/Utf8.h"

#include <algorithm>

namespace sdfgc::serialize {

using diag::Id;

bool looksLikeGraphText(std::string_view text) {
    text::Cursor c(text, "");
    c.at = startOfText(text);
    c.lines();
    return c.acceptWord("sdfg");
}

namespace text {
namespace {

/// Maximum nesting of SDFGs; the same as for JSON.
constexpr int kMaxGraphDepth = 400;

} // namespace

std::unique_ptr<ir::SDFG> TextReader::readRoot() {
    c_.at = startOfText(c_.text());
    std::unique_ptr<ir::SDFG> g;
    try {
        c_.lines();
        g = nestedGraph();
        c_.lines();
        if (!c_.atEnd())
            expected("the end of the text", "a text has one SDFG; others are inside of it, in `nested` nodes");
    } catch (const Unreadable &) {
        return nullptr;
    }
    return context_.diags.errorCount() == errorsBefore_ ? std::move(g) : nullptr;
}

std::unique_ptr<ir::SDFG> TextReader::nestedGraph() {
    if (!c_.acceptWord("sdfg"))
        expected("`sdfg`");
    if (context_.graphDepth >= kMaxGraphDepth)
        fail(Id::TooManyNestedGraphs, c_.at, kMaxGraphDepth);
    struct Deeper {
        int &depth;
        explicit Deeper(int &d) : depth(++d) {}
        ~Deeper() { --depth; }
    } deeper(context_.graphDepth);

    auto g = std::make_unique<ir::SDFG>(identifier("SDFG", "the name of the SDFG"));
    g->label = g->name.str();
    g->usesExplicitControlFlow = true;
    Inside inside(*this, g->name.str());
    GraphContext context;
    context.graph = g.get();
    context.scope.number = ++graphs_;
    struct Enter {
        GraphContext *&now, *outer;
        Enter(GraphContext *&now, GraphContext *g) : now(now), outer(std::exchange(now, g)) {}
        ~Enter() { now = outer; }
    } enter(g_, &context);

    if (c_.peek() == '(') { // directly after the name: arguments
        ++c_.at;
        c_.lines();
        while (!c_.accept(")")) {
            g->argNames.push_back(identifier("argument", "the name of an argument"));
            c_.lines();
            if (!c_.accept(",") && c_.peek() != ')')
                expected("`,` or `)`");
            c_.lines();
        }
    }
    Attributes a = attributes();
    a.take([&](std::string_view word) {
        auto level = ir::parseLevel(word);
        g->level = level.value_or(g->level);
        return level.has_value();
    });
    fields(
        a, "an SDFG", [&](FieldReader &r) { graphFields(r, *g); }, g->extra);
    locate(a, g->debugInfo);
    expect("{");
    region(*g, true);
    return g;
}

std::unique_ptr<ir::SDFG> TextReader::external(const std::string &path, std::size_t at) {
    return loadExternal(name_, path, context_, [&](diag::Message m) { context_.diags.report(std::move(m), place(at)); });
}

// ---- declarations
bool TextReader::declaration(std::string_view word) {
    if (word == "symbol")
        symbols();
    else if (word == "assume")
        assume();
    else if (word == "constant" || word == "argument" || word == "transient" || word == "view" || word == "reference")
        container(word);
    else if (word == "global" || word == "init" || word == "exit")
        globalCode(word);
    else
        return false;
    return true;
}

/// `symbol N, M: int64`
void TextReader::symbols() {
    std::vector<Name> names;
    do {
        c_.lines();
        const std::size_t at = c_.at;
        const Name name = c_.accept(ir::undefinedSize) ? Name(ir::undefinedSize) : identifier("symbol", "the name of a symbol");
        if (graph().symbols.contains(name) || std::find(names.begin(), names.end(), name) != names.end())
            report(Id::GraphTextTwice, at, "symbol", name.str());
        names.push_back(name);
    } while (c_.accept(","));
    expect(":", "a symbol has a type: `symbol N: int64`");
    const Type t = type();
    endLine();
    for (Name n : names)
        graph().symbols.set(n, t);
}

namespace {

/// Can a JSON file represent the assumption? There it becomes `symbol($N, key=value)`.
bool isAssumption(const std::string &key, const std::string &value) {
    sym::Assumptions read;
    sym::parse("symbol($N, " + key + "=" + value + ")", &read);
    return read.size() == 1 && read.begin()->second.other == std::vector{std::pair{key, value}};
}

} // namespace

/// `assume N: int32 (positive, "key" = "value")`
void TextReader::assume() {
    c_.blanks();
    const std::size_t at = c_.at;
    const Name name = identifier("symbol", "the name of a symbol");
    if (graph().symbolHints.count(name))
        report(Id::GraphTextTwice, at, "assumption about", name.str());
    sym::SymbolFacts &f = graph().symbolHints[name];
    if (c_.accept(":"))
        f.type = type();
    Attributes a = attributes();
    endLine();
    f.nonnegative = a.takeWord("nonnegative");
    f.positive = a.takeWord("positive");
    f.nonzero = a.takeWord("nonzero");
    fields(
        a, "a symbol", [](FieldReader &) {},
        [&](std::string key, json::Value v) {
            if (!isAssumption(key, v.text()))
                fail(Id::GraphTextSyntax, at, "a name and a value for each assumption", "`" + key.substr(0, 30) + "`", "");
            f.other.emplace_back(std::move(key), v.text());
        });
}

/// Reads the class of a container before its type, and applies it; returns whether there is a class.
bool TextReader::containerClass(ir::DataDesc &d) {
    c_.blanks();
    const std::size_t start = c_.at;
    const std::string name = c_.peek() == '"' ? quotedText() : std::string(c_.word(true));
    c_.blanks();
    if (name.empty() || (wordLength(c_.text().substr(c_.at)) == 0 && c_.peek() != '{')) { // it was the type
        c_.at = start;
        return false;
    }
    std::optional<DescriptorClass> known = descriptorClass(name);
    if (!known) {
        known = {name, ir::DataKind::Array, ir::AliasKind::None, true};
        report(Id::UnknownDescriptor, start, name);
    }
    d.kind = known->kind;
    d.alias = known->alias;
    if (known->keepsName)
        d.className = Name(known->name);
    return true;
}

/// `[N, M]`, and the resulting strides, offsets and size of a row-major array.
void TextReader::containerShape(ir::DataDesc &d, bool hasClass) {
    c_.blanks();
    if (c_.peek() == '[') {
        const std::string_view shape = bracketed();
        if (!sdfgc::text::trimmed(shape).empty())
            for (std::string_view dim : sdfgc::text::splitOutsideBrackets(shape, ','))
                d.shape.push_back(expr(dim));
    } else if (!hasClass) {
        d.kind = ir::DataKind::Scalar;
    }
    if (d.shape.empty() && (d.isScalar() || d.isStructure()))
        d.shape = {1};
    ir::DataDesc dense = ir::DataDesc::array(d.dtype, d.shape);
    d.strides = std::move(dense.strides);
    d.offset = std::move(dense.offset);
    d.totalSize = dense.totalSize;
}

void TextReader::containerAttributes(ir::DataDesc &d) {
    Attributes a = attributes();
    a.take([&](std::string_view w) {
        if (auto storage = ir::parseEnum<ir::Storage>(w); storage && w != "Default")
            return d.storage = *storage, true;
        if (auto lifetime = ir::parseEnum<ir::Lifetime>(w))
            return d.lifetime = *lifetime, true;
        return false;
    });
    fields(
        a, "a container", [&](FieldReader &r) { descriptorFields(r, d); }, d.extra);
    locate(a, d.debugInfo);
}

/// `transient A: float64[N, M] (CPU_Heap)`, `argument s: Stream float64[4]`, `constant c: int32 = 4`
void TextReader::container(std::string_view word) {
    c_.blanks();
    const std::size_t start = c_.at;
    const Name name = identifier("container", "the name of a container");
    expect(":", "a container has a type: `" + std::string(word) + " " + name.str() + ": float64[N]`");
    ir::DataDesc d;
    d.kind = ir::DataKind::Array;
    const bool hasClass = containerClass(d);
    if (word == "view" || word == "reference")
        d.alias = word == "view" ? ir::AliasKind::View : ir::AliasKind::Reference;
    d.transient = word != "argument" && word != "constant";
    d.dtype = type();
    containerShape(d, hasClass);
    containerAttributes(d);
    completeHandle(d);
    if (layoutOverflows(d))
        report(Id::BadExpression, start, "shape", "the size that follows from it is beyond 64 bits");
    for (const auto &[what, list] : {std::pair("strides", &d.strides), std::pair("offset", &d.offset)})
        if (list->size() != d.shape.size())
            report(Id::RankMismatch, start, what, list->size(), d.shape.size());
    if (word == "constant" ? graph().constants.contains(name) : graph().arrays.contains(name))
        report(Id::GraphTextTwice, start, "container", name.str());
    g_->scope.containers.insert(name);
    if (word != "constant") {
        endLine();
        graph().arrays.set(name, std::move(d));
        return;
    }
    expect("=", "a constant has a value: `constant c: int32 = 4`");
    json::Value v = value();
    endLine();
    graph().constants.set(name, {std::move(d), std::move(v)});
}

/// `global frame {`, lines of C++, `}`
void TextReader::globalCode(std::string_view word) {
    const std::size_t start = c_.at;
    ir::TargetCode c;
    c.target = Name(label("the name of a source: `frame`, `cuda`, ..."));
    ir::Language language = ir::Language::CPP;
    Attributes a = attributes();
    a.take([&](std::string_view w) {
        const auto named = ir::parseEnum<ir::Language>(w);
        language = named.value_or(language);
        return named.has_value();
    });
    ir::Extra none;
    fields(
        a, "code", [](FieldReader &) {}, none);
    if (c_.accept(":")) {
        c.code = {quotedText(), language};
        endLine();
    } else {
        expect("{");
        c.code = {codeBlock(start), language};
    }
    (word == "global" ? graph().globalCode : word == "init" ? graph().initCode : graph().exitCode).push_back(std::move(c));
}

} // namespace text
} // namespace sdfgc::serialize
