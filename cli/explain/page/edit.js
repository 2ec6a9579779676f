// The table as it was changed here, for each family: as a list, as text, and back again.
const MOST_ROUTES = 256; // that the page takes

function makeEditor(page, changed) {
  const families = new Map();
  let family = 0;
  const of = () => families.get(family);
  const textOfRoutes = (routes) => routes.map(lineOf).join("\n");

  for (const q of page.questions) {
    if (families.has(q.family) || !q.table.whole || page.changes === 0) continue;
    const first = q.table.listed.map((r) => routeOf(r.prefix, r.next_hop ?? "", q.family)).sort(inPrefixOrder);
    families.set(q.family, { first, routes: first, before: [] });
  }

  // `keeps`: the text field has what the table was read from.
  function set(routes, keeps = false) {
    const own = of();
    if (isSameTable(routes, own.routes)) return;
    own.before.push(own.routes);
    own.routes = routes;
    if (!keeps) $("text").value = textOfRoutes(routes);
    if (!keeps) showFaults([]);
    draw();
    changed();
  }
  function showFaults(faults) {
    $("text").setAttribute("aria-invalid", faults.length ? "true" : "false");
    $("faults").replaceChildren(...faults.map((f) => el("li", {}, f.line ? `line ${f.line}: ${f.reason}` : f.reason)));
    $("marks").replaceChildren(...faults.filter((f) => f.line).map((f) => styled(el("li", {}, `← ${f.reason}`), { "--line": f.line - 1 })));
  }
  function read() {
    const { routes, faults } = readTable($("text").value, family);
    if (routes.length > MOST_ROUTES) faults.push({ reason: `the page takes up to ${MOST_ROUTES} routes, and here are ${routes.length}` });
    showFaults(faults);
    if (!faults.length) set(routes, true);
  }
  function chip(words, label, act) {
    const button = el("button", { type: "button", "aria-label": label, title: label }, words);
    button.addEventListener("click", () => {
      const at = [...button.parentNode.parentNode.children].indexOf(button.parentNode), list = button.closest("ul");
      act();
      // The list is new; the next one takes the focus.
      (list.children[Math.min(at, list.children.length - 1)]?.firstChild ?? $("undo")).focus({ preventScroll: true });
    });
    return el("li", {}, button);
  }
  function draw() {
    const own = of();
    $("edit").hidden = !own;
    if (!own) return;
    const has = (prefix) => own.routes.some((r) => r.prefix === prefix);
    const without = own.first.filter((r) => !has(r.prefix));
    $("routes").replaceChildren(...own.routes.map((r) => chip(`${r.prefix} ${r.next_hop} ×`, `Take out ${r.prefix} ${r.next_hop}`, () => set(own.routes.filter((o) => o !== r)))));
    if (!own.routes.length) $("routes").append(el("li", {}, "none"));
    const offers = [...without, ...page.offers.filter((o) => o.family === family && !has(o.prefix) && !without.some((r) => r.prefix === o.prefix)).map((o) => routeOf(o.prefix, o.next_hop, family))];
    $("offers").replaceChildren(...offers.map((r) => chip(`+ ${r.prefix} ${r.next_hop}`, `Add ${r.prefix} ${r.next_hop}`, () => set([...own.routes, r].sort(inPrefixOrder)))));
    toggle($("offers-title"), "unseen", !offers.length);
    $("undo").disabled = !own.before.length;
    $("restore").disabled = isSameTable(own.routes, own.first);
    $("made").textContent = family === page.questions[0].family ? madeWords(page) : "";
  }

  $("text").addEventListener("input", read);
  $("text").addEventListener("scroll", () => styled($("marks"), { "--scrolled": `${$("text").scrollTop}px` }));
  $("undo").addEventListener("click", () => {
    const own = of(), before = own.before.pop();
    own.routes = before;
    $("text").value = textOfRoutes(before);
    showFaults([]);
    draw();
    changed();
  });
  $("restore").addEventListener("click", () => set(of().first));

  return {
    // Shows the editor of a family, with the table of the address bar if it has one.
    choose(next, text) {
      const isNew = family !== next;
      family = next;
      const own = of();
      if (own && text !== null) {
        const { routes, faults } = readTable(text, family);
        if (!faults.length && routes.length <= MOST_ROUTES && !isSameTable(routes, own.routes)) {
          own.before.push(own.routes);
          own.routes = routes;
          $("text").value = textOfRoutes(routes);
        }
      }
      if (isNew && own) $("text").value = textOfRoutes(own.routes);
      draw();
    },
    routes: () => of()?.routes ?? null,
    isChanged: () => !!of() && !isSameTable(of().routes, of().first),
    text: () => textOfRoutes(of().routes),
    // The one change by which the table differs from the first one, as in the data; null if there are none or more.
    change() {
      const { first, routes } = of();
      const gone = first.filter((r) => !routes.some((o) => o.prefix === r.prefix && o.next_hop === r.next_hop));
      const come = routes.filter((r) => !first.some((o) => o.prefix === r.prefix && o.next_hop === r.next_hop));
      if (gone.length + come.length !== 1) return null;
      return gone.length ? { take_out: gone[0].prefix } : { add: come[0].prefix, next_hop: come[0].next_hop };
    },
  };
}

// Which changes have their structures in the page.
function madeWords(page) {
  const made = page.neighbours.length, all = made === page.changes;
  if (!made) return "The structures and steps of changed tables are not in the page, as it would be too large.";
  return `With ${all ? `any one of these ${made} changes` : `one of the ${made} nearest of these ${page.changes} changes`}, the page shows the structures and steps of ${page.questions[0].address} too` +
    `${all ? "" : "; with all it would be larger than 400 KB"}. For other tables it gives a command.`;
}

// What explains the changed table in the shell; no line of the table ends it, as each begins with a prefix.
function commandFor(page, family, schemes, text) {
  const addresses = page.questions.filter((q) => q.family === family).map((q) => q.address);
  return `fingerpost explain --table - --family ${family} --scheme ${schemes.join(",")} --html changed.html ${addresses.join(" ")} <<'END'\n${text}\nEND`;
}
