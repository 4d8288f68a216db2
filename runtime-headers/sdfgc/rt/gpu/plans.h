// Plans of a device library. They are expensive, so they are kept for the next call of the same kind.
#pragma once

#include "sdfgc/rt/gpu.h"

#include <vector>

namespace sdfgc::gpu::detail {

/// At most 64 plans, for programs whose sizes change: the oldest is destroyed first, by `Destroy`.
template <class Key, class Plan, class Destroy> class Plans {
public:
    Plans() noexcept = default;
    Plans(const Plans &) = delete;
    Plans &operator=(const Plans &) = delete;
    ~Plans() {
        for (const Known &k : known_)
            Destroy()(k.plan);
    }
    /// Null if there is none. Valid until the next `add`.
    const Plan *find(const Key &key) const {
        for (const Known &k : known_)
            if (k.key == key)
                return &k.plan;
        return nullptr;
    }
    const Plan *add(const Key &key, const Plan &plan) {
        if (known_.size() == most) {
            (void)deviceSynchronize(); // queued work may still use it
            Destroy()(known_.front().plan);
            known_.erase(known_.begin());
        }
        known_.push_back({key, plan});
        return &known_.back().plan;
    }

private:
    static constexpr size_t most = 64;
    struct Known {
        Key key;
        Plan plan;
    };
    std::vector<Known> known_;
};

} // namespace sdfgc::gpu::detail
