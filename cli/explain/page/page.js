// The page: one clock for all schemes. Step t is the t-th dependent read of each.
const MOST_PANELS = 4, LAYOUTS = ["side by side", "vertical"];
const state = { question: 0, step: 0, schemes: [], layout: LAYOUTS[0], playing: 0 };
const wide = matchMedia("(min-width: 1120px)"), narrow = matchMedia("(max-width: 759px)"), calm = matchMedia("(prefers-reduced-motion: reduce)");
let page = null, editor = null, shown = { panels: [], line: null, longest: 0 }, building = 0;

const question = () => page.questions[state.question];
const names = () => question().schemes.map((s) => s.scheme);
const columns = () => (narrow.matches || state.layout === LAYOUTS[1] ? 1 : Math.min(state.schemes.length, wide.matches ? MOST_PANELS : 2));

function prepared(one) {
  for (const lookup of one.schemes) {
    lookup.shows_steps = lookup.steps !== null;
    lookup.steps ??= [];
    for (const s of lookup.steps) s.range = s.first && s.last ? [addressOf(s.first, one.family), addressOf(s.last, one.family)] : null;
  }
  return one;
}

// --- the table: the first one; one that is a single change away, with structures; or any other, without them
async function viewed() {
  const q = question(), first = { question: q, table: shownTable(q.table, q.family), drawings: page.drawings, isOld: false };
  if (!editor.isChanged()) return first;
  const change = JSON.stringify(editor.change());
  const found = state.question === 0 && page.neighbours.find((n) => JSON.stringify(n.change) === change);
  if (!found) return { ...first, table: tableOf(editor.routes(), q.family), isOld: true };
  found.data ??= await unpacked(found.packed);
  if (!found.isReady) prepared(found.data.question);
  found.isReady = true;
  return { question: found.data.question, table: shownTable(found.data.question.table, q.family), drawings: found.data.drawings, isOld: false };
}

function answerOf(view, best) {
  if (!best) return { name: "no route", words: ["it has ", el("b", { class: "hop" }, "no route")] };
  const q = view.question, columns = q.values && !view.isOld ? Object.values(q.values).map((v) => v ?? "-") : [];
  const name = columns.length > 1 ? columns.join(", ") : best.next_hop || "-";
  const verb = columns.length > 1 ? "its answer is " : best.next_hop ? "the next hop is " : "there is ";
  return { name, words: [verb, el("b", { class: "hop" }, name === "-" ? "a route without a next hop" : name)] };
}

function showHead(q, covers, answer) {
  const best = covers[covers.length - 1], others = covers.slice(0, -1).map((r) => r.prefix);
  document.title = `How ${q.address} finds ${answer.name}`;
  $("title").replaceChildren("How ", el("span", { class: "whole" }, q.address), " finds ", el("span", { class: "whole" }, answer.name === "-" ? "its route" : answer.name));
  const lead = !best ? ["No prefix of the table covers it, so "] : others.length
    ? [`${covers.length} prefixes cover it: ${others.join(", ")} and `, el("b", {}, best.prefix), ". The longest one wins, so "]
    : ["Only ", el("b", {}, best.prefix), " covers it, so "];
  $("lead").replaceChildren(...(q.asked !== q.address ? [`Given as ${q.asked}. `] : []), ...lead, ...answer.words, ".");
}

function showOld(isOld) {
  $("old").hidden = !isOld;
  $("copied").textContent = "";
  if (!isOld) return;
  $("old-words").textContent = "The table has changed. The line below the structures shows the new table, but the structures and steps are still those of the old one. This command explains the new table:";
  $("command").textContent = commandFor(page, question().family, state.schemes, editor.text());
}

async function build() {
  const turn = ++building, view = await viewed();
  // A later change has overtaken this one.
  if (turn !== building) return;
  const q = view.question, number = addressOf(q.address, q.family);
  const covers = editor.isChanged() ? coversOf(view.table.listed, number) : q.covers.map((c) => ({ prefix: c.prefix, next_hop: String(c.next_hop ?? "") }));
  const answer = answerOf(view, covers[covers.length - 1]);
  const old = view.isOld ? String(question().next_hop ?? (question().prefix ? "-" : "no route")) : answer.name;
  showHead(q, covers, answer);
  showOld(view.isOld);
  const isBeside = wide.matches && columns() === 1, rows = Math.ceil(state.schemes.length / columns());
  const lookups = state.schemes.map((name) => q.schemes.find((s) => s.scheme === name));
  shown.longest = Math.max(0, ...lookups.map((l) => l.steps.length));
  state.step = Math.min(state.step, shown.longest);
  shown.line = drawLine(view.table, q, lookups, view.isOld);
  shown.panels = lookups.map((lookup, k) => makePanel({ lookup, question: q, isOld: view.isOld, answer: old, go: jump, isBeside, isOpen: rows === 1,
    drawings: lookup.drawing === null ? [] : view.drawings.map(([width, all]) => [width, all[lookup.drawing]]), letter: lookups.length > 1 ? letterOf(k) : "" }));
  $("panels").replaceChildren(...shown.panels.map((p) => p.node));
  styled($("panels"), { "--columns": columns() });
  // All of one row fits below the header, unless the drawings get too low.
  const left = bottom() - $("panels").offsetTop;
  for (const panel of shown.panels) panel.layout(rows === 1 && left > 420 ? left - 12 : bottom() / rows - 12);
  $("scrub").max = Math.max(1, shown.longest);
  $("tables").replaceChildren(...lookups.filter((l) => l.steps.length).map(tableOfSteps));
  update();
  for (const panel of shown.panels) panel.follow(state.step, "instant", 0);
  document.documentElement.dataset.ready = String(turn);
}

function update() {
  for (const panel of shown.panels) panel.update(state.step);
  shown.line.update(state.step);
  const words = `Step ${state.step} of ${shown.longest}. ${shown.panels.map((p) => p.says(state.step)).join(" ")}`;
  $("scrub").value = state.step;
  $("scrub").setAttribute("aria-valuetext", words);
  $("count").textContent = `step ${state.step} of ${shown.longest}`;
  $("first").disabled = $("back").disabled = state.step === 0;
  $("next").disabled = $("last").disabled = state.step === shown.longest;
  $("play").disabled = shown.longest === 0;
  const url = new URLSearchParams({ address: question().address, step: state.step, schemes: state.schemes.join(",") });
  if (state.layout !== LAYOUTS[0]) url.set("layout", state.layout);
  if (editor.isChanged()) url.set("table", editor.text());
  history.replaceState(null, "", `#${url.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/")}`);
  return words;
}

// Where the controls begin, which cover the end of the window.
const bottom = () => innerHeight - document.querySelector(".transport").offsetHeight;
// Drawings scroll to what the step reads. The window scrolls to the panels if it does not show that, but stays where the
// reader has chosen one of several rows.
function follow() {
  const behavior = calm.matches ? "instant" : "smooth", seen = shown.panels.map((panel) => panel.follow(state.step, behavior, bottom()));
  const isChosen = seen.some(Boolean) && columns() < shown.panels.length && scrollY >= $("panels").offsetTop - 1;
  if (!isChosen && !seen.every(Boolean)) shown.panels[0].node.scrollIntoView({ block: "start", behavior });
}

// --- the clock
function go(step) {
  if (!shown.line) return;
  state.step = Math.max(0, Math.min(shown.longest, step));
  const words = update();
  follow();
  if (!state.playing) $("say").textContent = words;
  if (state.step === shown.longest) pause();
}
function jump(step) {
  pause();
  go(step);
}
function pause() {
  clearInterval(state.playing);
  state.playing = 0;
  $("play").setAttribute("aria-label", "Play");
  $("play-icon").setAttribute("d", "M4 2.5v11L14 8z");
}
function play() {
  if (state.playing) return pause();
  if (!shown.longest) return;
  if (state.step === shown.longest) go(0);
  state.playing = setInterval(() => go(state.step + 1), shown.longest > 10 ? 900 : 1800);
  $("play").setAttribute("aria-label", "Pause");
  $("play-icon").setAttribute("d", "M3 2.5h4v11H3zM9 2.5h4v11H9z");
}

// --- choices
function choose(box, label, type, checked, act) {
  const input = el("input", { type, name: box.id, value: label });
  input.checked = checked;
  input.addEventListener("change", () => act(input));
  box.append(el("label", {}, input, el("span", { class: "mono" }, label)));
}
function askAddress(k) {
  pause();
  state.question = k;
  state.step = 0;
  showChoices();
  editor.choose(question().family, null);
  build();
}
const tooMany = (count) => `${count} schemes are more than ${MOST_PANELS} panels`;
function askScheme(name, isOn) {
  pause();
  const order = names();
  if (isOn && state.schemes.length === MOST_PANELS) {
    showChoices();
    $("limit").textContent = tooMany(MOST_PANELS + 1);
    return;
  }
  state.schemes = order.filter((s) => (s === name ? isOn : state.schemes.includes(s)));
  if (!state.schemes.length) state.schemes = [name];
  showChoices();
  build();
}
function askLayout(layout) {
  state.layout = layout;
  showChoices();
  build();
}
function showChoices() {
  const focus = document.activeElement, kept = focus?.closest("fieldset")?.id, value = focus?.value;
  for (const id of ["addresses", "schemes", "layouts"]) $(id).replaceChildren($(id).firstElementChild);
  page.questions.forEach((q, k) => choose($("addresses"), q.address, "radio", k === state.question, () => askAddress(k)));
  const chosen = state.schemes.filter((s) => names().includes(s));
  state.schemes = chosen.length ? chosen.slice(0, MOST_PANELS) : names().slice(0, narrow.matches ? 1 : 2);
  $("limit").textContent = chosen.length > MOST_PANELS ? tooMany(chosen.length) : "";
  for (const name of names()) choose($("schemes"), name, "checkbox", state.schemes.includes(name), (input) => askScheme(name, input.checked));
  for (const layout of LAYOUTS) choose($("layouts"), layout, "radio", layout === state.layout, () => askLayout(layout));
  $("addresses").hidden = page.questions.length < 2;
  $("schemes").hidden = names().length < 2;
  $("layouts").hidden = narrow.matches || state.schemes.length < 2;
  if (kept) [...$(kept).querySelectorAll("input")].find((one) => one.value === value)?.focus({ preventScroll: true });
}

// --- keys, address bar, paper
const press = { first: () => go(0), back: () => go(state.step - 1), next: () => go(state.step + 1), last: () => go(shown.longest) };
const KEYS = { ArrowLeft: press.back, ArrowRight: press.next, Home: press.first, End: press.last };
function listen() {
  for (const [id, act] of Object.entries(press)) $(id).addEventListener("click", () => {
    pause();
    act();
  });
  $("play").addEventListener("click", play);
  $("scrub").addEventListener("input", () => jump(+$("scrub").value));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input:not([type=checkbox]), textarea")) return;
    if (KEYS[event.key]) {
      event.preventDefault();
      pause();
      KEYS[event.key]();
    } else if (event.key === " " && !event.target.matches("button, summary, input")) {
      event.preventDefault();
      play();
    }
  });
  let width = innerWidth, wait = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(wait);
    wait = setTimeout(() => {
      showChoices();
      build();
    }, 60);
  });
  addEventListener("hashchange", () => {
    pause();
    readUrl();
    build();
  });
  let before = 0;
  addEventListener("beforeprint", () => {
    pause();
    before = state.step;
    go(shown.longest);
  });
  addEventListener("afterprint", () => go(before));
  $("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText($("command").textContent);
      $("copied").textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren($("command"));
      $("copied").textContent = "Selected: press your system's keys for copying.";
    }
  });
}
function readUrl() {
  const asked = new URLSearchParams(location.hash.slice(1));
  state.question = Math.max(0, page.questions.findIndex((q) => q.address === asked.get("address")));
  state.step = Math.max(0, Math.floor(+asked.get("step")) || 0);
  state.schemes = (asked.get("schemes") ?? "").split(",");
  state.layout = LAYOUTS.find((layout) => layout === asked.get("layout")) ?? LAYOUTS[0];
  showChoices();
  editor.choose(question().family, asked.get("table"));
}

async function begin() {
  const given = JSON.parse($("data").textContent);
  if (typeof DecompressionStream === "undefined") {
    $("lead").textContent = "This page needs a newer browser (with DecompressionStream). fingerpost explain without --html prints the same steps as text.";
    return;
  }
  page = { ...given, ...(await unpacked(given.packed)) };
  page.questions.forEach(prepared);
  editor = makeEditor(page, build);
  listen();
  readUrl();
  await build();
}
begin();
