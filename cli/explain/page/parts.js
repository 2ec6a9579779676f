// The parts of a panel that every scheme has: the bits of the address, cache lines, the list of steps.

// Rows of 32 bits, with a bar below for each step that uses some of them. More than three steps that use the same bits
// share a bar.
function drawBits(steps, question) {
  const { address, family } = question, number = addressOf(address, family), digits = bitsOf(number, family);
  const box = el("div", { class: "bits", role: "img" }), cells = [], marks = [];
  const takers = Array.from(digits, () => []);
  steps.forEach((s, i) => {
    for (let k = s.first_bit; k < Math.min(digits.length, s.first_bit + s.bits); ++k) takers[k].push(i);
  });
  const groups = new Map();
  steps.forEach((s, i) => {
    if (s.bits < 2) return;
    const name = `${s.first_bit} ${s.bits}`;
    groups.set(name, [...(groups.get(name) ?? []), i]);
  });
  const bars = [...groups].flatMap(([name, members]) => (members.length > 3 ? [[name, members]] : members.map((i) => [name, [i]])));
  const column = (bit) => (bit % 32) + Math.floor((bit % 32) / 8) + 1;
  for (let start = 0; start < digits.length; start += 32) {
    const row = el("div", { class: "row" }), unit = family === 4 ? 8 : 16;
    for (let bit = start; bit < start + 32; bit += unit) {
      const text = BigInt("0b" + digits.slice(bit, bit + unit)).toString(family === 4 ? 10 : 16);
      row.append(styled(el("div", { class: "group" }, text), { "grid-area": `1/${column(bit)}/1/${column(bit + unit - 1) + 1}` }));
    }
    for (let bit = start; bit < start + 32; ++bit) {
      const cell = styled(el("div", { class: "bit" }, digits[bit]), { "grid-area": `2/${column(bit)}` });
      cells.push(cell);
      row.append(cell);
    }
    const taken = [];
    for (const [name, members] of bars) {
      const [first, bits] = name.split(" ").map(Number), from = Math.max(first, start), to = Math.min(first + bits, start + 32) - 1;
      if (from > to) continue;
      let level = taken.findIndex((end) => end < from);
      if (level < 0) level = taken.push(-1) - 1;
      taken[level] = to;
      const bar = styled(el("div", { class: "takes" }), { "grid-area": `${level + 3}/${column(from)}/${level + 3}/${column(to) + 1}` });
      const room = (to - from + 1) / members.length;
      for (const i of members) {
        const mark = colored(el("span", {}, room >= 5 ? `step ${i + 1}` : room >= 1.5 ? String(i + 1) : ""), i, steps.length);
        marks.push([i, mark]);
        bar.append(mark);
      }
      row.append(bar);
    }
    box.append(row);
  }
  return { node: box, update(t) {
    cells.forEach((cell, bit) => {
      const by = takers[bit].filter((i) => i < t).pop();
      toggle(cell, "taken", by !== undefined);
      toggle(cell, "now", by === t - 1 && steps[t - 1].bits === 1);
      if (by !== undefined) colored(cell, by, steps.length);
    });
    for (const [i, mark] of marks) {
      toggle(mark, "taken", i < t);
      toggle(mark, "now", i === t - 1);
    }
    const seen = takers.filter((list) => list.some((i) => i < t)).length;
    box.setAttribute("aria-label", `${address} in binary: ${digits.match(/.{8}/g).join(" ")}; ${counted(seen, "bit")} used so far`);
  } };
}

const LINE = 64; // bytes
function drawLines(steps) {
  const list = el("ul", { class: "lines" }), items = new Map();
  steps.forEach((s, i) => s.cache_lines.forEach((line, k) => {
    if (!items.has(line)) {
      const bytes = el("span", { class: "bytes" }), text = el("span"), item = el("li", {}, bytes, text);
      items.set(line, { item, bytes, text, part: s.part, fills: [] });
      list.append(item);
    }
    const from = k === 0 ? s.in_line : 0, to = k === s.cache_lines.length - 1 ? ((s.in_line + s.bytes - 1) % LINE) + 1 : LINE;
    const fill = styled(colored(el("i"), i, steps.length), { left: `${(from / LINE) * 100}%`, width: `${((to - from) / LINE) * 100}%` });
    items.get(line).bytes.append(fill);
    items.get(line).fills.push({ i, fill, size: to - from });
  }));
  return { node: list, update(t) {
    for (const [line, { item, text, part, fills }] of items) {
      for (const { i, fill } of fills) toggle(fill, "read", i < t);
      const read = fills.filter((f) => f.i < t).reduce((sum, f) => sum + f.size, 0);
      toggle(item, "read", read);
      text.textContent = read ? `${line}: ${part}, ${read} B` : `${line}: not read`;
    }
  } };
}

const rangeOf = (s) => (s.bits === 0 ? "" : s.bits === 1 ? `bit ${s.first_bit}` : `bits ${s.first_bit}–${s.first_bit + s.bits - 1}`);
// A step in a few words.
function shortOf(s, answer) {
  const seen = s.bits <= 16 && s.value?.startsWith("0x") ? String(Number(s.value)) : s.value;
  const what = s.bits ? `${rangeOf(s)}${s.bits <= 32 && seen ? ` = ${seen}` : ""}` : s.key ? `entry ${s.key}` : "";
  const to = s.result === "answered" ? answer : s.result === "missed" ? "no match" : s.found !== null ? `${s.found_in}[${s.found}]` : s.found_in;
  return [s.kind || s.part, what].filter(Boolean).join(": ") + ` → ${to}`;
}

// One stop of the Tab key; the arrow keys go from step to step.
function drawSteps(steps, answer, go) {
  const folds = steps.length > 10, list = el("ol", { class: folds ? "steps folded" : "steps" }), buttons = [];
  const isByBit = steps.every((s, i) => s.bits <= 1 || i === steps.length - 1);
  let row = null, begun = null;
  steps.forEach((s, i) => {
    const button = colored(el("button", { type: "button" }), i, steps.length);
    if (folds) {
      const fold = isByBit && s.bits === 1 ? `${8 * Math.floor(s.first_bit / 8)}` : isByBit ? "end" : `steps ${8 * Math.floor(i / 8) + 1}–${Math.min(8 * Math.floor(i / 8) + 8, steps.length)}`;
      button.setAttribute("aria-label", `Step ${i + 1}. ${s.sentence}`);
      button.title = s.sentence;
      button.append(s.result === "answered" ? "✓" : isByBit && s.bits === 1 ? s.value.replace("0x", "") : String(i + 1));
      if (fold !== begun) {
        begun = fold;
        row = el("span", { class: "fold" });
        list.append(el("li", {}, el("span", {}, isByBit && s.bits === 1 ? `bits ${fold}–${+fold + 7}` : fold), row));
      }
      row.append(button);
    } else {
      button.append(el("span", { class: "no" }, String(i + 1)), el("span", {}, shortOf(s, answer)));
      list.append(el("li", {}, button));
    }
    button.addEventListener("click", () => go(i + 1));
    buttons.push(button);
  });
  return { node: list, update(t) {
    const at = Math.max(0, t - 1);
    if (list.contains(document.activeElement)) buttons[at].focus({ preventScroll: true });
    buttons.forEach((button, i) => {
      button.tabIndex = i === at ? 0 : -1;
      toggle(button, "read", i < t);
      if (i === t - 1) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
  } };
}

const HEADS = ["step", "part", "node", "offset", "bits", "value", "bytes", "line", "explanation"];
function tableOfSteps(lookup) {
  const cellsOf = (s, i) => [i + 1, s.part, s.kind ? `${s.kind}${s.prefix ? ` ${s.prefix}` : ""}` : "–", s.offset, rangeOf(s).replace(/bits? /, "") || "–", s.value || "–", s.bytes, s.cache_lines.join(", "), s.sentence];
  return el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": `Steps of ${lookup.scheme}` },
    el("table", {}, el("caption", {}, lookup.scheme), el("thead", {}, el("tr", {}, HEADS.map((h) => el("th", { scope: "col" }, h)))),
      el("tbody", {}, lookup.steps.map((s, i) => el("tr", {}, cellsOf(s, i).map((c) => el("td", {}, String(c))))))));
}
