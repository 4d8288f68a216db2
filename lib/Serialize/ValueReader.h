// Converts JSON values to IR values, with diagnostics. There is one reader per document.
//
// Every `read` takes the attribute's name for messages, the JSON value and the destination. A value that cannot be read is reported
// and leaves the destination unchanged, so that all errors of a file are found at once. Symbolic texts repeat thousands of times;
// each is parsed once.
#pragma once

#include "Document.h"

#include "sdfgc/IR/Sdfg.h"

#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace sdfgc::serialize {

/// The context of symbolic texts in the graph being read.
struct GraphScope {
    std::unordered_set<Name> containers; // names that denote elements rather than functions before `(` or `[`
    sym::Assumptions *facts = nullptr;   // destination of facts about symbols
    uint32_t number = 0;                 // distinguishes the graphs of a document
};

class ValueReader {
public:
    ValueReader(const Document &doc, diag::Engine &diags) : doc_(doc), diags_(diags) {}
    ValueReader(const ValueReader &) = delete;
    ValueReader &operator=(const ValueReader &) = delete;

    // ---- reporting
    void report(diag::Message message, Json at);
    template <class... Args> void report(diag::MessageKind<std::type_identity_t<Args>...> kind, Json at, const Args &...args) {
        report(diag::Message(kind, args...), at);
    }
    /// Reports each combination of kind and arguments once.
    void reportOnce(diag::Message message, Json at);
    template <class... Args> void reportOnce(diag::MessageKind<std::type_identity_t<Args>...> kind, Json at, const Args &...args) {
        reportOnce(diag::Message(kind, args...), at);
    }
    void wrongKind(std::string_view key, Json v, std::string_view expected);
    /// An enumerator; `what` it should be.
    template <class E> void readWord(std::string_view key, Json v, E &out, std::string_view what);
    /// Does the value have this kind? Reports if it does not.
    bool expect(std::string_view key, Json v, JsonKind kind);
    bool hasErrors() const { return errors_ != 0; }
    /// An error reported elsewhere makes this document unreadable.
    void noteError() { ++errors_; }
    const Document &document() const { return doc_; }

    // ---- context
    GraphScope *enter(GraphScope *scope) { return std::exchange(scope_, scope); }
    std::vector<Name> sourceFiles; // the files that file_index refers to

    // ---- plain values
    void read(std::string_view key, Json v, bool &out);
    void read(std::string_view key, Json v, int64_t &out);
    void read(std::string_view key, Json v, std::string &out);
    void read(std::string_view key, Json v, Name &out);
    void read(std::string_view key, Json v, std::optional<bool> &out);
    void read(std::string_view key, Json v, std::optional<int> &out);
    void read(std::string_view key, Json v, std::vector<Name> &out);
    void read(std::string_view key, Json v, std::vector<std::string> &out);
    void read(std::string_view key, Json v, ir::DebugInfo &out);
    void read(std::string_view key, Json v, ir::Code &out);
    void read(std::string_view key, Json v, std::optional<ir::Code> &out);
    void read(std::string_view key, Json v, std::vector<ir::TargetCode> &out);
    void read(std::string_view key, Json v, std::vector<std::pair<Name, std::string>> &out);
    /// A position in a list of `count` things: a number, or a string with one (for edges). Reports anything else.
    std::optional<uint32_t> readPosition(std::string_view key, Json v, std::size_t count, std::string_view things);
    /// A name that must be an identifier; `what` is for the message: `container`.
    std::optional<Name> readIdentifier(std::string_view what, Json v, bool dotted = false);

    // ---- enumerations
    void read(std::string_view key, Json v, ir::Storage &out);
    void read(std::string_view key, Json v, ir::Schedule &out);
    void read(std::string_view key, Json v, ir::Lifetime &out);
    void read(std::string_view key, Json v, ir::OmpSchedule &out);
    void read(std::string_view key, Json v, ir::Instrumentation &out);
    void read(std::string_view key, Json v, ir::DataInstrumentation &out);
    void read(std::string_view key, Json v, ir::CopyMethod &out);
    void read(std::string_view key, Json v, ir::GraphMark &out);
    void read(std::string_view key, Json v, ir::MemoryKind &out);
    void read(std::string_view key, Json v, ir::WcrMode &out);
    void read(std::string_view key, Json v, ir::Level &out);

    // ---- symbolic values
    void read(std::string_view key, Json v, sym::Expr &out);
    void read(std::string_view key, Json v, std::vector<sym::Expr> &out);
    void read(std::string_view key, Json v, std::optional<std::vector<sym::Expr>> &out);
    void read(std::string_view key, Json v, std::vector<sym::Range> &out);
    void read(std::string_view key, Json v, std::optional<sym::Subset> &out);
    void read(std::string_view key, Json v, std::vector<std::pair<Name, sym::Expr>> &out);

    // ---- types and containers
    void read(std::string_view key, Json v, Type &out);
    void read(std::string_view key, Json v, std::vector<ir::Connector> &out);
    void read(std::string_view key, Json v, std::unique_ptr<ir::DataDesc> &out);
    std::optional<ir::DataDesc> readSymbolicMember(std::string_view key, Json v);
    void read(std::string_view key, Json v, std::vector<std::pair<Name, std::unique_ptr<ir::DataDesc>>> &out);
    void read(std::string_view key, Json v, OrderedMap<Name, Type> &out);
    void read(std::string_view key, Json v, OrderedMap<Name, ir::DataDesc> &out);
    void read(std::string_view key, Json v, OrderedMap<Name, ir::Constant> &out);
    /// If the value is not a descriptor, reports this and returns nothing.
    std::optional<ir::DataDesc> readDescriptor(std::string_view key, Json v);

private:
    struct ParsedText {
        std::optional<sym::Expr> expr;
        std::string error;
        sym::Assumptions facts;
        std::vector<Name> calls; // names that were looked up as containers
        uint32_t lastGraph = 0;  // the graph for which facts were recorded and calls checked
    };
    std::optional<sym::Expr> parseSymbolic(std::string_view key, Json at, std::string_view text);
    ParsedText parseText(std::string_view text) const;
    bool isContainer(Name n) const { return scope_ && scope_->containers.count(n) != 0; }
    std::optional<sym::Expr> readExpr(std::string_view key, Json v);
    std::optional<sym::Range> readRange(Json v);
    std::optional<sym::Subset> readSubset(std::string_view key, Json v);
    std::optional<sym::Subset> readUnion(Json v, Json list);
    std::optional<sym::Subset> parseSubsetText(std::string_view key, Json at);

    template <class E> void readEnum(std::string_view key, Json v, E &out);
    std::optional<Type> readType(std::string_view key, Json v);
    std::optional<Type> readStruct(Json v);
    std::optional<Type> readCallback(Json v);
    std::optional<std::vector<std::pair<Name, Json>>> readPairs(std::string_view key, Json v);

    const Document &doc_;
    diag::Engine &diags_;
    GraphScope *scope_ = nullptr;
    std::size_t errors_ = 0, reports_ = 0;
    std::set<std::string> reportedOnce_;
    std::unordered_map<std::string_view, ParsedText> texts_;
};

} // namespace sdfgc::serialize
