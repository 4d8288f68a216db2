#include "Callback.h"

#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Support/Json.h"

namespace sdfgc::package {
namespace {

/// `json`: the text of a complete descriptor, or empty.
CallbackPart part(Type type, const std::string &json) {
    CallbackPart out;
    out.type = type;
    std::optional<json::Value> descriptor = json.empty() ? std::nullopt : json::parse(json);
    const json::Value *kind = descriptor ? descriptor->get("type") : nullptr;
    out.array = kind && kind->text() == "Array";
    const json::Value *attributes = out.array ? descriptor->get("attributes") : nullptr;
    if (const json::Value *shape = attributes ? attributes->get("shape") : nullptr)
        for (const json::Value &s : shape->items())
            out.shape.push_back(s.text());
    return out;
}

const std::string &at(const std::vector<std::string> &list, std::size_t i) {
    static const std::string none;
    return i < list.size() ? list[i] : none;
}

} // namespace

CallbackShape callbackShape(Type callback) {
    CallbackShape out;
    for (std::size_t i = 0; i < callback.arguments().size(); ++i)
        out.parameters.push_back(part(callback.arguments()[i], at(callback.argumentJson(), i)));
    const std::vector<Type> &results = callback.returns();
    if (codegen::returnsValue(callback)) {
        if (!results[0].isVoid())
            out.returns = results[0];
        return out;
    }
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!results[i].isVoid()) {
            out.parameters.push_back(part(results[i], at(callback.returnJson(), i)));
            out.parameters.back().result = true;
        }
    return out;
}

} // namespace sdfgc::package
