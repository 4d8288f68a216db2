// scalarise-sve: turn maps over the lanes of SVE registers into loops.
//
//     map m[i = 0:N] (SVE_Map) {                            map m[i = 0:N] (Sequential) {
//         t: out = 2 * a  with a <- A[i:i + len + 1],  ->       t: out = 2 * a  with a <- A[i]; out -> B[i]
//                         out -> B[i:i + len + 1]           }
//     }                       // a, out: vectors
//
// DaCe's transformation SVEVectorization gives the innermost map the schedule SVE_Map, and the connectors in it the type of a vector
// with `__dace_sve_len` elements: as many as the registers of the processor have, which is not known before the program runs. A step of
// the map computes the iterations i, i + s, i + 2s, ..., one in each lane (s: the step of the map). A subset begins with the element of
// the first lane and contains one for each of them; DaCe writes its end one stride too late.
//
// Lanes are iterations of a map, so any order of them is right. The pass takes each iteration by itself:
//
//   1. Connectors, and containers inside the map, have the type of an element.
//   2. Memlets inside the map have the first element of their subset. In subsets of surrounding maps, which are unions of these, the
//      lanes beyond the last iteration disappear.
//   3. Containers in SVE registers are in ordinary ones, and the schedule is Sequential. For a GPU, it is Default: iterations become
//      threads.
//
// So the values are the same for every length of the registers, conflicting updates happen one after the other, and pushes to streams
// stay in order. Loops are left to the C++ compiler, which vectorises plain ones for SVE with predicates, as this form asks for.
//
// Refused (SD4660), because the value of such vectors is not that of an iteration: vectors outside of SVE_Map maps, in arguments, and in
// containers that more than one map uses or that outlive it; tasklets in C++ that take vectors; maps with several parameters, and
// maps, nested SDFGs and library nodes in the map. DaCe's code generator does not accept these either.
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <map>

namespace sdfgc::transforms {
namespace {

using namespace ir;

const Name lanesSymbol(Type::scalableLanesName);

/// Does a type contain a vector with as many elements as a register?
bool hasLanes(Type t) {
    if (t.isScalableVector())
        return true;
    const auto any = [](const std::vector<Type> &types) { return std::any_of(types.begin(), types.end(), hasLanes); };
    switch (t.kind()) {
    case TypeKind::Pointer:
    case TypeKind::Vector:
        return hasLanes(t.element());
    case TypeKind::Struct:
        return std::any_of(t.fields().begin(), t.fields().end(), [](const auto &f) { return hasLanes(f.second); });
    case TypeKind::Callback:
        return any(t.arguments()) || any(t.returns());
    case TypeKind::Scalar:
    case TypeKind::Opaque:
        return false;
    }
    return false;
}

bool isSveMap(const Node *n) {
    const auto *m = n ? dyn_cast<MapEntry>(n) : nullptr;
    return m && m->schedule == Schedule::SVE_Map;
}

bool takesVectors(const Node &n) {
    const auto any = [](const std::vector<Connector> &all) {
        return std::any_of(all.begin(), all.end(), [](const Connector &c) { return hasLanes(c.type); });
    };
    return any(n.inConnectors) || any(n.outConnectors);
}

/// Is there anything to do? Nearly always not, and then this is all that the pass costs.
bool usesLanes(SDFG &root) {
    const auto inData = [](const auto &named) {
        return hasLanes(named.second.dtype) || named.second.storage == Storage::SVE_Register;
    };
    for (SDFG *g : allSDFGs(root)) {
        if (std::any_of(g->arrays.begin(), g->arrays.end(), inData))
            return true;
        for (const State *s : allStates(*g))
            for (const auto &n : s->nodes())
                if (isSveMap(n.get()) || takesVectors(*n))
                    return true;
    }
    return false;
}

bool mentionsLanes(const sym::Subset &s) { return s.freeSymbols().count(lanesSymbol) != 0; }

/// The first element: that of the iteration.
void takeFirst(sym::Subset &s) {
    for (sym::Range &r : s.dims)
        if (r.end.dependsOn(lanesSymbol))
            r = {r.begin, r.begin};
}

/// Refuses and rewrites the maps of one SDFG.
class Lanes {
public:
    struct Refusal {
        diag::Location place;
        std::string what, why, hint;
    };

    Lanes(SDFG &g, Schedule schedule) : g_(g), schedule_(schedule) {}

    std::optional<Refusal> refusal() {
        for (State *s : allStates(g_)) {
            const analysis::ScopeTree scopes(*s);
            for (const auto &n : s->nodes()) {
                const Node *map = scopes.scopeOf(n.get());
                if (auto r = isSveMap(n.get()) ? refusal(*cast<MapEntry>(n.get()), scopes) : std::nullopt)
                    return r;
                if (auto r = refusal(*n, isSveMap(map) ? map : nullptr))
                    return r;
            }
        }
        for (const auto &[name, d] : g_.arrays)
            if (const std::string why = obstacle(name, d); !why.empty())
                return Refusal{analysis::placeOf(g_, d, name), "`" + name.str() + "`", why,
                               "use the container in one map with the schedule SVE_Map only"};
        return std::nullopt;
    }

    bool rewrite() {
        bool changed = false;
        for (State *s : allStates(g_)) {
            const analysis::ScopeTree scopes(*s);
            for (const auto &n : s->nodes()) {
                for (auto *connectors : {&n->inConnectors, &n->outConnectors})
                    for (Connector &c : *connectors)
                        c.type = c.type.ofLane();
                if (!isSveMap(n.get()))
                    continue;
                changed = true;
                for (const auto &e : s->edges())
                    if (scopes.encloses(n.get(), e->src) || scopes.encloses(n.get(), e->dst))
                        takeFirst(e->memlet);
            }
            for (const auto &n : s->nodes())
                if (isSveMap(n.get()))
                    cast<MapEntry>(n.get())->schedule = schedule_;
            for (const auto &e : s->edges()) // around the maps
                dropLanes(e->memlet);
        }
        for (const auto &[name, map] : users_) {
            DataDesc *d = g_.arrays.find(name);
            if (!d) // a member of a structure, which is an argument or lives longer
                continue;
            d->dtype = d->dtype.ofLane();
            if (d->storage == Storage::SVE_Register)
                d->storage = Storage::Register;
        }
        return changed;
    }

private:
    static std::optional<Refusal> refusal(const MapEntry &m, const analysis::ScopeTree &scopes) {
        const auto refused = [&](const std::string &why) {
            return Refusal{analysis::placeOf(m), "map `" + m.label + "`", why, "give it the schedule Sequential, or split it"};
        };
        if (m.params.size() != 1)
            return refused("it has " + std::to_string(m.params.size()) + " parameters, and lanes are iterations of one");
        for (const Node *n : scopes.children(&m))
            if (!isa<Tasklet>(n) && !isa<AccessNode>(n) && !n->isExit())
                return refused("it contains `" + n->label + "`, which is neither a tasklet nor a container");
        return std::nullopt;
    }

    /// `map`: the SVE_Map around the node. Notes containers that it uses.
    std::optional<Refusal> refusal(const Node &n, const Node *map) {
        if (const auto *a = dyn_cast<AccessNode>(&n)) {
            const auto [known, isNew] = users_.emplace(a->data, map);
            if (!isNew && known->second != map)
                known->second = nullptr;
        }
        if (!takesVectors(n))
            return std::nullopt;
        const auto *t = dyn_cast<Tasklet>(&n);
        if (!map && !isSveMap(&n) && !n.isExit())
            return Refusal{analysis::placeOf(n), "`" + n.label + "`",
                           "it takes vectors, and is in no map with the schedule SVE_Map",
                           "give its connectors the type of an element"};
        if (t && !t->code.isPython())
            return Refusal{analysis::placeOf(n), "tasklet `" + n.label + "`", "its code takes vectors, and is not in Python",
                           "write it in Python"};
        return std::nullopt;
    }

    /// Why a container cannot be one element for each iteration. Empty if it can, or need not.
    std::string obstacle(Name name, const DataDesc &d) const {
        if (!hasLanes(d.dtype) && d.storage != Storage::SVE_Register)
            return {};
        const auto user = users_.find(name);
        if (user == users_.end() && !hasLanes(d.dtype))
            return {}; // nothing uses it
        if (!d.transient)
            return "it is an argument, and its size depends on the processor";
        if (user == users_.end() || !user->second)
            return "it is used outside of one map with the schedule SVE_Map, and its size depends on the processor";
        if (d.lifetime != Lifetime::Scope)
            return "it lives longer than the iteration that writes it";
        if (hasLanes(d.dtype.ofLane()))
            return "its type contains vectors";
        return {};
    }

    static void takeFirst(Memlet &m) {
        for (std::optional<sym::Subset> *s : {&m.subset, &m.otherSubset})
            if (*s)
                transforms::takeFirst(**s);
        if (m.volume.dependsOn(lanesSymbol))
            m.volume = 1;
    }

    static void dropLanes(Memlet &m) {
        const std::map<Name, sym::Expr> none{{lanesSymbol, sym::Expr(0)}};
        for (std::optional<sym::Subset> *s : {&m.subset, &m.otherSubset})
            if (*s && mentionsLanes(**s))
                **s = (*s)->substituted(none);
        if (m.volume.dependsOn(lanesSymbol))
            m.volume = m.subset ? m.subset->numElements() : sym::Expr(1);
    }

    SDFG &g_;
    const Schedule schedule_;
    std::map<Name, const Node *> users_; // of containers: the map that contains all of their access nodes, or null
};

class ScalariseSve : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (!usesLanes(root))
            return false;
        bool changed = false;
        for (SDFG *g : allSDFGs(root)) {
            Lanes lanes(*g, context.options.gpu() ? Schedule::Default : Schedule::Sequential);
            if (auto r = lanes.refusal()) {
                r->place.file = context.options.file;
                context.diags.report(diag::Id::SveRefused, r->place, r->what, r->why, r->hint);
                return false;
            }
            changed |= lanes.rewrite();
        }
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createScalariseSve() { return std::make_unique<ScalariseSve>(); }

} // namespace sdfgc::transforms
