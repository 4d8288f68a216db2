// Containers: their current size, their memory, and aliasing of other memory.
#include "Machine.h"
#include "Unwritten.h"

#include "Values.h"

namespace sdfgc::interpret {

Container::Container(Name name, const ir::DataDesc &desc)
    : name(name), desc(&desc), type(desc.isStructure() && desc.dtype.isPointer() ? desc.dtype.element() : desc.dtype.ofLane()),
      unit(sizeOf(type)), shape(desc.rank()), strides(desc.rank()), offset(desc.rank()) {}

void Container::measure(Machine &m, bool allocated) {
    if (!layout.total || (layout.isFixed && total > 0))
        return;
    layout.code.run(m);
    const auto values = [](const std::vector<const int64_t *> &from, std::vector<int64_t> &to) {
        to.resize(from.size());
        for (std::size_t d = 0; d < from.size(); ++d)
            to[d] = *from[d];
    };
    values(layout.shape, shape);
    values(layout.strides, strides);
    values(layout.offset, offset);
    total = *layout.total;
    if (total < 0) {
        if (allocated && desc->alias == ir::AliasKind::None)
            m.report(FaultKind::NegativeSize, nullptr, "`" + name.str() + "` has a size of " + std::to_string(total));
        total = 0;
    }
}

void Container::allocate(Machine &m) {
    measure(m);
    const int64_t most = m.options.largest / std::max<int64_t>(unit, 1);
    if (total > most) {
        m.report(FaultKind::TooLarge, nullptr,
                 "`" + name.str() + "` has a size of " + std::to_string(total) + ", for which there is no memory");
        buffer = nullptr;
        queues = nullptr;
        return;
    }
    if (desc->isStream()) {
        int64_t count = 1;
        for (const int64_t n : shape)
            count *= std::max<int64_t>(n, 0);
        queues = std::make_shared<std::vector<Queue>>(static_cast<std::size_t>(count));
        return;
    }
    m.held += std::max<int64_t>(total * unit - held, 0);
    held = std::max(held, total * unit);
    const int64_t elements = std::max<int64_t>(total, 1);
    start = layout.start ? *layout.start * unit : 0;
    if (buffer && buffer.use_count() == 1 && buffer->unit == unit && buffer->bytes == elements * unit)
        buffer->forget();
    else
        buffer = std::make_shared<Buffer>(name, elements, std::max<int64_t>(unit, 1));
    std::fill_n(buffer->memory, buffer->bytes, zeroed ? std::byte(0) : unwrittenIn(type, m.options));
    if (zeroed)
        buffer->cells.assign(buffer->cells.size(), Cell{{m.order.now}, {}});
    buffer->isShared = desc->storage != ir::Storage::CPU_ThreadLocal;
}

void Container::standAt(Pointer p) {
    buffer = p.buffer ? p.buffer->shared_from_this() : nullptr;
    start = p.offset;
    if (buffer)
        buffer->refine(unit);
}

namespace {

/// The index of a queue among those of a stream.
std::size_t queueNumber(const Access &x) {
    const Container &c = *x.container;
    int64_t at = 0;
    for (std::size_t d = 0; d < x.index.size() && d < c.strides.size(); ++d)
        at += (*x.index[d] + c.offset[d]) * c.strides[d];
    return c.firstQueue + static_cast<std::size_t>(std::max<int64_t>(at, 0));
}

} // namespace

void Container::standFor(const Access &first, Machine &m) {
    if (first.container->desc->isStream()) {
        queues = first.container->queues;
        firstQueue = queueNumber(first);
    } else {
        standAt(m.addressOf(first));
    }
}

void Container::standFor(const Container &all) {
    queues = all.queues;
    firstQueue = all.firstQueue;
    standAt({all.buffer.get(), all.start});
}

Queue *Container::queue(const Access &x) const {
    const std::size_t at = queueNumber(x);
    return queues && at < queues->size() ? &(*queues)[at] : nullptr;
}

} // namespace sdfgc::interpret
