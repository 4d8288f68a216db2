// Parses the text of one state to nodes and edges.
#pragma once

#include "Serialize/Text/StateNames.h"
#include "Serialize/Text/TextReader.h"

namespace sdfgc::serialize::text {

class StateReader {
public:
    StateReader(TextReader &r, ir::State &s) : r_(r), c_(r.cursor()), state_(s) {}
    /// Reads statements up to the closing brace.
    void read();

private:
    struct PendingEdge {
        End from, to;
        ir::Memlet memlet;
    };
    /// One end of an edge as written.
    struct EndText {
        std::size_t at = 0;
        ir::Node *handle = nullptr; // `@t`
        Name made;                  // `new A`
        Name connector, data;
        std::optional<sym::Subset> subset;
        bool isNone = false;
    };
    struct Counts {
        std::size_t in = 0, out = 0;
        bool noOutput = false; // `-> none`
    };
    struct Scope {
        ir::Node *entry, *exit;
        std::vector<ir::Node *> lines; // nodes with a line directly in the scope (for inner scopes the exit)
    };

    // ReadState.cpp
    void statement();
    void access();
    void map(bool isConsume);
    void leave();
    void library();
    void nested();
    std::string taskletLine();
    void tasklet(std::size_t start, std::string label);
    void copy(EndText from);
    void finish();
    void connectors();
    Assignment assignment(std::string_view one, std::string_view form);
    template <class T> T *make(std::string label);
    void begin(ir::Node *n);
    void nodeRest(Attributes &a, ir::Node &n, std::string_view element, const std::function<void(FieldReader &)> &f,
                  const ir::DebugInfo &otherwise = {});
    // ReadEdges.cpp
    void items(ir::Node &inputsOf, ir::Node &outputsOf);
    void item(ir::Node &inputsOf, ir::Node &outputsOf);
    EndText end();
    End source(const EndText &e);
    End destination(const EndText &e);
    ir::Node *madeAccess(Name data, std::size_t at);
    ir::Node *handle();
    std::optional<sym::Subset> subset();
    void memletAttributes(Attributes &a, ir::Memlet &m);
    void connect(End from, End to, ir::Memlet m);
    void annotate(ir::Node &n, bool in, Name connector, Type t);

    TextReader &r_;
    Cursor &c_;
    ir::State &state_;
    StateNames names_;
    std::vector<std::unique_ptr<ir::Node>> nodes_; // in textual order
    std::vector<PendingEdge> edges_;
    std::unordered_map<const ir::Node *, Counts> counts_;
    std::vector<Scope> open_;
    ir::DebugInfo said_;                                                            // location of the current line's node
    std::unordered_map<const ir::Node *, std::unordered_map<Name, Type>> types_[2]; // of connectors: out, in
    std::unordered_set<const ir::Node *> listed_[2];                                // whose connectors an attribute lists
    std::optional<std::size_t> nodeOrder_, edgeOrder_;
};

} // namespace sdfgc::serialize::text
