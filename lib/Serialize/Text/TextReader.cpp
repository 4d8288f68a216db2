// Statements, attributes and values of the text form.
#include "Serialize/Text/TextReader.h"

#include "Serialize/RangeText.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Support/Utf8.h"
#include "sdfgc/Types/CppTypeName.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace sdfgc::serialize::text {

using diag::Id;
using sdfgc::text::splitOutsideBrackets;
using sdfgc::text::trimmed;

namespace {

/// Maximum nesting of blocks and SDFGs; bounds the recursion of the reader.
constexpr int kMaxDepth = 1000;
/// Maximum number of reports, for texts that are wrong everywhere.
constexpr std::size_t kMaxReports = 500;

} // namespace

// ---- reports
diag::Location TextReader::place(std::size_t at) const {
    diag::Location p = c_.place(at);
    for (std::size_t i = 0; i < trail_.size(); ++i)
        p.element += (i == 0 ? "" : i == 1 ? ": " : ", ") + trail_[i];
    return p;
}

void TextReader::fail(diag::Message message, std::size_t at) {
    context_.diags.report(std::move(message), place(at));
    throw Unreadable{at >= c_.text().size() || context_.diags.errorCount() > errorsBefore_ + kMaxReports};
}

void TextReader::expected(std::string_view what, std::string_view hint) {
    c_.blanks();
    fail(Id::GraphTextSyntax, c_.at, std::string(what), c_.describe(c_.at), std::string(hint));
}

void TextReader::expect(std::string_view token, std::string_view hint) {
    if (!c_.accept(token))
        expected("`" + std::string(token) + "`", hint);
}

void TextReader::endLine() {
    if (!c_.atLineEnd())
        expected("the end of the line");
}

// ---- words
std::string TextReader::quotedText() {
    c_.blanks();
    const std::size_t start = c_.at;
    std::string json;
    if (c_.peek() != '"' || appendValue(c_, json) != std::string_view::npos)
        fail(Id::GraphTextSyntax, start, "a text in quotes that ends in this line", c_.describe(start), "");
    std::string why;
    std::optional<json::Value> v = json::parse(json, &why);
    if (!v)
        fail(Id::GraphTextSyntax, start, "a text in quotes", "an invalid one: " + why, "");
    return v->text();
}

std::string TextReader::label(std::string_view what) {
    c_.blanks();
    if (c_.peek() == '"')
        return quotedText();
    const std::string_view w = c_.word(true);
    if (w.empty())
        expected(what);
    return std::string(w);
}

Name TextReader::identifier(std::string_view noun, std::string_view phrase, bool dotted) {
    c_.blanks();
    const std::size_t start = c_.at;
    const std::string text = c_.peek() == '"' ? quotedText() : std::string(c_.word(dotted));
    if (text.empty() && c_.at == start)
        expected(phrase);
    if (!isWord(text, dotted))
        fail(Id::BadName, start, std::string(noun), text);
    return Name(text);
}

std::string TextReader::rawText(bool beforeBrace) {
    c_.blanks();
    return c_.peek() == '"' ? quotedText() : std::string(c_.rawLine(beforeBrace));
}

int64_t TextReader::integer() {
    c_.blanks();
    int64_t n = 0;
    const std::string_view rest = c_.text().substr(c_.at);
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    if (error != std::errc())
        expected("a number");
    c_.at += static_cast<std::size_t>(end - rest.data());
    return n;
}

std::size_t TextReader::ordinal() {
    if (c_.peek() != '#')
        return 1;
    ++c_.at;
    const int64_t n = integer();
    return n > 0 ? static_cast<std::size_t>(n) : 0;
}

// ---- statements
void TextReader::statements(const std::function<void()> &one) {
    struct Deeper {
        int &depth;
        explicit Deeper(int &d) : depth(++d) {}
        ~Deeper() { --depth; }
    } deeper(depth_);
    if (depth_ > kMaxDepth)
        fail(Id::JsonTooDeep, c_.at, kMaxDepth);
    for (;;) {
        c_.lines();
        if (c_.accept("}"))
            return;
        if (c_.atEnd())
            fail(Id::GraphTextSyntax, c_.at, "`}`", c_.describe(c_.at), "a block that was opened is not closed");
        const std::size_t start = c_.at;
        const int depth = depth_;
        try {
            one();
        } catch (const Unreadable &u) {
            if (u.isLast)
                throw;
            depth_ = depth;
            skipStatement(start);
        }
    }
}

/// Skips to the line after the statement that begins at `start`, past all deeper lines and its closing brace.
void TextReader::skipStatement(std::size_t start) {
    const std::size_t own = c_.indentation(start);
    c_.at = start;
    c_.wholeLine();
    while (!c_.atEnd()) {
        const std::size_t line = c_.at;
        const std::string_view text = c_.wholeLine();
        const std::size_t first = text.find_first_not_of(" \t");
        if (first == std::string_view::npos || first > own)
            continue;
        if (first == own && text[first] == '}') {
            if (trimmed(text).ends_with('{'))
                continue; // `} else {`
            return;
        }
        c_.at = line;
        return;
    }
}

std::string TextReader::codeBlock(std::size_t opener) {
    const std::size_t own = c_.indentation(opener);
    endLine();
    c_.wholeLine();
    std::string code;
    std::size_t indent = std::string_view::npos;
    bool first = true;
    while (!c_.atEnd()) {
        const std::size_t start = c_.at;
        const std::string_view line = c_.wholeLine();
        const std::size_t used = line.find_first_not_of(" \t");
        if (used != std::string_view::npos && used <= own) {
            c_.at = start + used;
            if (line[used] == '}' && used == own) {
                ++c_.at;
                return code;
            }
            expected("code with more indentation than its opening line, or `}`");
        }
        if (indent == std::string_view::npos && used != std::string_view::npos)
            indent = std::min(used, own + 2);
        code += first ? "" : "\n";
        first = false;
        const std::size_t blank = std::min(used, line.size()); // a less indented line only loses its own blanks
        code += line.substr(std::min(indent == std::string_view::npos ? own + 2 : indent, blank));
    }
    expected("`}`", "the block of code is not closed");
}

// ---- attributes
ir::DebugInfo TextReader::location() {
    ir::DebugInfo d;
    auto number = [&] { return static_cast<int32_t>(std::clamp<int64_t>(integer(), INT32_MIN, INT32_MAX)); };
    c_.blanks();
    if (c_.peek() == '"') {
        file_ = Name(quotedText());
        expect(":", "a location is `at \"file\":line:column-line:column`");
    }
    d.file = file_;
    d.startLine = d.endLine = number();
    const bool columns = c_.accept(":");
    if (columns)
        d.startColumn = number();
    if (!c_.accept("-"))
        return d;
    const int32_t last = number();
    if (!columns)
        d.endLine = last;
    else if (c_.accept(":"))
        d.endLine = last, d.endColumn = number();
    else
        d.endColumn = last;
    return d;
}

Attributes TextReader::attributes() {
    Attributes a;
    c_.blanks();
    a.at = c_.at;
    if (!c_.accept("("))
        return a;
    do {
        c_.lines();
        const std::size_t start = c_.at;
        std::string key;
        if (c_.peek() == '"') {
            key = Document::kForeign + quotedText();
        } else if (const std::string_view w = c_.word(); !w.empty()) {
            const bool hasValue = c_.accept("=");
            if (w == "at" && !hasValue) {
                a.noLocation = c_.acceptWord("none");
                if (!a.noLocation)
                    a.location = location();
                continue;
            }
            if (!hasValue) {
                a.words.push_back({w, start});
                continue;
            }
            key = std::string(w);
        } else if (c_.peek() == '+' || c_.peek() == '*' || c_.peek() == '-') {
            a.words.push_back({c_.text().substr(c_.at++, 1), start});
            continue;
        } else {
            expected("an attribute", "attributes are words, `key = value` and `at line`, with commas between them");
        }
        if (key[0] == Document::kForeign[0])
            expect("=");
        a.keys.push_back({key, start});
        a.json += (a.json.empty() ? "" : ",") + quoted(key) + ":";
        if (const std::size_t wrong = appendValue(c_, a.json); wrong != std::string_view::npos)
            fail(Id::GraphTextSyntax, wrong, "a value", c_.describe(wrong),
                 "values are numbers, words, texts in quotes, lists and objects");
        c_.lines();
    } while (c_.accept(","));
    c_.lines();
    expect(")", "attributes are words, `key = value` and `at line`, with commas between them");
    return a;
}

void TextReader::locate(const Attributes &a, ir::DebugInfo &d, const ir::DebugInfo &otherwise) {
    d = a.location ? *a.location : a.noLocation ? ir::DebugInfo() : otherwise;
}

void TextReader::fields(Attributes &a, std::string_view element, const std::function<void(FieldReader &)> &f,
                        const std::function<void(std::string, json::Value)> &foreign, bool anyKey) {
    for (const Attributes::Word &w : a.words) { // a single word means true
        a.keys.push_back({std::string(w.text), w.at});
        a.json += (a.json.empty() ? "" : ",") + quoted(w.text) + ":true";
    }
    if (a.keys.empty())
        return;
    Document doc("{" + a.json + "}", name_);
    TextOrigin origin = originAt(a.at);
    for (const Attributes::Key &k : a.keys)
        origin.keys.push_back(k.at);
    doc.setOrigin(std::move(origin));
    if (!doc.parse(context_.diags, context_.limits))
        return;
    ValueReader values(doc, context_.diags);
    values.enter(g_ ? &g_->scope : nullptr);
    FieldReader r(values, doc.root());
    f(r);
    const std::vector<std::string> asked = r.asked();
    r.restOfText([&](std::string_view key, bool isForeign, Json v) {
        if (isForeign && std::find(asked.begin(), asked.end(), key) != asked.end())
            return values.report(Id::GraphTextAttribute, v, std::string(element), '"' + std::string(key) + '"',
                                 "sdfgc knows `" + std::string(key) + "`: leave out the quotes");
        if (isForeign || anyKey)
            return foreign(std::string(key), v.value());
        const std::string near = diag::nearest(key, asked);
        values.report(Id::GraphTextAttribute, v, std::string(element), std::string(key),
                      near.empty() ? "a key that sdfgc should only preserve is written in quotes" : "did you mean `" + near + "`?");
    });
}

TextOrigin TextReader::originAt(std::size_t at) const {
    return {[this](std::size_t offset) { return place(offset); }, at, {}};
}

json::Value TextReader::value() {
    c_.blanks();
    const std::size_t start = c_.at;
    std::string json;
    if (const std::size_t wrong = appendValue(c_, json); wrong != std::string_view::npos)
        fail(Id::GraphTextSyntax, wrong, "a value", c_.describe(wrong),
             "values are numbers, words, texts in quotes, lists and objects");
    std::string why;
    std::optional<json::Value> v = json::parse(json, &why);
    if (!v)
        fail(Id::GraphTextSyntax, start, "a value", "an invalid one: " + why, "");
    return std::move(*v);
}

// ---- symbolic values and types
std::string_view TextReader::bracketed() {
    const std::size_t open = c_.at, close = c_.closing();
    if (close == std::string_view::npos)
        fail(Id::GraphTextSyntax, open, "a closing bracket for this one", "a different one", "");
    c_.at = close + 1;
    return c_.text().substr(open + 1, close - open - 1);
}

sym::Expr TextReader::expr(std::string_view text) {
    auto [it, isNew] = g_->exprs.try_emplace(text);
    if (!isNew)
        return it->second;
    sym::ParseResult r = sym::parse(text, nullptr, [&](Name n) { return isIndexed(graph(), n); });
    if (r.expr && r.expr->overflowed())
        r = {std::nullopt, std::string(beyond64Bits), 0};
    if (!r.expr) {
        g_->exprs.erase(it);
        const auto at = static_cast<std::size_t>(text.data() - c_.text().data()) + r.offset;
        fail(Id::BadExpression, at, std::string(text.substr(0, text.find('\n'))), r.error);
    }
    return it->second = *r.expr;
}

sym::Range TextReader::range(std::string_view text) {
    const RangeText parts(text);
    std::vector<sym::Expr> read;
    for (std::string_view part : parts.parts)
        read.push_back(expr(part));
    auto bad = [&](std::string_view why) {
        fail(Id::BadExpression, static_cast<std::size_t>(text.data() - c_.text().data()), std::string(text), std::string(why));
    };
    if (read.size() > 4)
        bad("a range is begin:end:step:tile");
    const sym::Range range = parts.range(read);
    if (range.end.overflowed()) // the last element is one before the written end
        bad(beyond64Bits);
    return range;
}

std::vector<sym::Range> TextReader::ranges(std::string_view text) {
    std::vector<sym::Range> out;
    if (!trimmed(text).empty())
        for (std::string_view part : splitOutsideBrackets(text, ','))
            out.push_back(range(part));
    return out;
}

Type TextReader::type() {
    c_.blanks();
    const std::size_t start = c_.at;
    if (c_.peek() == '{') {
        const json::Value v = value();
        Document doc(v.dump(), name_);
        doc.setOrigin(originAt(start));
        Type t;
        if (doc.parse(context_.diags, context_.limits))
            ValueReader(doc, context_.diags).read("type", doc.root(), t);
        return t;
    }
    const std::string_view w = c_.word();
    if (w == "void")
        return Type();
    if (auto scalar = scalarTypeByName(w))
        return *scalar;
    if (w == "opaque") {
        expect("(");
        const std::size_t at = c_.at;
        const std::string name = quotedText();
        expect(")");
        if (!isCppTypeName(name))
            fail(Id::BadType, at, "`" + name + "`");
        return Type::opaque(Name(name));
    }
    if (w == "pointer" || w == "vector") {
        expect("(");
        if (++depth_ > kMaxDepth)
            fail(Id::JsonTooDeep, start, kMaxDepth);
        const Type element = type();
        --depth_;
        int64_t lanes = 0;
        if (w == "vector") {
            expect(",");
            lanes = c_.acceptWord(Type::scalableLanesName) ? Type::scalableLanes : integer();
            if (lanes < 1 && lanes != Type::scalableLanes)
                fail(Id::BadType, start, "a vector of " + std::to_string(lanes) + " elements");
        }
        expect(")");
        return w == "pointer" ? Type::pointer(element) : Type::vector(element, lanes);
    }
    c_.at = start;
    if (w.empty())
        expected("a type");
    fail(Id::BadType, start, "`" + std::string(w) + "`");
}

// ---- order of lists
void TextReader::orderLine(std::string_view nodes, std::optional<std::size_t> &ofNodes, std::optional<std::size_t> &ofEdges) {
    const std::string_view what = c_.word();
    if (what != nodes && what != "edges")
        expected("`" + std::string(nodes) + "` or `edges`");
    (what == nodes ? ofNodes : ofEdges) = c_.at;
    c_.at = std::min(c_.text().find('\n', c_.at), c_.text().size());
}

std::vector<uint32_t> TextReader::ordered(std::optional<std::size_t> line, std::size_t count, std::string_view what) {
    std::vector<uint32_t> text(count);
    std::iota(text.begin(), text.end(), 0u);
    if (!line)
        return text;
    const std::size_t now = std::exchange(c_.at, *line);
    try {
        const std::vector<uint32_t> positions = order(count, what);
        for (std::size_t i = 0; i < count; ++i)
            text[positions[i]] = static_cast<uint32_t>(i);
    } catch (const Unreadable &) { // reported
    }
    c_.at = now;
    return text;
}

/// `3 0-2`: a position for each element, without duplicates.
std::vector<uint32_t> TextReader::order(std::size_t count, std::string_view what) {
    const std::size_t start = c_.at;
    std::vector<uint32_t> out;
    std::vector<bool> seen(count, false);
    bool good = true;
    while (!c_.atLineEnd() && good) {
        const int64_t first = integer();
        int64_t last = first;
        if (c_.peek() == '-') {
            ++c_.at;
            last = integer();
        }
        good = first >= 0 && last < static_cast<int64_t>(count) && first <= last;
        for (int64_t i = first; good && i <= last; ++i) {
            good = !seen[static_cast<std::size_t>(i)];
            seen[static_cast<std::size_t>(i)] = true;
            out.push_back(static_cast<uint32_t>(i));
        }
    }
    if (!good || out.size() != count)
        fail(Id::GraphTextOrder, start, std::string(what), count);
    return out;
}

} // namespace sdfgc::serialize::text
