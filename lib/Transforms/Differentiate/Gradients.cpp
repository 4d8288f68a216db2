#include "Transforms/Differentiate/Gradients.h"

#include "Transforms/Differentiate/Values.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/Scopes.h"
#include "sdfgc/IR/StateGraph.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Use;
using nest::UseKind;

Name Gradients::of(Name data) {
    if (const Name *known = all_.find(data))
        return *known;
    return all_.set(data, maker_.transientLike(prefix_ + data.str(), *maker_.sdfg().desc(data)));
}

bool Gradients::declare(const std::vector<Name> &data, pass::Context &context) {
    SDFG &g = maker_.sdfg();
    for (const Name n : data) {
        const Name name(prefix_ + n.str());
        if (g.freshName(name.view()) != name) {
            diag::Location place = analysis::placeOf(g, *g.desc(n), n);
            place.file = context.options.file;
            context.diags.report(diag::Id::GradientName, place, n.str(), name.str());
            return false;
        }
        of(n);
        DataDesc &d = *g.desc(name);
        if (d.isScalar()) // passed by value, so nothing could be returned
            d.kind = DataKind::Array;
        d.transient = false;
        if (g.isRoot())
            g.argNames.push_back(name);
    }
    return true;
}

Name Gradients::viewOf(const AccessNode &view) {
    SDFG &g = maker_.sdfg();
    const Edge *e = viewEdge(&view);
    const AccessNode *viewed = viewedNode(&view);
    const std::optional<sym::Subset> part = e->src == viewed ? sourceSubset(e) : destinationSubset(e);
    const sym::Subset shown = part ? *part : g.desc(viewed->data)->fullSubset();
    Name &name = views_[{view.data, viewed->data.str() + shown.str()}];
    if (name.empty()) {
        const Name base = g.desc(viewed->data)->isView() ? viewOf(*viewed) : of(viewed->data);
        name = maker_.transientLike(prefix_ + view.data.str(), *g.desc(view.data));
        maker_.setView(name, base, shown);
    }
    return name;
}

Use Gradients::use(const Use &u, UseKind kind, Name connector) {
    const bool isView = maker_.sdfg().desc(u.data)->isView();
    const Name name = isView ? viewOf(*u.access) : of(u.data);
    return maker_.use(kind, name, *subsetOf(u), connector);
}

} // namespace sdfgc::transforms::gradient
