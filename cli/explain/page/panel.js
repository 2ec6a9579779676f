// A panel: one scheme's lookup of the address, with its drawing on which the path is lit.

// base 4 + rank 1 = nodes[5]
function sumOf(s, next) {
  const c = s.counted;
  if (!c || !c.words || !next) return "";
  return `base ${c.base} + rank ${c.rank} = ${next.part}[${BigInt(c.base) + BigInt(c.rank)}]`;
}

// A drawing shows the end of a lookup. What it has of steps, each with the steps that it is of, counted from 0:
// the hue of an element tells its step, else that of the node in which it is.
const MARKS = ["lit", "answer", "hit", "below", "above", "counted"];
function marksOf(svg, n) {
  const all = Array.from({ length: n }, (_, i) => i);
  const stepsOf = (node) => (node?.dataset.steps ?? "").split(" ").filter(Boolean).map((s) => s - 1);
  // Hues are rounded, and so the same for some of many steps: only those of the node count, or the one before.
  const nearest = (hue, some) => some.reduce((best, i) => (Math.abs(hueOf(i, n) - hue) < Math.abs(hueOf(best, n) - hue) ? i : best));
  const among = (one) => {
    const to = one.dataset.to === undefined ? [] : stepsOf(svg.querySelector(`.node[data-node="${one.dataset.to}"]`));
    const own = to.length ? [Math.max(0, to[0] - 1), to[0]] : stepsOf(one.closest(".node"));
    return own.length ? own : all;
  };
  const found = [];
  for (const one of svg.querySelectorAll(".lit, .answer, .step-number")) {
    const { hue, steps: own, step } = one.dataset;
    const steps = own ? stepsOf(one) : step ? [step - 1] : hue !== undefined && n ? [nearest(+hue, among(one))] : stepsOf(one.closest(".node"));
    found.push({ one, steps, names: MARKS.filter((name) => one.classList.contains(name)), isNode: one.classList.contains("node") });
  }
  return found;
}
function lightDrawing(marks, steps, t) {
  for (const { one, steps: own, names, isNode } of marks) {
    const read = own.filter((i) => i < t), last = read[read.length - 1];
    for (const name of names) toggle(one, name, name === "answer" && own.length ? own[own.length - 1] < t : read.length);
    toggle(one, "later", !read.length);
    if (isNode) toggle(one, "now", read.includes(t - 1));
    if (last === undefined) one.style.removeProperty("--h");
    else one.style.setProperty("--h", hueOf(last, steps.length));
  }
}

// The drawing whose width fits best; it is chosen anew when the page gets another width.
function fittingDrawing(drawings, width) {
  const made = drawings.filter(([own]) => own <= width * 1.02);
  return (made.length ? made : drawings).reduce((best, one) => (made.length ? one[0] > best[0] : one[0] < best[0]) ? one : best);
}

function makePanel({ lookup, question, drawings, answer, letter, isOld, go }) {
  const steps = lookup.steps, alone = letter === "";
  const words = el("p", { class: "words" }), sum = el("p", { class: "sum mono" }), cost = el("span", { class: "cost" });
  const head = el("h2", {}, alone ? null : el("span", { class: "tag" }, letter), lookup.scheme, cost);
  const panel = el("section", { class: "panel", "aria-label": lookup.scheme, "data-scheme": lookup.scheme }, head, el("p", { class: "hint" }, lookup.summary));
  toggle(panel, "alone", alone);
  toggle(panel, "old", isOld);
  const picture = el("div", { class: "picture" }), aside = el("div", { class: "aside" });
  const said = el("div", { class: "said" }, words, sum);
  const parts = [];
  let marks = [];
  if (steps.length) {
    parts.push(drawBits(steps, question), drawLines(steps), drawSteps(steps, answer, go));
    panel.append(parts[0].node);
    aside.append(said, el("h3", {}, "Steps"), parts[2].node, el("h3", {}, "Cache lines of 64 bytes, as they are first read"), parts[1].node);
  } else aside.append(said);
  if (lookup.structure) picture.append(el("h3", {}, titleOf(lookup)));
  if (drawings.length) picture.append(el("div", { class: "drawing", role: "group", "aria-label": `Drawing of ${lookup.scheme}` }));
  else if (lookup.structure) picture.append(el("p", { class: "hint" }, "Its drawing is left out, as the page would be larger than 400 KB; a page of fewer schemes or addresses has it."));
  panel.append(picture, aside);
  return {
    node: panel, lookup,
    // Once the panel is in the page and has a width.
    layout() {
      if (!drawings.length) return;
      const box = picture.querySelector(".drawing");
      const [width, text] = fittingDrawing(drawings, box.clientWidth), svg = drawingOf(text);
      styled(svg, { "max-width": `${Math.round(width * 1.35)}px`, "min-width": `${Math.round(width * 0.8)}px` });
      marks = marksOf(svg, steps.length);
      box.replaceChildren(svg);
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    },
    update(all) {
      const t = Math.min(all, steps.length), read = steps.slice(0, t), done = all >= steps.length;
      for (const part of parts) part.update(t);
      lightDrawing(marks, steps, t);
      const lines = new Set(read.flatMap((s) => s.cache_lines)).size, bytes = read.reduce((n, s) => n + s.bytes, 0);
      cost.textContent = steps.length ? `${counted(t, "step")} of ${steps.length}, ${counted(lines, "cache line")}, ${counted(bytes, "byte")}` : "";
      words.replaceChildren(...sentenceOf(lookup, t, done, answer), ...(done && all > steps.length && steps.length ? [` Done since step ${steps.length}.`] : []));
      sum.textContent = t ? sumOf(steps[t - 1], steps[t]) : "";
      toggle(said, "done", done);
      if (t) colored(said, t - 1, steps.length);
      else said.classList.remove("step-color");
    },
    says: (all) => `${lookup.scheme}: ${sentenceOf(lookup, Math.min(all, steps.length), all >= steps.length, answer).map((x) => x.textContent ?? x).join("")}`,
  };
}

function titleOf(lookup) {
  const { nodes, whole } = lookup.structure;
  return `Its structure: ${counted(nodes, "node")}, ${Number(lookup.memory_bytes).toLocaleString("en")} bytes${whole ? "" : "; drawn is what covers the address"}`;
}

// The words of a step, with the answer in bold.
function sentenceOf(lookup, t, done, answer) {
  if (!lookup.steps.length) return [lookup.shows_steps ? "The table is empty, so there is nothing to read." : "This scheme does not show its steps. Its answer: ", ...(lookup.shows_steps ? [] : [el("b", { class: "hop" }, answer)])];
  if (t === 0) return ["Not begun. The first step reads ", el("b", {}, lookup.steps[0].part), "."];
  const text = lookup.steps[t - 1].sentence, at = done ? text.lastIndexOf(answer) : -1;
  if (at < 0) return coded(text);
  return [...coded(text.slice(0, at)), el("b", { class: "hop" }, answer), text.slice(at + answer.length)];
}

// A sentence names a part of the memory in backquotes, as its first one.
function coded(text) {
  const found = /^([^`]*)`([^`]+)`(.*)$/s.exec(text);
  return found ? [found[1], el("code", {}, found[2]), found[3]] : [text];
}
