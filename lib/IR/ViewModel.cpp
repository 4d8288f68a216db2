#include "sdfgc/IR/ViewModel.h"

#include "IR/PrintText.h"

#include <algorithm>
#include <cctype>
#include <deque>

namespace sdfgc::ir {
namespace {

using namespace text;

/// The nodes and edges of one container during collection.
struct Content {
    json::Value nodes = json::Value::array(), edges = json::Value::array();
    int add(json::Value node) {
        nodes.push(std::move(node));
        return static_cast<int>(nodes.items().size()) - 1;
    }
    void edge(int from, int to, const std::string &text, const std::vector<std::string> &detail) {
        edges.push(json::Value::array({from, to, text, json::strings(detail)}));
    }
};

json::Value element(std::string_view kind, const std::string &name, const DebugInfo &where) {
    json::Value v = json::Value::object();
    v.set("k", kind);
    v.set("n", name);
    if (where.known())
        v.set("s", where.file.str() + ":" + std::to_string(where.startLine));
    return v;
}

void detail(json::Value &node, const std::vector<std::string> &list) {
    if (!list.empty())
        node.set("d", json::strings(list));
}

std::string ranges(const std::vector<Name> &params, const std::vector<sym::Range> &list) {
    std::vector<std::string> items;
    for (std::size_t i = 0; i < list.size(); ++i)
        items.push_back((i < params.size() ? params[i].str() : "?") + "=" + sym::Subset{{list[i]}}.str());
    return join(items);
}

/// `GPU graph: require`: the GPU graph mark of a region; nothing if there is none.
std::vector<std::string> graphMark(const Region &r) {
    if (r.graph == GraphMark::Unmarked)
        return {};
    return {"GPU graph: " + std::string(name(r.graph))};
}

/// The information shown for an SDFG in addition to its blocks: its mark, symbols and containers. Members of structures are only
/// listed where the structures come from: weather models have structures with hundreds of members, which they pass to every nested
/// SDFG.
std::vector<std::string> containers(const SDFG &g, bool isRoot) {
    std::vector<std::string> out = graphMark(g);
    for (const auto &[name, type] : g.symbols)
        out.push_back("symbol " + name.str() + ": " + type.str());
    for (const auto &[name, d] : g.arrays)
        out.push_back((d.transient ? "transient " : "") + name.str() + ": " + descriptor(d, isRoot || d.transient) + placement(d));
    return out;
}

/// The memlets at the connectors of a tasklet: `p[i]` for `__in1`. A connector with different memlets is left out.
std::map<std::string, std::string> memletsOf(const Tasklet &t, const SDFG &g) {
    std::map<std::string, std::string> out;
    const auto add = [&](Name connector, const Memlet &m) {
        if (!connector || m.isEmpty() || !m.data)
            return;
        const std::string text = access(m.data, m.subset, g);
        const auto [at, isNew] = out.emplace(connector.str(), text);
        if (!isNew && at->second != text)
            at->second.clear();
    };
    for (const Edge *e : t.inEdges())
        add(e->dstConn, e->memlet);
    for (const Edge *e : t.outEdges())
        add(e->srcConn, e->memlet);
    return out;
}

bool startsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continuesName(char c) { return startsName(c) || std::isdigit(static_cast<unsigned char>(c)); }

/// The end of the token at `i`, which contains no names to replace: a string, a number, or a single character.
std::size_t endOfOther(const std::string &line, std::size_t i) {
    std::size_t end = i + 1;
    if (line[i] == '"' || line[i] == '\'') {
        while (end < line.size() && line[end] != line[i])
            end += line[end] == '\\' ? 2 : 1;
        return std::min(end + 1, line.size());
    }
    if (std::isdigit(static_cast<unsigned char>(line[i]))) // 1e5, 0x1f, 2.0f
        while (end < line.size() && (continuesName(line[end]) || line[end] == '.'))
            ++end;
    return end;
}

/// A line of code with the connectors replaced by their memlets. Names after a point are members and are not replaced.
std::string withMemlets(const std::string &line, const std::map<std::string, std::string> &memlets) {
    std::string out;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i;
        while (end < line.size() && continuesName(line[end]) && startsName(line[i]))
            ++end;
        const bool isName = end > i;
        end = isName ? end : endOfOther(line, i);
        const std::string word = line.substr(i, end - i);
        const auto found = isName && (i == 0 || line[i - 1] != '.') ? memlets.find(word) : memlets.end();
        out += found == memlets.end() || found->second.empty() ? word : found->second;
        i = end;
    }
    return out;
}

class Builder {
public:
    explicit Builder(const ElementNotes &notes) : notes_(notes) {}

    json::Value build(const SDFG &root) {
        content_.emplace_back();
        pending_.push_back({0, &root});
        while (!pending_.empty()) {
            const Pending p = pending_.front();
            pending_.pop_front();
            if (const auto *conditional = dyn_cast<ConditionalBlock>(p.block))
                branches(p.container, *conditional);
            else if (const auto *region = dyn_cast<Region>(p.block))
                blocks(p.container, *region);
            else if (const auto *state = dyn_cast<State>(p.block))
                dataflow(p.container, *state);
        }
        json::Value out = json::Value::object(), list = json::Value::array();
        out.set("name", root.name.str());
        out.set("d", json::strings(containers(root, true)));
        for (Content &c : content_) {
            json::Value v = json::Value::object();
            v.set("nodes", std::move(c.nodes));
            v.set("edges", std::move(c.edges));
            list.push(std::move(v));
        }
        out.set("containers", std::move(list));
        return out;
    }

private:
    struct Pending {
        int container;
        const Block *block;
    };

    int open(const Block *block) {
        content_.emplace_back();
        pending_.push_back({static_cast<int>(content_.size()) - 1, block});
        return static_cast<int>(content_.size()) - 1;
    }

    // ---- notes

    /// The access nodes of a container have its notes, nested SDFGs those about their entire contents.
    void note(json::Value &v, const Node &n) const {
        if (notes_.empty())
            return;
        std::vector<std::string> own = notesOf(elementName(n));
        const auto *a = dyn_cast<AccessNode>(&n);
        const auto *nested = dyn_cast<NestedSDFGNode>(&n);
        if (a)
            append(own, notesOf(elementName(*n.state()->sdfg()) + ": container " + a->data.str()));
        if (nested && nested->sdfg)
            append(own, notesOf(elementName(*nested->sdfg)));
        set(v, own);
    }
    void note(json::Value &v, const Block &b) const {
        if (!notes_.empty())
            set(v, notesOf(elementName(b)));
    }
    std::vector<std::string> notesOf(const std::string &element) const {
        const auto found = notes_.find(element);
        return found == notes_.end() ? std::vector<std::string>() : found->second;
    }
    static void append(std::vector<std::string> &to, const std::vector<std::string> &more) {
        to.insert(to.end(), more.begin(), more.end());
    }
    static void set(json::Value &v, const std::vector<std::string> &own) {
        if (!own.empty())
            v.set("r", json::strings(own));
    }

    // ---- control flow

    void blocks(int container, const Region &r) {
        std::unordered_map<const Block *, int> position;
        const Block *start = r.start();
        for (const auto &b : r.blocks()) {
            json::Value v = block(*b);
            note(v, *b);
            if (b.get() == start)
                v.set("f", isGraph(*b) ? "graph start" : "start");
            else if (isGraph(*b))
                v.set("f", "graph");
            position[b.get()] = content_[container].add(std::move(v));
        }
        for (const auto &e : r.edges()) {
            std::vector<std::string> parts;
            if (!e->isUnconditional())
                parts.push_back("if " + expression(e->condition));
            for (const auto &[symbol, value] : e->assignments)
                parts.push_back(symbol.str() + " = " + expression(value));
            content_[container].edge(position[e->src], position[e->dst], join(parts, "; "), {});
        }
    }

    /// Is it one or several GPU graphs, or is it meant to become some?
    static bool isGraph(const Block &b) {
        const auto *r = dyn_cast<Region>(&b);
        return r && r->graph != GraphMark::Unmarked && r->graph != GraphMark::Off;
    }

    json::Value block(const Block &b) {
        switch (b.kind()) {
        case BlockKind::Break:
            return element("break", "break", b.debugInfo);
        case BlockKind::Continue:
            return element("continue", "continue", b.debugInfo);
        case BlockKind::Return:
            return element("return", "return", b.debugInfo);
        case BlockKind::State:
            return opened(element("state", b.label, b.debugInfo), !static_cast<const State &>(b).nodes().empty(), &b);
        case BlockKind::Conditional:
            return opened(element("if", b.label, b.debugInfo), true, &b);
        case BlockKind::Loop: {
            const auto &l = static_cast<const LoopRegion &>(b);
            json::Value v = element("loop", l.label, l.debugInfo);
            v.set("h", (l.inverted ? "do while "
                        : l.init   ? "for "
                                   : "while ") +
                           join({expression(l.init), expression(l.condition), expression(l.update)}, "; "));
            detail(v, graphMark(l));
            return opened(std::move(v), true, &b);
        }
        default: {
            json::Value v = element("region", b.label, b.debugInfo);
            if (const auto *r = dyn_cast<Region>(&b))
                for (const std::string &mark : graphMark(*r))
                    v.set("h", mark);
            return opened(std::move(v), true, &b);
        }
        }
    }

    json::Value opened(json::Value v, bool hasContent, const Block *b) {
        if (hasContent)
            v.set("c", open(b));
        return v;
    }

    void branches(int container, const ConditionalBlock &c) {
        for (const ConditionalBlock::Branch &branch : c.branches()) {
            json::Value v = element("branch", branch.condition ? "if " + expression(branch.condition) : "else", c.debugInfo);
            content_[container].add(opened(std::move(v), branch.region != nullptr, branch.region.get()));
        }
    }

    // ---- dataflow

    struct Home {
        int container = -1, position = -1;
    };

    void dataflow(int container, const State &s) {
        const ScopeTree scopes(s);
        std::unordered_map<const Node *, Home> outside, inside; // of an entry and its exit: the scope's node; their own positions
        for (const Node *n : scopes.order()) {
            const Node *entry = scopes.scopeOf(n);
            const Home *scope = entry && inside.count(entry) ? &inside[entry] : nullptr;
            const int home = scope ? scope->container : container;
            if (n->isExit()) {
                json::Value v = element("exit", n->label, n->debugInfo);
                inside[n] = {home, content_[home].add(std::move(v))};
                outside[n] = outside[entry];
                continue;
            }
            json::Value v = node(*n, *s.sdfg());
            note(v, *n);
            if (n->isEntry()) {
                content_.emplace_back();
                const int own = static_cast<int>(content_.size()) - 1;
                v.set("c", own);
                inside[n] = {own, content_[own].add(element("entry", n->label, n->debugInfo))};
            }
            outside[n] = {home, content_[home].add(std::move(v))};
        }
        for (const auto &e : s.edges()) {
            const Home from = e->src->isEntry() ? inside[e->src] : outside[e->src];
            const Home to = e->dst->isExit() ? inside[e->dst] : outside[e->dst];
            if (from.container == to.container && from.container >= 0)
                content_[from.container].edge(from.position, to.position, memlet(*e, *s.sdfg()), memletDetail(*e));
        }
    }

    json::Value node(const Node &n, const SDFG &g) {
        switch (n.kind()) {
        case NodeKind::Access:
            return accessNode(static_cast<const AccessNode &>(n), g);
        case NodeKind::Tasklet: {
            const auto &t = static_cast<const Tasklet &>(n);
            json::Value v = element("tasklet", t.label, t.debugInfo);
            const std::vector<std::string> code = statements(t.code);
            if (code.size() == 1 && code[0].size() <= 60)
                v.set("h", code[0]);
            detail(v, code);
            const std::map<std::string, std::string> memlets = memletsOf(t, g);
            std::vector<std::string> shown;
            for (const std::string &line : code)
                shown.push_back(withMemlets(line, memlets));
            if (shown != code)
                v.set("m", json::strings(shown));
            return v;
        }
        case NodeKind::NestedSDFG: {
            const auto &nested = static_cast<const NestedSDFGNode &>(n);
            json::Value v = element("nested", n.label, n.debugInfo);
            std::vector<std::string> list;
            for (const auto &[inner, value] : nested.symbolMapping)
                list.push_back(inner.str() + " = " + value.str());
            if (nested.sdfg) {
                for (const std::string &c : containers(*nested.sdfg, false))
                    list.push_back(c);
                v.set("c", open(nested.sdfg.get()));
            } else {
                list.push_back("in file " + nested.externalPath);
            }
            detail(v, list);
            return v;
        }
        case NodeKind::MapEntry: {
            const auto &m = static_cast<const MapEntry &>(n);
            json::Value v = element("map", m.label, m.debugInfo);
            v.set("h", ranges(m.params, m.ranges));
            std::vector<std::string> list{"schedule " + std::string(name(m.schedule))};
            if (m.ompIf != sym::Expr::boolean(true))
                list.push_back("parallel if " + m.ompIf.str());
            if (m.gpuBlockSize)
                list.push_back("block " + bracketed(*m.gpuBlockSize));
            if (m.stream)
                list.push_back("stream " + std::to_string(*m.stream));
            detail(v, list);
            return v;
        }
        case NodeKind::ConsumeEntry: {
            const auto &c = static_cast<const ConsumeEntry &>(n);
            json::Value v = element("consume", c.label, c.debugInfo);
            v.set("h", c.peIndex.str() + "=0:" + c.numPes.str());
            detail(v, {"schedule " + std::string(name(c.schedule))});
            return v;
        }
        case NodeKind::Library: {
            const auto &l = static_cast<const LibraryNode &>(n);
            json::Value v = element("library", l.label, l.debugInfo);
            v.set("h", l.className());
            std::vector<std::string> list{l.classPath};
            if (!l.implementation.empty())
                list.push_back("implementation " + l.implementation);
            for (const auto &[key, value] : l.properties)
                list.push_back(key + " = " + (value.isString() ? value.text() : value.dump()));
            detail(v, list);
            return v;
        }
        case NodeKind::MapExit:
        case NodeKind::ConsumeExit:
            break;
        }
        return element("exit", n.label, n.debugInfo);
    }

    static json::Value accessNode(const AccessNode &a, const SDFG &g) {
        json::Value v = element("access", a.data.str(), a.debugInfo);
        if (const DataDesc *d = g.desc(a.data)) {
            detail(v, {descriptor(*d) + placement(*d), d->transient ? "transient" : "argument"});
            if (d->transient)
                v.set("f", "transient");
        }
        return v;
    }

    static std::string memlet(const Edge &e, const SDFG &g) {
        if (e.memlet.isEmpty())
            return "";
        const std::string data = e.memlet.data ? access(e.memlet.data, e.memlet.subset, g) : "value";
        return e.memlet.wcr.empty() ? data : data + " (updated)";
    }

    static std::vector<std::string> memletDetail(const Edge &e) {
        std::vector<std::string> out;
        if (e.srcConn || e.dstConn)
            out.push_back((e.srcConn ? e.srcConn.str() : "") + " \u2192 " + (e.dstConn ? e.dstConn.str() : ""));
        if (e.memlet.isEmpty()) {
            out.push_back("order only");
            return out;
        }
        if (e.memlet.otherSubset)
            out.push_back("other side [" + e.memlet.otherSubset->str() + "]");
        out.push_back("volume " + std::string(e.memlet.dynamic ? "at most " : "") + e.memlet.volume.str());
        if (!e.memlet.wcr.empty())
            out.push_back("update by " + e.memlet.wcr);
        return out;
    }

    const ElementNotes &notes_;
    std::deque<Content> content_;
    std::deque<Pending> pending_;
};

} // namespace

json::Value viewModel(const SDFG &root, const ElementNotes &notes) { return Builder(notes).build(root); }

std::map<std::string, int> sourceFiles(const SDFG &root) {
    std::map<std::string, int> out;
    const auto add = [&out](const DebugInfo &where) {
        if (where.known() && where.file)
            out[where.file.str()] = std::max(out[where.file.str()], where.startLine);
    };
    for (const SDFG *g : allSDFGs(root))
        for (const Region *r : allRegions(*g))
            for (const auto &b : r->blocks()) {
                add(b->debugInfo);
                if (const auto *s = dyn_cast<State>(b.get()))
                    for (const auto &n : s->nodes())
                        add(n->debugInfo);
            }
    return out;
}

} // namespace sdfgc::ir
