// The table on a line: routes as nested bars, elementary intervals of equal widths, and for each scheme a bar over the
// intervals that are still possible. Places are shares of the whole, so the same elements fit a horizontal line and a
// vertical one.
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const letterOf = (k) => LETTERS[k % 26] + (k >= 26 ? Math.floor(k / 26) : "");

// Where a lookup may still end after `t` steps: in what all nodes cover that it has reached, the next one included.
function possibleAfter(lookup, t, table, number) {
  let first = 0n, last = table.intervals[table.intervals.length - 1].last;
  const narrow = (from, to) => {
    if (from > first) first = from;
    if (to < last) last = to;
  };
  if (t >= lookup.steps.length) first = last = number;
  else for (const s of lookup.steps.slice(0, t + 1)) if (s.range) narrow(...s.range);
  const at = (n) => table.intervals.findIndex((i) => n <= i.last);
  return [Math.max(0, at(first)), at(last) < 0 ? table.intervals.length - 1 : at(last)];
}

const nameOf = (interval) => (interval.prefix ? interval.next_hop || "–" : "no route");

function drawLine(table, question, shown, isOld) {
  const box = $("line-drawing"), n = table.intervals.length, number = addressOf(question.address, question.family);
  const depths = Math.max(0, ...table.listed.map((r) => r.depth)) + (table.listed.length ? 1 : 0);
  const here = table.intervals.findIndex((i) => i.first <= number && number <= i.last);
  const covers = coversOf(table.listed, number), best = covers[covers.length - 1];
  const lookups = isOld ? [] : shown;
  box.replaceChildren();
  // 60 pixels a column, or less where all names have room.
  const longest = Math.max(...table.intervals.map((one) => nameOf(one).length));
  const upright = box.clientWidth / n < Math.min(60, Math.max(28, 6.4 * longest + 5));
  toggle(box, "upright", upright);
  styled(box, { "--depths": depths, "--count": n, "--spans": lookups.length });
  const place = (node, first, last) => styled(node, { "--a": first / n, "--b": (last + 1) / n });
  for (const r of table.listed) {
    // A part of a large table may list a cover of which it lists no interval.
    if (r.first_interval > r.last_interval) continue;
    const name = r.last_interval - r.first_interval > 1 ? `${r.prefix} ${r.next_hop}` : r.next_hop || r.prefix;
    const bar = el("div", { class: "bar", title: `${r.prefix} ${r.next_hop}` }, el("i", {}, name));
    styled(bar, { "--d": r.depth });
    toggle(bar, "covers", covers.includes(r));
    toggle(bar, "wins", r === best);
    box.append(place(bar, r.first_interval, r.last_interval));
  }
  const cells = table.intervals.map((one, k) => {
    const ends = textOf(one.last, question.family);
    const cell = el("div", { class: "cell", title: `${textOf(one.first, question.family)} to ${ends}` },
      el("span", { class: "n" }, String(k)), el("span", { class: "ends" }, el("span", { class: "to" }, "to "), ends), el("span", { class: "hop" }, nameOf(one)));
    toggle(cell, "end", k === n - 1);
    toggle(cell, "here", k === here);
    box.append(place(cell, k, k));
    return cell;
  });
  const spans = lookups.map((_, k) => {
    const span = styled(el("div", { class: "span" }, el("i")), { "--k": k });
    box.append(place(span, 0, n - 1));
    return span;
  });
  // A name is there whole or not at all; the title has it.
  for (const one of box.querySelectorAll(".bar i, .cell .hop")) if (one.scrollWidth > one.clientWidth + 1) one.textContent = "";
  $("line-hint").textContent = hintOf(table, n, lookups.length);
  box.setAttribute("aria-label", `${counted(table.listed.length, "route")} and ${counted(n, "interval")}; ${question.address} is in interval ${here}`);
  if (upright && box.scrollHeight > box.clientHeight) box.scrollTop = (box.scrollHeight * here) / n - box.clientHeight / 2;
  return {
    update(t) {
      const left = lookups.map((lookup) => possibleAfter(lookup, t, table, number));
      spans.forEach((span, k) => {
        const [first, last] = left[k], done = t >= lookups[k].steps.length;
        place(span, first, last);
        toggle(span, "done", done);
        const wide = !upright && ((last - first + 1) * box.clientWidth) / n > 110;
        span.firstChild.textContent = lookups.length === 1 ? (wide ? "still possible" : "") : wide ? `${letterOf(k)}: still possible` : letterOf(k);
      });
      const done = lookups.every((lookup) => t >= lookup.steps.length);
      cells.forEach((cell, k) => {
        toggle(cell, "open", !lookups.length || left.some(([first, last]) => k >= first && k <= last));
        toggle(cell, "answer", k === here && done);
      });
    },
  };
}

function hintOf(table, n, bars) {
  const routes = table.whole ? `${counted(table.routes, "route")} ${table.routes === 1 ? "makes" : "make"} ${counted(n, "interval")}.` : `${table.listed.length} of ${counted(table.routes, "route")}, those around the address, and ${counted(n, "interval")}.`;
  const words = bars === 0 ? "" : bars === 1 ? " The solid bar shows which intervals are still possible." : ` The bars ${letterOf(0)} ${bars === 2 ? "and" : "to"} ${letterOf(bars - 1)} show which intervals are still possible.`;
  return `${routes}${words} Not to scale.`;
}
