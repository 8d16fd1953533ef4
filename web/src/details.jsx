// The node that is looked at: its rule, its rows, its classes, and what else it could have asked.
import { conditionsOf } from "./rule.js";
import { rowsText } from "./node_box.js";
import { formatMeasured, formatRows, formatShare, pathTo } from "./tree.js";

export function Details({ tree, selected, go, toggle, folded }) {
  const conditions = conditionsOf(tree, selected);
  const share = tree.rows[0] ? tree.rows[selected] / tree.rows[0] : 0, own = tree.share(selected);
  return (
    <section class="details" aria-labelledby="details-title">
      <h2 id="details-title">Node {selected}</h2>
      {selected > 0 && <Path {...{ tree, selected, go }} />}
      <p class="rule">
        {conditions.length ? <><b>If</b> {conditions.join(" and ")}<br /><b>then</b> </> : <b>All rows: </b>}
        <strong>{saidBy(tree, selected)}</strong>
      </p>
      <p>{rowsText(tree.rows[selected])}, {formatShare(share)} of all{own !== null && <>; {formatShare(own)} of them are {tree.answer(selected)}</>}</p>
      {tree.classes ? <Classes {...{ tree, selected }} /> : null}
      <Numbers {...{ tree, selected }} />
      {!tree.isLeaf(selected) && <Branches {...{ tree, selected, go, toggle, folded }} />}
      <Candidates {...{ tree, selected }} />
    </section>
  );
}

// A class, a number, or at a leaf of a model tree its equation.
function saidBy(tree, id) {
  if (tree.classes) return tree.answer(id);
  return tree.equations?.[id] ? `${tree.target} = ${tree.equations[id]}` : `${tree.word} ${tree.number(id)}`;
}

function Path({ tree, selected, go }) {
  return (
    <nav aria-label="Path from the root">
      <ol class="path">
        {pathTo(tree, selected).map((id) => (
          <li>
            <button class="link" aria-current={id === selected ? "true" : undefined} onClick={() => go(id)}>
              {id === 0 ? "all rows" : `${tree.questions[tree.parent[id]]}: ${tree.answers[id]}`}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Classes({ tree, selected }) {
  const counts = tree.counts(selected), whole = counts.reduce((sum, [, weight]) => sum + weight, 0);
  return (
    <table class="classes">
      <caption>Classes</caption>
      <tbody>
        {counts.map(([index, weight]) => (
          <tr>
            <th scope="row">{tree.classes[index]}</th>
            <td class="bar"><span style={{ width: `${(100 * weight) / whole}%`, background: tree.colours[index] }} /></td>
            <td class="number">{formatRows(weight)}</td>
            <td class="number">{formatShare(weight / whole)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const NUMBERS = [["impurity", "impurity"], ["gain", "impurity decrease"], ["p_value", "p-value"], ["statistic", "statistic"]];

function Numbers({ tree, selected }) {
  const shown = NUMBERS.filter(([name]) => tree.arrays[name] && Number.isFinite(tree.arrays[name][selected]))
    .filter(([name]) => name !== "gain" || !tree.isLeaf(selected));
  return (
    <dl>
      {shown.map(([name, label]) => <><dt>{label}</dt><dd>{formatMeasured(tree.arrays[name][selected])}</dd></>)}
    </dl>
  );
}

function Branches({ tree, selected, go, toggle, folded }) {
  return (
    <>
      <h3>Asks: {tree.questions[selected]}</h3>
      <ul class="branches">
        {tree.children[selected].map((child) => (
          <li><button class="link" onClick={() => go(child)}>{tree.answers[child]}</button> {rowsText(tree.rows[child])}</li>
        ))}
      </ul>
      <button onClick={() => toggle(selected)}>{folded.has(selected) ? "Unfold" : "Fold"} what lies below</button>
    </>
  );
}

function Candidates({ tree, selected }) {
  const found = tree.candidates?.[selected] ?? [];
  if (!found.length) return null;
  return (
    <table class="candidates">
      <caption>Runner-up splits</caption>
      <thead><tr><th scope="col">split</th><th scope="col" class="number">improvement</th></tr></thead>
      <tbody>
        {found.map(([words, worth]) => <tr><td>{words}</td><td class="number">{formatMeasured(worth)}</td></tr>)}
      </tbody>
    </table>
  );
}
