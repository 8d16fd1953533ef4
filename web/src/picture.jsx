// The picture: pan and zoom, keys, and the drawing of what is in view.
//
// Near by, every node in view is an element that can be focused and read out. From afar there may be thousands: they are
// then drawn as a few long paths, one a colour, so that moving stays smooth.
import { select } from "d3-selection";
import { zoom as zoomBehaviour, zoomIdentity } from "d3-zoom";
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Far } from "./far.jsx";
import { centre, scaleOf } from "./layouts.js";
import { inView } from "./in_view.js";
import { Links, Nodes } from "./near.jsx";

const LEGIBLE = 0.36; // below this scale the words in a box cannot be read
const EDGE = 40; // a node nearer to the edge of the window is brought to the middle
const MOST_NEAR = 700; // more nodes than that in view are drawn from afar

export function Picture(props) {
  const { handle, tree, places, selected, toggle, go, size, setSize } = props;
  const svg = useRef(null);
  const [at, setAt] = useState(zoomIdentity);
  const byId = useMemo(() => new Map(places.places.map((place) => [place.id, place])), [places]);
  const zoom = useMemo(() => zoomBehaviour().scaleExtent([0.0005, 40]), []);

  const show = (transform) => select(svg.current).call(zoom.transform, transform);
  const fit = () => show(fitting(places.box, size));
  const bring = (id) => requestAnimationFrame(() => latest.current.bringNow(id));
  const bringNow = (id) => {
    const place = byId.get(id);
    if (!place) return;
    const [x, y] = centre(place, places.kind), k = Math.max(at.k, 0.8);
    if (at.k < LEGIBLE || !isInside(at.apply([x, y]), size)) show(zoomIdentity.translate(size[0] / 2, size[1] / 2).scale(k).translate(-x, -y));
    focus(svg.current, id);
  };
  const latest = useRef({});
  latest.current = { bringNow };
  useImperativeHandle(handle, () => ({ fit, bring, zoomBy: (by) => select(svg.current).call(zoom.scaleBy, by) }));

  useLayoutEffect(() => {
    const measure = () => setSize([svg.current.clientWidth || 800, svg.current.clientHeight || 600]);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(svg.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    zoom.on("zoom", (event) => setAt(event.transform));
    select(svg.current).call(zoom).on("dblclick.zoom", null);
  }, []);
  useEffect(fit, [places.kind, size[0], size[1], props.fitted]);

  const visible = inView(places, at, size);
  const near = visible.length <= MOST_NEAR && (places.kind !== "tree" || at.k >= LEGIBLE);
  const keys = (event) => onKey(event, { tree, selected, toggle, go, fit, zoom, svg });
  return (
    <svg ref={svg} class={`picture ${near ? "near" : "far"}`} role="tree" tabindex={near ? -1 : 0} onKeyDown={keys}
      aria-label={`${tree.title}: ${tree.n} nodes. Arrow keys move, Enter folds.`}>
      <g transform={at.toString()}>
        {near ? (
          <><Links {...props} visible={visible} /><Nodes {...props} visible={visible} scale={at.k} /></>
        ) : (
          <Far {...props} visible={visible} scale={at.k} />
        )}
      </g>
    </svg>
  );
}

function fitting(box, size) {
  return zoomIdentity
    .translate(size[0] / 2, size[1] / 2)
    .scale(Math.max(scaleOf(box, size), 0.001))
    .translate(-(box.x0 + box.x1) / 2, -(box.y0 + box.y1) / 2);
}

// What is in view already stays where it is.
const isInside = ([x, y], [width, height]) => x > EDGE && x < width - EDGE && y > EDGE && y < height - EDGE;

function focus(svg, id) {
  requestAnimationFrame(() => (svg.querySelector(`[data-node="${id}"]`) ?? svg).focus({ preventScroll: true }));
}

function onKey(event, { tree, selected, toggle, go, fit, zoom, svg }) {
  const parent = tree.parent[selected], siblings = parent === null ? [0] : tree.children[parent];
  const beside = (by) => siblings[siblings.indexOf(selected) + by];
  const moves = {
    ArrowUp: () => parent !== null && go(parent),
    ArrowDown: () => !tree.isLeaf(selected) && go(tree.children[selected][0]),
    ArrowLeft: () => beside(-1) !== undefined && go(beside(-1)),
    ArrowRight: () => beside(1) !== undefined && go(beside(1)),
    Home: () => go(0),
    Enter: () => toggle(selected),
    " ": () => toggle(selected),
    "+": () => select(svg.current).call(zoom.scaleBy, 1.4),
    "-": () => select(svg.current).call(zoom.scaleBy, 1 / 1.4),
    0: fit,
  };
  if (!moves[event.key] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  moves[event.key]();
}
