// Requests of a graph that a compilation leaves out, collected so that each is reported once.
#pragma once

#include "sdfgc/Diag/Diag.h"

#include <string>
#include <vector>

namespace sdfgc::pass {

/// Collects requests that have no effect. Those with the same word and reason become one warning, at the first element, with the
/// number of others.
class IgnoredRequests {
public:
    /// A `location` (SD6022): its key, whose it is (`tasklet `t``), where, why it has no effect, and what to do instead.
    void location(std::string what, std::string element, diag::Location place, std::string why, std::string hint);
    /// The same for instrumentation (SD6023).
    void instrumentation(std::string what, std::string element, diag::Location place, std::string why, std::string hint);
    /// Reports all of them, for elements of this file, and forgets them.
    void report(diag::Engine &diags, const std::string &file);

private:
    struct Request {
        bool isLocation;
        std::string what, element, why, hint;
        diag::Location place;
        std::size_t others = 0;
    };
    void note(Request request);

    std::vector<Request> requests_;
};

} // namespace sdfgc::pass
