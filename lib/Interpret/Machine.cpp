#include "Machine.h"

#include <cstring>

namespace sdfgc::interpret {

std::byte *Machine::allocate(int64_t bytes) {
    constexpr std::size_t alignment = 16, chunk = 1 << 16;
    const auto size = (static_cast<std::size_t>(bytes) + alignment - 1) / alignment * alignment;
    if (full_ || chunks_.back().used + size > chunks_.back().room) {
        const std::size_t room = std::max(size, chunk);
        chunks_.push_back({std::make_unique<std::byte[]>(room), room, 0}); // zeros
        full_ = false;
    }
    Chunk &c = chunks_.back();
    std::byte *at = c.memory.get() + c.used;
    c.used += size;
    return at;
}

void Machine::beginRange() {
    rangesBegun_.push_back(chunks_.size());
    full_ = true;
}

Range Machine::endRange() {
    const Range r{rangesBegun_.back(), chunks_.size()};
    rangesBegun_.pop_back();
    full_ = true;
    return r;
}

void Machine::save(const Range &r, std::vector<std::byte> &to) const {
    to.clear();
    for (std::size_t k = r.first; k < r.last; ++k)
        to.insert(to.end(), chunks_[k].memory.get(), chunks_[k].memory.get() + chunks_[k].used);
}

void Machine::load(const Range &r, const std::vector<std::byte> &from) {
    const std::byte *at = from.data();
    for (std::size_t k = r.first; k < r.last; ++k) {
        std::copy_n(at, chunks_[k].used, chunks_[k].memory.get());
        at += chunks_[k].used;
    }
}

std::vector<std::byte> Machine::saved() const {
    std::vector<std::byte> out;
    save({0, chunks_.size()}, out);
    return out;
}

const Site *Machine::site(std::string element, std::string subset, const ir::DebugInfo &where) {
    const std::size_t number = sites_.size() + 1;
    return &sites_.emplace_back(Site{std::move(element), std::move(subset), where,
                                     number < std::size_t(1) << Stamp::siteBits ? static_cast<uint32_t>(number) : 0});
}

Access *Machine::access(Container &c, const Site *site) {
    static const int64_t zero = 0;
    return &accesses_.emplace_back(Access{&c, std::vector<const int64_t *>(c.desc->rank(), &zero), site, false});
}

std::shared_ptr<Buffer> Machine::behind(std::byte *address, Name container, int64_t bytes, int64_t unit) {
    if (!address)
        return nullptr;
    std::shared_ptr<Buffer> &b = behind_[{address, unit}];
    if (!b) {
        b = std::make_shared<Buffer>(container, address, unit);
        b->isOpen = false;
    }
    if (bytes == 0 && options.sizesUnknown)
        b->isOpen = true;
    b->reach(bytes);
    return b;
}

void Machine::startClock() {
    reported_.clear();
    stopped_ = false;
    end_ = std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(options.seconds));
}

bool Machine::hasTime() {
    stopped_ = options.seconds > 0 && std::chrono::steady_clock::now() > end_;
    return !stopped_;
}

namespace {

/// `A[3, 0]`: an element by its indices.
std::string elementText(const Container &c, const Access &x) {
    std::string out = c.name.str() + "[";
    for (std::size_t d = 0; d < x.index.size(); ++d)
        out += (d ? ", " : "") + std::to_string(*x.index[d]);
    return out + "]";
}

std::string shapeText(const Container &c) {
    std::string out;
    for (const int64_t n : c.shape)
        out += (out.empty() ? "" : ", ") + std::to_string(n);
    return "[" + out + "]";
}

/// Element `n` of a buffer, with the name of its container.
std::string cellText(const Buffer &b, int64_t n) { return "element " + std::to_string(n) + " of `" + b.container.str() + "`"; }

} // namespace

std::byte *Machine::unusual(const Access &x, bool inside, int64_t offset, int64_t bytes) {
    const Container &c = *x.container;
    Buffer *b = c.buffer.get();
    if (!b) {
        reportNoMemory(c, x.site);
        return nullptr;
    }
    const bool counted = std::all_of(c.offset.begin(), c.offset.end(), [](int64_t o) { return o == 0; }); // else shapes do not help
    if (!inside && !x.allowOutside && counted && !b->isOpen)
        report(FaultKind::OutsideShape, x.site, elementText(c, x) + " is outside of its shape " + shapeText(c));
    if (b->holds(offset, c.unit))
        return memoryAt({b, offset}, bytes, x.site);
    report(FaultKind::Outside, x.site,
           elementText(c, x) + " is outside of the memory of `" + b->container.str() + "`, which has " +
               std::to_string(b->bytes / b->unit) + " elements");
    return nullptr;
}

void Machine::reportNoMemory(const Container &c, const Site *site) {
    if (c.astray.empty())
        report(FaultKind::NoMemory, site, "`" + c.name.str() + "` has no memory here");
    else
        report(FaultKind::OutsideShape, site, "`" + c.name.str() + "` is " + c.astray);
}

std::string Machine::outsideOfShape(const Access &x, const std::vector<std::size_t> &dims) {
    const Container &c = *x.container;
    const bool counted = std::all_of(c.offset.begin(), c.offset.end(), [](int64_t o) { return o == 0; });
    if (!c.buffer || !counted || c.buffer->isOpen || x.allowOutside)
        return {};
    const bool inside = std::all_of(dims.begin(), dims.end(), [&](std::size_t d) {
        return static_cast<uint64_t>(*x.index[d]) < static_cast<uint64_t>(c.shape[d]);
    });
    return inside ? "" : elementText(c, x) + ", which is outside of its shape " + shapeText(c);
}

Pointer Machine::addressOf(const Access &x) {
    const Container &c = *x.container;
    int64_t element = 0;
    for (std::size_t d = 0; d < x.index.size(); ++d)
        element += (*x.index[d] + c.offset[d]) * c.strides[d];
    return {c.buffer.get(), c.start + element * c.unit};
}

std::byte *Machine::memoryAt(Pointer p, int64_t bytes, const Site *site) {
    if (!p.buffer) {
        report(FaultKind::NoMemory, site, "there is no memory here");
        return nullptr;
    }
    if (p.buffer->space != space && p.buffer->space != Space::Both)
        report(FaultKind::OtherMemory, site,
               cellText(*p.buffer, p.offset / p.buffer->unit) + ", in memory of the " +
                   (space == Space::Host ? "device, is accessed by the host" : "host, is accessed by a kernel"));
    if (p.buffer->holds(p.offset, bytes))
        return p.buffer->memory + p.offset;
    if (p.buffer->isReleased) {
        report(FaultKind::NoMemory, site, "`" + p.buffer->container.str() + "` is used after its memory was released");
        return nullptr;
    }
    report(FaultKind::Outside, site,
           cellText(*p.buffer, p.offset / p.buffer->unit) + " is outside of it: it has " +
               std::to_string(p.buffer->bytes / p.buffer->unit));
    return nullptr;
}

void Machine::suspicious(Buffer &b, int64_t n, Fault fault, const Site *site) {
    const Cell &cell = b.cells[static_cast<std::size_t>(n)];
    if (cell.written.time == never) {
        report(FaultKind::NotWritten, site, cellText(b, n) + " is read, but nothing has written it");
        return;
    }
    const bool wasRead = fault == Fault::Update && !order.isBefore(cell.read.time);
    race(b, n, fault == Fault::Read ? "read" : "updated",
         wasRead                ? "read"
         : cell.written.updates ? "updated"
                                : "written",
         wasRead ? cell.read.site : cell.written.site, site);
}

void Machine::conflicting(Buffer &b, int64_t n, int64_t offset, int64_t bytes, const std::byte *value, const Site *site) {
    const Cell &cell = b.cells[static_cast<std::size_t>(n)];
    const bool wasRead = !order.isBefore(cell.read.time);
    if (!wasRead && !cell.written.updates && value && std::memcmp(b.memory + offset, value, static_cast<std::size_t>(bytes)) == 0)
        return; // the same value again
    race(b, n, "written",
         wasRead                ? "read"
         : cell.written.updates ? "updated"
                                : "written",
         wasRead ? cell.read.site : cell.written.site, site);
}

void Machine::race(const Buffer &b, int64_t n, const char *does, const char *did, uint64_t other, const Site *site) {
    if (!b.isShared)
        return;
    const std::string how = does == std::string_view(did) ? std::string(does) + " twice" : std::string(does) + " and " + did;
    if (!report(FaultKind::Race, site, cellText(b, n) + " is " + how + ", and the two accesses are not ordered") || other == 0)
        return;
    const Site &first = sites_[other - 1];
    reports.back().other = {first.element, first.subset, first.debugInfo};
}

bool Machine::report(FaultKind kind, const Site *site, std::string what) {
    if (stopped_) // iterations were skipped, so values that they would have written are missing
        return false;
    if (!reported_.emplace(kind, site).second)
        return false;
    Report r{kind, {}, std::move(what), {}, {}};
    if (site) {
        r.element = site->element;
        r.source = site->debugInfo;
        if (!site->subset.empty())
            r.what += " (" + site->subset + ")";
    }
    reports.push_back(std::move(r));
    return true;
}

} // namespace sdfgc::interpret
