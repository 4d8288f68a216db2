#include "Analysis/Symbols/ScopeNames.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

bool definesInside(const Node *entry, Name n) {
    if (auto *m = dyn_cast<MapEntry>(entry))
        if (std::find(m->params.begin(), m->params.end(), n) != m->params.end() ||
            (m->schedule == Schedule::SVE_Map && n == Name(Type::scalableLanesName)))
            return true;
    if (auto *c = dyn_cast<ConsumeEntry>(entry); c && c->defines(n))
        return true;
    return entry->inConnector(n) && !pairedConnector(n);
}

bool definedByScope(const ScopeTree &scopes, const Node *scope, Name n) {
    while (scope && !definesInside(scope, n))
        scope = scopes.scopeOf(scope);
    return scope != nullptr;
}

const Node *scopeOfEdge(const ScopeTree &scopes, const Edge &e) {
    const Node *from = e.src->isEntry() ? e.src : scopes.scopeOf(e.src);
    if (e.src->isExit())
        from = scopes.scopeOf(from);
    return scopes.encloses(from, e.dst) ? scopes.scopeOf(e.dst) : from;
}

bool isOuterEdge(const Edge &e) {
    return (e.src->isExit() && pairedConnector(e.srcConn)) || (e.dst->isEntry() && pairedConnector(e.dstConn));
}

} // namespace sdfgc::analysis
