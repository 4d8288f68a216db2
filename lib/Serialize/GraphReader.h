// Reads regions, states, nodes and edges from a document. There is one reader per document; external SDFGs are separate documents.
#pragma once

#include "FieldReader.h"

#include "sdfgc/IR/Scopes.h"

namespace sdfgc::serialize {

/// State shared by the documents of one load.
struct LoadContext {
    diag::Engine &diags;
    const Limits &limits;
    std::vector<std::string> openFiles; // being read, outermost first: an external SDFG must not be one of them
    uint64_t externalBytes = 0;
    int graphDepth = 0; // number of surrounding nested SDFGs
};

/// Loads the graph in another file; the path is relative to the folder of the file that names it. Null after errors; `report`
/// receives errors about the reference itself.
std::unique_ptr<ir::SDFG> loadExternal(const std::string &namedBy, const std::string &file, LoadContext &context,
                                       const std::function<void(diag::Message)> &report);

class GraphReader {
public:
    GraphReader(const Document &doc, LoadContext &context) : context_(context), values_(doc, context.diags) {}
    std::unique_ptr<ir::SDFG> readRoot(Json root);

private:
    // GraphReader.cpp
    std::unique_ptr<ir::SDFG> readGraph(Json v);
    void readDeclarations(Json attributes, ir::SDFG &g, GraphScope &scope, FieldReader &r);
    void readRegion(Json v, ir::Region &region);
    std::unique_ptr<ir::Block> readBlock(Json v);
    std::unique_ptr<ir::Block> readLoop(Json v);
    std::unique_ptr<ir::Block> readConditional(Json v);
    void readBlockRest(Json v, FieldReader &r, ir::Block &b);
    void readInterstateEdge(Json v, ir::Region &region);
    void addLoopJumps(Json breaks, Json continues, ir::LoopRegion &loop);
    void readStart(Json v, ir::Region &region);
    // StateReader.cpp
    std::unique_ptr<ir::Block> readState(Json v);
    std::unique_ptr<ir::Node> readNode(Json v);
    std::unique_ptr<ir::Node> readNested(Json v, FieldReader &r);
    std::unique_ptr<ir::Node> readLibrary(Json v, FieldReader &r);
    std::unique_ptr<ir::Node> readReduce(FieldReader &r);
    void readNodeRest(std::string_view className, FieldReader &r, ir::Node &n);
    void readEdge(Json v, ir::State &s);
    ir::Memlet readMemlet(Json v);
    void upgradeMemlet(Json v, FieldReader &r, ir::Memlet &m);
    void listConnectors(ir::Node &n, Name conn, bool in);
    void checkScopes(Json nodes, ir::State &s);
    std::unique_ptr<ir::SDFG> readEmbedded(Json text);

    /// The string member `type`; if there is none, reports this and returns nothing.
    std::optional<std::string_view> typeOf(Json v, std::string_view what);
    /// A required array member; otherwise reports this and returns an absent value (an empty list).
    Json requiredList(Json v, std::string_view key, std::string_view what);
    void checkPosition(Json v, std::size_t position);

    LoadContext &context_;
    ValueReader values_;
    uint32_t graphs_ = 0;
    /// Connectors of nodes with many of them, so that edges find theirs in constant time.
    std::unordered_map<const ir::Node *, std::unordered_set<Name>> inNames_, outNames_;
};

} // namespace sdfgc::serialize
