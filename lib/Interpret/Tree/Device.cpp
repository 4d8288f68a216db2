// Operations that the host queues on streams of the device. They are executed at once, in the order in which they were queued; which
// of them, and of what the host does, come before which is up to the waits in the tree (Order.h, Streams).
#include "Translator.h"

#include "../Values.h"

#include <cstring>

namespace sdfgc::interpret {

using namespace tree;

namespace {

/// What runs from here on is of stream `n`, which has been told by the host to.
const Instruction *beginOperationNow(const Instruction *i, Machine &machine) {
    TreeMachine &m = treeMachine(machine);
    if (Streams *s = m.streams.get()) {
        s->wait(static_cast<std::size_t>(i->n), s->host());
        m.order.task();
        s->run(static_cast<std::size_t>(i->n), m.order.now);
    }
    return i + 1;
}

const Instruction *endOperationNow(const Instruction *i, Machine &machine) {
    TreeMachine &m = treeMachine(machine);
    if (Streams *s = m.streams.get()) {
        m.order.task();
        s->run(s->host(), m.order.now);
    }
    return i + 1;
}

const Instruction *synchroniseNow(const Instruction *i, Machine &machine) {
    if (Streams *s = treeMachine(machine).streams.get())
        for (std::size_t k = 0; k < s->host(); ++k)
            if (i->n < 0 || i->n == static_cast<int64_t>(k))
                s->wait(s->host(), k);
    return i + 1;
}

/// Event and stream are the two halves of `n`.
const Instruction *recordNow(const Instruction *i, Machine &machine) {
    if (Streams *s = treeMachine(machine).streams.get()) {
        s->wait(static_cast<std::size_t>(i->n & 0xffffffff), s->host());
        s->record(static_cast<std::size_t>(i->n >> 32), static_cast<std::size_t>(i->n & 0xffffffff));
    }
    return i + 1;
}

const Instruction *waitNow(const Instruction *i, Machine &machine) {
    if (Streams *s = treeMachine(machine).streams.get()) {
        const auto stream = static_cast<int32_t>(i->n & 0xffffffff);
        s->waitForEvent(stream < 0 ? s->host() : static_cast<std::size_t>(stream), static_cast<std::size_t>(i->n >> 32));
    }
    return i + 1;
}

int64_t pair(int event, int stream) { return (static_cast<int64_t>(event) << 32) | static_cast<uint32_t>(stream); }

} // namespace

void Translator::onStream(int stream, bool begins) {
    b().emit({begins ? beginOperationNow : endOperationNow, nullptr, nullptr, nullptr, stream});
}

void Translator::translate(const Synchronise &s) { b().emit({synchroniseNow, nullptr, nullptr, nullptr, s.stream}); }
void Translator::translate(const EventRecord &r) { b().emit({recordNow, nullptr, nullptr, nullptr, pair(r.event, r.stream)}); }
void Translator::translate(const EventWait &w) { b().emit({waitNow, nullptr, nullptr, nullptr, pair(w.event, w.stream)}); }

// ---------------------------------------------------------------------------------------------------- kernels

namespace {

struct Kernel {
    ThreadCode threads;
    Operand grid[3], block[3];
    bool persistent = false;
};

const Instruction *launchNow(const Instruction *i, Machine &machine) {
    TreeMachine &m = treeMachine(machine);
    const auto &k = *static_cast<const Kernel *>(i->extra);
    for (int d = 0; d < 3; ++d) {
        m.gridSize[d] = as<int64_t>(k.grid[d].at);
        m.blockSize[d] = as<int64_t>(k.block[d].at);
    }
    m.space = Space::Device;
    runGrid(m, k.threads, k.persistent);
    m.space = Space::Host;
    return i + 1;
}

} // namespace

void Translator::translate(const Launch &l) {
    const Function &callee = *module_.functions[l.function];
    Kernel &k = m_.keep(Kernel());
    k.persistent = callee.kernel && callee.kernel->persistent;
    for (int d = 0; d < 3; ++d) {
        k.grid[d] = b().convert(b().symbolic(l.grid[static_cast<std::size_t>(d)]), ScalarKind::Int64);
        k.block[d] = b().convert(b().symbolic(l.block[static_cast<std::size_t>(d)]), ScalarKind::Int64);
    }
    const std::vector<Location> given = arguments(callee, l.arguments);
    translateThreads(k.threads, [&] { body(callee, given); });
    onStream(l.stream, true);
    b().emit({launchNow, nullptr, nullptr, nullptr, 1, &k});
    onStream(l.stream, false);
}

// ---------------------------------------------------------------------------------------------------- copies

namespace {

struct Transfer {
    Operand source, target;
    const int64_t *width, *rows, *slices, *sourcePitch, *targetPitch, *sourceSlice, *targetSlice;
    int64_t bytes;
    Space from, to;
    const Site *site;
};

void copyRow(Machine &m, const Transfer &t, Pointer from, Pointer to, int64_t bytes) {
    m.space = t.from;
    const bool reads = m.memoryAt(from, bytes, t.site);
    m.space = t.to;
    const bool writes = m.memoryAt(to, bytes, t.site);
    m.space = Space::Host;
    if (reads && writes)
        copyMemory(m, from, to, bytes, t.bytes, t.site);
}

const Instruction *transferNow(const Instruction *i, Machine &m) {
    const auto &t = *static_cast<const Transfer *>(i->extra);
    const Pointer source = as<Pointer>(t.source.at), target = as<Pointer>(t.target.at);
    const int64_t bytes = *t.width * t.bytes;
    for (int64_t s = 0; bytes > 0 && s < *t.slices; ++s)
        for (int64_t r = 0; r < *t.rows && m.goesOn(); ++r)
            copyRow(m, t, {source.buffer, source.offset + (s * *t.sourceSlice + r * *t.sourcePitch) * t.bytes},
                    {target.buffer, target.offset + (s * *t.targetSlice + r * *t.targetPitch) * t.bytes}, bytes);
    return i + 1;
}

} // namespace

void Translator::translate(const DeviceCopy &c) {
    Transfer &t = m_.keep(Transfer());
    t.source = pointerTo(c.source);
    t.target = pointerTo(c.target);
    const auto size = [&](sym::Expr e) { return &as<int64_t>(b().convert(b().symbolic(e), ScalarKind::Int64).at); };
    t.width = size(c.width);
    t.rows = size(c.rows);
    t.slices = size(c.slices);
    t.sourcePitch = size(c.sourcePitch);
    t.targetPitch = size(c.targetPitch);
    t.sourceSlice = size(c.sourceSlice);
    t.targetSlice = size(c.targetSlice);
    t.bytes = sizeOf(c.type);
    t.from = c.direction == DeviceCopy::HostToDevice || c.direction == DeviceCopy::HostToHost ? Space::Host : Space::Device;
    t.to = c.direction == DeviceCopy::DeviceToHost || c.direction == DeviceCopy::HostToHost ? Space::Host : Space::Device;
    t.site = b().site();
    onStream(c.stream, true);
    b().emit({transferNow, nullptr, nullptr, nullptr, 1, &t});
    onStream(c.stream, false);
}

namespace {

const Instruction *changeSpaceNow(const Instruction *i, Machine &m) {
    m.space = static_cast<Space>(i->n);
    return i + 1;
}

} // namespace

void Translator::translate(const DeviceFill &f) {
    const Operand at = pointerTo(f.target), count = b().symbolic(f.count), element = filling(f.value, f.type);
    onStream(f.stream, true);
    b().emit({changeSpaceNow, nullptr, nullptr, nullptr, static_cast<int64_t>(Space::Device)});
    fillElements(at, count, element);
    b().emit({changeSpaceNow, nullptr, nullptr, nullptr, static_cast<int64_t>(Space::Host)});
    onStream(f.stream, false);
}

} // namespace sdfgc::interpret
