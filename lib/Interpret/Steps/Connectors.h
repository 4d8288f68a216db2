// Instructions for connectors of tasklets that are no plain loads and stores.
#pragma once

#include "../Native/Call.h"
#include "../Unwritten.h"

#include <cstring>

namespace sdfgc::interpret {

/// Pops an element from the queue of an access.
inline const Instruction *popElement(const Instruction *i, Machine &m) {
    const auto &x = *static_cast<const Access *>(i->extra);
    const auto bytes = static_cast<std::size_t>(x.container->unit);
    Queue *queue = x.container->queue(x);
    if (queue && !queue->elements.empty()) {
        std::memcpy(i->to, queue->elements.front().data(), bytes);
        queue->elements.pop_front();
    } else {
        std::memset(i->to, 0, bytes);
        m.report(FaultKind::EmptyStream, x.site, "an element is popped from `" + x.container->name.str() + "`, which is empty");
    }
    return i + 1;
}

/// Pushes `a` to the queue of an access.
inline const Instruction *pushElement(const Instruction *i, Machine &m) {
    const auto &x = *static_cast<const Access *>(i->extra);
    if (Queue *queue = x.container->queue(x))
        queue->elements.emplace_back(i->a, i->a + x.container->unit);
    else
        m.report(FaultKind::Outside, x.site, "there is no such queue of `" + x.container->name.str() + "`");
    return i + 1;
}

/// Lets the container of an access stand for the memory at the address `a`.
inline const Instruction *setReferenceTo(const Instruction *i, Machine &m) {
    Container &c = *static_cast<const Access *>(i->extra)->container;
    c.measure(m);
    c.standAt(as<Pointer>(i->a));
    return i + 1;
}

/// Fills a register as memory that nothing has written is filled; `extra`: its type.
inline const Instruction *fillUnwritten(const Instruction *i, Machine &m) {
    std::memset(i->to, static_cast<int>(unwrittenIn(*static_cast<const Type *>(i->extra), m.options)),
                static_cast<std::size_t>(i->n));
    return i + 1;
}

/// Reports the use of an output that has no value yet (the flag `a` is false).
inline const Instruction *checkAssigned(const Instruction *i, Machine &m) {
    const auto &x = *static_cast<const Access *>(i->extra);
    if (!as<bool>(i->a))
        m.report(FaultKind::NotWritten, x.site,
                 "an output for `" + x.container->name.str() + "` is used before the code has assigned it");
    return i + 1;
}

inline const Instruction *callNative(const Instruction *i, Machine &m) {
    ownOf<NativeCall>(i).run(m);
    return i + 1;
}

} // namespace sdfgc::interpret
