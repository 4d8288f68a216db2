// One side of a copy, or an operand of a library node: the locations of a subset's elements in row-major order.
#pragma once

#include "../Plan.h"

namespace sdfgc::interpret {

/// The elements of a subset of a container, or of all of it.
class Side {
public:
    Container *container = nullptr;
    const Site *site = nullptr;
    bool given = false; // is there a subset?
    bool allowOutside = false;

    void define(Builder &b, const std::optional<sym::Subset> &subset) {
        given = subset.has_value() && !container->desc->isStream();
        if (!given)
            return;
        for (const sym::Range &r : subset->dims)
            dims_.push_back({b.integer(r.begin), b.roundedDown(r.end), b.integer(r.step), b.integer(r.tile)});
    }
    /// Are indices of the other side's container meaningful in this one, i.e. do both have the same rank?
    bool canTakeFrom(const Side &other) const { return container->shape.size() == other.container->shape.size(); }
    /// Uses the same indices as the other side.
    void takeFrom(const Side &other) { dims_ = other.dims_; }

    /// Computes the positions of the elements in bytes; -1 for those outside, which are reported. `lanes`: number of parts of an
    /// element.
    void locate(Machine &m, std::vector<int64_t> &out, int64_t lanes, bool whole) {
        out.clear();
        ranges_.clear();
        const Container &c = *container;
        const bool scalar = c.desc->isScalar() || c.desc->isStructure();
        if (!c.buffer) {
            m.reportNoMemory(c, site);
            ranges_.assign(scalar ? 0 : c.shape.size(), {0, 0, 1, 1});
            return;
        }
        for (std::size_t d = 0; d < c.shape.size() && !scalar; ++d) {
            if (whole || d >= dims_.size())
                ranges_.push_back({-c.offset[d], c.shape[d], 1, 1});
            else
                ranges_.push_back(rangeOf(dims_[d]));
        }
        if (hasTooMany(m)) {
            m.report(FaultKind::Outside, site, "the subset has more elements than any memory for `" + c.name.str() + "`");
            ranges_.assign(ranges_.size(), {0, 0, 1, 1});
            return;
        }
        walk(m, 0, 0, true, lanes, out);
    }
    /// The shape of the elements located last; empty for a scalar.
    std::vector<int64_t> shape() const {
        std::vector<int64_t> out;
        for (const Range &r : ranges_)
            out.push_back(std::max<int64_t>(r.count, 0) * r.tile);
        return out;
    }
    int64_t count(bool whole) const {
        int64_t n = 1;
        if (whole || dims_.empty()) {
            for (const int64_t s : container->shape)
                n *= std::max<int64_t>(s, 0);
            return container->desc->isScalar() || container->desc->isStructure() ? 1 : n;
        }
        for (const Dim &d : dims_) {
            const Range r = rangeOf(d);
            n *= r.count * r.tile;
        }
        return n;
    }

private:
    struct Dim {
        const int64_t *begin, *end, *step, *tile;
    };
    struct Range {
        int64_t begin, count, step, tile;
    };
    static Range rangeOf(const Dim &d) {
        const int64_t step = *d.step ? *d.step : 1, span = step > 0 ? *d.end - *d.begin : *d.begin - *d.end;
        const int64_t by = step > 0 ? step : -step;
        return {*d.begin, span < 0 ? 0 : span / by + 1, step, *d.tile};
    }
    bool hasTooMany(const Machine &m) const {
        int64_t n = 1;
        for (const Range &r : ranges_)
            if (r.count > 0 && (__builtin_mul_overflow(n, r.count, &n) || __builtin_mul_overflow(n, r.tile, &n)))
                return true;
        return n > m.options.largest / std::max<int64_t>(container->unit, 1);
    }
    void walk(Machine &m, std::size_t d, int64_t element, bool inside, int64_t lanes, std::vector<int64_t> &out) {
        const Container &c = *container;
        if (d == ranges_.size()) {
            const int64_t at = c.start + element * c.unit;
            if (!inside && !c.buffer->isOpen)
                m.report(FaultKind::OutsideShape, site, "the subset exceeds the shape of `" + c.name.str() + "`");
            inside = c.buffer->holds(at, c.unit);
            if (!inside)
                m.report(FaultKind::Outside, site, "the subset exceeds the memory of `" + c.name.str() + "`");
            for (int64_t k = 0; k < lanes; ++k)
                out.push_back(inside ? at + k * (c.unit / lanes) : -1);
            return;
        }
        const Range &r = ranges_[d];
        for (int64_t k = 0; k < r.count; ++k)
            for (int64_t t = 0; t < r.tile; ++t) {
                const int64_t i = r.begin + k * r.step + t + c.offset[d];
                const bool in = allowOutside || c.offset[d] != 0 || (i >= 0 && i < c.shape[d]);
                walk(m, d + 1, element + i * c.strides[d], inside && in, lanes, out);
            }
    }
    std::vector<Dim> dims_;
    std::vector<Range> ranges_;
};

} // namespace sdfgc::interpret
