// What if? A form with the columns that the tree asks for; the answer is found in the page, and its path is lit.
import { pieces } from "./text_size.js";
import { formatMeasured, formatShare } from "./tree.js";

const FACES = {
  date: { type: "date", read: (text) => Date.parse(text) / 86400e3, show: (value) => new Date(value * 86400e3).toISOString().slice(0, 10) },
  datetime: { type: "datetime-local", read: (text) => Date.parse(`${text}Z`) * 1000, show: (value) => new Date(value / 1000).toISOString().slice(0, 16) },
  time: { type: "time", read: (text) => Date.parse(`1970-01-01T${text}Z`) * 1000, show: (value) => new Date(value / 1000).toISOString().slice(11, 19) },
  number: { type: "number", read: (text) => (text.trim() === "" ? NaN : Number(text)), show: (value) => String(value) },
};
const faceOf = (column) => FACES[column.face] ?? FACES.number;

export function WhatIf({ tree, values, setValues, asked, go }) {
  const blank = () => new Array(tree.columns.length).fill(NaN);
  const change = (j, value) => {
    const next = values ? values.slice() : blank();
    next[j] = value;
    setValues(next);
  };
  return (
    <section class="what-if" aria-labelledby="what-if-title">
      <h2 id="what-if-title">What if?</h2>
      <p class="hint">Fill in what you know. Empty means missing.</p>
      <form onSubmit={(event) => event.preventDefault()}>
        {tree.asked.map((j) => (
          <Field key={j} column={tree.columns[j]} value={values ? values[j] : NaN} change={(value) => change(j, value)} />
        ))}
        <button type="button" onClick={() => setValues(blank())}>All missing</button>{" "}
        <button type="reset" onClick={() => setValues(null)}>Clear</button>
      </form>
      <div role="status" aria-live="polite">{asked && <Answer {...{ tree, asked, go }} />}</div>
    </section>
  );
}

function Field({ column, value, change }) {
  const face = faceOf(column);
  return (
    <label class="field">
      <span>{pieces(column.name).map((piece, i) => <>{i > 0 && <wbr />}{piece}</>)}</span>
      {column.kind === "numeric" ? (
        <input type={face.type} step="any" value={Number.isNaN(value) ? "" : face.show(value)}
          onInput={(event) => {
            const read = face.read(event.target.value);
            change(Number.isFinite(read) ? read : NaN);
          }} />
      ) : (
        <select value={Number.isNaN(value) ? "" : value} onChange={(event) => change(event.target.value === "" ? NaN : Number(event.target.value))}>
          <option value="">missing</option>
          {column.levels.map((level, i) => <option value={i + 1}>{level}</option>)}
        </select>
      )}
      {isFar(column, value) && <small class="far">Far outside what training had: {column.range}</small>}
    </label>
  );
}

// A value that training was nowhere near was perhaps mistyped.
const isFar = ({ usual }, value) => usual !== undefined && (value < usual[0] || value > usual[1]);

function Answer({ tree, asked, go }) {
  const said = tree.classes ? tree.classes[asked.best] : formatMeasured(asked.value);
  const ends = asked.ends.slice().sort((a, b) => b[1] - a[1]).slice(0, 5);
  return (
    <div class="answer">
      <p>The tree says <strong data-answer>{said}</strong>.</p>
      {tree.classes && (
        <ul class="shares">
          {asked.shares.map((share, index) => share > 0 && (
            <li><i style={{ background: tree.colours[index] }} />{tree.classes[index]} {formatShare(share)}</li>
          ))}
        </ul>
      )}
      <p>
        It ends in{" "}
        {ends.map(([id, share]) => (
          <><button class="link" type="button" onClick={() => go(id)}>node {id}</button>{asked.ends.length > 1 && ` (${formatShare(share)})`} </>
        ))}
        {asked.ends.length > ends.length && `and ${asked.ends.length - ends.length} others`}
      </p>
    </div>
  );
}
