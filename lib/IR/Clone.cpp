// Deep copies. Order, ids and the pairing of scope entries and exits are kept.
#include "sdfgc/IR/Sdfg.h"

#include <unordered_map>

namespace sdfgc::ir {
namespace {

void copyCommon(const Node &from, Node &to) {
    to.label = from.label;
    to.inConnectors = from.inConnectors;
    to.outConnectors = from.outConnectors;
    to.environments = from.environments;
    to.instrument = from.instrument;
    to.debugInfo = from.debugInfo;
    to.extra = from.extra;
}

void copyMap(const MapEntry &from, MapEntry &to) {
    to.params = from.params;
    to.ranges = from.ranges;
    to.schedule = from.schedule;
    to.collapse = from.collapse;
    to.unroll = from.unroll;
    to.unrollFactor = from.unrollFactor;
    to.ompNumThreads = from.ompNumThreads;
    to.ompIf = from.ompIf;
    to.ompSchedule = from.ompSchedule;
    to.ompChunkSize = from.ompChunkSize;
    to.gpuBlockSize = from.gpuBlockSize;
    to.gpuLaunchBounds = from.gpuLaunchBounds;
    to.gpuMinWarpsPerEu = from.gpuMinWarpsPerEu;
    to.gpuMaxNReg = from.gpuMaxNReg;
    to.gpuForceSyncthreads = from.gpuForceSyncthreads;
    to.stream = from.stream;
}

std::unique_ptr<Node> copyTasklet(const Tasklet &t) {
    auto n = std::make_unique<Tasklet>();
    n->code = t.code;
    n->codeGlobal = t.codeGlobal;
    n->codeInit = t.codeInit;
    n->codeExit = t.codeExit;
    n->stateFields = t.stateFields;
    n->ignoredSymbols = t.ignoredSymbols;
    n->sideEffects = t.sideEffects;
    return n;
}

std::unique_ptr<Node> copyNested(const NestedSDFGNode &s) {
    auto n = std::make_unique<NestedSDFGNode>();
    n->sdfg = s.sdfg ? clone(*s.sdfg) : nullptr;
    n->externalPath = s.externalPath;
    n->symbolMapping = s.symbolMapping;
    n->noInline = s.noInline;
    n->uniqueName = s.uniqueName;
    return n;
}

std::unique_ptr<Node> copyConsume(const ConsumeEntry &s) {
    auto n = std::make_unique<ConsumeEntry>();
    n->peIndex = s.peIndex;
    n->numPes = s.numPes;
    n->condition = s.condition;
    n->schedule = s.schedule;
    n->chunkSize = s.chunkSize;
    return n;
}

std::unique_ptr<Node> copyLibrary(const LibraryNode &s) {
    auto n = std::make_unique<LibraryNode>();
    n->classPath = s.classPath;
    n->name = s.name;
    n->implementation = s.implementation;
    n->schedule = s.schedule;
    n->properties = s.properties;
    return n;
}

std::unique_ptr<Node> copyAccess(const AccessNode &s) {
    auto n = std::make_unique<AccessNode>(s.data);
    n->setZero = s.setZero;
    n->dataInstrument = s.dataInstrument;
    n->dataInstrumentCondition = s.dataInstrumentCondition;
    return n;
}

std::unique_ptr<Node> copyNode(const Node &s) {
    std::unique_ptr<Node> n;
    switch (s.kind()) {
    case NodeKind::Access: n = copyAccess(static_cast<const AccessNode &>(s)); break;
    case NodeKind::Tasklet: n = copyTasklet(static_cast<const Tasklet &>(s)); break;
    case NodeKind::NestedSDFG: n = copyNested(static_cast<const NestedSDFGNode &>(s)); break;
    case NodeKind::MapEntry: {
        auto m = std::make_unique<MapEntry>();
        copyMap(static_cast<const MapEntry &>(s), *m);
        n = std::move(m);
        break;
    }
    case NodeKind::MapExit: n = std::make_unique<MapExit>(); break;
    case NodeKind::ConsumeEntry: n = copyConsume(static_cast<const ConsumeEntry &>(s)); break;
    case NodeKind::ConsumeExit: n = std::make_unique<ConsumeExit>(); break;
    case NodeKind::Library: n = copyLibrary(static_cast<const LibraryNode &>(s)); break;
    }
    copyCommon(s, *n);
    return n;
}

template <class Entry, class Exit> void pair(const Node *from, Node *to, const std::unordered_map<const Node *, Node *> &map) {
    const auto *entry = static_cast<const Entry *>(from);
    if (!entry->exit)
        return;
    auto *exit = static_cast<Exit *>(map.at(entry->exit));
    static_cast<Entry *>(to)->exit = exit;
    exit->entry = static_cast<Entry *>(to);
}

std::unique_ptr<Block> copyState(const State &s) {
    auto out = std::make_unique<State>();
    out->nosync = s.nosync;
    out->instrument = s.instrument;
    out->symbolInstrument = s.symbolInstrument;
    out->symbolInstrumentCondition = s.symbolInstrumentCondition;
    std::unordered_map<const Node *, Node *> map;
    for (const auto &n : s.nodes())
        map[n.get()] = out->adopt(copyNode(*n));
    for (const auto &e : s.edges())
        out->connect(map.at(e->src), e->srcConn, map.at(e->dst), e->dstConn, e->memlet);
    for (const auto &n : s.nodes()) {
        if (n->kind() == NodeKind::MapEntry)
            pair<MapEntry, MapExit>(n.get(), map.at(n.get()), map);
        else if (n->kind() == NodeKind::ConsumeEntry)
            pair<ConsumeEntry, ConsumeExit>(n.get(), map.at(n.get()), map);
    }
    return out;
}

void copyRegion(const Region &from, Region &to);

std::unique_ptr<Block> copyLoop(const LoopRegion &s) {
    auto l = std::make_unique<LoopRegion>();
    l->init = s.init;
    l->condition = s.condition;
    l->update = s.update;
    l->variable = s.variable;
    l->inverted = s.inverted;
    l->updateBeforeCondition = s.updateBeforeCondition;
    l->unroll = s.unroll;
    l->unrollFactor = s.unrollFactor;
    copyRegion(s, *l);
    return l;
}

std::unique_ptr<Block> copyConditional(const ConditionalBlock &s) {
    auto c = std::make_unique<ConditionalBlock>();
    c->cfgId = s.cfgId;
    for (const auto &b : s.branches()) {
        auto r = std::make_unique<Region>(b.region->kind());
        r->label = b.region->label;
        r->debugInfo = b.region->debugInfo;
        r->extra = b.region->extra;
        copyRegion(*b.region, *r);
        c->addBranch(b.condition, std::move(r));
    }
    return c;
}

std::unique_ptr<Block> copyBlock(const Block &s) {
    std::unique_ptr<Block> b;
    switch (s.kind()) {
    case BlockKind::State: b = copyState(static_cast<const State &>(s)); break;
    case BlockKind::Loop: b = copyLoop(static_cast<const LoopRegion &>(s)); break;
    case BlockKind::Conditional: b = copyConditional(static_cast<const ConditionalBlock &>(s)); break;
    case BlockKind::Break: b = std::make_unique<BreakBlock>(); break;
    case BlockKind::Continue: b = std::make_unique<ContinueBlock>(); break;
    case BlockKind::Return: b = std::make_unique<ReturnBlock>(); break;
    case BlockKind::SDFG: return clone(static_cast<const SDFG &>(s));
    case BlockKind::Region:
    case BlockKind::Unstructured:
    case BlockKind::Named:
    case BlockKind::FunctionCall: {
        auto r = std::make_unique<Region>(s.kind());
        copyRegion(static_cast<const Region &>(s), *r);
        b = std::move(r);
        break;
    }
    }
    b->label = s.label;
    b->debugInfo = s.debugInfo;
    b->extra = s.extra;
    return b;
}

void copyRegion(const Region &from, Region &to) {
    to.cfgId = from.cfgId;
    std::vector<Block *> map;
    for (const auto &b : from.blocks())
        map.push_back(to.adopt(copyBlock(*b)));
    for (const auto &e : from.edges()) {
        InterstateEdge *c = to.connect(map[e->src->id()], map[e->dst->id()], e->condition, e->assignments);
        c->debugInfo = e->debugInfo;
        c->extra = e->extra;
    }
    if (from.storedStart())
        to.setStart(map[from.storedStart()->id()]);
}

} // namespace

std::unique_ptr<SDFG> clone(const SDFG &g) {
    auto out = std::make_unique<SDFG>(g.name);
    out->label = g.label;
    out->debugInfo = g.debugInfo;
    out->extra = g.extra;
    out->arrays = g.arrays;
    out->symbols = g.symbols;
    out->symbolHints = g.symbolHints;
    out->constants = g.constants;
    out->argNames = g.argNames;
    out->globalCode = g.globalCode;
    out->initCode = g.initCode;
    out->exitCode = g.exitCode;
    out->callbackMapping = g.callbackMapping;
    out->instrument = g.instrument;
    out->openmpSections = g.openmpSections;
    out->usesExplicitControlFlow = g.usesExplicitControlFlow;
    out->daceVersion = g.daceVersion;
    out->level = g.level;
    copyRegion(g, *out);
    return out;
}

} // namespace sdfgc::ir
