#include "sdfgc/Transforms/Choices.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {

void registerPasses(pass::Registry &registry) {
    pass::PassInfo *row = nullptr;
#define SDFGC_PASS(Create, Name, Needs, Summary) row = &registry.add({Name, Summary, ir::Level::Needs, {}, Create});
#define SDFGC_PASS_ESTABLISHES(Level_) row->establishes = ir::Level::Level_;
#define SDFGC_PASS_ADDS(Incomplete_) row->adds = pass::Incomplete::Incomplete_;
#define SDFGC_PASS_CLASS(Class) row->floatClass = pass::FloatClass::Class;
#define SDFGC_PASS_REPAIRS() row->repairs = true;
#define SDFGC_PASS_OPTION(Name, Default, Help) row->options.push_back({Name, Help, pass::OptionValue(Default)});
#define SDFGC_PASS_CHOICE(Name, Type, Default, Help) row->options.push_back(pass::choiceOption<Type>(Name, Default, Help));
#define SDFGC_PASS_OPTION_LEAST(Least) row->options.back().least = Least;
#define SDFGC_PASS_OPTION_OF(Pass) row->options.back().of = Pass;
#include "sdfgc/Transforms/Passes.def"
#undef SDFGC_PASS
}

std::string_view description(std::string_view pass) {
    static constexpr std::string_view table[] = {
    // a name, then its text
#define SDFGC_PASS(Create, Name, Needs, Summary) Name,
#define SDFGC_PASS_TEXT(Text) Text,
#include "sdfgc/Transforms/Passes.def"
#undef SDFGC_PASS
    };
    for (std::size_t i = 0; i + 1 < std::size(table); ++i)
        if (table[i] == pass)
            return table[i + 1];
    return {};
}

} // namespace sdfgc::transforms
