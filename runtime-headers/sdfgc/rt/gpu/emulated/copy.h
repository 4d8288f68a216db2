// Copies and fills of the emulated GPU. Part of gpu_emulate.cpp.
//
// Rules: the most adverse behaviour that CUDA's documentation allows. Page-locked memory is read and written when the copy runs.
// From pageable memory the bytes are taken at the call and arrive when the copy runs; copies to pageable memory, and between host
// memories, complete before the call returns. Every range is checked against its allocation, at the call and again when the copy
// runs; a direction that does not match the addresses is an error. Values copied to the host are reported if they were never
// written, or computed from such values.
#pragma once

#include "sdfgc/rt/gpu/emulated/device.h"

namespace sdfgc::gpu::emulate {

/// One side of a copy or fill: `depth` slices of `height` rows of `width` bytes.
struct Box {
    char *begin;
    size_t pitch, slice, width, height, depth;

    size_t rows() const { return height * depth; }
    char *row(size_t i) const { return begin + i / height * slice + i % height * pitch; }
    /// Bytes from the first to the last one.
    size_t span() const { return (depth - 1) * slice + (height - 1) * pitch + width; }
};

/// Checks that the box lies in one allocation of the device, or one page-locked block, that is usable; reports and returns false
/// otherwise. `atCall`: the operation is not queued yet, so mallocAsync may not have run yet.
inline bool checkRange(Device &device, const Box &box, const char *operation, bool atCall) {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(box.begin);
    if (device.arena.owns(box.begin)) {
        const Allocation *a = device.arena.nearest(box.begin);
        if (a && a->state == Allocation::Freed && a->contains(begin, 0)) {
            fail("use after free: %s uses '%s' (%zu bytes), which was freed by %s", operation, a->name.c_str(), a->bytes,
                 a->freedBy.c_str());
            return false;
        }
        if (a && a->state == Allocation::Pending && !atCall) {
            fail("use before allocation: %s uses '%s' (%zu bytes), which its stream has not allocated yet: an event is missing",
                 operation, a->name.c_str(), a->bytes);
            return false;
        }
        if (a && a->contains(begin, box.span()))
            return true;
        if (!a || !a->contains(begin, 0))
            fail("out of bounds: %s uses device address %p, where nothing is allocated", operation, static_cast<void *>(box.begin));
        else
            fail("out of bounds: %s uses bytes %zu to %zu of '%s' (%zu bytes)", operation, static_cast<size_t>(begin - a->begin),
                 static_cast<size_t>(begin - a->begin + box.span()), a->name.c_str(), a->bytes);
        return false;
    }
    const auto pinned = device.findPinned(box.begin);
    if (pinned == device.pinned.end() || pinned->second.bytes - (begin - pinned->first) >= box.span())
        return true;
    fail("out of bounds: %s uses bytes %zu to %zu of page-locked '%s' (%zu bytes)", operation,
         static_cast<size_t>(begin - pinned->first), static_cast<size_t>(begin - pinned->first + box.span()),
         pinned->second.name.c_str(), pinned->second.bytes);
    return false;
}

/// "'A'" for device and page-locked memory, "host memory" otherwise.
inline std::string placeName(Device &device, const void *p) {
    if (device.arena.owns(p)) {
        const Allocation *a = device.arena.nearest(p);
        return a ? "'" + a->name + "'" : "unallocated device memory";
    }
    const auto pinned = device.findPinned(p);
    return pinned == device.pinned.end() ? "host memory" : "'" + pinned->second.name + "'";
}

class Copy {
public:
    Copy(Device &device, const Copy3D &c, CopyKind kind)
        : device_(device), to_{static_cast<char *>(c.to), c.toPitch, c.toSlice, c.width, c.height, c.depth},
          from_{static_cast<char *>(const_cast<void *>(c.from)), c.fromPitch, c.fromSlice, c.width, c.height, c.depth},
          toResidence_(device.residence(c.to)), fromResidence_(device.residence(c.from)), kind_(kind) {}

    /// `waits`: the call returns when the copy is done, to the extent that CUDA guarantees it.
    Status submit(StreamState &stream, bool waits) {
        if (to_.width == 0 || to_.height == 0 || to_.depth == 0)
            return success;
        if (const Status status = check(); status != success)
            return status;
        auto operation = std::make_shared<Operation>();
        operation->name = name_;
        operation->duration = durationOf(0, to_.width * to_.height * to_.depth);
        const bool toDevice = toResidence_ == Residence::Device, fromDevice = fromResidence_ == Residence::Device;
        if (toDevice && fromResidence_ == Residence::Pageable) {
            stage();
            waits = false; // the device may receive the bytes later
        } else if (toResidence_ == Residence::Pageable || (!toDevice && !fromDevice))
            waits = true;
        else if (toDevice && fromDevice)
            waits = false;
        device_.copiesToHost += fromDevice && !toDevice;
        operation->run = [copy = *this] { copy.run(); };
        device_.submit(stream, operation);
        if (waits)
            device_.finish(operation);
        return device_.error;
    }

    /// Chooses a name for reports, and checks the operation.
    Status check() {
        name_ = "the copy of " + placeName(device_, from_.begin) + " to " + placeName(device_, to_.begin);
        const bool toDevice = toResidence_ == Residence::Device, fromDevice = fromResidence_ == Residence::Device;
        const bool wrong =
            kind_ != CopyKind::Any && (toDevice != (kind_ == CopyKind::HostToDevice || kind_ == CopyKind::DeviceToDevice) ||
                                       fromDevice != (kind_ == CopyKind::DeviceToHost || kind_ == CopyKind::DeviceToDevice));
        if (wrong) {
            static const char *const names[] = {"host to host", "host to device", "device to host", "device to device"};
            fail("wrong direction: %s goes from %s to %s memory but is called a copy from %s", name_.c_str(),
                 fromDevice ? "device" : "host", toDevice ? "device" : "host", names[static_cast<int>(kind_)]);
            return invalidCopyDirection;
        }
        if ((to_.rows() > 1 && (to_.pitch < to_.width || from_.pitch < from_.width)) ||
            std::max(to_.pitch, from_.pitch) > 0x7fffffff) {
            fail("invalid pitch: %s has rows of %zu bytes that begin %zu and %zu bytes apart", name_.c_str(), to_.width,
                 from_.pitch, to_.pitch);
            return invalidPitch;
        }
        if (!checkRange(device_, to_, name_.c_str(), true) || !checkRange(device_, from_, name_.c_str(), true))
            return invalidValue;
        return success;
    }

    /// Runs the operation, after check().
    void run() const {
        if (!checkRange(device_, to_, name_.c_str(), false) || (!staged_ && !checkRange(device_, from_, name_.c_str(), false))) {
            device_.stick(illegalAddress);
            return;
        }
        const bool fromDevice = fromResidence_ == Residence::Device, toDevice = toResidence_ == Residence::Device;
        for (size_t i = 0; i < to_.rows(); ++i) {
            const char *from = fromDevice ? device_.arena.door(from_.row(i)) : from_.row(i);
            if (fromDevice && !toDevice)
                checkWritten(from, i);
            std::memmove(toDevice ? device_.arena.door(to_.row(i)) : to_.row(i), from, to_.width);
        }
        count(fromDevice, toDevice);
    }

    const std::string &name() const { return name_; }
    const Box &to() const { return to_; }
    const Box &from() const { return from_; }
    Residence toResidence() const { return toResidence_; }
    Residence fromResidence() const { return fromResidence_; }

private:
    /// Reads the source's bytes now.
    void stage() {
        staged_ = std::make_shared<std::vector<char>>(from_.width * from_.rows());
        for (size_t i = 0; i < from_.rows(); ++i)
            std::memcpy(staged_->data() + i * from_.width, from_.row(i), from_.width);
        from_ = {staged_->data(), from_.width, from_.width * from_.height, from_.width, from_.height, from_.depth};
    }

    void count(bool fromDevice, bool toDevice) const {
        const auto bytes = static_cast<int64_t>(to_.width * to_.rows());
        Counts &counts = device_.counts;
        if (fromDevice && toDevice)
            ++counts.copies;
        else if (toDevice)
            ++counts.copiesIn, counts.bytesIn += bytes;
        else if (fromDevice)
            ++counts.copiesOut, counts.bytesOut += bytes;
    }

    /// Reports the first value of a row that was never written, or that comes from such a value, once per pair of places.
    void checkWritten(const char *bytes, size_t row) const {
        for (size_t i = (8 - reinterpret_cast<uintptr_t>(bytes) % 8) % 8; i + 8 <= from_.width; i += 8) {
            uint64_t value;
            std::memcpy(&value, bytes + i, sizeof value);
            const char *origin = device_.arena.origins.find(value);
            if (!origin)
                continue;
            const Allocation *a = device_.arena.find(from_.begin);
            const size_t byte = reinterpret_cast<uintptr_t>(from_.row(row)) + i - a->begin;
            if (device_.reportedUninitialised.insert(name_ + origin).second)
                warn("uninitialised value: %s: byte %zu of '%s' was never written or was computed from %s, which was not",
                     name_.c_str(), byte, a->name.c_str(), origin);
            return;
        }
    }

    Device &device_;
    Box to_, from_;
    Residence toResidence_, fromResidence_;
    CopyKind kind_;
    std::string name_;
    std::shared_ptr<std::vector<char>> staged_;
};

/// Elements of 1, 2 or 4 bytes get the low bytes of a value; the width of the box is in bytes.
class Fill {
public:
    Fill(Device &device, const Box &box, unsigned value, unsigned elementSize)
        : device_(device), box_(box), value_(value), elementSize_(elementSize), residence_(device.residence(box.begin)) {}

    Status submit(StreamState &stream, bool waits) {
        if (box_.width == 0 || box_.height == 0)
            return success;
        if (const Status status = check(); status != success)
            return status;
        auto operation = std::make_shared<Operation>();
        operation->name = name_;
        operation->duration = durationOf(0, box_.width * box_.height);
        operation->run = [fill = *this] { fill.run(); };
        device_.submit(stream, operation);
        if (waits && residence_ == Residence::Pinned) // for device memory the call does not wait, as in CUDA
            device_.finish(operation);
        return device_.error;
    }

    /// Chooses a name for reports, and checks the operation.
    Status check() {
        name_ = "the fill of " + placeName(device_, box_.begin);
        if (residence_ == Residence::Pageable) {
            fail("host memory: %s through the device", name_.c_str());
            return invalidValue;
        }
        return checkRange(device_, box_, name_.c_str(), true) ? success : invalidValue;
    }
    /// Runs the operation, after check().
    void run() const {
        if (!checkRange(device_, box_, name_.c_str(), false))
            return device_.stick(illegalAddress);
        for (size_t i = 0; i < box_.rows(); ++i) {
            char *const row = residence_ == Residence::Device ? device_.arena.door(box_.row(i)) : box_.row(i);
            if (elementSize_ == 1)
                std::memset(row, static_cast<int>(value_), box_.width);
            else
                for (size_t at = 0; at < box_.width; at += elementSize_)
                    std::memcpy(row + at, &value_, elementSize_); // little-endian
        }
        ++device_.counts.fills;
    }
    const std::string &name() const { return name_; }
    const Box &box() const { return box_; }
    Residence residence() const { return residence_; }

private:
    Device &device_;
    Box box_;
    unsigned value_, elementSize_;
    Residence residence_;
    std::string name_;
};

} // namespace sdfgc::gpu::emulate
