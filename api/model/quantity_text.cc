#include "api/model/quantity_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/strings.h"

namespace bth::model {
namespace {

// The largest suffix that keeps the number whole; `suffixes` go up by `base`.
template <size_t kCount>
std::string WithSuffix(int64_t amount, int64_t base,
                       const std::array<std::string_view, kCount>& suffixes) {
  if (amount == 0) return "0";
  size_t step = 0;
  for (; step + 1 < kCount && amount % base == 0; ++step) amount /= base;
  return StrCat(amount, suffixes[step]);
}

constexpr std::array<std::string_view, 7> kBinary = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
constexpr std::array<std::string_view, 7> kDecimal = {"", "k", "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 8> kMilli = {"m", "", "k", "M", "G", "T", "P", "E"};

}  // namespace

std::string QuantityText(const DimensionTable& dims, int dim, int64_t amount) {
  if (dims.IsMilli(dim)) return WithSuffix(amount, 1000, kMilli);
  std::string decimal = WithSuffix(amount, 1000, kDecimal);
  if (dim == kPods) return decimal;
  std::string binary = WithSuffix(amount, 1024, kBinary);
  return binary.size() <= decimal.size() ? binary : decimal;
}

std::vector<int> DimsByName(DimMask mask, const DimensionTable& dims) {
  std::vector<int> out;
  for (int d = 0; d < dims.size(); ++d) {
    if ((mask >> d & 1u) != 0) out.push_back(d);
  }
  const auto others = std::find_if(out.begin(), out.end(), [](int d) { return d >= kFixedDims; });
  std::sort(others, out.end(), [&dims](int a, int b) { return dims.name(a) < dims.name(b); });
  return out;
}

std::string AmountsText(DimMask mask, const ResourceVec& amounts, const DimensionTable& dims) {
  std::string text;
  for (int d : DimsByName(mask, dims)) {
    StrAppend(&text, text.empty() ? "" : ", ", QuantityText(dims, d, amounts[d]), " ",
              dims.name(d));
  }
  return text;
}

std::string UseText(DimMask mask, const ResourceVec& held, const ResourceVec& most,
                    const DimensionTable& dims) {
  std::string text;
  for (int d : DimsByName(mask, dims)) {
    StrAppend(&text, text.empty() ? "" : ", ", QuantityText(dims, d, std::max<int64_t>(held[d], 0)),
              " of ", QuantityText(dims, d, std::max<int64_t>(most[d], 0)), " ", dims.name(d));
  }
  return text;
}

}  // namespace bth::model
