// Reverses copies.
#include "Transforms/Differentiate/Items.h"
#include "Transforms/Differentiate/Signatures.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

/// Creates a map over the elements that adds the gradient of the destination to that of the source. Uses a buffer if
/// both are in the same container, because an element may be in both; if the copy changes the shape; and if it crosses
/// between host and device. The buffer has the shape and the memory of the source.
void reverseCopy(ItemReverser &r, const Step &s, Body &b, std::vector<Item> &out) {
    Maker &m = r.maker();
    const Use &from = s.uses.front(), &to = s.uses.back();
    if (const auto why = obstacleOfCopy(s))
        return r.fail(*why, *to.access);
    if (!r.isActive(from))
        return r.clear(to, b, out);
    const sym::Subset taken = *subsetOf(from);
    const bool plain = from.memory != to.memory && haveSameShape(taken, *subsetOf(to)) &&
                       isGpuStorage(r.desc(from).storage) == isGpuStorage(r.desc(to).storage);
    Use source = r.gradient(to, UseKind::Read, {}, b);
    if (!plain) {
        const Name buffer = r.temporary("handed_on", r.desc(from), taken.sizes(), b);
        const sym::Subset all = m.sdfg().desc(buffer)->fullSubset();
        out.push_back(m.copy(source, m.write(buffer, all)));
        r.clear(to, b, out);
        source = m.read(buffer, all);
    }
    const Maker::Walk walk = m.walkOver(taken);
    const Name in = m.connector("__in"), sum = m.connector("__sum"), cleared = m.connector("__cleared");
    std::string code = sum.str() + " = " + in.str();
    const sym::Subset element = walk.elementOf(*source.subset);
    std::vector<Use> uses{m.read(source.data, element, in),
                          m.sum(r.gradient(from, UseKind::Update, {}, b).data, walk.elementOf(taken), sum)};
    if (plain && r.mustClear(to, b)) {
        code += "\n" + cleared.str() + " = 0";
        uses.push_back(m.write(source.data, element, cleared));
    }
    Item add = m.tasklet("hand_on_" + to.data.str(), code, std::move(uses));
    out.push_back(m.over(walk, "hand_on_" + to.data.str(), std::move(add), b.inScope()));
}

} // namespace sdfgc::transforms::gradient
