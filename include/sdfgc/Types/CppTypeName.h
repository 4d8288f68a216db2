// Types that only C++ knows, as named in files.
#pragma once

#include <string_view>

namespace sdfgc {

/// Can the text be the name of a C++ type and nothing else: words, `::`, `<>`, `,`, `*`, `&` and blanks? An opaque type
/// (Type::opaque) is printed verbatim, so a type in a file must be such a name.
bool isCppTypeName(std::string_view text);

} // namespace sdfgc
