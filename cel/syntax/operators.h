// The function names that operators have in the tree, as in the language definition.
#pragma once

namespace bth::cel::op {

inline constexpr char kConditional[] = "_?_:_";
inline constexpr char kAnd[] = "_&&_";
inline constexpr char kOr[] = "_||_";
inline constexpr char kNot[] = "!_";
inline constexpr char kNotStrictlyFalse[] = "@not_strictly_false";
inline constexpr char kNegate[] = "-_";
inline constexpr char kEquals[] = "_==_";
inline constexpr char kNotEquals[] = "_!=_";
inline constexpr char kLess[] = "_<_";
inline constexpr char kLessEquals[] = "_<=_";
inline constexpr char kGreater[] = "_>_";
inline constexpr char kGreaterEquals[] = "_>=_";
inline constexpr char kAdd[] = "_+_";
inline constexpr char kSubtract[] = "_-_";
inline constexpr char kMultiply[] = "_*_";
inline constexpr char kDivide[] = "_/_";
inline constexpr char kModulo[] = "_%_";
inline constexpr char kIn[] = "@in";
inline constexpr char kIndex[] = "_[_]";
inline constexpr char kOptIndex[] = "_[?_]";
inline constexpr char kOptSelect[] = "_?._";  // args: operand, the field as a string constant.

// What macros of two variables build maps with: (map(K, V), K, V) and (map(K, V), map(K, V)), both
// give map(K, V); a key that is there is an error (`insert failed: key k already exists`). Members
// of the standard environment, though no source text can call it.
inline constexpr char kMapInsert[] = "cel.@mapInsert";
// What optMap() and optFlatMap() are made of, beside the members hasValue() and value().
inline constexpr char kOptionalOf[] = "optional.of";
inline constexpr char kOptionalNone[] = "optional.none";

}  // namespace bth::cel::op
