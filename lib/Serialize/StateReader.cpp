// Dataflow: the nodes and edges of a state (format reference section 6; old forms: 1.11).
#include "Fields.h"
#include "GraphReader.h"
#include "RangeText.h"

namespace sdfgc::serialize {

using diag::Id;

namespace {

/// With at least this many connectors, a node's connectors are kept in a set while edges are read.
constexpr std::size_t kManyConnectors = 32;

Json attributesOf(Json v) { return v.find("attributes"); }

/// Up to 1.x, `Unrolled` was a separate schedule: sequential loops, fully unrolled.
void upgradeUnrolled(ir::MapEntry &m) {
    if (m.schedule != ir::Schedule::Unrolled)
        return;
    m.schedule = ir::Schedule::Sequential;
    m.unroll = true;
}

/// The text property of a library node in the file, or an empty text.
std::string scopeHint(Json node, std::string_view key, std::string_view oldKey) {
    Json v = node.find(key);
    if (!v && !oldKey.empty())
        if (Json list = node.find(oldKey); list && list.isArray() && list.size() > 0)
            v = *list.items().begin();
    return v ? std::string(v.text()) : std::string();
}

} // namespace

std::unique_ptr<ir::Block> GraphReader::readState(Json v) {
    auto state = std::make_unique<ir::State>();
    FieldReader r(values_, attributesOf(v));
    stateFields(r, *state);
    readBlockRest(v, r, *state);
    Json nodes = requiredList(v, "nodes", "a state");
    Json edges = requiredList(v, "edges", "a state");
    if (!nodes || !edges)
        return state;
    for (Json n : nodes.items()) {
        auto node = readNode(n);
        if (!node) // positions must stay valid: a placeholder for a node that could not be read
            node = std::make_unique<ir::Tasklet>();
        state->adopt(std::move(node));
        checkPosition(n, state->nodes().size() - 1);
    }
    inNames_.clear();
    outNames_.clear();
    for (Json e : edges.items())
        readEdge(e, *state);
    checkScopes(nodes, *state);
    return state;
}

// ---- nodes
std::unique_ptr<ir::Node> GraphReader::readNode(Json v) {
    auto type = typeOf(v, "a node");
    if (!type)
        return nullptr;
    FieldReader r(values_, attributesOf(v));
    std::unique_ptr<ir::Node> node;
    if (*type == "AccessNode") {
        auto n = std::make_unique<ir::AccessNode>(Name());
        accessFields(r, *n);
        if (n->data.empty() && (!attributesOf(v) || !attributesOf(v).find("data") || attributesOf(v).find("data").isNull()))
            values_.report(Id::MissingKey, v, "an access node", "data");
        node = std::move(n);
    } else if (*type == "Tasklet" || *type == "EmptyTasklet") {
        auto n = std::make_unique<ir::Tasklet>();
        taskletFields(r, *n);
        node = std::move(n);
        type = "Tasklet";
    } else if (*type == "MapEntry") {
        auto n = std::make_unique<ir::MapEntry>();
        mapFields(r, *n);
        upgradeUnrolled(*n);
        if (n->params.size() != n->ranges.size())
            values_.report(Id::RankMismatch, v, "params", n->params.size(), n->ranges.size());
        node = std::move(n);
    } else if (*type == "ConsumeEntry") {
        auto n = std::make_unique<ir::ConsumeEntry>();
        consumeFields(r, *n);
        node = std::move(n);
    } else if (*type == "MapExit" || *type == "ConsumeExit") {
        // Properties of the scope, which some versions repeat here, are those of the entry.
        ir::MapEntry map;
        ir::ConsumeEntry consume;
        if (*type == "MapExit")
            mapFields(r, map), node = std::make_unique<ir::MapExit>();
        else
            consumeFields(r, consume), node = std::make_unique<ir::ConsumeExit>();
    } else if (*type == "NestedSDFG") {
        node = readNested(v, r);
    } else if (*type == "LibraryNode") {
        node = readLibrary(v, r);
    } else if (*type == "Reduce") {
        node = readReduce(r);
    } else if (*type == "PipelineEntry" || *type == "PipelineExit") {
        values_.report(Id::UnsupportedFeature, v, "the pipeline scope of FPGA programs (`" + std::string(*type) + "`)", "");
    } else {
        static const std::vector<std::string> known = {"AccessNode", "Tasklet",      "NestedSDFG",  "MapEntry",
                                                       "MapExit",    "ConsumeEntry", "ConsumeExit", "LibraryNode"};
        std::string near = diag::nearest(*type, known);
        values_.report(Id::UnknownElement, v.find("type"), "node", *type, near.empty() ? "" : "did you mean `" + near + "`?");
    }
    if (node)
        readNodeRest(*type, r, *node);
    return node;
}

void GraphReader::readNodeRest(std::string_view className, FieldReader &r, ir::Node &n) {
    nodeFields(r, n);
    if (auto *library = dyn_cast<ir::LibraryNode>(&n))
        r.rest(library->properties);
    else
        r.rest(className, n.extra);
}

std::unique_ptr<ir::Node> GraphReader::readLibrary(Json v, FieldReader &r) {
    auto n = std::make_unique<ir::LibraryNode>();
    libraryFields(r, *n);
    if (n->name.empty())
        n->name = n->label;
    if (n->schedule == ir::Schedule::Unrolled)
        n->schedule = ir::Schedule::Sequential;
    if (Json path = v.find("classpath"))
        values_.read("classpath", path, n->classPath);
    else
        values_.report(Id::MissingKey, v, "a library node", "classpath");
    return n;
}

/// Up to 0.9, reductions had a separate node type.
std::unique_ptr<ir::Node> GraphReader::readReduce(FieldReader &r) {
    auto n = std::make_unique<ir::LibraryNode>();
    n->classPath = "dace.libraries.standard.nodes.reduce.Reduce";
    n->name = n->label = "Reduce";
    libraryFields(r, *n);
    return n;
}

std::unique_ptr<ir::Node> GraphReader::readNested(Json v, FieldReader &r) {
    auto n = std::make_unique<ir::NestedSDFGNode>();
    nestedFields(r, *n);
    Json graph = r.take("sdfg");
    if (graph && graph.isString()) {
        n->sdfg = readEmbedded(graph);
    } else if (graph && !graph.isNull()) {
        if (values_.expect("sdfg", graph, JsonKind::Object))
            n->sdfg = readGraph(graph);
    } else if (!n->externalPath.empty()) {
        n->sdfg = loadExternal(values_.document().name(), n->externalPath, context_,
                               [&](diag::Message m) { values_.report(std::move(m), attributesOf(v).find("ext_sdfg_path")); });
    } else {
        values_.report(Id::MissingKey, v, "a nested SDFG", "sdfg");
    }
    return n;
}

// ---- edges
void GraphReader::listConnectors(ir::Node &n, Name conn, bool in) {
    std::vector<ir::Connector> &list = in ? n.inConnectors : n.outConnectors;
    if (list.size() < kManyConnectors) {
        in ? n.addIn(conn) : n.addOut(conn);
        return;
    }
    std::unordered_set<Name> &names = (in ? inNames_ : outNames_)[&n];
    if (names.size() != list.size())
        for (const ir::Connector &c : list)
            names.insert(c.name);
    if (names.insert(conn).second)
        list.push_back({conn, Type()});
}

void GraphReader::readEdge(Json v, ir::State &s) {
    if (!values_.expect("edges", v, JsonKind::Object))
        return;
    const std::size_t count = s.nodes().size();
    std::optional<uint32_t> ends[2];
    Name connectors[2];
    const std::string_view endKeys[] = {"src", "dst"}, connectorKeys[] = {"src_connector", "dst_connector"};
    for (int i : {0, 1}) {
        if (Json end = v.find(endKeys[i]))
            ends[i] = values_.readPosition(endKeys[i], end, count, "nodes");
        else
            values_.report(Id::MissingKey, v, "an edge", endKeys[i]);
        if (Json conn = v.find(connectorKeys[i]); conn && !conn.isNull())
            connectors[i] = values_.readIdentifier("connector", conn, true).value_or(Name());
    }
    Json attributes = attributesOf(v);
    Json data = attributes ? attributes.find("data") : Json();
    if (!data)
        return values_.report(Id::MissingKey, v, "an edge", "attributes.data");
    ir::Memlet memlet = readMemlet(data);
    if (!ends[0] || !ends[1])
        return;
    ir::Node *src = s.nodes()[*ends[0]].get(), *dst = s.nodes()[*ends[1]].get();
    if (connectors[0])
        listConnectors(*src, connectors[0], false);
    if (connectors[1])
        listConnectors(*dst, connectors[1], true);
    s.connectListed(src, connectors[0], dst, connectors[1], std::move(memlet));
}

ir::Memlet GraphReader::readMemlet(Json v) {
    ir::Memlet m;
    if (v.isNull()) // an ordering edge
        return m;
    auto type = typeOf(v, "a memlet");
    if (!type)
        return m;
    if (*type != "Memlet" && *type != "EmptyMemlet") {
        values_.report(Id::UnknownElement, v.find("type"), "memlet", *type, "");
        return m;
    }
    FieldReader r(values_, attributesOf(v));
    memletFields(r, m);
    upgradeMemlet(v, r, m);
    r.rest("Memlet", m.extra);
    return m;
}

/// Upgrades attributes of 0.9.
void GraphReader::upgradeMemlet(Json v, FieldReader &r, ir::Memlet &m) {
    Json accesses = r.take("num_accesses");
    const bool hasVolume = attributesOf(v) && attributesOf(v).find("volume");
    const bool isOld = accesses && !hasVolume;
    if (isOld && accesses.text() == "-1")
        m.dynamic = true;
    else if (isOld)
        values_.read("num_accesses", accesses, m.volume);
    else if (!hasVolume && m.subset) { // files not written by DaCe
        m.volume = m.subset->numElements();
        if (m.volume.overflowed())
            values_.report(Id::BadExpression, attributesOf(v).find("subset"), "subset", tooManyElements);
    }
    if (Json conflict = r.take("wcr_conflict"); conflict && conflict.kind() == JsonKind::False)
        m.wcrNonatomic = true;
    if (Json identity = r.take("wcr_identity"); identity && !identity.isNull())
        values_.reportOnce(Id::WcrIdentityDropped, identity, identity.text());
    if (Json lanes = r.take("veclen"); lanes && lanes.text() != "1" && lanes.text() != "")
        values_.report(Id::UnsupportedFeature, lanes,
                       "a vector memlet (`veclen` " + std::string(lanes.text()) + ") of versions before 0.10",
                       "convert the file with a DaCe version from 0.10 on");
}

// ---- scopes
void GraphReader::checkScopes(Json nodes, ir::State &s) {
    const ir::ScopeMap map = ir::pairScopes(s);
    std::vector<Json> byId;
    byId.reserve(nodes.size());
    for (Json n : nodes.items())
        byId.push_back(n);
    for (const ir::ScopeProblem &p : map.problems)
        values_.report(Id::MalformedScope, byId[p.node->id()], p.what);
    if (!map.problems.empty())
        return;
    for (const auto &n : s.nodes()) {
        // The exit has no properties in the file; it has the name of its entry.
        if (n->isExit())
            n->label = map.entry[n->id()]->label;
        auto check = [&](std::string_view key, std::string_view oldKey, const ir::Node *actual) {
            const std::string stored = scopeHint(byId[n->id()], key, oldKey);
            const std::string found = actual ? std::to_string(actual->id()) : "";
            if (!stored.empty() && stored != found)
                values_.report(Id::ScopeHintDiffers, byId[n->id()], key, stored, found.empty() ? "none" : found);
        };
        check("scope_entry", "", map.entry[n->id()]);
        if (n->isEntry())
            check("scope_exit", "scope_exits", map.exit[n->id()]);
    }
}

} // namespace sdfgc::serialize
