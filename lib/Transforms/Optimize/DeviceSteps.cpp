#include "Transforms/Optimize/DeviceSteps.h"

#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;

namespace {

/// Adds what an item writes; returns whether that is new.
bool addWrites(const Item &i, std::set<Name> &computed) {
    bool isNew = false;
    for (const nest::PlacedUse &u : nest::usesOf(i))
        isNew |= u.use->writes() && computed.insert(u.use->data).second;
    return isNew;
}

} // namespace

std::set<Name> computedByKernels(const std::vector<nest::Run> &runs) {
    std::set<Name> out;
    for (bool more = true; more;) {
        more = false;
        for (const nest::Run &run : runs)
            for (const Item &i : run.items)
                if (i.map || (!i.step->isCopy() && isa<LibraryNode>(i.step->nodes.front())) || isThread(i, out))
                    more |= addWrites(i, out);
    }
    return out;
}

bool isThread(const Item &i, const std::set<Name> &computed) {
    return i.step && nest::isPythonTasklet(*i.step) && !i.step->effects &&
           std::any_of(i.step->uses.begin(), i.step->uses.end(), [&](const nest::Use &u) { return computed.count(u.data) != 0; });
}

bool isHostScalar(const DataDesc &d) {
    return d.transient && (d.isScalar() || (d.isArray() && d.totalSize.isOne())) && d.alias == AliasKind::None && !d.mayAlias &&
           d.lifetime == Lifetime::Scope && !d.pool &&
           (d.storage == Storage::Default || d.storage == Storage::CPU_Heap || d.storage == Storage::Register);
}

} // namespace sdfgc::transforms
