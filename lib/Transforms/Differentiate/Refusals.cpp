// Refuses, by name, containers that cannot have gradients and writes whose gradient would be counted more than once,
// rather than computing a wrong result.
#include "Transforms/Differentiate/Items.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

std::string kindOf(const DataDesc &d) {
    if (d.isReference())
        return "a reference";
    if (d.isStream())
        return "a stream";
    if (d.isStructure())
        return "a structure";
    if (d.isContainerArray())
        return "an array of containers";
    return d.isArray() || d.isScalar() ? "" : "no array";
}

/// Why a real-valued container cannot have a gradient; empty if it can.
std::string whyNone(const AccessNode &at, const SDFG &g) {
    const DataDesc *d = g.desc(at.data);
    if (!d)
        return "declared nowhere";
    if (const std::string kind = kindOf(*d); !kind.empty())
        return kind;
    if (ownerOf(at.data) != at.data)
        return "a member of a structure";
    if (!d->isView())
        return isReal(d->dtype) ? "" : "of the type " + d->dtype.str();
    const AccessNode *viewed = viewedNode(&at);
    const DataDesc *behind = viewed ? g.desc(viewed->data) : nullptr;
    if (!behind)
        return "a view of an unknown container";
    if (const std::string why = whyNone(*viewed, g); !why.empty())
        return "a view of `" + viewed->data.str() + "`, which is " + why;
    return behind->dtype == d->dtype ? "" : "a view of `" + viewed->data.str() + "` with another type";
}

std::string hintFor(const DataDesc *d) {
    return d && d->dtype.isVector() ? "differentiate before the passes that create vectors" : "use a floating-point array";
}

} // namespace

std::optional<Obstacle> obstacleOfContainers(const Step &s, const SDFG &g, const std::function<bool(const Use &)> &takesPart) {
    for (const Use &u : s.uses) {
        if (!takesPart(u))
            continue;
        const DataDesc *d = g.desc(u.data);
        if (d && analysis::isPlain(d) && d->dtype.isComplex())
            return Obstacle{{diag::Id::GradientOfComplex, u.data.str()}, u.access};
        if (const std::string why = whyNone(*u.access, g); !why.empty())
            return Obstacle{{diag::Id::GradientOfContainer, u.data.str(), why, hintFor(d)}, u.access};
    }
    return std::nullopt;
}

bool ItemReverser::canHaveGradients(const Step &s) {
    for (const Name symbol : program_.realSymbolsIn(s))
        if (activity_.isActive(program_.realSymbols().at(symbol))) {
            fail({diag::Id::GradientOfContainer, symbol.str(), "a symbol", "keep the value in a scalar that tasklets read"},
                 *s.nodes.front());
            return false;
        }
    const auto takesPart = [this](const Use &u) { return activity_.isActive(u.memory); };
    if (const auto obstacle = obstacleOfContainers(s, maker_.sdfg(), takesPart)) {
        fail(obstacle->message, *obstacle->at);
        return false;
    }
    for (const Use &u : s.uses)
        if (u.kind == UseKind::Update && takesPart(u) && !isSum(u.memlet.wcr)) {
            fail({diag::Id::GradientOfUpdate, u.data.str(), "`" + u.memlet.wcr + "` is not a sum"}, *u.access);
            return false;
        }
    return true;
}

bool ItemReverser::writesOnce(const Step &s, Body &b) {
    if (std::none_of(s.uses.begin(), s.uses.end(), [this](const Use &u) { return !u.writes() && isActive(u); }))
        return true; // clearing the same gradient twice does no harm
    const auto mapOf = [&b](const Use &u) {
        const Body *owner = b.ownerOf(u.data);
        return owner ? owner->map : nullptr;
    };
    for (const Use &u : s.uses)
        if (u.kind == UseKind::Write && u.certain && !u.memlet.dynamic && isActive(u) && program_.isRepeated(u, mapOf(u))) {
            fail({diag::Id::GradientOfUpdate, u.data.str(),
                  "iterations of a map write the same element, of which one value remains"},
                 *u.access);
            return false;
        }
    for (const Use &u : s.uses)
        if (u.kind == UseKind::Write && isActive(u) && s.nodes.size() == 1 && isa<Tasklet>(s.nodes.front()) &&
            !(u.subset && u.subset->isOneElement()) && program_.isShared(u, mapOf(u))) {
            diag::Location place = analysis::placeOf(*u.access);
            place.file = context_.options.file;
            context_.diags.report(diag::Id::GradientOfScatter, place, u.data.str());
        }
    return true;
}

} // namespace sdfgc::transforms::gradient
