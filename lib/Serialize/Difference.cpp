// The comparing visitor of Fields.h: the first difference of two graphs, with its path in the file.
#include "DescriptorClass.h"
#include "Fields.h"
#include "ValueWriter.h"

#include "sdfgc/Serialize/Serialize.h"

namespace sdfgc::serialize {
namespace {

class Comparer {
public:
    std::optional<std::string> found;

    // ---- visitor
    template <class T> void field(std::string_view key, const T &a, const T &b) {
        if (!found && !(a == b))
            differ(key, text(a), text(b));
    }
    void field(std::string_view key, const std::unique_ptr<ir::DataDesc> &a, const std::unique_ptr<ir::DataDesc> &b) {
        if (found)
            return;
        if (!a || !b) {
            if (a != b)
                differ(key, a ? "a container" : "null", b ? "a container" : "null");
            return;
        }
        PathStep step(*this, key);
        descriptors(*a, *b);
    }
    void field(std::string_view key, const std::vector<std::pair<Name, std::unique_ptr<ir::DataDesc>>> &a,
               const std::vector<std::pair<Name, std::unique_ptr<ir::DataDesc>>> &b) {
        PathStep step(*this, key);
        entries(a, b, [&](const auto &x, const auto &y) { descriptors(*x, *y); });
    }
    template <class T> void nullable(std::string_view key, const T &a, const T &b) { field(key, a, b); }
    template <class T> void identifier(std::string_view key, const T &a, const T &b) { field(key, a, b); }
    template <class T> void dataName(std::string_view key, const T &a, const T &b) { field(key, a, b); }
    void number(std::string_view key, sym::Expr a, sym::Expr b) { field(key, a, b); }
    template <class T> void meta(std::string_view key, const T &a, const T &b) { field(key, a, b); }

    // ---- graphs
    void graphs(const ir::SDFG &a, const ir::SDFG &b) {
        graphs_.push_back(&a);
        field("name", a.name, b.name);
        {
            PathStep step(*this, "symbols");
            entries(a.symbols, b.symbols, [&](Type x, Type y) { field("type", x, y); });
        }
        {
            PathStep step(*this, "_arrays");
            entries(a.arrays, b.arrays, [&](const auto &x, const auto &y) { descriptors(x, y); });
        }
        {
            PathStep step(*this, "constants_prop");
            entries(a.constants, b.constants, [&](const auto &x, const auto &y) {
                descriptors(x.desc, y.desc);
                field("value", x.value, y.value);
            });
        }
        hints(a, b);
        graphFields(*this, a, b);
        extras(a.extra, b.extra);
        regions(a, b);
        graphs_.pop_back();
    }

private:
    /// One more element of the path during its lifetime.
    struct PathStep {
        Comparer &c;
        std::size_t length;
        PathStep(Comparer &c, std::string_view key) : c(c), length(c.path_.size()) {
            c.path_ += (length ? "." : "") + std::string(key);
        }
        PathStep(Comparer &c, std::string_view key, std::size_t i) : PathStep(c, key) { c.path_ += "[" + std::to_string(i) + "]"; }
        ~PathStep() { c.path_.resize(length); }
    };
    void differ(std::string_view key, const std::string &a, const std::string &b) {
        if (!found)
            found = path_ + (path_.empty() ? "" : ".") + std::string(key) + ": " + a + " against " + b;
    }
    template <class T> std::string text(const T &v) const {
        std::string s;
        JsonWriter out(s);
        ValueWriter w(out);
        w.enter(*graphs_.back());
        w.write(v);
        return s;
    }

    /// Named things in order.
    template <class L, class F> void entries(const L &a, const L &b, const F &compare) {
        if (found)
            return;
        if (a.size() != b.size())
            return differ("size", std::to_string(a.size()), std::to_string(b.size()));
        auto y = b.begin();
        for (auto x = a.begin(); x != a.end() && !found; ++x, ++y) {
            if (x->first != y->first)
                return differ("name", text(x->first), text(y->first));
            PathStep step(*this, x->first.view());
            compare(x->second, y->second);
        }
    }
    void descriptors(const ir::DataDesc &a, const ir::DataDesc &b) {
        const Name classA(descriptorClassName(a)), classB(descriptorClassName(b));
        field("type", classA, classB);
        if (found)
            return;
        descriptorFields(*this, a, b);
        extras(a.extra, b.extra);
    }
    void hints(const ir::SDFG &a, const ir::SDFG &b) {
        if (found)
            return;
        auto shown = [](const ir::SDFG &g) {
            std::string s;
            for (const auto &[name, f] : g.symbolHints) {
                s += (s.empty() ? "" : ", ") + name.str() + ": " + f.type.str() + (f.nonnegative ? " nonnegative" : "") +
                     (f.positive ? " positive" : "") + (f.nonzero ? " nonzero" : "");
                for (const auto &[key, value] : f.other)
                    s += " " + key + "=" + value;
            }
            return s;
        };
        const std::string x = shown(a), y = shown(b);
        if (x != y)
            differ("facts about symbols", x, y);
    }
    void extras(const ir::Extra &a, const ir::Extra &b) {
        if (found)
            return;
        if (a.all().size() != b.all().size())
            return differ("number of other attributes", std::to_string(a.all().size()), std::to_string(b.all().size()));
        for (const auto &[key, value] : a.all()) {
            const json::Value *other = b.find(key);
            if (!other)
                return differ(key, "present", "absent");
            field(key, value, *other);
        }
    }

    // ---- control flow
    void regions(const ir::Region &a, const ir::Region &b) {
        auto start = [](const ir::Region &r) { // the actual start, whether stored or not
            return r.start() ? static_cast<int64_t>(r.start()->id()) : int64_t(-1);
        };
        field("start_block", start(a), start(b));
        if (!sameCount("nodes", a.blocks().size(), b.blocks().size()) || !sameCount("edges", a.edges().size(), b.edges().size()))
            return;
        for (std::size_t i = 0; i < a.blocks().size() && !found; ++i) {
            PathStep step(*this, "nodes", i);
            blocks(*a.blocks()[i], *b.blocks()[i]);
        }
        for (std::size_t i = 0; i < a.edges().size() && !found; ++i) {
            PathStep step(*this, "edges", i);
            const ir::InterstateEdge &x = *a.edges()[i], &y = *b.edges()[i];
            ends(x, y);
            interstateFields(*this, x, y);
            extras(x.extra, y.extra);
        }
    }
    bool sameCount(std::string_view key, std::size_t a, std::size_t b) {
        if (a != b)
            differ("number of " + std::string(key), std::to_string(a), std::to_string(b));
        return !found;
    }
    template <class E> void ends(const E &a, const E &b) {
        field("src", static_cast<int64_t>(a.src->id()), static_cast<int64_t>(b.src->id()));
        field("dst", static_cast<int64_t>(a.dst->id()), static_cast<int64_t>(b.dst->id()));
    }
    void blocks(const ir::Block &a, const ir::Block &b) {
        field("kind of block", static_cast<int64_t>(a.kind()), static_cast<int64_t>(b.kind()));
        if (found)
            return;
        field("label", a.label, b.label);
        field("debuginfo", a.debugInfo, b.debugInfo);
        extras(a.extra, b.extra);
        if (auto *s = dyn_cast<ir::State>(&a)) {
            stateFields(*this, *s, *cast<ir::State>(&b));
            states(*s, *cast<ir::State>(&b));
        } else if (auto *c = dyn_cast<ir::ConditionalBlock>(&a)) {
            conditionals(*c, *cast<ir::ConditionalBlock>(&b));
        } else if (auto *r = dyn_cast<ir::Region>(&a)) {
            if (auto *l = dyn_cast<ir::LoopRegion>(&a))
                loopFields(*this, *l, *cast<ir::LoopRegion>(&b));
            else
                regionFields(*this, *r, *cast<ir::Region>(&b));
            regions(*r, *cast<ir::Region>(&b));
        }
    }
    void conditionals(const ir::ConditionalBlock &a, const ir::ConditionalBlock &b) {
        if (!sameCount("branches", a.branches().size(), b.branches().size()))
            return;
        for (std::size_t i = 0; i < a.branches().size() && !found; ++i) {
            PathStep step(*this, "branches", i);
            field("condition", a.branches()[i].condition, b.branches()[i].condition);
            blocks(*a.branches()[i].region, *b.branches()[i].region);
        }
    }

    // ---- dataflow
    void states(const ir::State &a, const ir::State &b) {
        if (!sameCount("nodes", a.nodes().size(), b.nodes().size()) || !sameCount("edges", a.edges().size(), b.edges().size()))
            return;
        for (std::size_t i = 0; i < a.nodes().size() && !found; ++i) {
            PathStep step(*this, "nodes", i);
            nodes(*a.nodes()[i], *b.nodes()[i]);
        }
        for (std::size_t i = 0; i < a.edges().size() && !found; ++i) {
            PathStep step(*this, "edges", i);
            const ir::Edge &x = *a.edges()[i], &y = *b.edges()[i];
            ends(x, y);
            field("src_connector", x.srcConn, y.srcConn);
            field("dst_connector", x.dstConn, y.dstConn);
            memletFields(*this, x.memlet, y.memlet);
            extras(x.memlet.extra, y.memlet.extra);
        }
    }
    template <class T, class F> bool nodesOf(const ir::Node &a, const ir::Node &b, const F &compare) {
        auto *x = dyn_cast<T>(&a);
        if (x)
            compare(*x, *cast<T>(&b));
        return x != nullptr;
    }
    void nodes(const ir::Node &a, const ir::Node &b) {
        field("kind of node", static_cast<int64_t>(a.kind()), static_cast<int64_t>(b.kind()));
        if (found)
            return;
        nodesOf<ir::AccessNode>(a, b, [&](auto &x, auto &y) { accessFields(*this, x, y); });
        nodesOf<ir::Tasklet>(a, b, [&](auto &x, auto &y) { taskletFields(*this, x, y); });
        nodesOf<ir::NestedSDFGNode>(a, b, [&](auto &x, auto &y) { nested(x, y); });
        nodesOf<ir::MapEntry>(a, b, [&](auto &x, auto &y) {
            mapFields(*this, x, y);
            field("scope_exit", pairedId(x.exit), pairedId(y.exit));
        });
        nodesOf<ir::ConsumeEntry>(a, b, [&](auto &x, auto &y) {
            consumeFields(*this, x, y);
            field("scope_exit", pairedId(x.exit), pairedId(y.exit));
        });
        nodesOf<ir::LibraryNode>(a, b, [&](auto &x, auto &y) { libraries(x, y); });
        nodeFields(*this, a, b);
        extras(a.extra, b.extra);
    }
    static int64_t pairedId(const ir::Node *n) { return n ? static_cast<int64_t>(n->id()) : -1; }
    void nested(const ir::NestedSDFGNode &a, const ir::NestedSDFGNode &b) {
        nestedFields(*this, a, b);
        field("sdfg present", a.sdfg != nullptr, b.sdfg != nullptr);
        if (found || !a.sdfg)
            return;
        PathStep step(*this, "sdfg");
        graphs(*a.sdfg, *b.sdfg);
    }
    void libraries(const ir::LibraryNode &a, const ir::LibraryNode &b) {
        libraryFields(*this, a, b);
        field("classpath", a.classPath, b.classPath);
        if (!sameCount("properties", a.properties.size(), b.properties.size()))
            return;
        for (const auto &[key, value] : a.properties) {
            const json::Value *other = b.properties.find(key);
            if (!other)
                return differ(key, "present", "absent");
            field(key, value, *other);
        }
    }

    std::string path_;
    std::vector<const ir::SDFG *> graphs_;
};

} // namespace

std::optional<std::string> difference(const ir::SDFG &a, const ir::SDFG &b) {
    Comparer c;
    c.graphs(a, b);
    return std::move(c.found);
}

} // namespace sdfgc::serialize
