// Types that only C++ knows, as files name them.
#pragma once

#include <string_view>

namespace sdfgc {

/// Can the text be the name of a type in C++, and nothing more: words, `::`, `<>`, `,`, `*`, `&` and blanks? An opaque type (Type::opaque)
/// is printed as it stands, so that what a file says must be such a name.
bool isCppTypeName(std::string_view text);

} // namespace sdfgc
