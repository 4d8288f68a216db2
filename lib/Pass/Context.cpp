#include "sdfgc/Pass/Pass.h"

namespace sdfgc::pass {

void Context::done(std::string element, std::string text) { remarks.push_back({currentPass, std::move(element), std::move(text)}); }

void Context::missed(std::string element, const std::string &what, const diag::Reason &why, std::optional<sym::Expr> loss) {
    remarks.push_back({currentPass, std::move(element), what + ": " + why.text, why.code, std::move(loss)});
}

bool Context::mayChange(std::string element, std::string text) {
    if (!changeLimit || changes < *changeLimit) {
        ++changes;
        lastChange = remarks.size();
        done(std::move(element), std::move(text));
        return true;
    }
    if (!limitReached_)
        missed(std::move(element), text, {diag::Why::PassLimit, "this is change " + std::to_string(changes + 1)});
    limitReached_ = true;
    return false;
}

} // namespace sdfgc::pass
