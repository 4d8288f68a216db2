#include "Transforms/Differentiate/Devices.h"

#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Nest/Build.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;

namespace {

/// The arrays that an item accesses, by memory. Scalars that are read are passed to kernels as values, and page-locked
/// memory is accessible from both sides.
struct Sides {
    std::set<Name> ofDevice, ofHost, written;

    Sides(const Item &item, const SDFG &g) {
        const std::set<Name> own = nest::localsOf(item);
        for (const nest::PlacedUse &u : nest::usesOf(item)) {
            const DataDesc *d = g.desc(u.use->data);
            if (!d || own.count(u.use->data) || d->storage == Storage::CPU_Pinned || (d->isScalar() && !u.use->writes()))
                continue;
            (isGpuStorage(d->storage) ? ofDevice : ofHost).insert(u.use->data);
            if (u.use->writes())
                written.insert(u.use->data);
        }
    }
    bool writesAny(const std::set<Name> &names) const {
        return std::any_of(names.begin(), names.end(), [this](Name n) { return written.count(n) != 0; });
    }
};

bool hasKernel(const std::vector<Item> &items) {
    return std::any_of(items.begin(), items.end(),
                       [](const Item &i) { return i.map && (isGpuSchedule(i.map->entry->schedule) || hasKernel(i.map->body)); });
}

/// The only node of a step.
const Node *nodeOf(const nest::Step &s) { return s.made ? s.made.get() : s.nodes.size() == 1 ? s.nodes.front() : nullptr; }

class Placer {
public:
    explicit Placer(Maker &maker) : maker_(maker) {}

    std::vector<Item> placed(std::vector<Item> items) {
        std::vector<Item> out;
        for (Item &i : items) {
            std::vector<Item> after;
            if (i.map && !isGpuSchedule(i.map->entry->schedule) && hasKernel(i.map->body))
                i.map->body = placed(std::move(i.map->body));
            else
                place(i, out, after);
            out.push_back(std::move(i));
            std::move(after.begin(), after.end(), std::back_inserter(out));
        }
        return out;
    }

private:
    void place(Item &i, std::vector<Item> &before, std::vector<Item> &after) {
        const Node *node = i.step ? nodeOf(*i.step) : nullptr;
        if (i.step && (!node || !(isa<Tasklet>(node) || isReduction(*node))))
            return;
        const Sides sides(i, maker_.sdfg());
        const bool isKernel = i.map && isGpuSchedule(i.map->entry->schedule);
        if (sides.ofDevice.empty() && !isKernel)
            return;
        if (!isKernel && !sides.writesAny(sides.ofDevice)) {
            copy(i, sides.ofDevice, Storage::CPU_Heap, before);
            return;
        }
        for (const auto &[onHost, onDevice] : copy(i, sides.ofHost, Storage::GPU_Global, before))
            if (sides.written.count(onHost))
                after.push_back(wholeCopy(onDevice, onHost));
        if (!isKernel)
            makeKernel(i);
    }

    static bool isReduction(const Node &n) {
        const auto *l = dyn_cast<LibraryNode>(&n);
        return l && l->classPath == "dace.libraries.standard.nodes.reduce.Reduce";
    }

    /// Makes an item use copies of containers, which are filled before it. Returns the copies by original.
    std::map<Name, Name> copy(Item &i, const std::set<Name> &names, Storage storage, std::vector<Item> &before) {
        std::map<Name, Name> copies;
        for (const Name n : names) {
            const DataDesc &original = *maker_.sdfg().desc(n);
            DataDesc d = DataDesc::array(original.dtype, original.shape);
            d.offset = original.offset;
            d.transient = true;
            d.storage = storage;
            copies[n] = maker_.add(n.str() + (storage == Storage::GPU_Global ? "_on_device" : "_on_host"), std::move(d));
            before.push_back(wholeCopy(n, copies[n]));
        }
        nest::renameContainers(i, copies, maker_.sdfg(), maker_.memories());
        return copies;
    }

    Item wholeCopy(Name from, Name to) {
        return maker_.copy(maker_.whole(nest::UseKind::Read, from), maker_.whole(nest::UseKind::Write, to));
    }

    void makeKernel(Item &i) {
        if (i.map) {
            std::shared_ptr<MapEntry> entry = nest::entryLike(*i.map->entry, i.map->entry->label);
            entry->schedule = Schedule::GPU_Device;
            i.map->entry = entry.get();
            i.map->made = std::move(entry);
        } else if (const Node *node = nodeOf(*i.step); isa<Tasklet>(node)) {
            MapEntry kernel;
            kernel.schedule = Schedule::GPU_Device;
            nest::Map map = nest::mapLike(kernel, cast<Tasklet>(node)->label, {maker_.connector("__once")}, {{0, 0, 1, 1}});
            map.body.push_back(std::move(i));
            i = Item{std::make_unique<nest::Map>(std::move(map)), nullptr};
        } else {
            std::shared_ptr<LibraryNode> reduction(cast<LibraryNode>(ir::clone(*node).release()));
            reduction->schedule = Schedule::GPU_Device;
            i.step->nodes = {reduction.get()};
            i.step->made = std::move(reduction);
        }
    }

    Maker &maker_;
};

} // namespace

void runOnDevice(nest::Run &run, Maker &maker) {
    if (!maker.hasDeviceMemory() || analysis::executorInside(maker.sdfg(), nullptr) != analysis::Executor::Host)
        return;
    run.items = Placer(maker).placed(std::move(run.items));
}

} // namespace sdfgc::transforms::gradient
