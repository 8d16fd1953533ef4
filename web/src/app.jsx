// The page: controls on top, the picture in the middle, the node that is looked at on the right.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Controls } from "./controls.jsx";
import { Details } from "./details.jsx";
import { Legend } from "./legend.jsx";
import { Picture } from "./picture.jsx";
import { foldAll, foldedAtFirst, unfoldAll, unfoldTo } from "./folding.js";
import { arrangement, layout } from "./layouts.js";
import { matching } from "./matching.js";
import { answerOf } from "./walk.js";
import { WhatIf } from "./what_if.jsx";

const GROUNDS = { light: { page: "#ffffff", box: "#ffffff" }, dark: { page: "#14171c", box: "#20252d" } };
const dark = matchMedia("(prefers-color-scheme: dark)");

function useGround() {
  const [isDark, setDark] = useState(dark.matches);
  useEffect(() => dark.addEventListener("change", () => setDark(dark.matches)), []);
  return GROUNDS[isDark ? "dark" : "light"];
}

// Before the picture is there to be measured: the window without the bar, the legend and the panel.
const guessedSize = () => (innerWidth > 760 ? [innerWidth - 340, innerHeight - 120] : [innerWidth, 0.45 * innerHeight]);

export function App({ tree }) {
  const [view, setView] = useState("tree");
  const [size, setSize] = useState(guessedSize);
  const [folded, setFolded] = useState(() => foldedAtFirst(tree, size));
  const [settled, settle] = useState(() => ({ folded })); // what the window was last filled with: folding one node moves little
  const [selected, setSelected] = useState(0);
  const [filter, setFilter] = useState({ text: "", leastRows: 0, classes: null });
  const [values, setValues] = useState(tree.row); // of the what-if form; null: nothing asked
  const picture = useRef(null), ground = useGround();

  const way = useMemo(() => arrangement(tree, settled.folded, size), [tree, settled, size[0], size[1]]);
  const places = useMemo(() => layout(tree, folded, view, way, size), [tree, folded, view, way, size[0], size[1]]);
  const matches = useMemo(() => matching(tree, filter), [tree, filter]);
  const asked = useMemo(() => (values ? answerOf(tree, values) : null), [tree, values]);

  const show = (next) => {
    setFolded(next);
    settle({ folded: next });
  };
  const folding = { none: () => show(unfoldAll()), all: () => show(foldAll(tree)), first: () => show(foldedAtFirst(tree, size)) };
  const go = (id) => {
    setFolded((before) => unfoldTo(tree, before, id));
    setSelected(id);
    picture.current?.bring(id);
  };
  const toggle = (id) => {
    if (tree.isLeaf(id)) return;
    setFolded((before) => {
      const next = new Set(before);
      next.has(id) ? next.delete(id) : next.add(id);
      return next;
    });
  };

  return (
    <div class="app">
      <Controls {...{ tree, view, setView, filter, setFilter, matches, selected, go, folding, picture }} />
      <main>
        <div class="stage">
          <Picture handle={picture} fitted={settled} {...{ tree, places, selected, setSelected, toggle, folded, go, matches, asked, size, setSize, ground }} />
          <Legend {...{ tree, ground }} />
        </div>
        <aside>
          <Details {...{ tree, selected, go, toggle, folded }} />
          {tree.asked.length > 0 && <WhatIf {...{ tree, values, setValues, asked, go }} />}
        </aside>
      </main>
    </div>
  );
}
