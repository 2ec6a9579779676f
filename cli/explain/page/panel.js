// A panel: one scheme's lookup of the address, with its drawing on which the path is lit.

// A drawing shows the end of a lookup. Returns each of its elements that belongs to steps, with these steps, counted
// from 0: an element has the step of its hue, or else those of its node.
const MARKS = ["lit", "answer", "hit", "below", "above", "counted"];
function marksOf(svg, n) {
  const all = Array.from({ length: n }, (_, i) => i);
  const stepsOf = (node) => (node?.dataset.steps ?? "").split(" ").filter(Boolean).map((s) => s - 1);
  // Hues are rounded, so several of many steps have the same one: only those of the node count, or the one before.
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

// The widest drawing that fits, or else the narrowest.
function fittingDrawing(drawings, width) {
  const fitting = drawings.filter(([own]) => own <= width * 1.02);
  return (fitting.length ? fitting : drawings).reduce((best, one) => (fitting.length ? one[0] > best[0] : one[0] < best[0]) ? one : best);
}

// How far to scroll until from..to lies between low and high: not at all if it is there, else to the middle or, where
// it is too long, to its start.
const shiftInto = (from, to, low, high) => (from >= low && to <= high ? 0 : to - from > high - low ? from - low - 8 : (from + to - low - high) / 2);

// `isBeside`: the details lie beside the drawing, not below it; `isOpen`: they are unfolded.
function makePanel({ lookup, question, drawings, answer, letter, isOld, isBeside, isOpen, go }) {
  const steps = lookup.steps;
  const words = el("p", { class: "words" }), count = el("span"), cost = el("span"), picture = el("div");
  const aside = el("details", { class: "aside", open: isBeside || isOpen }, el("summary", {}, "Details"), el("p", { class: "hint" }, captionOf(lookup)));
  const head = el("div", { class: "head" }, el("h2", {}, letter ? el("span", { class: "tag" }, letter) : null, lookup.scheme, el("span", { class: "cost" }, count, cost)), words);
  const panel = el("section", { class: "panel", "aria-label": lookup.scheme, "data-scheme": lookup.scheme }, head, picture, aside);
  toggle(panel, "beside", isBeside);
  toggle(panel, "old", isOld);
  const parts = steps.length ? [drawBits(steps, question), drawSteps(steps, answer, go), drawLines(steps)] : [];
  parts.forEach((part, k) => aside.append(el("h3", {}, ["Bits of the address", "Steps", "Cache lines of 64 bytes, in the order of the first reads"][k]), part.node));
  const box = drawings.length ? el("div", { class: "drawing", role: "group", "aria-label": `Drawing of ${lookup.scheme}` }) : null;
  if (box) picture.append(box);
  else if (lookup.structure) picture.append(el("p", { class: "hint" }, "The drawing was left out to keep the page below 400 KB. A page with fewer schemes or addresses has it."));
  let marks = [], svg = null;
  return {
    node: panel, lookup,
    // Call it once the panel is in the page. `height` is that of the panel without its details.
    layout(height) {
      // The longest sentence has room, so that the drawing stays where it is.
      const longest = steps.reduce((best, s) => (s.sentence.length > best.length ? s.sentence : best), "");
      words.textContent = longest;
      styled(words, { "min-height": `${words.offsetHeight}px` });
      styled(panel, { "--room": `${Math.max(200, height - head.offsetHeight - 40)}px` });
      if (!box) return;
      const [width, text] = fittingDrawing(drawings, box.clientWidth);
      svg = drawingOf(text);
      styled(svg, { "max-width": `${Math.round(width * 1.2)}px`, "min-width": `${Math.round(width * 0.8)}px` });
      marks = marksOf(svg, steps.length);
      box.replaceChildren(svg);
      if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    },
    update(all) {
      const t = Math.min(all, steps.length), read = steps.slice(0, t), done = all >= steps.length;
      for (const part of parts) part.update(t);
      lightDrawing(marks, steps, t);
      const lines = new Set(read.flatMap((s) => s.cache_lines)).size, bytes = read.reduce((n, s) => n + s.bytes, 0);
      count.textContent = steps.length ? `step ${t} of ${steps.length}` : "";
      cost.textContent = steps.length ? `, ${counted(lines, "cache line")}, ${counted(bytes, "byte")}` : "";
      words.replaceChildren(...sentenceOf(lookup, t, done, answer));
      toggle(words, "done", done);
      if (t) colored(words, t - 1, steps.length);
      else words.classList.remove("step-color");
    },
    // Scrolls the drawing to what the step reads. Returns whether the window shows that.
    follow(all, behavior, bottom) {
      if (!svg) return true;
      const t = Math.min(all, steps.length), view = box.getBoundingClientRect();
      const node = svg.querySelector(`.node[data-steps~="${t}"]`) ?? svg.querySelector(`[data-step="${t}"]`);
      // The last mark of a step is what it finds, which is shown where the whole node has no room.
      const cell = node && node.getBoundingClientRect().height > view.height ? [...node.querySelectorAll(`[data-step="${t}"]`)].pop() : null;
      if (!node) {
        box.scrollTo({ left: 0, top: 0, behavior });
        return view.top >= 0 && view.top + 100 <= bottom;
      }
      const at = (cell ?? node).getBoundingClientRect();
      const left = shiftInto(at.left, at.right, view.left, view.right), top = shiftInto(at.top, at.bottom, view.top, view.bottom);
      const before = [box.scrollLeft, box.scrollTop];
      box.scrollBy({ left, top, behavior });
      const moved = Math.max(0, Math.min(before[1] + top, box.scrollHeight - box.clientHeight)) - before[1];
      return at.top - moved >= 0 && at.bottom - moved <= bottom;
    },
    says: (all) => `${lookup.scheme}: ${sentenceOf(lookup, Math.min(all, steps.length), all >= steps.length, answer).map((x) => x.textContent ?? x).join("")}`,
  };
}

function captionOf(lookup) {
  const summary = `${lookup.summary[0].toUpperCase()}${lookup.summary.slice(1)}.`;
  if (!lookup.structure) return summary;
  const { nodes, whole } = lookup.structure;
  return `${summary} ${counted(nodes, "node")}, ${Number(lookup.memory_bytes).toLocaleString("en")} bytes${whole ? "" : "; only the nodes around the address are drawn"}.`;
}

// The words of a step, with the answer in bold.
function sentenceOf(lookup, t, done, answer) {
  if (!lookup.shows_steps) return ["This scheme does not show its steps. Answer: ", el("b", { class: "hop" }, answer), "."];
  if (!lookup.steps.length) return ["The table is empty, so there is nothing to read."];
  if (t === 0) return ["Ready. The lookup starts in ", el("b", {}, lookup.steps[0].part), "."];
  const text = lookup.steps[t - 1].sentence, at = done ? text.lastIndexOf(answer) : -1;
  return at < 0 ? [text] : [text.slice(0, at), el("b", { class: "hop" }, answer), text.slice(at + answer.length)];
}
