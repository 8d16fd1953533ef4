// The walk of a block through a tree, written once for every width of vectors. No include guard: the file is read once
// for each of them, inside a namespace of its own (block_contributions.cpp). `Lanes` is eight numbers there, and
// chosen(bits, a, b) takes a where a bit is 1, else b.

constexpr std::size_t kVectors = kBlockRows / 8;

inline std::uint32_t eight(std::uint32_t bits, std::size_t v) { return bits >> (8 * v) & 0xff; }

// Which rows meet the tests of an edge, and those of its player above, if there are any.
struct MetBits {
  std::uint32_t met, above;
  bool has_above;
};

// The products one step down.
inline void step_down(const EdgeAtPoint& at, const MetBits& rows, const double* from, double* to) {
  const Lanes met_factor = all(at.met), failed = all(at.failed), ratio = all(at.ratio);
  for (std::size_t v = 0; v < kVectors; ++v) {
    Lanes factor = rows.has_above ? chosen(eight(rows.above, v), failed, ratio) : failed;
    factor = chosen(eight(rows.met, v), met_factor, factor);
    store(to + 8 * v, load(from + 8 * v) * factor);
  }
}

// What is below an edge is known: its player earns, and the sum goes to the node above.
inline void step_up(const EdgeAtPoint& at, const MetBits& rows, const double* below, double* sums, double* up) {
  const Lanes earned_met = all(at.earned_met), earned_failed = all(at.earned_failed);
  for (std::size_t v = 0; v < kVectors; ++v) {
    const Lanes here = load(below + 8 * v);
    Lanes earned = chosen(eight(rows.met, v), earned_met, earned_failed);
    if (rows.has_above) earned = chosen(eight(rows.above, v), earned, all(0.0));
    store(sums + 8 * v, load(sums + 8 * v) + here * earned);
    store(up + 8 * v, load(up + 8 * v) + here);
  }
}

inline void at_leaf(const double* down, const double* answers, const DepthRoom& levels, std::size_t depth) {
  for (std::size_t k = 0; k < levels.n_answers; ++k) {
    const Lanes answer = all(answers[k]);
    double* up = levels.up_at(depth, k);
    for (std::size_t v = 0; v < kVectors; ++v) store(up + 8 * v, load(down + 8 * v) * answer);
  }
}

inline void clear(double* numbers, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 8) store(numbers + i, all(0.0));
}

struct BlockWalk {
  const PointWalk& walk;
  const std::uint32_t* met;
  const BlockSums& to;
  DepthRoom levels;

  // Closes the leaf at `depth` and the nodes that it ends; gives the depth of the node that is open then.
  std::size_t close(const EdgeAtPoint* at, std::size_t depth, std::uint32_t n_closing) const {
    for (; n_closing > 0 && depth > 0; --n_closing, --depth) {
      const std::uint32_t node = levels.path[depth];
      const PointWalk::Step& step = walk.steps[node];
      for (std::size_t k = 0; k < levels.n_answers; ++k)
        step_up(at[node], {met[node], met[step.upper], step.upper != 0}, levels.up_at(depth, k),
                to.sums + (step.player * to.n_outputs + k) * to.stride, levels.up_at(depth - 1, k));
    }
    return depth;
  }

  void at_point(std::size_t point, std::uint32_t apart) const {
    const EdgeAtPoint* at = walk.at.data() + point * walk.steps.size();
    for (std::size_t v = 0; v < kVectors; ++v)
      store(levels.down_at(0) + 8 * v, chosen(eight(apart, v), all(0.0), all(walk.weight[point])));
    clear(levels.up_at(0, 0), levels.n_answers * kBlockRows);
    std::size_t depth = 0;  // of the node that the next one hangs from
    for (std::uint32_t i = 1; i < walk.steps.size(); ++i) {
      const PointWalk::Step& step = walk.steps[i];
      const std::size_t own = depth + 1;
      levels.path[own] = i;
      step_down(at[i], {met[i], met[step.upper], step.upper != 0}, levels.down_at(depth), levels.down_at(own));
      if (step.n_closing == 0) {
        clear(levels.up_at(own, 0), levels.n_answers * kBlockRows);
        depth = own;
      } else {
        at_leaf(levels.down_at(own), walk.answers + i * walk.n_answers, levels, own);
        depth = close(at, own, step.n_closing);
      }
    }
  }
};
