// A graph for the tests of resolve-wcr.
#pragma once

#include "Transforms/PassRun.h"

namespace sdfgc::test {

/// A map with tasklets that update elements, each with an edge inside and one after the map.
struct UpdatingMap : Graph {
    MapEntry *m;
    AccessNode *target = nullptr;
    Edge *inner = nullptr, *outer = nullptr;

    explicit UpdatingMap(Schedule schedule = Schedule::CPU_Multicore, const char *params = "i", const char *values = "0:N")
        : m(map(schedule, params, values)) {}
    UpdatingMap &add(const std::string &inside, const std::string &outside, const std::string &wcr = "lambda a, b: a + b") {
        Tasklet *t = tasklet("y = 1");
        order(m, t);
        if (!target)
            target = access(inside.substr(0, inside.find('[')));
        const std::string number = std::to_string(s->edges().size());
        inner = update(t, "y", m->exit, "IN_" + number, inside, wcr);
        outer = update(m->exit, "OUT_" + number, target, "", outside, wcr);
        return *this;
    }
    WcrMode resolve() {
        PassRun pass(transforms::createResolveWcr());
        pass(g);
        CHECK_FALSE(pass.context.remarks.empty());
        CHECK(outer->memlet.wcrMode != WcrMode::Unset);
        return inner->memlet.wcrMode;
    }
};

} // namespace sdfgc::test
