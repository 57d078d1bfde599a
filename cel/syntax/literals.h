// Constants from the text of their tokens.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/token.h"

namespace bth::cel {

// `text` is a token that the lexer gave out as of this kind: a number, a string or bytes. With
// `negative` it is an int or a double behind a minus: so the smallest int can be written. Errors:
// kInvalidArgument with cel-go's words.
absl::StatusOr<Constant> ParseLiteral(TokenKind kind, std::u32string_view text,
                                      bool negative = false);

}  // namespace bth::cel
