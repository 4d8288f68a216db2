// Streams of the graph: queues, views of arrays as queues, consume scopes.
#include "Translator.h"

#include "../Values.h"

#include <cstring>

namespace sdfgc::interpret {

using namespace tree;

namespace {

/// `a`: how many.
const Instruction *makeQueuesNow(const Instruction *i, Machine &) {
    auto &q = ownOf<Queues>(i);
    q.queues.assign(static_cast<std::size_t>(std::max<int64_t>(as<int64_t>(i->a), 0)), Queue());
    as<QueueAt>(i->to) = {&q, 0};
    return i + 1;
}

/// `a`: the address of the array.
const Instruction *makeViewNow(const Instruction *i, Machine &) {
    auto &q = ownOf<Queues>(i);
    q.isView = true;
    q.array = as<Pointer>(i->a);
    q.appended = 0;
    as<QueueAt>(i->to) = {&q, 0};
    return i + 1;
}

/// `to` = the queue `a`, `b` queues further on.
const Instruction *advanceQueueNow(const Instruction *i, Machine &) {
    QueueAt q = as<QueueAt>(i->a);
    q.number += as<int64_t>(i->b);
    as<QueueAt>(i->to) = q;
    return i + 1;
}

Queue *queueOf(const QueueAt &at, Machine &m, const Site *site) {
    if (at.queues && !at.queues->isView && at.number >= 0 && static_cast<std::size_t>(at.number) < at.queues->queues.size())
        return &at.queues->queues[static_cast<std::size_t>(at.number)];
    m.report(FaultKind::Outside, site, "there is no such queue");
    return nullptr;
}

/// Pops an element of `n` bytes from the queue `a`.
const Instruction *popNow(const Instruction *i, Machine &m) {
    const auto *site = static_cast<const Site *>(i->extra);
    const auto bytes = static_cast<std::size_t>(i->n);
    Queue *q = queueOf(as<QueueAt>(i->a), m, site);
    if (q && !q->elements.empty()) {
        std::memcpy(i->to, q->elements.front().data(), bytes);
        q->elements.pop_front();
    } else {
        std::memset(i->to, 0, bytes);
        m.report(FaultKind::EmptyStream, site, "an element is popped from a stream that is empty");
    }
    return i + 1;
}

/// Pushes `b`, of `n` bytes, to the queue `a`.
const Instruction *pushNow(const Instruction *i, Machine &m) {
    const auto *site = static_cast<const Site *>(i->extra);
    const QueueAt at = as<QueueAt>(i->a);
    if (at.queues && at.queues->isView) {
        Queues &view = *at.queues;
        const Pointer to{view.array.buffer, view.array.offset + view.appended++ * i->n};
        if (std::byte *target = m.memoryAt(to, i->n, site)) {
            m.noteWrite(*to.buffer, to.offset, i->n, i->b, site);
            std::memcpy(target, i->b, static_cast<std::size_t>(i->n));
        }
    } else if (Queue *q = queueOf(at, m, site)) {
        q->elements.emplace_back(i->b, i->b + i->n);
    }
    return i + 1;
}

/// Several elements at once, between the queue and memory.
struct Bulk {
    Operand queue, memory, count, moved;
    int64_t bytes;
    const Site *site;
};

const Instruction *pushAllNow(const Instruction *i, Machine &m) {
    const auto &x = *static_cast<const Bulk *>(i->extra);
    const Pointer from = as<Pointer>(x.memory.at);
    for (int64_t k = 0; k < as<int64_t>(x.count.at); ++k) {
        const Pointer p{from.buffer, from.offset + k * x.bytes};
        const std::byte *at = m.memoryAt(p, x.bytes, x.site);
        if (!at)
            return i + 1;
        m.noteRead(*p.buffer, p.offset, x.bytes, x.site);
        const Instruction one{pushNow, nullptr, x.queue.at, at, x.bytes, x.site};
        pushNow(&one, m);
    }
    return i + 1;
}

const Instruction *popAllNow(const Instruction *i, Machine &m) {
    const auto &x = *static_cast<const Bulk *>(i->extra);
    const Pointer to = as<Pointer>(x.memory.at);
    Queue *q = queueOf(as<QueueAt>(x.queue.at), m, x.site);
    int64_t k = 0;
    for (; q && !q->elements.empty() && k < as<int64_t>(x.count.at); ++k) {
        const Pointer p{to.buffer, to.offset + k * x.bytes};
        if (std::byte *at = m.memoryAt(p, x.bytes, x.site)) {
            m.noteWrite(*p.buffer, p.offset, x.bytes, q->elements.front().data(), x.site);
            std::memcpy(at, q->elements.front().data(), static_cast<std::size_t>(x.bytes));
        }
        q->elements.pop_front();
    }
    as<int64_t>(x.moved.at) = k;
    return i + 1;
}

/// What a consume scope takes at once. Each chunk has memory of its own.
struct Chunk {
    Operand queue, address, count;
    int64_t most, bytes;
    Name name;
    const Site *site;
    std::shared_ptr<Buffer> memory;
};

const Instruction *takeChunkNow(const Instruction *i, Machine &m) {
    auto &x = ownOf<Chunk>(i);
    Queue *q = queueOf(as<QueueAt>(x.queue.at), m, x.site);
    const int64_t count = q ? std::min(x.most, static_cast<int64_t>(q->elements.size())) : 0;
    x.memory = std::make_shared<Buffer>(x.name, count, x.bytes);
    for (int64_t k = 0; k < count; ++k) {
        std::memcpy(x.memory->memory + k * x.bytes, q->elements.front().data(), static_cast<std::size_t>(x.bytes));
        x.memory->cells[static_cast<std::size_t>(k)].written = {m.order.now};
        q->elements.pop_front();
    }
    as<Pointer>(x.address.at) = {x.memory.get(), 0};
    as<int64_t>(x.count.at) = count;
    return i + 1;
}

/// Are there elements in the queue `a`?
const Instruction *hasElementsNow(const Instruction *i, Machine &m) {
    const Queue *q = queueOf(as<QueueAt>(i->a), m, static_cast<const Site *>(i->extra));
    as<bool>(i->to) = q && !q->elements.empty() && m.goesOn();
    return i + 1;
}

} // namespace

void Translator::declareQueues(const Declare &d, const Variable &v, Location &p) {
    if (v.kind == VarKind::StreamRef) {
        p.queue = queueAt(d.target);
        return;
    }
    Queues &q = m_.keep(Queues());
    p.queue = b().reserve(Type::vector(ScalarKind::Int64, 2));
    if (v.kind == VarKind::StreamView)
        b().emit({makeViewNow, p.queue.at, valueAt(d.target).at, nullptr, 1, &q});
    else
        b().emit({makeQueuesNow, p.queue.at, b().convert(b().symbolic(v.count), ScalarKind::Int64).at, nullptr, 1, &q});
}

Operand Translator::queueAt(RefId r, const std::vector<py::ExprRef> &indices) {
    const MemRef &x = reference(r);
    Operand queue = place(x.var).queue;
    if (!queue)
        return b().refuse("`" + variable(x.var).name.str() + "` as a stream");
    const auto advance = [&](Operand by) {
        const Operand out = b().reserve(queue.type);
        b().emit({advanceQueueNow, out.at, queue.at, b().convert(by, ScalarKind::Int64).at});
        queue = out;
    };
    if (!x.offset.isZero())
        advance(b().symbolic(x.offset));
    for (std::size_t k = 0; k < indices.size(); ++k) {
        const Operand index = b().expression(*indices[k]);
        advance(k < x.strides.size() ? b().binary(py::Op::Mul, index, b().symbolic(x.strides[k])) : index);
    }
    return queue;
}

Operand Translator::pop(Operand queue, Type t) {
    const Operand out = b().reserve(t);
    b().emit({popNow, out.at, queue.at, nullptr, sizeOf(t), b().site()});
    return out;
}

void Translator::translate(const StreamPush &p) {
    const Operand queue = queueAt(p.stream);
    const Type t = variable(reference(p.stream).var).type;
    if (p.value) {
        const Operand value = b().convert(b().expression(*p.value), t);
        b().emit({pushNow, nullptr, queue.at, value.at, sizeOf(t), b().site()});
        return;
    }
    const Operand count = b().convert(b().symbolic(p.count), ScalarKind::Int64);
    b().emit(
        {pushAllNow, nullptr, nullptr, nullptr, 1, &m_.keep(Bulk{queue, pointerTo(p.source), count, {}, sizeOf(t), b().site()})});
}

void Translator::translate(const StreamPop &p) {
    const Operand count = b().convert(b().symbolic(p.count), ScalarKind::Int64), moved = b().reserve(ScalarKind::Int64);
    const Type t = variable(reference(p.stream).var).type;
    b().emit({popAllNow, nullptr, nullptr, nullptr, 1,
              &m_.keep(Bulk{queueAt(p.stream), pointerTo(p.target), count, moved, sizeOf(t), b().site()})});
    if (p.countVar)
        assign(p.countVar, moved);
}

/// One worker does all: which one gets an element, nobody promises. Nothing orders the elements.
void Translator::translate(const Consume &c) {
    const Operand queue = queueAt(c.stream);
    const Type t = variable(reference(c.stream).var).type;
    const auto set = [&](VarId v, const Location &p) {
        frame().places[static_cast<std::size_t>(v.index)] = p;
        frame().visible[variable(v).name] = v;
    };
    if (c.peVar) {
        Location worker;
        worker.type = variable(c.peVar).type;
        worker.value = b().convert(b().constant(ScalarKind::Int64, int64_t(0)), worker.type);
        set(c.peVar, worker);
    }
    const auto emit = [&](Operation o) { b().emit({o}); };
    emit([](const Instruction *i, Machine &m) {
        m.order.enterMap();
        return i + 1;
    });
    const Operand more = b().reserve(ScalarKind::Bool);
    const std::size_t top = b().position();
    b().emit({hasElementsNow, more.at, queue.at, nullptr, 1, b().site()});
    const std::size_t empty = b().jumpLater(more);
    std::optional<std::size_t> ends;
    if (c.condition)
        ends = b().jumpLater(b().compare(py::Op::Eq, b().convert(b().expression(*c.condition), ScalarKind::Bool),
                                         b().constant(ScalarKind::Bool, false)));
    emit([](const Instruction *i, Machine &m) {
        m.order.iteration();
        m.order.task();
        return i + 1;
    });
    if (c.chunk == 1) {
        set(c.elementVar, keeping(t, pop(queue, t)));
    } else {
        Location elements, count;
        elements.type = t;
        elements.pointer = b().reserve(Type::pointer(t));
        count.type = ScalarKind::Int64;
        count.value = b().reserve(ScalarKind::Int64);
        set(c.elementVar, elements);
        if (c.countVar)
            set(c.countVar, count);
        Chunk &chunk = m_.keep(Chunk{queue,
                                     elements.pointer,
                                     count.value,
                                     std::max<int64_t>(c.chunk, 1),
                                     sizeOf(t),
                                     variable(c.elementVar).name,
                                     b().site(),
                                     {}});
        b().emit({takeChunkNow, nullptr, nullptr, nullptr, 1, &chunk});
    }
    translate(c.body);
    b().jumpBack(top);
    b().land(empty);
    if (ends)
        b().land(*ends);
    emit([](const Instruction *i, Machine &m) {
        m.order.leave();
        return i + 1;
    });
}

} // namespace sdfgc::interpret
