// Text to graphs (docs/user/graph-text.md). One reader a text; the SDFGs inside each other and their states share it.
//
// A statement that cannot be read is reported, and reading goes on with the next one: several errors are found in one go. What has
// a row in Fields.h is read through it, as from JSON.
#pragma once

#include "Serialize/GraphReader.h"
#include "Serialize/Text/Attributes.h"
#include "Serialize/Text/ExprText.h"
#include "Serialize/Text/Words.h"

#include <functional>

namespace sdfgc::serialize::text {

/// What texts inside one SDFG refer to.
struct GraphContext {
    ir::SDFG *graph = nullptr;
    GraphScope scope;                                      // for values in JSON
    std::unordered_map<std::string_view, sym::Expr> exprs; // lookups only
};

class Reader {
public:
    Reader(std::string_view text, const std::string &name, LoadContext &context)
        : c_(text, name), name_(name), context_(context), errorsBefore_(context.diags.errorCount()) {}

    /// Null with reports if the text is not one graph.
    std::unique_ptr<ir::SDFG> readRoot();

    // ---- for the readers of states
    Cursor &cursor() { return c_; }
    ir::SDFG &graph() { return *g_->graph; }
    diag::Location place(std::size_t at) const;
    template <class... Args> void report(diag::Kind<std::type_identity_t<Args>...> kind, std::size_t at, const Args &...args) {
        context_.diags.report(diag::Message(kind, args...), place(at));
    }
    /// Reports what was expected where the cursor is, and leaves the statement.
    [[noreturn]] void expected(std::string_view what, std::string_view hint = {});
    template <class... Args>
    [[noreturn]] void fail(diag::Kind<std::type_identity_t<Args>...> kind, std::size_t at, const Args &...args) {
        fail(diag::Message(kind, args...), at);
    }
    [[noreturn]] void fail(diag::Message message, std::size_t at);
    void expect(std::string_view token, std::string_view hint = {});
    /// Nothing but a comment may follow in the line.
    void endLine();
    /// A word or a text in quotes.
    std::string label(std::string_view what);
    std::string quotedText();
    /// A word that is an identifier: `noun` is what it names, `phrase` what is missing where there is no word.
    Name identifier(std::string_view noun, std::string_view phrase, bool dotted = false);
    /// The name of a container, or of a member of one.
    Name dataName(std::string_view phrase = "the name of a container") { return identifier("container", phrase, true); }
    /// The rest of the line as it is, or in quotes; see Cursor::rawLine.
    std::string rawText(bool beforeBrace);
    /// `#2` directly after a label; 1 if there is none.
    std::size_t ordinal();
    int64_t integer();
    /// Statements up to the closing brace, which is taken. `one` reads a statement.
    void statements(const std::function<void()> &one);
    /// The lines of a block of code up to the closing brace, which is taken: the opening one has just been.
    std::string codeBlock(std::size_t opener);
    Attributes attributes();
    /// Reads the properties of one element: `f` visits a FieldReader (Fields.h). What nobody takes is given to `foreign` with its
    /// value when its key is in quotes (or `anyKey` is set), else it is an error.
    void fields(Attributes &a, std::string_view element, const std::function<void(FieldReader &)> &f,
                const std::function<void(std::string, json::Value)> &foreign, bool anyKey = false);
    void fields(Attributes &a, std::string_view element, const std::function<void(FieldReader &)> &f, ir::Extra &extra) {
        fields(a, element, f, [&](std::string key, json::Value v) { extra.add(std::move(key), std::move(v)); });
    }
    static void locate(const Attributes &a, ir::DebugInfo &d, const ir::DebugInfo &otherwise = {});
    Type type();
    sym::Expr expr(std::string_view text);
    sym::Range range(std::string_view text);
    std::vector<sym::Range> ranges(std::string_view text);
    /// The text between brackets, without them; the cursor is at the opening one.
    std::string_view bracketed();
    /// `order nodes 3 0-2`, after `order`: notes where the numbers are, for `ordered`.
    void orderLine(std::string_view nodes, std::optional<std::size_t> &ofNodes, std::optional<std::size_t> &ofEdges);
    /// For each position of a list, which element of the text stands there. `line` is where the numbers of the line `order` begin.
    std::vector<uint32_t> ordered(std::optional<std::size_t> line, std::size_t count, std::string_view what);
    /// An SDFG, from the word `sdfg` on.
    std::unique_ptr<ir::SDFG> nestedGraph();
    std::unique_ptr<ir::SDFG> external(const std::string &path, std::size_t at);
    /// A value as JSON.
    json::Value value();
    /// Elements around, for places of reports: pushes one while it lives.
    struct Inside {
        Reader &r;
        Inside(Reader &r, std::string what) : r(r) { r.trail_.push_back(std::move(what)); }
        ~Inside() { r.trail_.pop_back(); }
    };

private:
    // ReadGraph.cpp
    bool declaration(std::string_view word);
    void symbols();
    void assume();
    void container(std::string_view word);
    bool containerClass(ir::DataDesc &d);
    void containerShape(ir::DataDesc &d, bool hasClass);
    void containerAttributes(ir::DataDesc &d);
    void globalCode(std::string_view word);
    // ReadRegion.cpp
    struct PendingEdge;
    struct RegionText;
    void region(ir::Region &r, bool isGraph);
    void regionStatement(RegionText &t, bool isGraph);
    PendingEdge &addEdge(RegionText &t, std::size_t start, bool toNext);
    void assignment(RegionText &t, std::size_t start, std::string_view name);
    void edge(RegionText &t, std::size_t start, bool toNext);
    void labelBlocks(RegionText &t);
    void finishRegion(RegionText &t, ir::Region &r);
    using BlocksByLabel = std::unordered_map<std::string_view, std::vector<ir::Block *>>;
    ir::Block *namedBlock(const PendingEdge &e, const std::vector<ir::Block *> &blocks, const BlocksByLabel &byLabel);
    std::unique_ptr<ir::Block> block(RegionText &t, std::string_view keyword, std::size_t start);
    std::unique_ptr<ir::Block> labelled();
    std::unique_ptr<ir::Block> loop(std::string label, Attributes a, bool isFor);
    std::unique_ptr<ir::Block> conditional(std::string label, Attributes a);
    void blockRest(Attributes &a, std::string_view element, ir::Block &b);
    // ReadState.cpp
    std::unique_ptr<ir::State> state();
    void skipStatement(std::size_t start);
    ir::DebugInfo location();
    std::vector<uint32_t> order(std::size_t count, std::string_view what);
    TextOrigin originAt(std::size_t at) const;

    Cursor c_;
    std::string name_;
    LoadContext &context_;
    std::size_t errorsBefore_;
    GraphContext *g_ = nullptr;
    Name file_; // the last one that a location named
    int depth_ = 0;
    uint32_t graphs_ = 0;
    std::vector<std::string> trail_;
};

} // namespace sdfgc::serialize::text
