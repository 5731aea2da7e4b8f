// The same cases as `wavelane-bench kernels` by CUB, on the same data, timed by CUDA events.
//
//     nvcc -O3 -std=c++17 -arch=native crates/bench/cub/cub.cu -o cub
//     ./cub > cub.json                 # or: ./cub --sizes 16,20,24 --samples 30 --sets 4 --only scan
//
// Prints a line of JSON for the device, and one for each case and size. Written for CUDA 13 (CCCL 3).

#include <cub/cub.cuh>
#include <cuda/std/functional>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#define CHECK(call)                                                                                                   \
  do {                                                                                                                \
    const cudaError_t result = (call);                                                                                \
    if (result != cudaSuccess) {                                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(result));                 \
      std::exit(1);                                                                                                   \
    }                                                                                                                 \
  } while (0)

namespace {

// ---- The data of `crates/bench/src/kernels/data.rs`.

constexpr uint32_t half = 1u << 31;
constexpr uint32_t run = 16;

__host__ __device__ inline uint32_t mix(uint32_t counter) {
  uint32_t x = counter * 0x9e3779b9u;
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

__host__ __device__ inline float unit(uint32_t bits) { return static_cast<float>(bits >> 8) / static_cast<float>(1 << 24); }

inline bool begins(uint32_t at) { return mix(at ^ 0x55555555u) % run == 0; }

struct BelowHalf {
  __host__ __device__ bool operator()(uint32_t x) const { return x < half; }
};

template <class T>
std::vector<T> each(size_t count, const std::function<T(uint32_t)> &of) {
  std::vector<T> all(count);
  for (size_t at = 0; at < count; ++at) {
    all[at] = of(static_cast<uint32_t>(at));
  }
  return all;
}

std::vector<uint32_t> words(size_t count) { return each<uint32_t>(count, mix); }

std::vector<float> floats(size_t count) {
  return each<float>(count, [](uint32_t at) { return unit(mix(at)); });
}

std::vector<uint8_t> mask(size_t count) {
  return each<uint8_t>(count, [](uint32_t at) { return static_cast<uint8_t>(mix(at) < half); });
}

std::vector<uint32_t> keys(size_t count) {
  uint32_t key = 0;
  return each<uint32_t>(count, [&key](uint32_t at) { return key += begins(at) ? 1 : 0; });
}

// ---- Memory of the device.

class Memory {
 public:
  explicit Memory(size_t bytes) : bytes_(bytes) { CHECK(cudaMalloc(&data_, std::max<size_t>(bytes, 16))); }
  ~Memory() { cudaFree(data_); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  template <class T>
  T *as() const {
    return static_cast<T *>(data_);
  }
  template <class T>
  void write(const std::vector<T> &from) {
    CHECK(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  template <class T>
  std::vector<T> read(size_t count) const {
    std::vector<T> into(count);
    CHECK(cudaMemcpy(into.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost));
    return into;
  }
  void poison() { CHECK(cudaMemset(data_, 0xa5, bytes_)); }

 private:
  size_t bytes_;
  void *data_ = nullptr;
};

// The buffers of one sample: inputs, outputs, and what the algorithm works in.
struct Set {
  std::vector<std::unique_ptr<Memory>> buffers;
  std::unique_ptr<Memory> temporary;

  template <class T>
  T *at(size_t buffer) const {
    return buffers[buffer]->as<T>();
  }
  template <class T>
  std::vector<T> read(size_t buffer, size_t count) const {
    return buffers[buffer]->read<T>(count);
  }
};

// ---- Cases.

struct Prepared {
  size_t elements;
  // Bytes that have to move whatever the algorithm: each input read once, each result written once.
  size_t moved;
  std::vector<size_t> bytes;
  std::function<void(Set &)> fill;
  std::function<cudaError_t(void *, size_t &, Set &, cudaStream_t)> call;
  // Empty where results are right.
  std::function<std::string(const Set &)> verify;
};

struct Case {
  const char *name;
  std::function<Prepared(size_t)> make;
};

template <class T>
std::string differs(const char *what, const std::vector<T> &got, const std::vector<T> &want) {
  for (size_t at = 0; at < want.size(); ++at) {
    if (got[at] != want[at]) {
      return std::string(what) + ": result " + std::to_string(at) + " is " + std::to_string(got[at]) + " and not " + std::to_string(want[at]);
    }
  }
  return {};
}

std::string counted(const Set &set, size_t buffer, size_t want) {
  return differs<uint32_t>("count", set.read<uint32_t>(buffer, 1), {static_cast<uint32_t>(want)});
}

Prepared reduce_u32(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  return {n,
          4 * n + 4,
          {4 * n, 4},
          [=](Set &set) { set.buffers[0]->write(*input); },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceReduce::Sum(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), static_cast<int>(n), stream);
          },
          [=](const Set &set) {
            uint32_t sum = 0;
            for (const uint32_t x : *input) sum += x;
            return differs<uint32_t>("sum", set.read<uint32_t>(1, 1), {sum});
          }};
}

Prepared reduce_f32(size_t n) {
  const auto input = std::make_shared<std::vector<float>>(floats(n));
  return {n,
          4 * n + 4,
          {4 * n, 4},
          [=](Set &set) { set.buffers[0]->write(*input); },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceReduce::Sum(temporary, bytes, set.at<float>(0), set.at<float>(1), static_cast<int>(n), stream);
          },
          [=](const Set &set) {
            double sum = 0;
            for (const float x : *input) sum += x;
            const double got = set.read<float>(1, 1)[0];
            return std::abs(got - sum) <= 1e-5 * sum ? std::string() : "sum: " + std::to_string(got) + " and not " + std::to_string(sum);
          }};
}

Prepared scan_u32(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  return {n,
          8 * n,
          {4 * n, 4 * n},
          [=](Set &set) { set.buffers[0]->write(*input); },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceScan::ExclusiveSum(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), static_cast<int>(n), stream);
          },
          [=](const Set &set) {
            std::vector<uint32_t> want(n);
            uint32_t sum = 0;
            for (size_t at = 0; at < n; ++at) {
              want[at] = sum;
              sum += (*input)[at];
            }
            return differs("scan", set.read<uint32_t>(1, n), want);
          }};
}

std::vector<uint32_t> kept(const std::vector<uint32_t> &input) {
  std::vector<uint32_t> all;
  std::copy_if(input.begin(), input.end(), std::back_inserter(all), BelowHalf());
  return all;
}

Prepared select_if(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  const auto want = std::make_shared<std::vector<uint32_t>>(kept(*input));
  return {n,
          4 * n + 4 * want->size(),
          {4 * n, 4 * n, 4},
          [=](Set &set) { set.buffers[0]->write(*input); },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceSelect::If(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), set.at<uint32_t>(2), static_cast<int>(n),
                                         BelowHalf(), stream);
          },
          [=](const Set &set) {
            const std::string count = counted(set, 2, want->size());
            return count.empty() ? differs("selected", set.read<uint32_t>(1, want->size()), *want) : count;
          }};
}

Prepared select_flagged(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  const auto flags = std::make_shared<std::vector<uint8_t>>(mask(n));
  const auto want = std::make_shared<std::vector<uint32_t>>(kept(*input));
  return {n,
          5 * n + 4 * want->size(),
          {4 * n, 4 * n, 4, n},
          [=](Set &set) {
            set.buffers[0]->write(*input);
            set.buffers[3]->write(*flags);
          },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceSelect::Flagged(temporary, bytes, set.at<uint32_t>(0), set.at<uint8_t>(3), set.at<uint32_t>(1),
                                              set.at<uint32_t>(2), static_cast<int>(n), stream);
          },
          [=](const Set &set) {
            const std::string count = counted(set, 2, want->size());
            return count.empty() ? differs("selected", set.read<uint32_t>(1, want->size()), *want) : count;
          }};
}

// CUB leaves the others in reverse order, Wavelane in theirs.
Prepared partition_if(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  const auto want = std::make_shared<std::vector<uint32_t>>(kept(*input));
  return {n,
          8 * n,
          {4 * n, 4 * n, 4},
          [=](Set &set) { set.buffers[0]->write(*input); },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DevicePartition::If(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), set.at<uint32_t>(2),
                                            static_cast<int>(n), BelowHalf(), stream);
          },
          [=](const Set &set) {
            const std::string count = counted(set, 2, want->size());
            return count.empty() ? differs("selected", set.read<uint32_t>(1, want->size()), *want) : count;
          }};
}

// Each run of equal keys: its key, where it begins, and at the end how many keys there are.
struct Runs {
  std::vector<uint32_t> keys, begins;
};

Runs runs(const std::vector<uint32_t> &input) {
  Runs all;
  for (size_t at = 0; at < input.size(); ++at) {
    if (at == 0 || input[at] != input[at - 1]) {
      all.keys.push_back(input[at]);
      all.begins.push_back(static_cast<uint32_t>(at));
    }
  }
  all.begins.push_back(static_cast<uint32_t>(input.size()));
  return all;
}

Prepared unique(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(keys(n));
  const auto want = std::make_shared<Runs>(runs(*input));
  const size_t count = want->keys.size();
  return {n,
          4 * n + 4 * count,
          {4 * n, 4 * n, 4},
          [=](Set &set) { set.buffers[0]->write(*input); },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceSelect::Unique(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), set.at<uint32_t>(2),
                                             static_cast<int>(n), stream);
          },
          [=](const Set &set) {
            const std::string wrong = counted(set, 2, count);
            return wrong.empty() ? differs("values", set.read<uint32_t>(1, count), want->keys) : wrong;
          }};
}

Prepared run_lengths(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(keys(n));
  const auto want = std::make_shared<Runs>(runs(*input));
  const size_t count = want->keys.size();
  return {n,
          4 * n + 8 * count,
          {4 * n, 4 * n, 4, 4 * n},
          [=](Set &set) { set.buffers[0]->write(*input); },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceRunLengthEncode::Encode(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), set.at<uint32_t>(3),
                                                      set.at<uint32_t>(2), static_cast<int>(n), stream);
          },
          [=](const Set &set) {
            std::vector<uint32_t> lengths(count);
            for (size_t at = 0; at < count; ++at) lengths[at] = want->begins[at + 1] - want->begins[at];
            std::string wrong = counted(set, 2, count);
            if (wrong.empty()) wrong = differs("values", set.read<uint32_t>(1, count), want->keys);
            return wrong.empty() ? differs("lengths", set.read<uint32_t>(3, count), lengths) : wrong;
          }};
}

Prepared reduce_by_key(size_t n) {
  const auto key = std::make_shared<std::vector<uint32_t>>(keys(n));
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  const auto want = std::make_shared<Runs>(runs(*key));
  const size_t count = want->keys.size();
  return {n,
          8 * n + 8 * count,
          {4 * n, 4 * n, 4 * n, 4 * n, 4},
          [=](Set &set) {
            set.buffers[0]->write(*key);
            set.buffers[1]->write(*input);
          },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceReduce::ReduceByKey(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(2), set.at<uint32_t>(1),
                                                  set.at<uint32_t>(3), set.at<uint32_t>(4), ::cuda::std::plus<>{}, static_cast<int>(n),
                                                  stream);
          },
          [=](const Set &set) {
            std::vector<uint32_t> sums(count);
            for (size_t at = 0; at < count; ++at) {
              for (uint32_t of = want->begins[at]; of < want->begins[at + 1]; ++of) sums[at] += (*input)[of];
            }
            std::string wrong = counted(set, 4, count);
            if (wrong.empty()) wrong = differs("keys", set.read<uint32_t>(2, count), want->keys);
            return wrong.empty() ? differs("sums", set.read<uint32_t>(3, count), sums) : wrong;
          }};
}

Prepared segmented_reduce(const std::vector<uint32_t> &given) {
  const auto offsets = std::make_shared<std::vector<uint32_t>>(given);
  const size_t n = given.back(), segments = given.size() - 1;
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  return {n,
          4 * n + 4 * (segments + 1) + 4 * segments,
          {4 * n, 4 * segments, 4 * (segments + 1)},
          [=](Set &set) {
            set.buffers[0]->write(*input);
            set.buffers[2]->write(*offsets);
          },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceSegmentedReduce::Sum(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), static_cast<int>(segments),
                                                   set.at<uint32_t>(2), set.at<uint32_t>(2) + 1, stream);
          },
          [=](const Set &set) {
            std::vector<uint32_t> sums(segments);
            for (size_t at = 0; at < segments; ++at) {
              for (uint32_t of = (*offsets)[at]; of < (*offsets)[at + 1]; ++of) sums[at] += (*input)[of];
            }
            return differs("sums", set.read<uint32_t>(1, segments), sums);
          }};
}

Prepared sixteen_equal(size_t n) {
  return segmented_reduce(each<uint32_t>(17, [=](uint32_t at) { return static_cast<uint32_t>(at * n / 16); }));
}

Prepared many_of_sixteen(size_t n) {
  return segmented_reduce(each<uint32_t>(n / 16 + 1, [](uint32_t at) { return 16 * at; }));
}

Prepared one_beside_many(size_t n) {
  const size_t many = std::min<size_t>(n / 256, 1 << 16);
  std::vector<uint32_t> offsets = each<uint32_t>(many + 1, [](uint32_t at) { return at; });
  offsets.push_back(static_cast<uint32_t>(many + n));
  return segmented_reduce(offsets);
}

Prepared sort_keys(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  return {n,
          8 * n,
          {4 * n, 4 * n},
          [=](Set &set) { set.buffers[0]->write(*input); },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceRadixSort::SortKeys(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), static_cast<int>(n), 0, 32,
                                                  stream);
          },
          [=](const Set &set) {
            std::vector<uint32_t> want = *input;
            std::sort(want.begin(), want.end());
            return differs("keys", set.read<uint32_t>(1, n), want);
          }};
}

// No two words of the data are equal, so the order of the values is known.
Prepared sort_pairs(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  return {n,
          16 * n,
          {4 * n, 4 * n, 4 * n, 4 * n},
          [=](Set &set) {
            set.buffers[0]->write(*input);
            set.buffers[2]->write(each<uint32_t>(n, [](uint32_t at) { return at; }));
          },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            return cub::DeviceRadixSort::SortPairs(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), set.at<uint32_t>(2),
                                                   set.at<uint32_t>(3), static_cast<int>(n), 0, 32, stream);
          },
          [=](const Set &set) {
            std::vector<uint32_t> want = each<uint32_t>(n, [](uint32_t at) { return at; });
            std::sort(want.begin(), want.end(), [&](uint32_t a, uint32_t b) { return (*input)[a] < (*input)[b]; });
            return differs("values", set.read<uint32_t>(3, n), want);
          }};
}

Prepared sort_segments(size_t n, const std::vector<uint32_t> &offsets) {
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  const auto bounds = std::make_shared<std::vector<uint32_t>>(offsets);
  const int count = static_cast<int>(offsets.size()) - 1;
  return {n,
          8 * n + 4 * static_cast<size_t>(count),
          {4 * n, 4 * n, 4 * offsets.size()},
          [=](Set &set) {
            set.buffers[0]->write(*input);
            set.buffers[2]->write(*bounds);
          },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            const uint32_t *begins = set.at<uint32_t>(2);
            return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, set.at<uint32_t>(0), set.at<uint32_t>(1), static_cast<int>(n), count,
                                                      begins, begins + 1, stream);
          },
          [=](const Set &set) {
            std::vector<uint32_t> want = *input;
            for (int at = 0; at < count; ++at) std::sort(want.begin() + (*bounds)[at], want.begin() + (*bounds)[at + 1]);
            return differs("keys", set.read<uint32_t>(1, n), want);
          }};
}

Prepared sort_rows(size_t n) {
  return sort_segments(n / 1024 * 1024, each<uint32_t>(n / 1024 + 1, [](uint32_t at) { return 1024 * at; }));
}

Prepared sort_short_segments(size_t n) {
  std::vector<uint32_t> offsets = {0};
  while (offsets.back() < n) {
    const uint32_t end = offsets.back() + mix(static_cast<uint32_t>(offsets.size())) % 201;
    offsets.push_back(std::min(end, static_cast<uint32_t>(n)));
  }
  return sort_segments(n, offsets);
}

Prepared copy(size_t n) {
  const auto input = std::make_shared<std::vector<uint32_t>>(words(n));
  return {n,
          8 * n,
          {4 * n, 4 * n},
          [=](Set &set) { set.buffers[0]->write(*input); },
          [=](void *temporary, size_t &bytes, Set &set, cudaStream_t stream) {
            if (temporary == nullptr) {
              bytes = 0;
              return cudaSuccess;
            }
            return cudaMemcpyAsync(set.at<void>(1), set.at<void>(0), 4 * n, cudaMemcpyDeviceToDevice, stream);
          },
          [=](const Set &set) { return differs("copy", set.read<uint32_t>(1, n), *input); }};
}

// By the names of `wavelane-bench kernels --list`, and one that only CUDA has.
const std::vector<Case> cases = {
    {"copy u32", copy},
    {"reduce sum u32", reduce_u32},
    {"reduce sum f32", reduce_f32},
    {"scan sum u32 exclusive", scan_u32},
    {"segmented_reduce sum u32 16_equal", sixteen_equal},
    {"segmented_reduce sum u32 many_of_16", many_of_sixteen},
    {"segmented_reduce sum u32 one_beside_many_of_1", one_beside_many},
    {"reduce_by_key sum u32 runs_of_16", reduce_by_key},
    {"select u32 compare", select_if},
    {"select u32 mask", select_flagged},
    {"partition u32 compare", partition_if},
    {"unique u32 runs_of_16", unique},
    {"run_lengths u32 runs_of_16", run_lengths},
    {"sort u32 keys", sort_keys},
    {"sort u32 with u32 values", sort_pairs},
    {"sort u32 rows of 1024", sort_rows},
    {"sort u32 in segments of 0 to 200", sort_short_segments},
};

// ---- Times.

constexpr size_t lead = 5;
constexpr size_t verified_elements = 300000;

// Keeps the device busy until the host has enqueued all samples, so that no sample waits for the host, as none does in a command buffer.
__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

struct Spread {
  double low, median, high;
};

Spread spread(std::vector<double> figures) {
  std::sort(figures.begin(), figures.end());
  const auto at = [&](size_t quarter) { return figures[(figures.size() - 1) * quarter / 4]; };
  return {at(1), at(2), at(3)};
}

std::vector<Set> sets_of(const Prepared &prepared, size_t count) {
  std::vector<Set> sets(count);
  for (Set &set : sets) {
    for (const size_t bytes : prepared.bytes) {
      set.buffers.push_back(std::make_unique<Memory>(bytes));
      set.buffers.back()->poison();
    }
    prepared.fill(set);
    size_t bytes = 0;
    CHECK(prepared.call(nullptr, bytes, set, nullptr));
    // Never a null pointer: with one a call only asks how many bytes it needs.
    set.temporary = std::make_unique<Memory>(std::max<size_t>(bytes, 1));
  }
  return sets;
}

// A GPU that had nothing to do runs at a fraction of its clock, and takes tenths of a second to be faster.
void warm_up(const std::function<void(size_t)> &call, cudaStream_t stream) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(400)) {
    for (size_t turn = 0; turn < 20; ++turn) call(turn);
    CHECK(cudaStreamSynchronize(stream));
  }
}

// Nanoseconds of each sample, between an event in front of the call and one behind it.
std::vector<double> times(size_t samples, cudaStream_t stream, const std::function<void(size_t)> &call) {
  std::vector<cudaEvent_t> events(2 * samples);
  for (cudaEvent_t &event : events) CHECK(cudaEventCreate(&event));
  warm_up(call, stream);
  // About 2 ms, and 20 µs more for each sample.
  spin<<<1, 1, 0, stream>>>(4000000 + 40000 * static_cast<long long>(samples));
  CHECK(cudaGetLastError());
  for (size_t turn = 0; turn < lead; ++turn) call(turn);
  for (size_t sample = 0; sample < samples; ++sample) {
    CHECK(cudaEventRecord(events[2 * sample], stream));
    call(lead + sample);
    CHECK(cudaEventRecord(events[2 * sample + 1], stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  std::vector<double> all(samples);
  for (size_t sample = 0; sample < samples; ++sample) {
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, events[2 * sample], events[2 * sample + 1]));
    all[sample] = 1e6 * milliseconds;
  }
  for (const cudaEvent_t event : events) CHECK(cudaEventDestroy(event));
  return all;
}

std::string verified(const Case &one, cudaStream_t stream) {
  const Prepared prepared = one.make(verified_elements);
  std::vector<Set> sets = sets_of(prepared, 1);
  size_t bytes = 0;
  CHECK(prepared.call(nullptr, bytes, sets[0], stream));
  CHECK(prepared.call(sets[0].temporary->as<void>(), bytes, sets[0], stream));
  CHECK(cudaStreamSynchronize(stream));
  return prepared.verify(sets[0]);
}

void measure(const Case &one, unsigned log2, size_t samples, size_t count, cudaStream_t stream) {
  const Prepared prepared = one.make(size_t{1} << log2);
  std::vector<Set> sets = sets_of(prepared, count);
  size_t bytes = 0;
  CHECK(prepared.call(nullptr, bytes, sets[0], stream));
  const auto call = [&](size_t turn) {
    Set &set = sets[turn % sets.size()];
    CHECK(prepared.call(set.temporary->as<void>(), bytes, set, stream));
  };
  for (size_t turn = 0; turn < count; ++turn) call(turn);
  CHECK(cudaStreamSynchronize(stream));
  const Spread ns = spread(times(samples, stream, call));
  std::printf("{\"case\": \"%s\", \"log2\": %u, \"elements\": %zu, \"bytes\": %zu, \"ns\": {\"low\": %.1f, \"median\": %.1f, \"high\": %.1f}, "
              "\"ns_per_element\": %.6f, \"gb_per_s\": %.2f}\n",
              one.name, log2, prepared.elements, prepared.moved, ns.low, ns.median, ns.high, ns.median / static_cast<double>(prepared.elements),
              static_cast<double>(prepared.moved) / ns.median);
  std::fflush(stdout);
}

std::vector<unsigned> numbers(const char *text) {
  std::vector<unsigned> all;
  for (char *end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    all.push_back(static_cast<unsigned>(std::strtoul(text, &end, 10)));
    // Elements are counted in an int.
    if (end == text || all.back() < 4 || all.back() > 30) {
      std::fprintf(stderr, "sizes are powers of two from 4 to 30, with commas between\n");
      std::exit(1);
    }
  }
  return all;
}

}  // namespace

int main(int count, char **arguments) {
  std::vector<unsigned> sizes = {16, 18, 20, 22, 24, 26, 28};
  size_t samples = 30, sets = 4;
  std::string only;
  for (int at = 1; at < count; at += 2) {
    const std::string option = arguments[at];
    const char *value = at + 1 < count ? arguments[at + 1] : "";
    if (option == "--sizes") {
      sizes = numbers(value);
    } else if (option == "--samples") {
      samples = std::max<size_t>(std::strtoul(value, nullptr, 10), 1);
    } else if (option == "--sets") {
      sets = std::max<size_t>(std::strtoul(value, nullptr, 10), 1);
    } else if (option == "--only") {
      only = value;
    } else {
      std::fprintf(stderr, "usage: %s [--sizes LOG2,...] [--samples N] [--sets N] [--only TEXT]\n", arguments[0]);
      return 1;
    }
  }
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  int runtime = 0, driver = 0;
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&driver));
  const Spread empty = spread(times(samples, stream, [](size_t) {}));
  std::printf("{\"device\": \"%s\", \"cuda_runtime\": %d, \"cuda_driver\": %d, \"cub\": %d, \"samples\": %zu, \"sets\": %zu, "
              "\"empty_ns\": {\"low\": %.1f, \"median\": %.1f, \"high\": %.1f}}\n",
              device.name, runtime, driver, CUB_VERSION, samples, sets, empty.low, empty.median, empty.high);
  bool good = true;
  for (const Case &one : cases) {
    if (std::strstr(one.name, only.c_str()) == nullptr) continue;
    const std::string wrong = verified(one, stream);
    if (!wrong.empty()) {
      std::fprintf(stderr, "%s: WRONG: %s\n", one.name, wrong.c_str());
      good = false;
      continue;
    }
    for (const unsigned log2 : sizes) measure(one, log2, samples, sets, stream);
  }
  CHECK(cudaStreamDestroy(stream));
  return good ? 0 : 1;
}
