// Text form of dataflow: nodes in execution order, scopes indented, one line per computation or copy.
//
// Most access nodes have no separate line: they are created by the computation that reads or writes their container. The printer
// takes the same steps as the reader (StateNames) and prints only those properties of an edge's ends that the reader would not
// infer.
#include "Serialize/Fields.h"
#include "Serialize/Text/Connectors.h"
#include "Serialize/Text/Keys.h"
#include "Serialize/Text/Printer.h"

#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>
#include <unordered_set>

namespace sdfgc::serialize::text {
namespace {

class StatePrinter {
public:
    StatePrinter(Printer &p, const ir::State &s) : p_(p), state_(s), scopes_(s) {
        for (const auto &e : s.edges())
            number_[e.get()] = static_cast<uint32_t>(number_.size());
    }

    void run() {
        for (const ir::Node *n : scopes_.order())
            node(*n);
        while (!open_.empty())
            leave(nullptr);
        for (const auto &n : state_.nodes())
            if (isa<ir::AccessNode>(n.get()) && !names_.contains(n.get()))
                accessLine(static_cast<const ir::AccessNode &>(*n), {});
        flush(0);
        std::vector<uint32_t> nodes, edges;
        for (const ir::Node *n : nodes_)
            nodes.push_back(n->id());
        for (const ir::Edge *e : edges_)
            edges.push_back(number_[e]);
        p_.order("nodes", nodes);
        p_.order("edges", edges);
    }

private:
    struct Open {
        const ir::Node *entry, *exit;
        std::vector<const ir::Node *> lines; // nodes with a line directly in the scope (for inner scopes the exit)
    };
    /// An access node created in the line of another node, with attributes that must still be printed.
    struct FollowUp {
        const ir::AccessNode *node;
        ir::DebugInfo said;
        std::size_t depth;
    };

    // ---- nodes
    void node(const ir::Node &n) {
        flush(names_.depth());
        switch (n.kind()) {
        case ir::NodeKind::Access:
            return access(static_cast<const ir::AccessNode &>(n));
        case ir::NodeKind::Tasklet:
            return tasklet(static_cast<const ir::Tasklet &>(n));
        case ir::NodeKind::NestedSDFG:
            return nested(static_cast<const ir::NestedSDFGNode &>(n));
        case ir::NodeKind::MapEntry:
        case ir::NodeKind::ConsumeEntry:
            return enter(n);
        case ir::NodeKind::MapExit:
        case ir::NodeKind::ConsumeExit:
            return leave(&n);
        case ir::NodeKind::Library:
            return library(static_cast<const ir::LibraryNode &>(n));
        }
    }

    void add(const ir::Node &n) {
        names_.add(const_cast<ir::Node *>(&n)); // names are only looked up
        nodes_.push_back(&n);
    }
    /// Starts the line of a node.
    void begin(const ir::Node &n) {
        add(n);
        said_ = n.debugInfo;
        if (!open_.empty())
            open_.back().lines.push_back(&n);
    }
    void record(const ir::Edge &e) { edges_.push_back(&e); }

    void access(const ir::AccessNode &n) {
        bool ordered = false;
        for (const ir::Edge *e : n.inEdges())
            ordered |= isPlainOrder(*e) && isCopyLine(*e);
        const bool isUsed = !n.outEdges().empty() || std::any_of(n.inEdges().begin(), n.inEdges().end(),
                                                                 [](const ir::Edge *e) { return !isPlainOrder(*e); });
        if (ordered || (!isUsed && !names_.contains(&n)))
            accessLine(n, n.inEdges());
        for (const ir::Edge *e : n.inEdges())
            if (isCopyLine(*e) && !isPlainOrder(*e))
                copy(*e);
        flush(names_.depth());
    }

    /// `access A (setzero)`, or `access @A (...)` for an existing node.
    void accessLine(const ir::AccessNode &n, const std::vector<ir::Edge *> &in, const ir::DebugInfo &said = {}) {
        std::string head = "access ";
        if (names_.contains(&n)) {
            head += handle(n);
            std::erase_if(followUps_, [&](const FollowUp &f) { return f.node == &n; });
        } else {
            add(n);
            head += label(n.data.view());
        }
        head += attributesOf(n, said);
        std::vector<std::string> items;
        for (const ir::Edge *e : in)
            if (isPlainOrder(*e) && isCopyLine(*e)) {
                items.push_back("after " + end(e->src, {}, {}, true));
                record(*e);
            }
        p_.withItems(head, {items}, false);
    }

    std::string attributesOf(const ir::AccessNode &n, const ir::DebugInfo &said) {
        static const ir::AccessNode defaults{Name()};
        AttributeText a(p_.values());
        a.without({"data"});
        accessFields(a, n, defaults);
        rest(a, n, said);
        return a.take();
    }

    /// Prints the remaining attributes of access nodes created at this depth.
    void flush(std::size_t depth) {
        std::vector<FollowUp> due;
        std::erase_if(followUps_, [&](const FollowUp &f) {
            if (f.depth < depth)
                return false;
            due.push_back(f);
            return true;
        });
        for (const FollowUp &f : due)
            if (std::string a = attributesOf(*f.node, f.said); !a.empty())
                p_.line("access " + handle(*f.node) + a);
    }

    void tasklet(const ir::Tasklet &t) {
        static const ir::Tasklet defaults;
        begin(t);
        AttributeText a(p_.values());
        if (!t.code.isPython())
            a.add(ir::name(t.code.language()));
        a.without({"label", "code"});
        taskletFields(a, t, defaults);
        rest(a, t);
        const std::string head = startLabel(t.label) + a.take();
        const std::string &code = t.code.text();
        if (code.empty() || fitsLine(code) || hasControls(code))
            return p_.withItems(head + (code.empty() ? "" : ": " + line(code) + " "), groups(t), false);
        p_.withItems(head, groups(t), true);
        p_.code(code);
        p_.close();
    }

    void library(const ir::LibraryNode &n) {
        static const ir::LibraryNode defaults;
        begin(n);
        AttributeText a(p_.values());
        if (n.schedule != ir::Schedule::Default)
            a.add(ir::name(n.schedule));
        a.without({"label", "schedule", n.name == n.label ? "name" : ""});
        libraryFields(a, n, defaults);
        for (const auto &[key, value] : n.properties)
            a.add(propertyKey(key), value);
        rest(a, n);
        const std::string path = shortClass(n.classPath);
        p_.withItems("library " + (isWord(path, true) ? path : quoted(n.classPath)) + " " + label(n.label) + a.take(), groups(n),
                     false);
    }
    static std::string propertyKey(const std::string &key) { return isWord(key) && key != "at" ? key : quoted(key); }

    void nested(const ir::NestedSDFGNode &n) {
        static const ir::NestedSDFGNode defaults;
        begin(n);
        std::string symbols;
        for (const auto &[inner, value] : n.symbolMapping)
            symbols += (symbols.empty() ? "" : ", ") + inner.str() + " = " + p_.values().exprs.of(value);
        AttributeText a(p_.values());
        a.without({"label", "symbol_mapping"});
        nestedFields(a, n, defaults);
        rest(a, n);
        const std::string head = "nested " + label(n.label) + (symbols.empty() ? "" : "[" + symbols + "]") + a.take();
        p_.withItems(head, groups(n), n.sdfg != nullptr);
        if (!n.sdfg)
            return;
        p_.graph(*n.sdfg);
        p_.close();
    }

    // ---- scopes
    void enter(const ir::Node &n) {
        const ir::Node *exit = scopes_.exitOf(&n);
        begin(n);
        if (exit)
            nodes_.push_back(exit);
        std::string head = headOf(n);
        std::vector<std::vector<std::string>> items = {inputs(n)};
        items.push_back(exit ? outputs(*exit) : std::vector<std::string>());
        p_.withItems(head, items, true);
        for (const ir::Edge *e : n.inEdges())
            names_.declareInput(e->memlet.data, e->dstConn);
        if (exit)
            for (const ir::Edge *e : exit->outEdges())
                names_.declareOutput(e->memlet.data, e->srcConn);
        names_.enter(const_cast<ir::Node *>(&n), const_cast<ir::Node *>(exit));
        open_.push_back({&n, exit, {}});
    }

    std::string headOf(const ir::Node &n) {
        AttributeText a(p_.values());
        const ir::Schedule schedule = *ir::scheduleOf(&n);
        if (schedule != ir::Schedule::Default)
            a.add(ir::name(schedule));
        std::string head, ranges;
        if (auto *m = dyn_cast<ir::MapEntry>(&n)) {
            static const ir::MapEntry defaults;
            for (std::size_t d = 0; d < m->ranges.size(); ++d)
                ranges += (d ? ", " : "") + (d < m->params.size() ? m->params[d].str() : "?") + " = " +
                          p_.values().exprs.of(m->ranges[d]);
            head = "map ";
            a.without({"label", "params", "range", "schedule"});
            mapFields(a, *m, defaults);
        } else {
            static const ir::ConsumeEntry defaults;
            auto &c = static_cast<const ir::ConsumeEntry &>(n);
            ranges = c.peIndex.str() + " = " + p_.values().exprs.of(c.numPes);
            head = "consume ";
            a.without({"label", "pe_index", "num_pes", "schedule"});
            consumeFields(a, c, defaults);
        }
        rest(a, n);
        return head + label(n.label) + "[" + ranges + "]" + a.take();
    }

    void leave(const ir::Node *exit) {
        if (open_.empty())
            return;
        if (exit) {
            for (const ir::Edge *e : exit->inEdges())
                if (isCopyLine(*e) && !isPlainOrder(*e))
                    copy(*e);
        }
        flush(names_.depth());
        AttributeText a(p_.values());
        if (exit) {
            for (const ir::Edge *e : exit->inEdges())
                if (isCopyLine(*e) && isPlainOrder(*e)) {
                    p_.line("after " + end(e->src, {}, {}, true));
                    record(*e);
                }
            for (const ir::Node *n : open_.back().lines) {
                const ir::Node *last = n->isEntry() ? scopes_.exitOf(n) : n;
                if (last && isImpliedOutput(*last, exit))
                    record(*last->outEdges()[0]);
            }
            rest(a, *exit, open_.back().entry->debugInfo);
        }
        p_.close(a.take());
        open_.pop_back();
        names_.leave();
    }

    /// Is the only in-edge of the node an order edge from the scope's entry, because it has no other input? The next function asks
    /// the same about outputs.
    bool isImpliedInput(const ir::Node &n) const {
        return !open_.empty() && n.inEdges().size() == 1 && n.inEdges()[0]->src == open_.back().entry &&
               isPlainOrder(*n.inEdges()[0]);
    }
    static bool isImpliedOutput(const ir::Node &n, const ir::Node *exit) {
        return exit && n.outEdges().size() == 1 && n.outEdges()[0]->dst == exit && isPlainOrder(*n.outEdges()[0]);
    }

    // ---- edges
    std::vector<std::vector<std::string>> groups(const ir::Node &n) {
        std::vector<std::vector<std::string>> out = {inputs(n)};
        out.push_back(outputs(n));
        return out;
    }

    std::string typed(const ir::Node &n, bool in, Name connector, Name otherwise) {
        if (connector == otherwise)
            return typeSuffix(n, in, connector, "");
        return typeSuffix(n, in, connector, connector ? startLabel(connector.view()) : "-");
    }
    std::string typeSuffix(const ir::Node &n, bool in, Name connector, const std::string &shown) {
        const ir::Connector *at = connector ? connectors_.find(n, in, connector) : nullptr;
        if (!at || !at->type || !connectors_.areUsual(n, in) || !typesSaid_.insert(at).second)
            return shown + (shown.empty() ? "" : " ");
        return (shown.empty() ? startLabel(connector.view()) : shown) + ": " + Printer::typeText(at->type, p_.values()) + " ";
    }

    std::vector<std::string> inputs(const ir::Node &n) {
        std::vector<std::string> items;
        for (const ir::Edge *e : n.inEdges()) {
            if (standsAtSource(*e))
                continue;
            record(*e);
            if (isImpliedInput(n))
                continue;
            if (isPlainOrder(*e)) {
                items.push_back("after " + end(e->src, {}, {}, true));
                continue;
            }
            const Name usual = n.isEntry() && e->memlet.data ? ir::scopeInput(e->memlet.data) : Name();
            const std::string to = typed(n, true, e->dstConn, usual);
            std::string text = to + "<- " + end(e->src, e->srcConn, e->memlet.data, true) + subset(e->memlet.subset);
            if (e->memlet.otherSubset)
                text += " -> " + subset(e->memlet.otherSubset);
            items.push_back(text + memletAttributes(*e));
        }
        return items;
    }

    std::vector<std::string> outputs(const ir::Node &n) {
        std::vector<std::string> items;
        const ir::Node *exit = open_.empty() ? nullptr : open_.back().exit; // of the scope that contains the line
        if (n.outEdges().empty() && exit)
            items.emplace_back("-> none");
        const bool implied = isImpliedOutput(n, exit);
        for (const ir::Edge *e : n.outEdges()) {
            if (!standsAtSource(*e) || implied)
                continue;
            record(*e);
            const Name usual = n.isExit() && e->memlet.data ? ir::scopeOutput(e->memlet.data) : Name();
            const std::string from = typed(n, false, e->srcConn, usual);
            items.push_back(from + "-> " + end(e->dst, e->dstConn, e->memlet.data, false) + subset(e->memlet.subset) +
                            memletAttributes(*e));
        }
        return items;
    }
    std::string subset(const std::optional<sym::Subset> &s) {
        return s ? "[" + p_.values().exprs.of(s->dims) + "]" : std::string();
    }

    /// An exit has the name of its entry.
    std::string handle(const ir::Node &n) const {
        const ir::Node *named = n.isExit() && scopes_.scopeOf(&n) ? scopes_.scopeOf(&n) : &n;
        const std::size_t number = names_.ordinal(named);
        return "@" + label(StateNames::nameOf(*named).view()) + (number > 1 ? "#" + std::to_string(number) : "");
    }
    /// One end of an edge, up to the subset: `A`, `@B#2 A`, `@t:c`, `new A`. Creates the node if it does not exist yet.
    std::string end(const ir::Node *n, Name connector, Name data, bool isSource) {
        const End found = data ? (isSource ? names_.source(data) : names_.destination(data)) : End();
        if (found.node == n && found.connector == connector)
            if (isSource || !isa<ir::AccessNode>(n))
                return dataText(data);
        auto *a = dyn_cast<ir::AccessNode>(n);
        const std::string colon = connector ? ":" + label(connector.view()) : std::string();
        if (!a || names_.contains(n))
            return handle(*n) + colon + (data ? " " + dataText(data) : "");
        add(*n);
        followUps_.push_back({a, said_, names_.depth()});
        const bool isUsual = !found.node && data == a->data && !connector;
        if (isUsual && (!isSource || names_.depth() == 0))
            return dataText(data);
        return "new " + label(a->data.view()) + colon + (data == a->data ? "" : data ? " " + dataText(data) : " -");
    }
    static std::string dataText(Name data) { return startLabel(data.view()); }

    std::string memletAttributes(const ir::Edge &e, bool ownsOther = false, const char *word = nullptr) {
        static const ir::Memlet defaults;
        const ir::Memlet &m = e.memlet;
        AttributeText a(p_.values());
        if (word)
            a.add(word);
        const std::string_view op = m.wcr.empty() ? std::string_view() : wcrWord(m.wcr);
        if (!op.empty())
            a.add(op);
        if (m.wcrMode != ir::WcrMode::Unset)
            a.add(wcrModeName(m.wcrMode));
        if (m.copy != ir::CopyMethod::Undecided)
            a.add(ir::name(m.copy));
        const sym::Expr usual = m.subset ? m.subset->numElements() : sym::Expr(0);
        if (m.volume != usual)
            a.add("volume", m.volume);
        const bool inputSide = ownsOther || !standsAtSource(e);
        a.without({"data", m.data ? "subset" : "", m.data && inputSide ? "other_subset" : "", "volume", op.empty() ? "" : "wcr",
                   "_meta_sdfgc_wcr_mode", "_meta_sdfgc_copy"});
        memletFields(a, m, defaults);
        a.extra(m.extra);
        p_.location(a, m.debugInfo);
        return a.take();
    }

    /// `A[0:N] -> B[5:N + 5]`: a copy, or the memory that a view or reference refers to.
    void copy(const ir::Edge &e) {
        const ir::Memlet &m = e.memlet;
        auto *from = dyn_cast<ir::AccessNode>(e.src), *to = dyn_cast<ir::AccessNode>(e.dst);
        Name source = from ? from->data : m.data, target = to ? to->data : m.data;
        if (!from && names_.source(m.data) != End{e.src, e.srcConn})
            source = pathData(e.src->inEdges(), otherSide(e.srcConn), true);
        if (!to && names_.destination(m.data) != End{e.dst, e.dstConn})
            target = pathData(e.dst->outEdges(), otherSide(e.dstConn), false);
        if (!m.data) {
            source = target = Name();
        } else if (m.data != source && m.data != target) {
            source = m.data;
        }
        const bool own = m.data == source;
        const auto &left = own ? m.subset : m.otherSubset, &right = own ? m.otherSubset : m.subset;
        const bool takenAsOwn = source && (left || !right || !target);
        const char *word = !m.data || own == takenAsOwn ? nullptr : own ? "source" : "destination";
        said_ = ir::DebugInfo();
        std::string text = end(e.src, e.srcConn, source, true) + subset(m.data ? left : std::nullopt);
        text += " -> " + end(e.dst, e.dstConn, target, false) + subset(m.data ? right : std::nullopt);
        record(e);
        p_.line(text + memletAttributes(e, true, word));
    }
    /// The container of the path through a scope's connector.
    static Name pathData(const std::vector<ir::Edge *> &edges, Name connector, bool in) {
        for (const ir::Edge *e : edges)
            if ((in ? e->dstConn : e->srcConn) == connector && connector)
                return e->memlet.data;
        return Name();
    }

    // ---- connectors and attributes common to all nodes
    void rest(AttributeText &a, const ir::Node &n, const ir::DebugInfo &said = {}) {
        static const ir::Tasklet plain;
        a.without({connectors_.areUsual(n, true) ? "in_connectors" : "", connectors_.areUsual(n, false) ? "out_connectors" : ""});
        nodeFields(a, n, static_cast<const ir::Node &>(plain));
        a.extra(n.extra);
        p_.location(a, n.debugInfo, said);
    }

    Printer &p_;
    const ir::State &state_;
    ir::ScopeTree scopes_;
    StateNames names_;
    std::unordered_map<const ir::Edge *, uint32_t> number_; // lookups only
    std::vector<const ir::Node *> nodes_;                   // in textual order
    std::vector<const ir::Edge *> edges_;
    std::vector<Open> open_;
    std::vector<FollowUp> followUps_;
    ir::DebugInfo said_; // location of the current line's node
    Connectors connectors_;
    std::unordered_set<const ir::Connector *> typesSaid_; // lookups only
};

} // namespace

void Printer::state(const ir::State &s) { StatePrinter(*this, s).run(); }

} // namespace sdfgc::serialize::text
