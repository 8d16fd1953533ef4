// The page: controls on top, the picture in the middle, the node that is looked at on the right.
import { useMemo, useRef, useState } from "preact/hooks";
import { Controls } from "./controls.jsx";
import { Details } from "./details.jsx";
import { Picture } from "./picture.jsx";
import { foldedAtFirst, unfoldTo } from "./folding.js";
import { layout } from "./layouts.js";
import { matching } from "./matching.js";
import { answerOf } from "./walk.js";
import { WhatIf } from "./what_if.jsx";

export function App({ tree }) {
  const [view, setView] = useState("tree");
  const [folded, setFolded] = useState(() => foldedAtFirst(tree));
  const [selected, setSelected] = useState(0);
  const [filter, setFilter] = useState({ text: "", leastRows: 0, classes: null });
  const [values, setValues] = useState(tree.row); // of the what-if form; null: nothing asked
  const picture = useRef(null);

  const places = useMemo(() => layout(tree, folded, view), [tree, folded, view]);
  const matches = useMemo(() => matching(tree, filter), [tree, filter]);
  const asked = useMemo(() => (values ? answerOf(tree, values) : null), [tree, values]);

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
      <Controls {...{ tree, view, setView, filter, setFilter, matches, selected, go, setFolded, picture }} />
      <main>
        <Picture handle={picture} {...{ tree, places, selected, setSelected, toggle, folded, go, matches, asked }} />
        <aside>
          <Details {...{ tree, selected, go, toggle, folded }} />
          <WhatIf {...{ tree, values, setValues, asked, go }} />
        </aside>
      </main>
    </div>
  );
}
