#include "sdfgc/Pass/Ignored.h"

#include <utility>

namespace sdfgc::pass {

void IgnoredRequests::location(std::string what, std::string element, diag::Location place, std::string why, std::string hint) {
    note({true, std::move(what), std::move(element), std::move(why), std::move(hint), std::move(place)});
}

void IgnoredRequests::instrumentation(std::string what, std::string element, diag::Location place, std::string why,
                                      std::string hint) {
    note({false, std::move(what), std::move(element), std::move(why), std::move(hint), std::move(place)});
}

void IgnoredRequests::note(Request request) {
    for (Request &r : requests_)
        if (r.isLocation == request.isLocation && r.what == request.what && r.why == request.why) {
            ++r.others;
            return;
        }
    requests_.push_back(std::move(request));
}

void IgnoredRequests::report(diag::Engine &diags, const std::string &file) {
    for (const Request &r : std::exchange(requests_, {})) {
        const std::string others =
            r.others == 0 ? "" : " and " + std::to_string(r.others) + (r.others == 1 ? " other element" : " other elements");
        diag::Location place = r.place;
        place.file = file;
        if (r.isLocation)
            diags.report(diag::Id::LocationIgnored, place, r.element + others, r.what, r.why, r.hint);
        else
            diags.report(diag::Id::InstrumentationIgnored, place, r.what, r.element + others, r.why, r.hint);
    }
}

} // namespace sdfgc::pass
