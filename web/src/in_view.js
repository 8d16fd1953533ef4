// The places that the window shows, with a margin, so that small moves bring nothing new.

export function inView({ kind, places }, at, [width, height]) {
  if (kind === "sunburst") return places.filter((place) => (place.to - place.from) * place.outer * at.k > 1);
  const margin = 120 / at.k;
  const x0 = (0 - at.x) / at.k - margin, x1 = (width - at.x) / at.k + margin;
  const y0 = (0 - at.y) / at.k - margin, y1 = (height - at.y) / at.k + margin;
  if (kind === "icicle")
    return places.filter((p) => p.x < x1 && p.x + p.width > x0 && p.y < y1 && p.y + p.height > y0 && p.width * at.k > 1 && p.height * at.k > 1);
  return places.filter(({ x, y, width: w, height: h }) => x + w / 2 > x0 && x - w / 2 < x1 && y + h / 2 > y0 && y - h / 2 < y1);
}
