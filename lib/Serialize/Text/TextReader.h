// Parses texts of graphs (docs/user/graph-text.md). There is one reader per text, shared by nested SDFGs and their states.
//
// A statement that cannot be parsed is reported, and parsing continues with the next one, so several errors are found at once.
// Attributes with a row in Fields.h are read through it, as for JSON.
#pragma once

#include "Serialize/GraphReader.h"
#include "Serialize/Text/Attributes.h"
#include "Serialize/Text/ExprText.h"
#include "Serialize/Text/Words.h"

#include <functional>

namespace sdfgc::serialize::text {

/// The context of texts inside an SDFG.
struct GraphContext {
    ir::SDFG *graph = nullptr;
    GraphScope scope;                                      // for values in JSON
    std::unordered_map<std::string_view, sym::Expr> exprs; // lookups only
};

class TextReader {
public:
    TextReader(std::string_view text, const std::string &name, LoadContext &context)
        : c_(text, name), name_(name), context_(context), errorsBefore_(context.diags.errorCount()) {}

    /// Null with reports if the text is not one graph.
    std::unique_ptr<ir::SDFG> readRoot();

    // ---- used by the readers of states
    Cursor &cursor() { return c_; }
    ir::SDFG &graph() { return *g_->graph; }
    diag::Location place(std::size_t at) const;
    template <class... Args>
    void report(diag::MessageKind<std::type_identity_t<Args>...> kind, std::size_t at, const Args &...args) {
        context_.diags.report(diag::Message(kind, args...), place(at));
    }
    /// Reports what was expected at the cursor, and abandons the statement.
    [[noreturn]] void expected(std::string_view what, std::string_view hint = {});
    template <class... Args>
    [[noreturn]] void fail(diag::MessageKind<std::type_identity_t<Args>...> kind, std::size_t at, const Args &...args) {
        fail(diag::Message(kind, args...), at);
    }
    [[noreturn]] void fail(diag::Message message, std::size_t at);
    void expect(std::string_view token, std::string_view hint = {});
    /// Only a comment may follow in the line.
    void endLine();
    /// A word or a quoted text.
    std::string label(std::string_view what);
    std::string quotedText();
    /// An identifier: `noun` is the kind of thing that it names, `phrase` describes what is missing if there is no word.
    Name identifier(std::string_view noun, std::string_view phrase, bool dotted = false);
    /// The name of a container, or of a member of one.
    Name dataName(std::string_view phrase = "the name of a container") { return identifier("container", phrase, true); }
    /// The rest of the line, verbatim or in quotes; see Cursor::rawLine.
    std::string rawText(bool beforeBrace);
    /// `#2` directly after a label; 1 if there is none.
    std::size_t ordinal();
    int64_t integer();
    /// Reads statements up to and including the closing brace. `one` reads a statement.
    void statements(const std::function<void()> &one);
    /// The lines of a block of code up to and including the closing brace; the opening one has just been consumed.
    std::string codeBlock(std::size_t opener);
    Attributes attributes();
    /// Reads the properties of one element: `f` visits a FieldReader (Fields.h). A remaining attribute is passed to `foreign` with
    /// its value if its key is in quotes (or `anyKey` is set); otherwise it is an error.
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
    /// The text between brackets; the cursor is at the opening one.
    std::string_view bracketed();
    /// `order nodes 3 0-2`, after `order`: records the position of the numbers for `ordered`.
    void orderLine(std::string_view nodes, std::optional<std::size_t> &ofNodes, std::optional<std::size_t> &ofEdges);
    /// For each position of a list, the element of the text that belongs there. `line` is the position of the numbers in the
    /// `order` line.
    std::vector<uint32_t> ordered(std::optional<std::size_t> line, std::size_t count, std::string_view what);
    /// An SDFG, starting at the word `sdfg`.
    std::unique_ptr<ir::SDFG> nestedGraph();
    std::unique_ptr<ir::SDFG> external(const std::string &path, std::size_t at);
    /// A value as JSON.
    json::Value value();
    /// The surrounding elements, for locations of reports: pushes one for its lifetime.
    struct Inside {
        TextReader &r;
        Inside(TextReader &r, std::string what) : r(r) { r.trail_.push_back(std::move(what)); }
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
    Name file_; // the last file named in a location
    int depth_ = 0;
    uint32_t graphs_ = 0;
    std::vector<std::string> trail_;
};

} // namespace sdfgc::serialize::text
