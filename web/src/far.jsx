// Thousands of nodes at once: all links are one path, and all nodes of a colour another.
import { useMemo } from "preact/hooks";
import { colourOf } from "./colours.js";
import { arc } from "./layouts.js";

export function Far({ tree, places, visible, matches, asked, selected, setSelected, scale, ground }) {
  const shapes = useMemo(() => marks(tree, places, matches, ground), [tree, places, matches, ground]);
  const pick = (event) => {
    const [x, y] = inTree(event);
    const place = nearest(places, x, y);
    if (place) setSelected(place.id);
  };
  const at = visible.find((place) => place.id === selected);
  return (
    <g class={`marks ${places.kind}`} onClick={pick}>
      {shapes.links && <path class="link" d={shapes.links} vector-effect="non-scaling-stroke" />}
      {asked && places.kind === "tree" && <path class="link asked" d={linkPath(tree, places, asked.passed)} vector-effect="non-scaling-stroke" />}
      {shapes.groups.map(([colour, d, dim]) => <path class={dim ? "dim" : ""} d={d} fill={colour} stroke-width={1 / scale} />)}
      {at && places.kind === "tree" && (
        <rect class="here" x={at.x - at.width / 2} y={at.y - at.height / 2} width={at.width} height={at.height} vector-effect="non-scaling-stroke" />
      )}
    </g>
  );
}

function marks(tree, places, matches, ground) {
  const groups = new Map();
  for (const place of places.places) {
    const dim = matches && !matches.lit.has(place.id), key = `${colourOf(tree, place.id, ground.page)}${dim ? " dim" : ""}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(shape(place, places.kind));
  }
  const found = [...groups].map(([key, parts]) => [key.slice(0, 7), parts.join(""), key.endsWith("dim")]);
  return { links: places.kind === "tree" ? linkPath(tree, places, null) : "", groups: found };
}

function shape(place, kind) {
  if (kind === "sunburst") return arc(place);
  const [x, y, width, height] = kind === "icicle"
    ? [place.x, place.y, place.width, place.height]
    : [place.x - place.width / 2, place.y - place.height / 2, place.width, place.height];
  return `M${x} ${y}h${width}v${height}h${-width}z`;
}

// passed: only the links between these nodes.
function linkPath(tree, { places }, passed) {
  const byId = new Map(places.map((place) => [place.id, place]));
  return places
    .filter(({ id, parent }) => parent !== null && (!passed || passed.has(id)))
    .map(({ x, y, parent }) => `M${byId.get(parent).x} ${byId.get(parent).y}L${x} ${y}`)
    .join("");
}

function inTree(event) {
  const group = event.currentTarget, point = group.ownerSVGElement.createSVGPoint();
  point.x = event.clientX, point.y = event.clientY;
  const { x, y } = point.matrixTransform(group.getScreenCTM().inverse());
  return [x, y];
}

function nearest({ places, kind }, x, y) {
  if (kind === "sunburst") {
    const radius = Math.hypot(x, y), angle = (Math.atan2(x, -y) + 2 * Math.PI) % (2 * Math.PI);
    return places.find((p) => radius >= p.inner && radius < p.outer && angle >= p.from && angle < p.to);
  }
  if (kind === "icicle")
    return places.find((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
  return places.find((p) => Math.abs(p.x - x) <= p.width / 2 && Math.abs(p.y - y) <= p.height / 2);
}
