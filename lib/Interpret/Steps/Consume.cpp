// Consume scopes: the body runs for every element of a stream until it is empty, or a condition holds.
#include "../Plan.h"

namespace sdfgc::interpret {

std::unique_ptr<Step> Planner::consume(Scope &, const ir::ConsumeEntry &c) {
    refuse(ir::elementName(c), "consume scopes");
    return nullptr;
}

} // namespace sdfgc::interpret
