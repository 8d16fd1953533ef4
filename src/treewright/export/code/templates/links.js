function largest(numbers) {
  let best = 0;
  for (let i = 1; i < numbers.length; ++i) if (numbers[i] > numbers[best]) best = i;
  return best;
}

// Math.exp may be off by a unit in the last place, and a softmax by three. This one rounds as good libraries of C do.
function exp(x) {
  if (Number.isNaN(x) || x > 709.782712893384) return Number.isNaN(x) ? x : Infinity;
  if (x < -745.1332191019412) return 0;
  const k = Math.round(x * Math.LOG2E);
  const high = x - k * 6.93147180369123816490e-1; // the first digits of ln 2: the product is exact
  const low = k * 1.90821492927058770002e-10; // the next ones
  const r = high - low;
  const rest = high - r - low;
  let series = 0;
  for (let n = 16; n >= 2; --n) series = (series * r + 1) / n; // 1/2 + r/6 + r²/24 + …
  const small = rest + r * r * series;
  const above = r + small; // exp(r) - 1; what its rounding loses is added at the end
  const rounded = 1 + above;
  const power = rounded + (above - (rounded - 1) + (small - (above - r)));
  const half = Math.trunc(k / 2);
  return power * 2 ** half * 2 ** (k - half);
}

function softmax(numbers) {
  const most = numbers[largest(numbers)];
  const powers = numbers.map((number) => exp(number - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

