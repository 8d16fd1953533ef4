// Nodes that are near enough to be read: each is an element of its own.
import { Bar, Slice } from "./areas.jsx";
import { colourOf, mixed, strengthOf } from "./colours.js";
import { branch, labelPlace } from "./layouts.js";
import { BAR, BUTTON, PAD, STRIPE, flatBar, rowsText } from "./node_box.js";
import { LINE } from "./text_size.js";

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
  const wide = 1 + 7 * (tree.rows[0] ? tree.rows[id] / tree.rows[0] : 0);
  const state = `${asked?.passed.has(id) ? "asked" : ""} ${matches && !matches.lit.has(id) ? "dim" : ""}`;
  const { x, y, anchor } = labelPlace(to, right);
  return (
    <g class={state}>
      <path d={branch(from, to, right)} stroke-width={wide} />
      <text text-anchor={anchor}>
        {to.label.lines.map((line, i) => <tspan x={x} y={y + 14 * i}>{line}</tspan>)}
      </text>
    </g>
  );
}

export function Nodes(props) {
  const Shape = { tree: Box, icicle: Bar, sunburst: Slice }[props.places.kind];
  return props.visible.map((place) => <Node key={place.id} {...props} place={place} Shape={Shape} />);
}

function Node({ tree, place, Shape, selected, setSelected, toggle, folded, matches, asked, scale, places, ground }) {
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
      <Shape {...{ tree, place, folded: folded.has(id), toggle, scale, ground, right: places.right }} />
    </g>
  );
}

export function spoken(tree, id) {
  const way = id === 0 ? "root" : tree.answers[id];
  const what = tree.isLeaf(id) ? `says ${tree.answer(id)}` : `asks ${tree.questions[id]}`;
  return `${way}: ${what}, ${rowsText(tree.rows[id])}`;
}

// The ground of a leaf is its class, so faint that it can be written on.
function leafGround(tree, id, ground) {
  return tree.classes ? mixed(ground.box, tree.colours[tree.arrays.prediction[id]], 0.3 * strengthOf(tree, tree.share(id))) : ground.box;
}

function Box({ tree, place, folded, toggle, ground, right }) {
  const { id, x, y, width, height, box } = place, leaf = tree.isLeaf(id);
  return (
    <g transform={`translate(${x - width / 2} ${y - height / 2})`}>
      <rect class="box" width={width} height={height} rx="6" style={leaf ? { fill: leafGround(tree, id, ground) } : undefined} />
      <rect class="stripe" width={STRIPE} height={height} rx="3" fill={colourOf(tree, id, ground.page)} />
      {box.head.map((line, i) => <text class="head" x={box.left} y={box.flat ? 17 : 19 + LINE * i}>{line}</text>)}
      {box.small.map((line, i) => (
        <text class="small" x={box.flat ? box.beside : box.left} y={box.flat ? 17 : 18 + LINE * (box.head.length + i)}>{line}</text>
      ))}
      {box.flat ? <ClassBar {...{ tree, id, ...flatBar, ground }} />
        : <ClassBar {...{ tree, id, ground }} x={box.left} y={height - 6 - BAR} width={width - box.left - PAD} height={BAR} />}
      {!leaf && <FoldButton {...{ id, folded, toggle }} x={right ? width + BUTTON : width / 2} y={right ? height / 2 : height + BUTTON} />}
    </g>
  );
}

// Outside of the box, where the branches begin: it covers no word.
function FoldButton({ id, folded, toggle, x, y }) {
  return (
    <g class="fold" transform={`translate(${x} ${y})`} onClick={(event) => { event.stopPropagation(); toggle(id); }}>
      <circle r="14" class="reach" />
      <circle r="8" />
      <path d={folded ? "M-4 0H4M0 -4V4" : "M-4 0H4"} />
    </g>
  );
}

function ClassBar({ tree, id, x, y, width, height, ground }) {
  if (!tree.classes) return <NumberBar {...{ tree, id, x, y, width, height, ground }} />;
  const counts = tree.counts(id), whole = counts.reduce((sum, [, weight]) => sum + weight, 0);
  let at = x;
  return counts.map(([index, weight]) => {
    const part = (width * weight) / whole, from = at;
    at += part;
    return <rect x={from} y={y} width={part} height={height} fill={tree.colours[index]} />;
  });
}

// Where the number lies between the smallest and the largest of the tree.
function NumberBar({ tree, id, x, y, width, height, ground }) {
  const [low, high] = tree.range, share = high > low ? (tree.arrays.value[id] - low) / (high - low) : 0.5;
  return (
    <>
      <line class="axis" x1={x} x2={x + width} y1={y + height / 2} y2={y + height / 2} />
      <circle class="axis" cx={x + height / 2 + share * (width - height)} cy={y + height / 2} r={height / 2} fill={colourOf(tree, id, ground.page)} />
    </>
  );
}
