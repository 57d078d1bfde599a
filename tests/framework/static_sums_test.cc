#include "framework/nodes/static_sums.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace bth::test {
namespace {

using framework::StaticFit;
using framework::StaticSums;

TEST_CASE("static sums: a column is made once per constraints and maxima", "[framework]") {
  const auto fit = std::make_shared<StaticFit>();
  fit->refusal.resize(3);
  const auto other = std::make_shared<StaticFit>(*fit);
  StaticSums sums;
  int fills = 0;
  const auto get = [&](const std::shared_ptr<const StaticFit>& of, int64_t maximum) {
    return sums.Get(of, {maximum, 7}, [&](absl::Span<double> out) {
      ++fills;
      CHECK(out.size() == 3);
      std::fill(out.begin(), out.end(), static_cast<double>(maximum));
    });
  };
  CHECK(get(fit, 1)[2] == 1);
  CHECK(get(fit, 1)[2] == 1);
  CHECK(fills == 1);
  CHECK(get(fit, 2)[2] == 2);
  CHECK(get(other, 1)[2] == 1);
  CHECK(fills == 3);
  CHECK(get(fit, 1)[2] == 1);
  CHECK(fills == 3);
}

TEST_CASE("static sums: the least recently used go first", "[framework]") {
  const auto fit = std::make_shared<StaticFit>();
  fit->refusal.resize(1);
  StaticSums sums;
  int fills = 0;
  const auto get = [&](int64_t maximum) {
    sums.Get(fit, {maximum}, [&](absl::Span<double> out) {
      ++fills;
      out[0] = 0;
    });
  };
  const auto columns = static_cast<int>(StaticSums::kColumnsMax);
  for (int i = 0; i < columns; ++i) get(i);
  get(0);
  CHECK(fills == columns);
  get(columns);  // In the place of 1.
  get(0);
  CHECK(fills == columns + 1);
  get(1);
  CHECK(fills == columns + 2);
}

}  // namespace
}  // namespace bth::test
