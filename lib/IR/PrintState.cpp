// Text form of dataflow: nodes in execution order, scopes indented, one line per computation or copy.
//
// Access nodes and the edges outside of scopes have no line of their own: a computation says what it reads and writes, so the outer
// memlets of maps, which only repeat it, are left out.
#include "IR/PrintText.h"
#include "sdfgc/IR/Print.h"

namespace sdfgc::ir {

namespace {

using namespace text;

std::string labelOf(const Node &n) { return n.label.empty() ? "#" + std::to_string(n.id()) : n.label; }

std::string nameOf(const Node &n) {
    auto *a = dyn_cast<AccessNode>(&n);
    return a ? a->data.str() : labelOf(n);
}

class StatePrinter {
public:
    StatePrinter(TextWriter &w, const State &s, const PrintOptions &o)
        : w_(w), o_(o), g_(*s.sdfg()), scopes_(s), ends_(s, scopes_) {}

    void run() {
        for (const Node *n : scopes_.order())
            node(*n);
        while (open_ > 0)
            close();
    }

private:
    void node(const Node &n) {
        switch (n.kind()) {
        case NodeKind::Access:
            return access(static_cast<const AccessNode &>(n));
        case NodeKind::Tasklet:
            return tasklet(static_cast<const Tasklet &>(n));
        case NodeKind::NestedSDFG:
            return nested(static_cast<const NestedSDFGNode &>(n));
        case NodeKind::MapEntry:
            return map(static_cast<const MapEntry &>(n));
        case NodeKind::ConsumeEntry:
            return consume(static_cast<const ConsumeEntry &>(n));
        case NodeKind::MapExit:
        case NodeKind::ConsumeExit:
            if (open_ > 0)
                close();
            return;
        case NodeKind::Library:
            return library(static_cast<const LibraryNode &>(n));
        }
    }

    void open(const std::string &head) {
        w_.open(head);
        ++open_;
    }
    void close() {
        w_.close();
        --open_;
    }
    std::string comment(const Node &n) const { return o_.debugInfo ? source(n.debugInfo) : ""; }

    /// Text of the subset that belongs to one end of an edge.
    std::string side(const Edge &e, bool atSource) const {
        auto *end = dyn_cast<AccessNode>(atSource ? ends_.source(&e) : ends_.destination(&e));
        if (!end)
            return text::access(e.memlet.data, e.memlet.subset, g_);
        const bool own = dataIsSource(e.memlet, ends_.source(&e), ends_.destination(&e)) == atSource;
        // A member of a structure is named by the memlet.
        return text::access(own && e.memlet.data ? e.memlet.data : end->data, own ? e.memlet.subset : e.memlet.otherSubset, g_);
    }

    // ---- access nodes: views, references and copies
    const Edge *viewing(const Node *n) const {
        auto *a = dyn_cast<AccessNode>(n);
        const DataDesc *d = a ? g_.desc(a->data) : nullptr;
        return d && d->isView() ? viewEdge(a) : nullptr;
    }

    void access(const AccessNode &n) {
        if (n.setZero)
            w_.line("zero " + n.data.str());
        if (const Edge *e = viewing(&n))
            w_.line("view " + n.data.str() + " = " + side(*e, e->dst == &n));
        for (const Edge *e : n.inEdges())
            if (!e->src->isExit()) // a copy through an exit is made inside the scope
                copy(*e);
        for (const Edge *e : n.outEdges())
            if (e->dst->isExit())
                copy(*e);
        if (std::string order = after(n); !order.empty())
            w_.line(n.data.str() + order);
    }

    void copy(const Edge &e) {
        const Node *from = ends_.source(&e), *to = ends_.destination(&e);
        if (e.memlet.isEmpty() || !isa<AccessNode>(from) || !isa<AccessNode>(to) || viewing(e.src) == &e || viewing(e.dst) == &e)
            return;
        if (e.dstConn == Name("set"))
            w_.line("set " + nameOf(*to) + " = " + side(e, true));
        else
            w_.line(store(side(e, false), side(e, true), e.memlet) + how(e.memlet));
    }
    /// ` (Pitched, stream 1)`
    static std::string how(const Memlet &m) {
        std::string text = m.copy == CopyMethod::Undecided ? "" : std::string(name(m.copy));
        if (m.stream)
            text += (text.empty() ? "" : ", ") + ("stream " + std::to_string(*m.stream));
        return text.empty() ? "" : " (" + text + ")";
    }

    // ---- computations
    std::string inputs(const Node &n) const {
        std::vector<std::string> items;
        for (const Edge *e : n.inEdges()) {
            if (n.isEntry() ? !e->dstConn || pairedConnector(e->dstConn) : !e->dstConn && !e->memlet.data)
                continue;
            const Node *from = ends_.source(e);
            std::string value = e->memlet.data ? side(*e, true) : nameOf(*from) + (e->srcConn ? "." + e->srcConn.str() : "");
            items.push_back((e->dstConn ? e->dstConn.str() + " <- " : "") + value + (e->memlet.dynamic ? " dynamic" : ""));
        }
        return join(items);
    }

    std::string outputs(const Node &n) const {
        std::vector<std::string> items;
        for (const Edge *e : n.outEdges()) {
            if (!e->memlet.data) // order only, or a value for another code node, which is shown where it is read
                continue;
            const bool set = isa<AccessNode>(e->dst) && e->dstConn == Name("set");
            std::string value = e->srcConn ? e->srcConn.str() : "result"; // some library nodes have no connectors
            items.push_back(store((set ? "set " : "") + side(*e, false), value, e->memlet));
        }
        return join(items);
    }

    /// ` after t, A`: ordering edges, except from the entry of the own scope and those that tie operations on streams: nodes are
    /// printed in order anyway.
    std::string after(const Node &n) const {
        std::vector<std::string> items;
        for (const Edge *e : n.inEdges())
            if (e->memlet.isEmpty() && !e->srcConn && !e->dstConn && e->src != scopes_.scopeOf(&n) && !isAsync(e->src) &&
                !isAsync(&n))
                items.push_back(nameOf(*e->src));
        return items.empty() ? "" : " after " + join(items);
    }

    /// ` with a <- A[i]; c -> C[i]`, then mapped symbols when there are any.
    std::string with(const Node &n, const std::vector<std::string> &symbols = {}) const {
        std::string all = join({inputs(n), outputs(n), join(symbols)}, "; ");
        return (all.empty() ? "" : " with " + all) + after(n);
    }

    void tasklet(const Tasklet &t) {
        std::vector<std::string> code = statements(t.code);
        std::string head =
            labelOf(t) + (t.code.language == Language::Python ? "" : " (" + std::string(name(t.code.language)) + ")");
        std::string data = with(t);
        if (code.size() <= 1) {
            w_.line(head + ": " + (code.empty() ? "nothing" : code[0]) + (data.empty() ? "" : "  " + data) + comment(t));
            return;
        }
        w_.open(head + data + comment(t));
        for (const std::string &line : code)
            w_.line(line);
        w_.close();
    }

    /// One of sdfgc's own nodes that order GPU streams (sdfgc/Analysis/Async.h)?
    static bool isAsync(const Node *n) {
        const auto *l = dyn_cast<LibraryNode>(n);
        return l && l->classPath.rfind("sdfgc.async.", 0) == 0;
    }
    static std::string property(const LibraryNode &n, const char *key) {
        const json::Value *v = n.properties.find(key);
        return v ? v->dump() : "?";
    }

    void async(const LibraryNode &n) {
        const std::string stream = property(n, "stream"), event = property(n, "event");
        const json::Value *data = n.properties.find("data");
        if (n.className() == "Barrier")
            w_.line("barrier");
        else if (n.className() == "GridBarrier")
            w_.line("barrier of the grid");
        else if (n.className() == "Allocate" || n.className() == "Free")
            w_.line(std::string(n.className() == "Free" ? "free " : "allocate ") + (data ? data->text() : "?") +
                    (stream == "?" ? "" : " (stream " + stream + ")"));
        else if (n.className() == "Reserve")
            w_.line("reserve " + (data ? data->text() : "?"));
        else if (n.className() == "Synchronise")
            w_.line("host waits for stream " + stream);
        else if (n.className() == "Record")
            w_.line("stream " + stream + " records event " + event);
        else
            w_.line((stream == "-1" ? "host" : "stream " + stream) + " waits for event " + event);
    }

    void library(const LibraryNode &n) {
        if (isAsync(&n))
            return async(n);
        std::vector<std::string> attributes;
        if (!n.implementation.empty())
            attributes.push_back(n.implementation);
        if (n.schedule != Schedule::Default)
            attributes.emplace_back(name(n.schedule));
        std::vector<std::string> properties;
        for (const auto &[key, value] : n.properties)
            properties.push_back(key + " = " + (value.isString() ? value.text() : value.dump()));
        std::string head = "library " + n.className() + " " + labelOf(n);
        if (!attributes.empty())
            head += " (" + join(attributes) + ")";
        if (!properties.empty())
            head += " {" + join(properties) + "}";
        std::string data = with(n);
        w_.line(head + (data.empty() ? "" : "  " + data) + comment(n));
    }

    void nested(const NestedSDFGNode &n) {
        std::vector<std::string> symbols;
        for (const auto &[inner, value] : n.symbolMapping)
            symbols.push_back(inner.str() + " = " + value.str());
        openList(w_, "nested " + labelOf(n), n.sdfg ? printArguments(*n.sdfg) : std::vector<std::string>(),
                 (n.noInline ? " (no inline)" : "") + with(n, symbols) + comment(n));
        if (n.sdfg)
            printBody(w_, *n.sdfg, o_);
        else
            w_.line("in file " + n.externalPath);
        w_.close();
    }

    // ---- scopes
    static std::string attributeList(const std::vector<std::string> &items) {
        return items.empty() ? "" : " (" + join(items) + ")";
    }

    static std::vector<std::string> attributes(const MapEntry &m) {
        std::vector<std::string> a;
        if (m.schedule != Schedule::Default)
            a.emplace_back(name(m.schedule));
        if (m.collapse > 1)
            a.push_back("collapse " + std::to_string(m.collapse));
        if (m.unroll)
            a.push_back(m.unrollFactor ? "unroll " + std::to_string(m.unrollFactor) : "unroll");
        if (!m.ompNumThreads.isZero())
            a.push_back("threads " + m.ompNumThreads.str());
        if (m.ompIf != sym::Expr::boolean(true))
            a.push_back("parallel if " + m.ompIf.str());
        if (m.ompSchedule != OmpSchedule::Default)
            a.push_back("omp " + std::string(name(m.ompSchedule)) + (m.ompChunkSize ? " " + std::to_string(m.ompChunkSize) : ""));
        if (m.gpuBlockSize)
            a.push_back("block " + bracketed(*m.gpuBlockSize));
        if (!m.gpuGridLimit.empty() &&
            !std::all_of(m.gpuGridLimit.begin(), m.gpuGridLimit.end(), [](sym::Expr e) { return e.isZero(); }))
            a.push_back("grid limit " + bracketed(m.gpuGridLimit));
        if (m.gpuLaunchBounds != "0")
            a.push_back("launch bounds " + m.gpuLaunchBounds);
        if (m.gpuMaxNReg)
            a.push_back("registers " + std::to_string(m.gpuMaxNReg));
        if (m.gpuForceSyncthreads)
            a.emplace_back("sync");
        if (m.stream)
            a.push_back("stream " + std::to_string(*m.stream));
        return a;
    }

    void map(const MapEntry &m) {
        std::vector<std::string> ranges;
        for (std::size_t d = 0; d < m.ranges.size(); ++d)
            ranges.push_back((d < m.params.size() ? m.params[d].str() : "?") + " = " + sym::Subset{{m.ranges[d]}}.str());
        std::string data = inputs(m); // dynamic ranges
        open("map " + labelOf(m) + "[" + join(ranges) + "]" + attributeList(attributes(m)) + (data.empty() ? "" : " with " + data) +
             after(m) + comment(m));
    }

    void consume(const ConsumeEntry &c) {
        std::vector<std::string> a;
        if (c.schedule != Schedule::Default)
            a.emplace_back(name(c.schedule));
        if (c.chunkSize != 1)
            a.push_back("chunk " + std::to_string(c.chunkSize));
        std::string stream;
        if (const Edge *e = c.inEdge("IN_stream"))
            stream = " over " + e->memlet.data.str();
        std::string until = c.condition && !c.condition->empty() ? " until " + expression(c.condition) : "";
        open("consume " + labelOf(c) + "[" + c.peIndex.str() + " = 0:" + c.numPes.str() + "]" + attributeList(a) + stream + until +
             after(c) + comment(c));
    }

    TextWriter &w_;
    const PrintOptions &o_;
    const SDFG &g_;
    ScopeTree scopes_;
    PathEnds ends_;
    int open_ = 0;
};

} // namespace

void printState(TextWriter &w, const State &s, const PrintOptions &o) { StatePrinter(w, s, o).run(); }

} // namespace sdfgc::ir
