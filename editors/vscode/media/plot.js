// The tests that pass, over time, as a drawing.

const WIDTH = 480;
const HEIGHT = 110;
const EDGE = 24;

/** Steps, as a run holds until the next; the same numbers are in the attempts below it. */
export function plotOf({ points, tests, ended }) {
  const last = Math.max(ended ?? 0, points.at(-1).seconds, 1);
  const x = (seconds) => EDGE + (seconds / last) * (WIDTH - 2 * EDGE);
  const y = (passed) => HEIGHT - EDGE - (passed / tests) * (HEIGHT - 2 * EDGE);
  const path = points.map(({ seconds, passed }, n) =>
    n ? `H ${x(seconds)} V ${y(passed)}` : `M ${x(seconds)} ${y(passed)}`,
  );
  const told = points.map(({ name, passed }) => `${name}: ${passed} of ${tests}`).join("; ");
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Tests that pass: ${told}` });
  svg.append(
    shape("path", { class: "axis", fill: "none", d: `M ${EDGE} ${EDGE / 2} V ${HEIGHT - EDGE} H ${WIDTH - EDGE}` }),
    shape("path", { class: "step", d: [...path, `H ${x(last)}`].join(" ") }),
    ...points.map(({ seconds, passed, name, good }) => {
      const dot = shape("circle", { class: good ? "dot" : "dot bad", cx: x(seconds), cy: y(passed), r: 4 });
      dot.append(shape("title", {}, `${name}: ${passed} of ${tests}`));
      return dot;
    }),
    shape("text", { x: 2, y: y(tests) + 4 }, String(tests)),
    shape("text", { x: 2, y: y(0) + 4 }, "0"),
    shape("text", { x: WIDTH - EDGE, y: HEIGHT - 8, "text-anchor": "end" }, `${last.toFixed(1)} s`),
  );
  return svg;
}

function shape(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.textContent = text;
  return made;
}
