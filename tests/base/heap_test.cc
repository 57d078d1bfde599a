#include "base/heap.h"

#include <functional>
#include <map>
#include <string>

#include "tests/support/catch.h"

namespace bth {
namespace {

TEST_CASE("heap: the array after each push and pop is the one of the textbook algorithm",
          "[base]") {
  Heap<int, std::less<int>> heap{std::less<int>()};
  for (int item : {5, 3, 8, 1, 4, 7, 2}) heap.Push(item);
  CHECK(heap.items() == std::vector<int>{1, 3, 2, 5, 4, 8, 7});
  CHECK(heap.Pop() == 1);
  CHECK(heap.items() == std::vector<int>{2, 3, 7, 5, 4, 8});
  CHECK(heap.Pop() == 2);
  CHECK(heap.items() == std::vector<int>{3, 4, 7, 5, 8});
  heap.Push(0);
  CHECK(heap.items() == std::vector<int>{0, 4, 3, 5, 8, 7});
}

TEST_CASE("heap: equal items come out as the sift leaves them", "[base]") {
  const auto less = [](const std::string& a, const std::string& b) { return a[0] < b[0]; };
  Heap<std::string, decltype(less)> heap(less);
  for (const char* item : {"a1", "a2", "a3", "a4"}) heap.Push(item);
  std::string order;
  while (!heap.empty()) order += heap.Pop();
  CHECK(order == "a1a4a3a2");
}

TEST_CASE("heap: an order that changes is asked anew and nothing is rebuilt", "[base]") {
  std::map<int, int> share = {{1, 1}, {2, 2}, {3, 3}};
  const auto less = [&share](int a, int b) { return share[a] < share[b]; };
  Heap<int, decltype(less)> heap(less);
  for (int item : {1, 2, 3}) heap.Push(item);
  share[1] = 9;  // Still on top: it was pushed when it was the least.
  CHECK(heap.Pop() == 1);
  heap.Push(1);
  CHECK(heap.Pop() == 2);
  CHECK(heap.Pop() == 3);
  CHECK(heap.Pop() == 1);
  CHECK(heap.size() == 0);
}

}  // namespace
}  // namespace bth
