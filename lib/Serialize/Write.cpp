// Writes graphs as text for DaCe 2.x, in one pass and without an intermediate tree of JSON values.
#include "Fields.h"
#include "ValueWriter.h"

#include "sdfgc/IR/Scopes.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Gzip.h"

namespace sdfgc::serialize {
namespace {

/// The version whose format is written.
constexpr std::string_view kDaceVersion = "2.0.0a6";

std::string_view className(ir::NodeKind k) {
    switch (k) {
    case ir::NodeKind::Access:
        return "AccessNode";
    case ir::NodeKind::Tasklet:
        return "Tasklet";
    case ir::NodeKind::NestedSDFG:
        return "NestedSDFG";
    case ir::NodeKind::MapEntry:
        return "MapEntry";
    case ir::NodeKind::MapExit:
        return "MapExit";
    case ir::NodeKind::ConsumeEntry:
        return "ConsumeEntry";
    case ir::NodeKind::ConsumeExit:
        return "ConsumeExit";
    case ir::NodeKind::Library:
        return "LibraryNode";
    }
    return "";
}

std::string_view className(ir::BlockKind k) {
    switch (k) {
    case ir::BlockKind::State:
        return "SDFGState";
    case ir::BlockKind::Region:
        return "ControlFlowRegion";
    case ir::BlockKind::Loop:
        return "LoopRegion";
    case ir::BlockKind::Conditional:
        return "ConditionalBlock";
    case ir::BlockKind::Break:
        return "BreakBlock";
    case ir::BlockKind::Continue:
        return "ContinueBlock";
    case ir::BlockKind::Return:
        return "ReturnBlock";
    case ir::BlockKind::Unstructured:
        return "UnstructuredControlFlow";
    case ir::BlockKind::Named:
        return "NamedRegion";
    case ir::BlockKind::FunctionCall:
        return "FunctionCallRegion";
    case ir::BlockKind::SDFG:
        return "SDFG";
    }
    return "";
}

class GraphWriter {
public:
    GraphWriter(std::string &text, int indent) : out_(text, indent), values_(out_), fields_(values_) {}

    void root(const ir::SDFG &g) {
        out_.beginObject();
        graphMembers(g);
        out_.key("id");
        out_.null();
        out_.key("source_files");
        values_.write(values_.sourceFiles());
        out_.key("dace_version");
        out_.plain(kDaceVersion);
        out_.endObject();
    }

private:
    void type(std::string_view name) {
        out_.key("type");
        out_.plain(name);
    }
    void beginAttributes() {
        out_.key("attributes");
        out_.beginObject();
    }
    void endAttributes(const ir::Extra &extra) {
        fields_.extra(extra);
        out_.endObject();
    }

    // ---- control flow
    void graphMembers(const ir::SDFG &g) {
        values_.enter(g);
        static const ir::SDFG defaults{Name()};
        type("SDFG");
        beginAttributes();
        out_.key("name");
        values_.write(g.name);
        declarations(g);
        graphFields(fields_, g, defaults);
        endAttributes(g.extra);
        regionMembers(g);
        values_.leave();
    }
    void declarations(const ir::SDFG &g) {
        auto present = [&](std::string_view key, const auto &map) {
            if (map.empty())
                return;
            out_.key(key);
            values_.write(map);
        };
        present("symbols", g.symbols);
        present("constants_prop", g.constants);
        present("_arrays", g.arrays);
    }
    void label(const ir::Block &b) {
        auto *g = dyn_cast<ir::SDFG>(&b);
        out_.key("label");
        out_.string(g ? g->name.view() : std::string_view(b.label));
        out_.key("collapsed");
        out_.boolean(false);
    }
    void regionMembers(const ir::Region &r) {
        label(r);
        out_.key("cfg_list_id");
        out_.integer(r.cfgId);
        out_.key("start_block");
        r.start() ? out_.integer(r.start()->id()) : out_.null();
        out_.key("nodes");
        out_.beginArray();
        for (const auto &b : r.blocks())
            block(*b);
        out_.endArray();
        out_.key("edges");
        out_.beginArray();
        for (const auto &e : r.edges())
            interstateEdge(*e);
        out_.endArray();
    }
    void block(const ir::Block &b) {
        out_.beginObject();
        type(className(b.kind()));
        out_.key("id");
        out_.integer(b.id());
        blockAttributes(b);
        if (auto *region = dyn_cast<ir::Region>(&b)) {
            regionMembers(*region);
        } else {
            label(b);
            if (auto *s = dyn_cast<ir::State>(&b))
                stateMembers(*s);
            else if (auto *c = dyn_cast<ir::ConditionalBlock>(&b))
                branches(*c);
            else
                emptyContent();
        }
        out_.endObject();
    }
    void blockAttributes(const ir::Block &b) {
        beginAttributes();
        if (auto *s = dyn_cast<ir::State>(&b)) {
            static const ir::State defaults;
            stateFields(fields_, *s, defaults);
        } else if (auto *l = dyn_cast<ir::LoopRegion>(&b)) {
            static const ir::LoopRegion defaults;
            loopFields(fields_, *l, defaults);
        } else if (auto *r = dyn_cast<ir::Region>(&b)) {
            static const ir::Region defaults;
            regionFields(fields_, *r, defaults);
        }
        fields_.field("debuginfo", b.debugInfo, ir::DebugInfo());
        endAttributes(b.extra);
    }
    void emptyContent() {
        for (std::string_view key : {"nodes", "edges"}) {
            out_.key(key);
            out_.beginArray();
            out_.endArray();
        }
    }
    void branches(const ir::ConditionalBlock &c) {
        out_.key("cfg_list_id");
        out_.integer(c.cfgId);
        out_.key("start_block");
        out_.null();
        out_.key("branches");
        out_.beginArray();
        for (const auto &branch : c.branches()) {
            out_.beginArray();
            values_.write(branch.condition);
            out_.beginObject();
            type(className(branch.region->kind()));
            out_.key("id");
            out_.null();
            blockAttributes(*branch.region);
            regionMembers(*branch.region);
            out_.endObject();
            out_.endArray();
        }
        out_.endArray();
    }
    void interstateEdge(const ir::InterstateEdge &e) {
        static const ir::InterstateEdge defaults;
        out_.beginObject();
        type("Edge");
        out_.key("src");
        out_.position(e.src->id());
        out_.key("dst");
        out_.position(e.dst->id());
        beginAttributes();
        out_.key("data");
        out_.beginObject();
        type("InterstateEdge");
        beginAttributes();
        interstateFields(fields_, e, defaults);
        endAttributes(e.extra);
        out_.endObject();
        out_.endObject();
        out_.endObject();
    }

    // ---- dataflow
    void stateMembers(const ir::State &s) {
        const ir::ScopeMap scopes = ir::findScopes(s);
        scopeDict(s, scopes);
        out_.key("nodes");
        out_.beginArray();
        for (const auto &n : s.nodes())
            node(*n, scopes);
        out_.endArray();
        out_.key("edges");
        out_.beginArray();
        for (const auto &e : s.edges())
            edge(*e);
        out_.endArray();
    }
    /// Ids of the nodes in each scope, for viewers; -1 is the top level.
    void scopeDict(const ir::State &s, const ir::ScopeMap &scopes) {
        std::vector<std::vector<uint32_t>> inside(s.nodes().size() + 1); // [0]: top level, [id + 1]: the scope of that entry
        for (const auto &n : s.nodes()) {
            const ir::Node *entry = scopes.entry[n->id()];
            inside[entry ? entry->id() + 1 : 0].push_back(n->id());
        }
        out_.key("scope_dict");
        out_.beginObject();
        for (std::size_t i = 0; i < inside.size(); ++i) {
            if (inside[i].empty())
                continue;
            out_.anyKey(std::to_string(static_cast<int64_t>(i) - 1));
            out_.beginArray();
            for (uint32_t id : inside[i])
                out_.integer(id);
            out_.endArray();
        }
        out_.endObject();
    }
    void node(const ir::Node &n, const ir::ScopeMap &scopes) {
        out_.beginObject();
        type(className(n.kind()));
        const ir::Node *entry = scopes.entry[n.id()];
        auto *access = dyn_cast<ir::AccessNode>(&n);
        out_.key("label"); // an exit has the name of its entry
        out_.string(access ? access->data.view() : std::string_view((n.isExit() && entry ? entry : &n)->label));
        out_.key("id");
        out_.integer(n.id());
        auto position = [&](std::string_view key, const ir::Node *at) {
            out_.key(key);
            at ? out_.position(at->id()) : out_.null();
        };
        const ir::Node *exit = n.isEntry() ? scopes.exit[n.id()] : entry ? scopes.exit[entry->id()] : nullptr;
        position("scope_entry", entry);
        position("scope_exit", exit);
        if (auto *library = dyn_cast<ir::LibraryNode>(&n)) {
            out_.key("classpath");
            out_.string(library->classPath);
        }
        beginAttributes();
        nodeAttributes(n);
        endAttributes(n.extra);
        out_.endObject();
    }
    void nodeAttributes(const ir::Node &n) {
        static const ir::Tasklet plain;
        if (auto *a = dyn_cast<ir::AccessNode>(&n)) {
            static const ir::AccessNode defaults{Name()};
            accessFields(fields_, *a, defaults);
        } else if (auto *t = dyn_cast<ir::Tasklet>(&n)) {
            taskletFields(fields_, *t, plain);
        } else if (auto *s = dyn_cast<ir::NestedSDFGNode>(&n)) {
            static const ir::NestedSDFGNode defaults;
            nestedFields(fields_, *s, defaults);
            nestedGraph(*s);
        } else if (auto *m = dyn_cast<ir::MapEntry>(&n)) {
            static const ir::MapEntry defaults;
            mapFields(fields_, *m, defaults);
        } else if (auto *c = dyn_cast<ir::ConsumeEntry>(&n)) {
            static const ir::ConsumeEntry defaults;
            consumeFields(fields_, *c, defaults);
        } else if (auto *l = dyn_cast<ir::LibraryNode>(&n)) {
            static const ir::LibraryNode defaults;
            libraryFields(fields_, *l, defaults);
            for (const auto &[key, value] : l->properties) {
                out_.anyKey(key);
                out_.value(value);
            }
        }
        nodeFields(fields_, n, static_cast<const ir::Node &>(plain));
    }
    void nestedGraph(const ir::NestedSDFGNode &n) {
        if (!n.sdfg)
            return;
        out_.key("sdfg");
        out_.beginObject();
        graphMembers(*n.sdfg);
        out_.endObject();
    }
    void edge(const ir::Edge &e) {
        static const ir::Memlet defaults = [] { // a volume is always written: for files without one it is the size of the subset
            ir::Memlet m;
            m.volume = sym::Expr::symbol(Name("a volume that is not valid in a graph"));
            return m;
        }();
        auto connector = [&](std::string_view key, Name name) {
            out_.key(key);
            name ? out_.string(name.view()) : out_.null();
        };
        out_.beginObject();
        type("MultiConnectorEdge");
        out_.key("src");
        out_.position(e.src->id());
        out_.key("dst");
        out_.position(e.dst->id());
        connector("src_connector", e.srcConn);
        connector("dst_connector", e.dstConn);
        beginAttributes();
        out_.key("data");
        out_.beginObject();
        type("Memlet");
        beginAttributes();
        memletFields(fields_, e.memlet, defaults);
        endAttributes(e.memlet.extra);
        out_.endObject();
        out_.endObject();
        out_.endObject();
    }

    JsonWriter out_;
    ValueWriter values_;
    FieldWriter fields_;
};

} // namespace

std::string writeText(const ir::SDFG &g, const WriteOptions &o) {
    std::string text;
    GraphWriter(text, o.indent).root(g);
    if (o.indent >= 0)
        text += '\n';
    return text;
}

bool writeFile(const ir::SDFG &g, const std::string &path, diag::Engine &d, const WriteOptions &o) {
    auto fail = [&](const std::string &why) {
        diag::Location place;
        place.file = path;
        d.report(diag::Id::FileUnwritable, std::move(place), why);
        return false;
    };
    std::string content = path.ends_with(kTextSuffix) ? print(g) : writeText(g, o);
    if (o.compress) {
        Result<std::string> compressed = gzip::deflate(content);
        if (!compressed)
            return fail("cannot write " + path + ": " + compressed.error());
        content = std::move(*compressed);
    }
    Result<void> written = file::writeAtomic(path, content);
    return written ? true : fail(written.error());
}

} // namespace sdfgc::serialize
