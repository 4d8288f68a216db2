#include "Call.h"

#include "../Values.h"

#include <csignal>
#include <cstring>
#include <deque>

namespace sdfgc::interpret {

std::string NativeCall::definition(const std::string &code) const {
    std::string out =
        "extern \"C\" __attribute__((visibility(\"default\"))) void " + function_ + "([[maybe_unused]] void *const *values) {\n";
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        const NativeParameter &p = parameters_[k];
        const std::string type = p.type.cppName(), value = "values[" + std::to_string(k) + "]";
        const std::string pointer = "static_cast<" + type + " *>(" + value + ")";
        out += "    [[maybe_unused]] " + type;
        out += p.isPointer  ? " *const " + p.name.str() + " = " + pointer
               : p.isOutput ? " &" + p.name.str() + " = *" + pointer
                            : " " + p.name.str() + " = *" + pointer;
        out += ";\n";
    }
    return out + "    {\n" + code + "\n    }\n}\n";
}

void NativeCall::link(std::shared_ptr<const NativeLibrary> library) {
    run_ = library->function(function_);
    library_ = std::move(library);
}

void NativeCall::run(Machine &m) {
    locate(m);
    if (!copyIn(m))
        return;
    std::vector<void *> values;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        const NativeParameter &p = parameters_[k];
        if (p.value) {
            values.push_back(p.value);
            continue;
        }
        const Region *r = positions_[k].empty() ? nullptr : &regionOf(*p.side.container);
        values.push_back(r ? r->copy->begin() + (positions_[k].front() - r->begin) : nullptr);
    }
    if (const std::optional<Stop> stop = hasStopped() ? runApart(values) : callGuarded(run_, values.data()))
        reportStop(m, *stop);
    copyOut(m);
}

/// Runs the call in a separate process. Values of registers are copied back, since only the copies are shared.
std::optional<Stop> NativeCall::runApart(std::vector<void *> values) const {
    std::deque<GuardedCopy> registers;
    for (std::size_t k = 0; k < parameters_.size(); ++k)
        if (const NativeParameter &p = parameters_[k]; p.value) {
            if (!registers.emplace_back().take(p.value, sizeOf(p.type)))
                return Stop{SIGKILL, nullptr}; // no memory
            values[k] = registers.back().begin();
        }
    const std::optional<Stop> stop = callApart(run_, values.data());
    auto copy = registers.begin();
    for (const NativeParameter &p : parameters_)
        if (p.value)
            std::copy_n((copy++)->begin(), sizeOf(p.type), p.value);
    return stop;
}

/// Locates elements and the regions that hold them.
void NativeCall::locate(Machine &m) {
    positions_.resize(parameters_.size());
    for (Region &r : regions_)
        r.begin = r.end = 0;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        NativeParameter &p = parameters_[k];
        if (p.value)
            continue;
        std::vector<int64_t> &at = positions_[k];
        p.side.locate(m, at, 1, !p.side.given);
        std::erase(at, -1);
        if (at.empty())
            continue;
        Region &r = regionOf(*p.side.container);
        const auto [first, last] = std::minmax_element(at.begin(), at.end());
        const bool isNew = r.begin == r.end;
        r.begin = isNew ? *first : std::min(r.begin, *first);
        r.end = std::max(r.end, *last + p.side.container->unit);
    }
    std::erase_if(regions_, [](const Region &r) { return r.begin == r.end; });
}

NativeCall::Region &NativeCall::regionOf(const Container &c) {
    const auto found = std::find_if(regions_.begin(), regions_.end(), [&](const Region &r) { return r.buffer == c.buffer; });
    if (found != regions_.end())
        return *found;
    return regions_.emplace_back(Region{c.buffer, 0, 0, std::make_unique<GuardedCopy>(), {}});
}

bool NativeCall::copyIn(Machine &m) {
    for (Region &r : regions_) {
        if (!r.copy->take(r.buffer->memory + r.begin, r.end - r.begin)) {
            m.report(FaultKind::NoMemory, site_, "there is no memory for a copy of `" + r.buffer->container.str() + "`");
            return false;
        }
        r.mayChange.assign(static_cast<std::size_t>(r.buffer->cellOf(r.end - 1) - r.buffer->cellOf(r.begin) + 1), false);
    }
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        const NativeParameter &p = parameters_[k];
        if (p.value)
            continue;
        for (const int64_t at : positions_[k]) {
            Region &r = regionOf(*p.side.container);
            if (p.isInput && !p.isDynamic)
                m.noteRead(*r.buffer, at, p.side.container->unit, p.side.site);
            const int64_t base = r.buffer->cellOf(r.begin), last = r.buffer->cellOf(at + p.side.container->unit - 1);
            for (int64_t c = r.buffer->cellOf(at); p.isOutput && c <= last; ++c)
                r.mayChange[static_cast<std::size_t>(c - base)] = true;
        }
    }
    return true;
}

void NativeCall::reportStop(Machine &m, const Stop &s) const {
    for (const Region &r : regions_)
        if (r.copy->guards(s.address)) {
            m.report(FaultKind::Native, site_,
                     "C++ code accesses elements after the subset of `" + r.buffer->container.str() + "` given by its connectors");
            return;
        }
    m.report(FaultKind::Native, site_,
             s.signal ? "C++ code is terminated by a signal: " + std::string(strsignal(s.signal)) : "C++ code throws an exception");
}

void NativeCall::copyOut(Machine &m) {
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        const NativeParameter &p = parameters_[k];
        for (const int64_t at : positions_[k])
            if (!p.value && p.isOutput)
                writeOutput(m, p, at, regionOf(*p.side.container));
    }
    for (Region &r : regions_)
        reportOthers(m, r);
}

/// An element that may be written counts as written; with a dynamic memlet, it only counts if its value differs.
void NativeCall::writeOutput(Machine &m, const NativeParameter &p, int64_t at, Region &r) const {
    const int64_t bytes = p.side.container->unit;
    const std::byte *now = r.copy->begin() + (at - r.begin);
    if (p.isDynamic && std::memcmp(now, r.buffer->memory + at, static_cast<std::size_t>(bytes)) == 0)
        return;
    m.noteWrite(*r.buffer, at, bytes, now, p.side.site);
    std::copy_n(now, bytes, r.buffer->memory + at);
}

void NativeCall::reportOthers(Machine &m, Region &r) const {
    const std::string container = "`" + r.buffer->container.str() + "`";
    if (!r.copy->isIntact())
        m.report(FaultKind::Native, site_,
                 "C++ code writes elements before the subset of " + container + " that its connectors name");
    const int64_t base = r.buffer->cellOf(r.begin), unit = r.buffer->unit;
    for (std::size_t k = 0; k < r.mayChange.size(); ++k) {
        const int64_t cell = base + static_cast<int64_t>(k), from = std::max(cell * unit, r.begin),
                      to = std::min((cell + 1) * unit, r.end);
        if (r.mayChange[k] ||
            std::memcmp(r.copy->begin() + (from - r.begin), r.buffer->memory + from, static_cast<std::size_t>(to - from)) == 0)
            continue;
        m.report(FaultKind::Native, site_,
                 "C++ code changes element " + std::to_string(cell) + " of " + container + ", which is not among its outputs");
        return;
    }
}

} // namespace sdfgc::interpret
