// The bar on top: views, folding, search and filters.
import { useState } from "preact/hooks";
import { formatRows } from "./tree.js";

const VIEWS = [["tree", "Tree"], ["icicle", "Icicle"], ["sunburst", "Sunburst"]];

export function Controls({ tree, view, setView, filter, setFilter, matches, selected, go, folding, picture }) {
  const change = (part) => setFilter({ ...filter, ...part });
  const step = (by) => {
    const found = matches?.found ?? [];
    if (!found.length) return;
    const at = found.indexOf(selected);
    go(found[at < 0 ? 0 : (at + by + found.length) % found.length]);
  };
  const [open, setOpen] = useState(false); // in a narrow window the rest of the bar is shown on demand
  return (
    <header class={open ? "open" : ""}>
      <h1>{tree.title}</h1>
      <div class="bar" role="toolbar" aria-label="View">
        <span class="group" role="radiogroup" aria-label="View">
          {VIEWS.map(([name, label]) => (
            <button role="radio" aria-checked={view === name} onClick={() => setView(name)}>{label}</button>
          ))}
        </span>
        <span class="group">
          <button onClick={() => picture.current?.zoomBy(1.4)} aria-label="Zoom in" title="Zoom in (+)">+</button>
          <button onClick={() => picture.current?.zoomBy(1 / 1.4)} aria-label="Zoom out" title="Zoom out (−)">−</button>
          <button onClick={() => picture.current?.fit()} title="Fit the whole tree into the window (0)">Fit</button>
        </span>
        <button class="more" aria-expanded={open} onClick={() => setOpen(!open)} aria-label="More" title="Fold, search, filter">⋯</button>
      </div>
      <div class="bar extra">
        <span class="group">
          <button onClick={folding.none}>Unfold all</button>
          <button onClick={folding.all}>Fold all</button>
          <button onClick={folding.first} title="Fold and zoom as at first">Reset view</button>
        </span>
        <label class="search">
          Search{" "}
          <input type="search" value={filter.text} placeholder="column, level, answer"
            onInput={(event) => change({ text: event.target.value })}
            onKeyDown={(event) => event.key === "Enter" && step(event.shiftKey ? -1 : 1)} />
        </label>
        <LeastRows {...{ tree, filter, change }} />
        {tree.classes && <ClassFilter {...{ tree, filter, change }} />}
        <span class="found" role="status" aria-live="polite">
          {matches && (
            <>
              {formatRows(matches.found.length)} {matches.found.length === 1 ? "node" : "nodes"}{" "}
              <button onClick={() => step(-1)} aria-label="Previous match">‹</button>
              <button onClick={() => step(1)} aria-label="Next match">›</button>
            </>
          )}
        </span>
      </div>
    </header>
  );
}

function LeastRows({ tree, filter, change }) {
  const whole = tree.rows[0];
  return (
    <label class="rows">
      At least{" "}
      <input type="number" min="0" max={whole} step="1" value={filter.leastRows || ""} placeholder="0"
        onInput={(event) => change({ leastRows: Number(event.target.value) || 0 })} />{" "}
      rows
    </label>
  );
}

function ClassFilter({ tree, filter, change }) {
  const chosen = filter.classes ? [...filter.classes][0] : "";
  return (
    <label>
      Leaves predicting{" "}
      <select value={chosen} onChange={(event) => change({ classes: event.target.value === "" ? null : new Set([Number(event.target.value)]) })}>
        <option value="">any class</option>
        {tree.classes.map((label, index) => <option value={index}>{label}</option>)}
      </select>
    </label>
  );
}
