// resolve-process-grids: turn descriptors of distributed programs into calls and numbers.
//
//   before   grid (ProcessGrid 2 x P/2) -> Bcast._grid        init_code: MPI_Cart_create(..., &__state->grid); ...
//   after    state process_grids: mpi.make_grid("grid", 0, dims(2, P / 2))        Bcast {grid: 0}
//
// A ProcessGrid, SubArray or RedistrArray is a container without data. An edge from one to an MPI node specifies which
// ranks take part, or how an array is distributed. DaCe creates the handles in C++ text of the program's initialiser
// and stores them in state fields that nodes of class Dummy declare. This pass derives everything from the descriptors
// instead:
//
//   1. Grids are numbered, parents before their parts. A state at the start of the program creates them, and the
//      runtime keeps them between calls.
//   2. Edges to MPI nodes become properties: the number of a grid, or `{shape, block, along, grid}` of a sub-array.
//   3. Statements of the init and exit code that mention fields of a descriptor are removed, including those of Dummy
//      nodes. Fields are recognised by name, `<descriptor>` or `<descriptor>_...`, since the text differs between
//      versions of DaCe.
//   4. Descriptors and their access nodes are removed.
//   5. CommSplit nodes are numbered.
//
// A C++ tasklet that reads a grid receives its communicator, as in DaCe; on ranks outside the grid this is null.
//
// Not handled, and refused (SD2173): descriptors that do not match each other, or that other nodes read.
#include "sdfgc/Analysis/Communication.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Support/CppWords.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

bool isDescriptor(const DataDesc &d) {
    return d.kind == DataKind::ProcessGrid || d.kind == DataKind::SubArray || d.kind == DataKind::RedistrArray;
}

std::string textOf(const DataDesc &d, const char *key) {
    const json::Value *v = d.extra.find(key);
    return v ? v->text() : "";
}
std::vector<std::string> listOf(const DataDesc &d, const char *key) {
    std::vector<std::string> out;
    if (const json::Value *v = d.extra.find(key))
        for (const json::Value &item : v->items())
            out.push_back(item.text());
    return out;
}
std::vector<std::string> shapeOf(const DataDesc &d) {
    std::vector<std::string> out;
    for (const sym::Expr &e : d.shape)
        out.push_back(e.str());
    return out;
}

/// The end of a comment or literal that begins at `at`; `at` if there is none.
std::size_t endOfComment(const std::string &code, std::size_t at) {
    const auto after = [&](std::string_view mark, std::size_t from) {
        const std::size_t end = code.find(mark, from);
        return end == std::string::npos ? code.size() : end + mark.size();
    };
    if (code.compare(at, 2, "//") == 0)
        return after("\n", at);
    if (code.compare(at, 2, "/*") == 0)
        return after("*/", at + 2);
    if (code[at] != '"' && code[at] != '\'')
        return at;
    std::size_t end = at + 1;
    while (end < code.size() && code[end] != code[at])
        end += code[end] == '\\' ? 2 : 1;
    return std::min(end + 1, code.size());
}

/// Splits C++ text into its top-level statements: up to a semicolon outside brackets, or to the end of a block and a
/// following `else`.
std::vector<std::string> statements(const std::string &code) {
    std::vector<std::string> out;
    std::string now;
    int depth = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (const std::size_t end = endOfComment(code, i); end != i) {
            now += code.substr(i, end - i);
            i = end - 1;
            continue;
        }
        const char c = code[i];
        now += c;
        depth += c == '{' || c == '(' ? 1 : c == '}' || c == ')' ? -1 : 0;
        if (depth > 0 || (c != ';' && c != '}'))
            continue;
        if (c == '}' && (text::trimmed(std::string_view(code).substr(i + 1)).starts_with("else") ||
                         text::trimmed(std::string_view(code).substr(i + 1)).starts_with(";")))
            continue;
        out.push_back(std::exchange(now, ""));
    }
    out.push_back(now);
    return out;
}

class Resolution {
public:
    Resolution(SDFG &g, pass::Context &context) : g_(g), context_(context) {
        for (const auto &[name, d] : g.arrays)
            if (isDescriptor(d))
                names_.insert(name);
    }

    bool run() {
        if (names_.empty())
            return false;
        for (const auto &[name, d] : g_.arrays)
            if (d.kind == DataKind::ProcessGrid)
                number(name, 0);
        for (const auto &[name, d] : g_.arrays)
            if (d.kind == DataKind::SubArray)
                verifySubArray(name, d);
        for (SDFG *g : allSDFGs(g_))
            for (State *s : allStates(*g))
                for (const auto &n : s->nodes())
                    if (auto *l = dyn_cast<LibraryNode>(n.get()); l && analysis::communicationOf(*l))
                        resolve(*l);
        removeDummies();
        if (failed_)
            return false;
        describeGrids();
        removeDescriptors();
        dropCode(g_.initCode);
        dropCode(g_.exitCode);
        makeGrids();
        return !failed_;
    }

private:
    void refuse(Name descriptor, const std::string &why) {
        failed_ = true;
        const DataDesc *d = g_.desc(descriptor);
        const char *kind = !d || d->kind == DataKind::ProcessGrid ? "process grid"
                           : d->kind == DataKind::SubArray        ? "sub-array"
                                                                  : "redistribution";
        diag::Location place;
        place.file = context_.options.file;
        context_.diags.report(diag::Id::DescriptorWrong, place, kind, descriptor.str(), why);
    }

    /// Numbers a grid, after its parent.
    std::optional<int64_t> number(Name name, int depth) {
        const DataDesc *d = g_.desc(name);
        if (!d || d->kind != DataKind::ProcessGrid)
            return std::nullopt;
        if (const auto at = std::find(grids_.begin(), grids_.end(), name); at != grids_.end())
            return at - grids_.begin();
        if (isPart(*d)) {
            const Name parent(textOf(*d, "parent_grid"));
            if (depth > static_cast<int>(names_.size()))
                return refuse(name, "it is a part of itself"), std::nullopt;
            if (!number(parent, depth + 1))
                return refuse(name, "its parent `" + parent.str() + "` is not a process grid"), std::nullopt;
            if (listOf(*d, "color").size() != g_.desc(parent)->shape.size())
                return refuse(name, "`color` must specify for each dimension of `" + parent.str() + "` whether it is kept"),
                       std::nullopt;
        }
        grids_.push_back(name);
        return static_cast<int64_t>(grids_.size()) - 1;
    }
    static bool isPart(const DataDesc &d) {
        const json::Value *v = d.extra.find("is_subgrid");
        return v && v->asBool();
    }

    void verifySubArray(Name name, const DataDesc &d) {
        const Name grid(textOf(d, "pgrid"));
        if (grid.empty()) // it cannot be used to distribute anything
            return;
        const DataDesc *over = g_.desc(grid);
        if (!over || over->kind != DataKind::ProcessGrid)
            return refuse(name, "`" + grid.str() + "` is not a process grid");
        const std::vector<std::string> along = listOf(d, "correspondence");
        if (listOf(d, "subshape").size() != d.shape.size() || along.size() != d.shape.size())
            return refuse(name, "`shape`, `subshape` and `correspondence` must have an entry for each dimension");
        std::set<std::string> taken;
        for (const std::string &dimension : along) {
            const auto n = json::Value::number(dimension).asInt();
            if (!n || *n < 0 || *n >= static_cast<int64_t>(over->shape.size()) || !taken.insert(dimension).second)
                return refuse(name, "`correspondence` must name dimensions of `" + grid.str() + "`, each once");
        }
    }

    /// The descriptor at a connector of a node, or in a property of that name (DaCe 1.x); empty if there is none.
    Name descriptorAt(LibraryNode &n, const std::string &connector, const char *property) {
        if (Edge *e = n.inEdge(Name(connector))) {
            const auto *access = dyn_cast<AccessNode>(analysis::pathSource(e));
            Name name = access ? access->data : Name();
            for (const SDFG *g = n.state()->sdfg(); g->parentNode && name; g = g->parentNode->state()->sdfg()) {
                const Edge *outer = g->parentNode->inEdge(name);
                const auto *source = outer ? dyn_cast<AccessNode>(analysis::pathSource(outer)) : nullptr;
                name = source ? source->data : Name();
            }
            n.state()->removeEdge(e);
            n.removeIn(Name(connector));
            return name;
        }
        const json::Value *v = n.properties.find(property);
        return v && v->isString() && names_.contains(Name(v->text())) ? Name(v->text()) : Name();
    }

    void resolve(LibraryNode &n) {
        struct GridProperty {
            const char *connector, *property;
        };
        constexpr GridProperty grids[] = {{"_grid", "grid"},
                                          {"_scatter_grid", "scatter_grid"},
                                          {"_bcast_grid", "bcast_grid"},
                                          {"_gather_grid", "gather_grid"},
                                          {"_reduce_grid", "reduce_grid"}};
        for (const GridProperty &p : grids)
            if (const Name name = descriptorAt(n, p.connector, p.property)) {
                if (const std::optional<int64_t> k = number(name, 0))
                    n.properties.set(p.property, *k);
                else
                    refuse(name, "it is not a process grid, but " + elementName(n) + " requires one at `" + p.connector + "`");
            }
        if (const Name name = descriptorAt(n, "_subarray", "subarray_type"))
            n.properties.set("subarray", subArray(name));
        if (const Name name = descriptorAt(n, "_rdistrarray", "redistr")) {
            const DataDesc *d = g_.desc(name);
            n.properties.set("from", subArray(Name(d ? textOf(*d, "array_a") : "")));
            n.properties.set("to", subArray(Name(d ? textOf(*d, "array_b") : "")));
        }
    }

    json::Value subArray(Name name) {
        const DataDesc *d = g_.desc(name);
        json::Value out = json::Value::object();
        const std::optional<int64_t> grid =
            d && d->kind == DataKind::SubArray ? number(Name(textOf(*d, "pgrid")), 0) : std::nullopt;
        if (!grid) {
            refuse(name, "it is not a sub-array of a process grid");
            return out;
        }
        auto list = [](const std::vector<std::string> &texts) {
            json::Value all = json::Value::array();
            for (const std::string &text : texts)
                all.push(text);
            return all;
        };
        out.set("shape", list(shapeOf(*d)));
        out.set("block", list(listOf(*d, "subshape")));
        out.set("along", list(listOf(*d, "correspondence")));
        out.set("grid", *grid);
        return out;
    }

    /// Is it the name of a descriptor's field?
    bool isField(std::string_view word) const {
        return std::any_of(names_.begin(), names_.end(), [&](Name d) {
            return word.starts_with(d.view()) && (word.size() == d.view().size() || word[d.view().size()] == '_');
        });
    }

    /// Nodes that declare fields; the runtime creates those of descriptors.
    void removeDummies() {
        for (SDFG *g : allSDFGs(g_))
            for (State *s : allStates(*g)) {
                std::vector<Node *> dead;
                for (const auto &n : s->nodes())
                    if (auto *l = dyn_cast<LibraryNode>(n.get()); l && analysis::isDeclaration(*l) && hasOnlyFields(*l)) {
                        dead.push_back(l);
                        for (const Edge *e : l->outEdges()) // DaCe 1.x: a variable that is never read
                            if (e->dst->inEdges().size() == 1 && e->dst->outEdges().empty())
                                dead.push_back(e->dst);
                    }
                s->removeNodes(dead);
            }
    }
    bool hasOnlyFields(const LibraryNode &n) const {
        const json::Value *fields = n.properties.find("fields");
        return !fields || std::all_of(fields->items().begin(), fields->items().end(), [&](const json::Value &f) {
            const std::string_view text = text::trimmed(f.text());
            const std::size_t end = text.find_first_of("[;"), begin = text.find_last_of(" *", end) + 1;
            return isField(text.substr(begin, end - begin));
        });
    }

    /// User tasklets that read a grid get its communicator, in a variable that the first state sets.
    void handOver(AccessNode &grid) {
        State &s = *grid.state();
        const std::vector<Edge *> edges = grid.outEdges();
        for (Edge *e : edges) {
            const auto *t = dyn_cast<Tasklet>(e->dst);
            const auto at = std::find(grids_.begin(), grids_.end(), grid.data);
            if (!t || t->code.language() != Language::CPP || s.sdfg() != &g_ || at == grids_.end())
                continue;
            const auto k = static_cast<std::size_t>(at - grids_.begin());
            if (!handles_.contains(k)) {
                DataDesc d = DataDesc::scalar(Type::opaque("MPI_Comm"), true);
                d.storage = Storage::Register;
                handles_[k] = g_.addTransient(grid.data.str() + "_comm", std::move(d));
            }
            const Name handle = handles_[k];
            e->dst->inConnector(e->dstConn)->type = Type::opaque("MPI_Comm");
            s.connect(s.add<AccessNode>(handle), {}, e->dst, e->dstConn, Memlet::simple(handle, g_.desc(handle)->fullSubset()));
            s.removeEdge(e);
        }
    }

    void removeDescriptors() {
        for (SDFG *g : allSDFGs(g_))
            for (State *s : allStates(*g)) {
                std::vector<Node *> dead;
                for (AccessNode *a : nodesOf<AccessNode>(*s)) {
                    const DataDesc *d = g->desc(a->data);
                    if (!d || !isDescriptor(*d))
                        continue;
                    handOver(*a);
                    if (!a->outEdges().empty())
                        refuse(a->data, elementName(*a->outEdges().front()->dst) + " reads it, which is not an MPI node");
                    dead.push_back(a);
                }
                s->removeNodes(dead);
                s->renumber();
            }
        for (SDFG *g : allSDFGs(g_)) {
            std::vector<Name> gone;
            for (const auto &[name, d] : g->arrays)
                if (isDescriptor(d))
                    gone.push_back(name);
            for (const Name name : gone)
                g->arrays.erase(name);
        }
    }

    /// Removes statements that mention a descriptor's field, or declare a variable named after one.
    void dropCode(std::vector<TargetCode> &codes) {
        for (TargetCode &c : codes) {
            std::string kept;
            for (const std::string &statement : statements(c.code.text()))
                if (!mentionsField(statement))
                    kept += statement;
            c.code = {cppWords(kept).empty() ? "" : kept, c.code.language()}; // comments alone do not count
        }
        std::erase_if(codes, [](const TargetCode &c) { return c.code.text().empty(); });
    }
    bool mentionsField(const std::string &statement) const {
        const std::vector<CppWord> words = cppWords(statement);
        return std::any_of(words.begin(), words.end(), [&](const CppWord &w) { return isField(w.text); });
    }

    void makeGrids() {
        if (grids_.empty())
            return;
        State *s = g_.addStateBefore(g_.start(), g_.freshLabel("process_grids"));
        Tasklet *last = nullptr;
        for (std::size_t k = 0; k < grids_.size(); ++k) {
            Tasklet *t = s->addTasklet("make_" + grids_[k].str(), {calls_[k], Language::Library});
            t->environments = {Name("MPI")};
            t->sideEffects = true;
            if (last)
                s->connect(last, {}, t, {}, Memlet::empty());
            last = t;
        }
        for (const auto &[k, handle] : handles_) {
            Tasklet *t = s->addTasklet(handle.str(), {"_out = mpi.grid_comm(" + std::to_string(k) + ")", Language::Library});
            t->environments = {Name("MPI")};
            s->connect(last, {}, t, {}, Memlet::empty());
            s->connect(t, "_out", s->add<AccessNode>(handle), {}, Memlet::simple(handle, g_.desc(handle)->fullSubset()));
            t->outConnector("_out")->type = Type::opaque("MPI_Comm");
        }
        s->renumber();
    }

    /// Creates the texts of the calls, while the descriptors still exist.
    void describeGrids() {
        for (std::size_t k = 0; k < grids_.size(); ++k) {
            const DataDesc &d = *g_.desc(grids_[k]);
            const std::string head = "('\"process grid `" + grids_[k].str() + "`\"', " + std::to_string(k) + ", ";
            if (!isPart(d)) {
                calls_.push_back("mpi.make_grid" + head + "dims(" + text::joined(shapeOf(d)) + "))");
                continue;
            }
            std::vector<std::string> kept;
            for (const std::string &c : listOf(d, "color"))
                kept.push_back(c == "true" || c == "1" ? "1" : "0");
            const std::string exact = textOf(d, "exact_grid");
            calls_.push_back("mpi.make_part" + head + std::to_string(*number(Name(textOf(d, "parent_grid")), 0)) + ", dims(" +
                             text::joined(kept) + "), " + (exact.empty() ? "-1" : exact) + ")");
        }
    }

    SDFG &g_;
    pass::Context &context_;
    std::set<Name> names_;                // of descriptors
    std::vector<Name> grids_;             // by number
    std::vector<std::string> calls_;      // calls that create them
    std::map<std::size_t, Name> handles_; // for grids by number, used by user tasklets
    bool failed_ = false;
};

class ResolveProcessGrids : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const bool numbered = numberSplits(root);
        return Resolution(root, context).run() || numbered;
    }

private:
    /// Each node that splits a communicator gets a separate number, under which the runtime keeps its communicators.
    static bool numberSplits(SDFG &root) {
        int64_t next = 0;
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (LibraryNode *l : nodesOf<LibraryNode>(*s))
                    if (analysis::communicationOf(*l) && l->outConnector("_comm"))
                        l->properties.set("number", next++);
        return next > 0;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createResolveProcessGrids() { return std::make_unique<ResolveProcessGrids>(); }

} // namespace sdfgc::transforms
