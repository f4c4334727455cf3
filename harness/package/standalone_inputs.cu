// ---------------------------------------------------------------- inputs
// A simple generator, always the same: a hash (splitmix64) of the input's number and of the element's. These are not
// the inputs that harness judged on; it draws new ones each time, and hostile ones.

using Numbers = std::vector<long long>;

inline unsigned long long hashed(unsigned long long seed, unsigned long long element) {
  unsigned long long bits = seed * 0x9e3779b97f4a7c15ULL + element * 0xbf58476d1ce4e5b9ULL + 0x94d049bb133111ebULL;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
  return bits ^ bits >> 31;
}
inline double uniform(unsigned long long seed, long long i) {  // in [0, 1)
  return (double)(hashed(seed, (unsigned long long)i) >> 11) * 0x1p-53;
}
inline double normal(unsigned long long seed, long long i) {  // mean 0, deviation 1 (Box and Muller)
  const double radius = std::sqrt(-2 * std::log(1 - uniform(seed, 2 * i)));
  return radius * std::cos(6.283185307179586 * uniform(seed, 2 * i + 1));
}
inline long long integer(unsigned long long seed, long long i, long long lo, long long hi) {  // both included
  return lo + (long long)(hashed(seed, (unsigned long long)i) % ((unsigned long long)(hi - lo) + 1));
}

/// Every n numbers are 0 .. n-1 in another order.
inline Numbers permutation(unsigned long long seed, long long count, long long n) {
  Numbers all((std::size_t)count);
  for (long long first = 0; first + n <= count; first += n) {
    for (long long i = 0; i < n; ++i) all[(std::size_t)(first + i)] = i;
    for (long long i = n - 1; i > 0; --i)
      std::swap(all[(std::size_t)(first + i)], all[(std::size_t)(first + integer(seed, first + i, 0, i))]);
  }
  return all;
}

/// Lengths from lo to hi. Their sum is `total`, or at most `most`; below 0: any.
inline Numbers lengths(unsigned long long seed, long long count, long long lo, long long hi, long long total,
                       long long most) {
  Numbers all((std::size_t)count);
  long long sum = 0;
  for (long long i = 0; i < count; ++i) sum += all[(std::size_t)i] = integer(seed, i, lo, hi);
  const long long goal = total >= 0 ? total : most >= 0 ? std::min(sum, most) : sum;
  if (goal < count * lo || goal > count * hi) return all;
  for (std::size_t i = 0; sum != goal; i = (i + 1) % all.size()) {
    const long long step = sum < goal ? std::min(hi - all[i], goal - sum) : std::max(lo - all[i], goal - sum);
    all[i] += step;
    sum += step;
  }
  return all;
}

/// Sums of the numbers before each place, the first 0.
inline Numbers prefix_sum(long long count, const Numbers& of) {
  Numbers all((std::size_t)count, 0);
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = all[i - 1] + (i - 1 < of.size() ? of[i - 1] : 0);
  return all;
}

/// For each sequence ceil(length / block) blocks of the pool, no two the same; the other entries are -1, or with
/// `valid` a block that nobody owns.
inline Numbers block_table(unsigned long long seed, long long count, const Numbers& of, long long block,
                           long long blocks, bool valid) {
  const Numbers pool = permutation(seed, blocks, blocks);
  const long long most = count / std::max(1LL, (long long)of.size());
  Numbers table((std::size_t)count, -1);
  std::size_t next = 0;
  for (std::size_t s = 0; s < of.size(); ++s)
    for (long long j = 0; j * block < of[s] && j < most; ++j)
      table[s * (std::size_t)most + (std::size_t)j] = pool[next++ % pool.size()];
  const long long spare = pool[next < pool.size() ? next : 0];
  if (valid) std::replace(table.begin(), table.end(), -1LL, spare);
  return table;
}

/// k different experts for each token.
inline Numbers routing(unsigned long long seed, long long count, long long experts, long long k) {
  Numbers all((std::size_t)count);
  for (long long token = 0; token * k < count; ++token) {
    const Numbers order = permutation(seed + (unsigned long long)token, experts, experts);
    for (long long slot = 0; slot < k; ++slot) all[(std::size_t)(token * k + slot)] = order[(std::size_t)slot];
  }
  return all;
}
