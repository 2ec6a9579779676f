// The editor of the table, for each family: as a list, as text, and with undo.
const MOST_ROUTES = 256; 

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

  // `keeps`: the text field already has this table.
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
    if (routes.length > MOST_ROUTES) faults.push({ reason: `${routes.length} routes are more than the ${MOST_ROUTES} that the page takes` });
    showFaults(faults);
    if (!faults.length) set(routes, true);
  }
  function chip(words, label, act) {
    const button = el("button", { type: "button", "aria-label": label, title: label }, words);
    button.addEventListener("click", () => {
      const at = [...button.parentNode.parentNode.children].indexOf(button.parentNode), list = button.closest("ul");
      act();
      // The list was rebuilt, so the next entry takes the focus.
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
    $("routes").replaceChildren(...own.routes.map((r) => chip(`${r.prefix} ${r.next_hop} ×`, `Remove ${r.prefix} ${r.next_hop}`, () => set(own.routes.filter((o) => o !== r)))));
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
    // Shows the editor of a family, with the table from the URL if there is one.
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
    // The only change since the first table, in the form of the data; null if there are none or several.
    change() {
      const { first, routes } = of();
      const gone = first.filter((r) => !routes.some((o) => o.prefix === r.prefix && o.next_hop === r.next_hop));
      const come = routes.filter((r) => !first.some((o) => o.prefix === r.prefix && o.next_hop === r.next_hop));
      if (gone.length + come.length !== 1) return null;
      return gone.length ? { take_out: gone[0].prefix } : { add: come[0].prefix, next_hop: come[0].next_hop };
    },
  };
}

// Describes which changes have their structures in the page.
function madeWords(page) {
  const made = page.neighbours.length, all = made === page.changes;
  if (!made) return "The page does not include the structures of changed tables, because it would be too large.";
  return `After ${all ? `any one of these ${made} changes` : `one of the ${made} nearest of these ${page.changes} changes`}, the page also shows the structures and steps for ${page.questions[0].address}. ` +
    `For other tables it shows a command.`;
}

// A shell command that explains the changed table. No line of the table can end it, because each starts with a prefix.
function commandFor(page, family, schemes, text) {
  const addresses = page.questions.filter((q) => q.family === family).map((q) => q.address);
  return `fingerpost explain --table - --family ${family} --scheme ${schemes.join(",")} --html changed.html ${addresses.join(" ")} <<'END'\n${text}\nEND`;
}
