// Nodes that are near enough to be read: each is an element of its own.
import { colourOf } from "./colours.js";
import { BOX, arc, centre } from "./layouts.js";
import { formatRows } from "./tree.js";

export function Links({ tree, places, visible, asked, matches }) {
  if (places.kind !== "tree") return null;
  const byId = new Map(places.places.map((place) => [place.id, place]));
  const shown = new Set(visible.flatMap((place) => [place.id, ...tree.children[place.id]]));
  const links = [...shown].filter((id) => id !== 0 && byId.has(id));
  return (
    <g class="links" aria-hidden="true">
      {links.map((id) => (
        <Link key={id} {...{ tree, id, asked, matches, right: places.right }} from={byId.get(tree.parent[id])} to={byId.get(id)} />
      ))}
    </g>
  );
}

function Link({ tree, id, from, to, right, asked, matches }) {
  const wide = 1 + 9 * (tree.rows[0] ? tree.rows[id] / tree.rows[0] : 0);
  const state = `${asked?.passed.has(id) ? "asked" : ""} ${matches && !matches.lit.has(id) ? "dim" : ""}`;
  const [x0, y0, x1, y1] = right
    ? [from.x + BOX.width / 2, from.y, to.x - BOX.width / 2, to.y]
    : [from.x, from.y + BOX.height / 2, to.x, to.y - BOX.height / 2];
  const d = right
    ? `M${x0} ${y0}C${(x0 + x1) / 2} ${y0} ${(x0 + x1) / 2} ${y1} ${x1} ${y1}`
    : `M${x0} ${y0}C${x0} ${(y0 + y1) / 2} ${x1} ${(y0 + y1) / 2} ${x1} ${y1}`;
  const label = right ? [x1 - 5, y1 - 5, "end"] : [x1, y1 - 7, "middle"];
  return (
    <g class={state}>
      <path d={d} stroke-width={wide} />
      <text x={label[0]} y={label[1]} text-anchor={label[2]}>{shortened(tree.answers[id], right ? 17 : 27)}</text>
    </g>
  );
}

export function Nodes(props) {
  const Shape = { tree: Box, icicle: Bar, sunburst: Slice }[props.places.kind];
  return props.visible.map((place) => <Node key={place.id} {...props} place={place} Shape={Shape} />);
}

function Node({ tree, place, Shape, selected, setSelected, toggle, folded, matches, asked, scale, places }) {
  const { id } = place, leaf = tree.isLeaf(id);
  const state = [
    "node", leaf ? "leaf" : "inner", id === selected && "selected", folded.has(id) && "folded",
    matches && !matches.lit.has(id) && "dim", asked?.passed.has(id) && "asked",
  ].filter(Boolean).join(" ");
  return (
    <g class={state} data-node={id} role="treeitem" tabindex={id === selected ? 0 : -1} aria-level={tree.depth[id] + 1}
      aria-selected={id === selected} aria-expanded={leaf ? undefined : !folded.has(id)} aria-label={spoken(tree, id)}
      onClick={() => setSelected(id)} onDblClick={() => toggle(id)} onFocus={() => id !== selected && setSelected(id)}>
      <title>{spoken(tree, id)}</title>
      <Shape {...{ tree, place, folded: folded.has(id), toggle, scale, kind: places.kind }} />
    </g>
  );
}

export function spoken(tree, id) {
  const way = id === 0 ? "root" : tree.answers[id];
  const what = tree.isLeaf(id) ? `says ${tree.answer(id)}` : `asks ${tree.questions[id]}`;
  return `${way}: ${what}, ${formatRows(tree.rows[id])} rows`;
}

function Box({ tree, place, folded, toggle }) {
  const { id, x, y } = place, leaf = tree.isLeaf(id), { width, height } = BOX;
  const head = leaf || folded ? tree.answer(id) : tree.questions[id];
  return (
    <g transform={`translate(${x - width / 2} ${y - height / 2})`}>
      <rect class="box" width={width} height={height} rx="7" />
      <rect class="stripe" width="7" height={height} rx="3" fill={colourOf(tree, id)} />
      <text class="head" x="15" y="17">{shortened(head, 21)}</text>
      <text class="small" x="15" y="32">{`${formatRows(tree.rows[id])} rows${leaf ? "" : ` · ${shortened(tree.answer(id), 12)}`}`}</text>
      <ClassBar {...{ tree, id }} x={15} y={37} width={width - 25} height={6} />
      {!leaf && (
        <g class="fold" onClick={(event) => { event.stopPropagation(); toggle(id); }}>
          <circle cx={width - 13} cy="14" r="8" />
          <text x={width - 13} y="18" text-anchor="middle">{folded ? "+" : "−"}</text>
        </g>
      )}
    </g>
  );
}

function ClassBar({ tree, id, x, y, width, height }) {
  if (!tree.classes) return <NumberBar {...{ tree, id, x, y, width, height }} />;
  const counts = tree.counts(id), whole = counts.reduce((sum, [, weight]) => sum + weight, 0);
  let at = x;
  return counts.map(([index, weight]) => {
    const part = (width * weight) / whole, from = at;
    at += part;
    return <rect x={from} y={y} width={part} height={height} fill={tree.colours[index]} />;
  });
}

// Where the number lies between the smallest and the largest of the tree.
function NumberBar({ tree, id, x, y, width, height }) {
  const [low, high] = tree.range, share = high > low ? (tree.arrays.value[id] - low) / (high - low) : 0.5;
  return (
    <>
      <line class="axis" x1={x} x2={x + width} y1={y + height / 2} y2={y + height / 2} />
      <circle cx={x + share * width} cy={y + height / 2} r={height / 2} fill={colourOf(tree, id)} />
    </>
  );
}

function Bar({ tree, place, scale, folded }) {
  const { id, x, y, width, height } = place, letters = Math.floor((width * scale - 10) / 7);
  const words = tree.isLeaf(id) || folded ? tree.answer(id) : tree.questions[id];
  return (
    <>
      <rect class="area" x={x} y={y} width={width} height={height} fill={colourOf(tree, id)} stroke-width={1 / scale} />
      {letters >= 4 && height * scale > 16 && (
        <text class="on-colour" transform={`translate(${x + 5 / scale} ${y + height / 2}) scale(${1 / scale})`} dy="0.35em">
          {shortened(words, letters)}
        </text>
      )}
    </>
  );
}

function Slice({ tree, place, scale, kind, folded }) {
  const { id } = place, [x, y] = centre(place, kind);
  const breadth = (place.to - place.from) * ((place.inner + place.outer) / 2);
  const room = Math.min(breadth, place.outer - place.inner + 20) * scale;
  const words = tree.isLeaf(id) || folded ? tree.answer(id) : tree.questions[id];
  return (
    <>
      <path class="area" d={arc(place)} fill={colourOf(tree, id)} stroke-width={1 / scale} fill-rule="evenodd" />
      {room > 34 && (
        <text class="on-colour" transform={`translate(${x} ${y}) scale(${1 / scale})`} text-anchor="middle" dy="0.35em">
          {shortened(words, Math.floor(room / 7))}
        </text>
      )}
    </>
  );
}

export function shortened(text, letters) {
  const whole = [...String(text)];
  return whole.length <= letters ? whole.join("") : whole.slice(0, Math.max(1, letters - 1)).join("") + "…";
}

