function largest(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; ++i) if (numbers[i] > numbers[best]) best = i;
  return best;
}

// 1/14! … 1/2!
const parts = [
  1 / 87178291200, 1 / 6227020800, 1 / 479001600, 1 / 39916800, 1 / 3628800, 1 / 362880, 1 / 40320, 1 / 5040, 1 / 720,
  1 / 120, 1 / 24, 1 / 6, 1 / 2,
];

// e to the power of x = k ln 2 + r by the steps of the model: Math.exp may have other last bits.
function exp(x) {
  if (Number.isNaN(x) || x > 709.782712893384) return Number.isNaN(x) ? x : Infinity;
  if (x < -745.1332191019412) return 0;
  const k = Math.floor(x * 1.4426950408889634 + 0.5);
  const high = x - k * 6.93147180369123816490e-1; // the first digits of ln 2: the product is exact
  const low = k * 1.90821492927058770002e-10; // the next ones
  const r = high - low;
  const rest = high - r - low;
  let series = 0;
  for (const part of parts) series = series * r + part;
  const small = rest + r * r * series;
  const above = r + small; // exp(r) - 1; what its rounding loses is added at the end
  const rounded = 1 + above;
  const power = rounded + (above - (rounded - 1) + (small - (above - r)));
  const half = Math.floor(k / 2);
  return power * 2 ** half * 2 ** (k - half);
}

function expit(x) {
  return x < -700 ? exp(x) : 1 / (1 + exp(-x));
}

function softmax(numbers) {
  const most = numbers[largest(numbers)];
  const powers = numbers.map((number) => exp(number - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

