#include "Order.h"

namespace sdfgc::interpret {

Precedence::Precedence(const std::vector<std::vector<std::size_t>> &before)
    : steps_(before.size()), stride_((before.size() + 63) / 64), words_(steps_ * stride_) {
    for (std::size_t k = 0; k < steps_; ++k) {
        uint64_t *row = words_.data() + k * stride_;
        for (const std::size_t a : before[k]) {
            const uint64_t *other = words_.data() + a * stride_;
            for (std::size_t w = 0; w < stride_; ++w)
                row[w] |= other[w];
            row[a / 64] |= uint64_t(1) << (a % 64);
        }
        chain_ = chain_ && (k == 0 || isBefore(k - 1, k));
    }
}

bool Streams::isBefore(Time t) const {
    if (marks_.empty() || t < marks_.front().start)
        return true;
    if (t < marks_[last_].start || (last_ + 1 < marks_.size() && t >= marks_[last_ + 1].start)) {
        const auto after = std::upper_bound(marks_.begin(), marks_.end(), t, [](Time x, const Mark &m) { return x < m.start; });
        last_ = static_cast<std::size_t>(after - marks_.begin()) - 1;
    }
    const Mark &m = marks_[last_];
    return clocks_[running_][m.actor] >= m.number;
}

bool Order::decide(Time t) const {
    for (auto s = sections_.rbegin(); s != sections_.rend(); ++s) {
        if (t < s->start)
            continue;
        if (s->streams)
            return s->streams->isBefore(t);
        if (!s->graph)
            return t >= s->iteration;
        // The step that ran at that time: the last one that had begun.
        const Time *after = std::upper_bound(s->starts, s->starts + s->step + 1, t);
        const auto step = static_cast<std::size_t>(after - s->starts) - 1;
        return step == s->step || s->graph->isBefore(step, s->step);
    }
    return true;
}

} // namespace sdfgc::interpret
