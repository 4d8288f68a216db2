// Control flow and SDFGs (format reference sections 2 and 5; old forms: 1.11).
#include "GraphReader.h"

#include "Fields.h"
#include "Upgrade.h"

#include "sdfgc/IR/Identifier.h"

namespace sdfgc::serialize {

using diag::Id;

namespace {

/// No program nests SDFGs this deeply; this bounds the recursion of all code that walks graphs.
constexpr int kMaxGraphDepth = 400;

struct RegionClass {
    std::string_view name;
    ir::BlockKind kind;
};
constexpr RegionClass kRegions[] = {
    {"ControlFlowRegion", ir::BlockKind::Region},
    {"NamedRegion", ir::BlockKind::Named},
    {"FunctionCallRegion", ir::BlockKind::FunctionCall},
    {"UnstructuredControlFlow", ir::BlockKind::Unstructured},
};

std::optional<ir::BlockKind> regionKind(std::string_view type) {
    for (const RegionClass &c : kRegions)
        if (c.name == type)
            return c.kind;
    return std::nullopt;
}

/// The names among the keys of an object, for texts that refer to them before they are read.
void addKeys(Json object, std::unordered_set<Name> &names) {
    if (object)
        for (auto [key, value] : object.members())
            names.insert(Name(key.text()));
}

/// `2` of `2.0.0a6`.
int majorVersion(std::string_view version) {
    int n = 0;
    for (char c : version) {
        if (c < '0' || c > '9' || n > 1000)
            break;
        n = n * 10 + (c - '0');
    }
    return n;
}

} // namespace

std::optional<std::string_view> GraphReader::typeOf(Json v, std::string_view what) {
    if (!values_.expect(what, v, JsonKind::Object))
        return std::nullopt;
    Json type = v.find("type");
    if (!type) {
        values_.report(Id::MissingKey, v, what, "type");
        return std::nullopt;
    }
    if (!values_.expect("type", type, JsonKind::String))
        return std::nullopt;
    return type.text();
}

Json GraphReader::requiredList(Json v, std::string_view key, std::string_view what) {
    Json list = v.find(key);
    if (!list)
        values_.report(Id::MissingKey, v, what, key);
    else if (values_.expect(key, list, JsonKind::Array))
        return list;
    return Json();
}

void GraphReader::checkPosition(Json v, std::size_t position) {
    Json id = v.find("id");
    if (id && !id.isNull() && id.text() != std::to_string(position))
        values_.report(Id::PositionDiffers, id, id.text(), position);
}

// ---- SDFGs
std::unique_ptr<ir::SDFG> GraphReader::readRoot(Json root) {
    auto type = typeOf(root, "the file");
    if (!type)
        return nullptr;
    if (*type != "SDFG") {
        values_.report(Id::UnknownElement, root.find("type"), "file", *type, "the root of a graph has the type `SDFG`");
        return nullptr;
    }
    if (Json files = root.find("source_files"); files && !files.isNull())
        values_.read("source_files", files, values_.sourceFiles);
    auto g = readGraph(root);
    if (Json version = root.find("dace_version"); version && !version.isNull())
        values_.read("dace_version", version, g->daceVersion);
    if (majorVersion(g->daceVersion) > 2)
        values_.report(Id::NewerVersion, root.find("dace_version"), g->daceVersion);
    if (values_.hasErrors())
        return nullptr;
    if (declaresNoSymbols(root))
        declareSymbols(*g);
    return g;
}

std::unique_ptr<ir::SDFG> GraphReader::readGraph(Json v) {
    auto type = typeOf(v, "a nested SDFG");
    if (type && *type != "SDFG")
        values_.report(Id::UnknownElement, v.find("type"), "nested SDFG", *type, "");
    Json attributes = v.find("attributes");
    Json name = attributes ? attributes.find("name") : Json();
    if (!name)
        values_.report(Id::MissingKey, v, "an SDFG", "attributes.name");
    auto id = name ? values_.readIdentifier("SDFG", name) : std::nullopt;
    auto g = std::make_unique<ir::SDFG>(id.value_or(Name("_")));
    g->label = g->name.str();
    if (context_.graphDepth >= kMaxGraphDepth) {
        values_.report(Id::TooManyNestedGraphs, v, kMaxGraphDepth);
        return g;
    }
    ++context_.graphDepth;
    GraphScope scope;
    scope.facts = &g->symbolHints;
    scope.number = ++graphs_;
    GraphScope *outer = values_.enter(&scope);

    FieldReader r(values_, attributes);
    r.take("name");
    readDeclarations(attributes, *g, scope, r);
    graphFields(r, *g);
    r.field("using_experimental_blocks", g->usesExplicitControlFlow); // 1.x
    if (Json types = r.take("arg_types"); types && g->argNames.empty())
        for (Json entry : types.items())
            for (auto [argument, descriptor] : entry.members())
                g->argNames.emplace_back(argument.text());
    for (const Name n : g->argNames) // these are part of the interface
        if (!ir::isIdentifier(n.view()))
            values_.report(Id::BadName, attributes, "argument", n.str());
    r.rest("SDFG", g->extra);
    readRegion(v, *g);
    settleHints(*g);

    values_.enter(outer);
    --context_.graphDepth;
    return g;
}

void GraphReader::readDeclarations(Json attributes, ir::SDFG &g, GraphScope &scope, FieldReader &r) {
    if (!attributes)
        return;
    // Texts may refer to containers that come later.
    constexpr std::string_view containerLists[] = {"_arrays", "_pgrids", "_subarrays", "_rdistrarrays"};
    for (std::string_view list : containerLists)
        addKeys(attributes.find(list), scope.containers);
    addKeys(attributes.find("constants_prop"), scope.containers);
    r.field("symbols", g.symbols);
    r.field("constants_prop", g.constants);
    for (std::string_view list : containerLists) // those of MPI have separate lists in 1.x
        r.field(list, g.arrays);
}

// ---- regions
void GraphReader::readRegion(Json v, ir::Region &region) {
    Json nodes = requiredList(v, "nodes", "a region");
    Json edges = requiredList(v, "edges", "a region");
    if (!nodes || !edges)
        return;
    for (Json n : nodes.items()) {
        auto block = readBlock(n);
        if (!block) // positions must stay valid: a placeholder for a block that could not be read
            block = std::make_unique<ir::State>();
        region.adopt(std::move(block));
        checkPosition(n, region.blocks().size() - 1);
    }
    for (Json e : edges.items())
        readInterstateEdge(e, region);
    readStart(v, region);
}

void GraphReader::readStart(Json v, ir::Region &region) {
    Json start = v.find("start_block");
    if (!start)
        start = v.find("start_state"); // before 0.15
    if (!start || start.isNull() || region.blocks().empty())
        return;
    int64_t position = -1;
    values_.read("start_block", start, position);
    if (position >= 0 && static_cast<uint64_t>(position) < region.blocks().size())
        return region.setStart(region.blocks()[static_cast<std::size_t>(position)].get());
    // Tools that remove blocks leave stale positions behind; these do no harm if the start is evident from the graph.
    if (region.start())
        values_.report(Id::StaleStart, start, "start_block", start.text(), region.blocks().size(), "blocks");
    else
        values_.report(Id::BadReference, start, "start_block", start.text(), region.blocks().size(), "blocks");
}

std::unique_ptr<ir::Block> GraphReader::readBlock(Json v) {
    auto type = typeOf(v, "a block");
    if (!type)
        return nullptr;
    if (*type == "SDFGState")
        return readState(v);
    if (*type == "LoopRegion")
        return readLoop(v);
    if (*type == "ConditionalBlock")
        return readConditional(v);
    std::unique_ptr<ir::Block> block;
    if (*type == "BreakBlock")
        block = std::make_unique<ir::BreakBlock>();
    else if (*type == "ContinueBlock")
        block = std::make_unique<ir::ContinueBlock>();
    else if (*type == "ReturnBlock")
        block = std::make_unique<ir::ReturnBlock>();
    else if (*type == "ControlFlowBlock") // the abstract class: an empty block
        block = std::make_unique<ir::State>();
    else if (auto kind = regionKind(*type))
        block = std::make_unique<ir::Region>(*kind);
    if (!block) {
        static const std::vector<std::string> known = {
            "SDFGState",  "LoopRegion",    "ConditionalBlock", "ControlFlowRegion",  "NamedRegion",
            "BreakBlock", "ContinueBlock", "ReturnBlock",      "FunctionCallRegion", "UnstructuredControlFlow"};
        std::string near = diag::nearest(*type, known);
        values_.report(Id::UnknownElement, v.find("type"), "block", *type, near.empty() ? "" : "did you mean `" + near + "`?");
        return nullptr;
    }
    FieldReader r(values_, v.find("attributes"));
    auto *region = dyn_cast<ir::Region>(block.get());
    if (region)
        regionFields(r, *region);
    readBlockRest(v, r, *block);
    if (region)
        readRegion(v, *region);
    return block;
}

void GraphReader::readBlockRest(Json v, FieldReader &r, ir::Block &b) {
    if (Json label = v.find("label"); label && !label.isNull())
        values_.read("label", label, b.label);
    r.field("debuginfo", b.debugInfo);
    Json type = v.find("type");
    r.rest(type ? type.text() : std::string_view(), b.extra);
}

std::unique_ptr<ir::Block> GraphReader::readLoop(Json v) {
    auto loop = std::make_unique<ir::LoopRegion>();
    FieldReader r(values_, v.find("attributes"));
    loopFields(r, *loop);
    Json breaks = r.take("break_states"), continues = r.take("continue_states");
    readBlockRest(v, r, *loop);
    readRegion(v, *loop);
    addLoopJumps(breaks, continues, *loop);
    return loop;
}

/// 0.16 listed the states after which a loop breaks or continues; now each is followed by a separate block.
void GraphReader::addLoopJumps(Json breaks, Json continues, ir::LoopRegion &loop) {
    const std::size_t count = loop.blocks().size();
    std::vector<std::pair<ir::Block *, bool>> jumps;
    for (auto [list, isBreak] : {std::pair(breaks, true), std::pair(continues, false)}) {
        if (!list)
            continue;
        for (Json item : list.items())
            if (auto at = values_.readPosition(isBreak ? "break_states" : "continue_states", item, count, "blocks"))
                jumps.emplace_back(loop.blocks()[*at].get(), isBreak);
    }
    for (auto [from, isBreak] : jumps) {
        for (ir::InterstateEdge *e : std::vector(from->outEdges()))
            loop.removeEdge(e); // never taken
        ir::Block *jump = isBreak ? static_cast<ir::Block *>(loop.add<ir::BreakBlock>()) : loop.add<ir::ContinueBlock>();
        jump->label = (isBreak ? "break_" : "continue_") + from->label;
        loop.connect(from, jump);
    }
}

std::unique_ptr<ir::Block> GraphReader::readConditional(Json v) {
    auto block = std::make_unique<ir::ConditionalBlock>();
    FieldReader r(values_, v.find("attributes"));
    readBlockRest(v, r, *block);
    Json branches = requiredList(v, "branches", "a conditional block");
    if (!branches)
        return block;
    for (Json branch : branches.items()) {
        if (!branch.isArray() || branch.size() != 2) {
            values_.wrongKind("branches", branch, "a pair of condition and region");
            continue;
        }
        auto pair = branch.items().begin();
        std::optional<ir::Code> condition;
        values_.read("branches", *pair, condition);
        ++pair;
        Json regionJson = *pair;
        auto type = typeOf(regionJson, "a branch");
        if (!type)
            continue;
        auto kind = regionKind(*type);
        if (!kind) {
            values_.report(Id::UnknownElement, regionJson.find("type"), "branch", *type, "a branch is a `ControlFlowRegion`");
            continue;
        }
        auto region = std::make_unique<ir::Region>(*kind);
        FieldReader attributes(values_, regionJson.find("attributes"));
        regionFields(attributes, *region);
        readBlockRest(regionJson, attributes, *region);
        readRegion(regionJson, *region);
        block->addBranch(std::move(condition), std::move(region));
    }
    return block;
}

void GraphReader::readInterstateEdge(Json v, ir::Region &region) {
    if (!values_.expect("edges", v, JsonKind::Object))
        return;
    std::optional<uint32_t> ends[2];
    const std::string_view keys[] = {"src", "dst"};
    for (int i : {0, 1}) {
        if (Json end = v.find(keys[i]))
            ends[i] = values_.readPosition(keys[i], end, region.blocks().size(), "blocks");
        else
            values_.report(Id::MissingKey, v, "an edge", keys[i]);
    }
    Json attributes = v.find("attributes");
    Json data = attributes ? attributes.find("data") : Json();
    if (!data)
        return values_.report(Id::MissingKey, v, "an edge", "attributes.data");
    ir::InterstateEdge parsed;
    if (!data.isNull()) {
        auto type = typeOf(data, "an inter-state edge");
        if (!type)
            return;
        if (*type != "InterstateEdge")
            return values_.report(Id::UnknownElement, data.find("type"), "inter-state edge", *type, "");
        FieldReader r(values_, data.find("attributes"));
        interstateFields(r, parsed);
        r.rest("InterstateEdge", parsed.extra);
    }
    if (!ends[0] || !ends[1])
        return;
    ir::InterstateEdge *e = region.connect(region.blocks()[*ends[0]].get(), region.blocks()[*ends[1]].get(),
                                           std::move(parsed.condition), std::move(parsed.assignments));
    e->debugInfo = parsed.debugInfo;
    e->extra = std::move(parsed.extra);
}

} // namespace sdfgc::serialize
