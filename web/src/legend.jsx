// What the colours mean.
import { halfwayShare, mixed, strengthOf } from "./colours.js";
import { formatMeasured, formatShare } from "./tree.js";

const MOST = 7;

export function Legend({ tree, ground }) {
  return <div class="legend" aria-hidden="true">{tree.classes ? <Classes {...{ tree, ground }} /> : <Numbers {...{ tree }} />}</div>;
}

// The classes that have a colour of their own; the others share the last one.
function Classes({ tree, ground }) {
  const times = (colour) => tree.colours.filter((one) => one === colour).length;
  const own = tree.colours.map((colour, index) => [colour, index]).filter(([colour]) => times(colour) === 1).slice(0, MOST);
  const rest = tree.classes.length - own.length, shared = tree.colours.find((colour) => times(colour) > 1);
  const [low, high] = tree.sureness, middle = halfwayShare(tree);
  const shade = (share) => mixed(ground.page, tree.colours[tree.arrays.prediction[0]], strengthOf(tree, share));
  const from = (one, two) => <b class="half" style={{ background: `linear-gradient(90deg, ${shade(one)}, ${shade(two)})` }} />;
  return (
    <>
      {own.map(([colour, index]) => <span><i style={{ background: colour }} />{tree.classes[index]}</span>)}
      {rest > 0 && <span><i style={{ background: shared }} />{rest} other {rest === 1 ? "class" : "classes"}</span>}
      {high > low && (
        <span class="ramp">share of the class {formatShare(low)} {from(low, middle)} {formatShare(middle)} {from(middle, high)} {formatShare(high)}</span>
      )}
    </>
  );
}

function Numbers({ tree }) {
  const [low, high] = tree.range;
  return high > low && (
    <span class="ramp">{tree.word} {formatMeasured(low)} <b style={{ background: `linear-gradient(90deg, ${tree.scale.join(", ")})` }} /> {formatMeasured(high)}</span>
  );
}
