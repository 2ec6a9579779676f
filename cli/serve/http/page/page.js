
"use strict";
// Queries the server and shows its answers. Texts of tables are data: they only ever become text nodes.

const byId = id => document.getElementById(id);

// The response of /tables: the names of tables and of the members of answers.
let known = null;
// Answers to earlier queries are dropped.
let latest = 0;

function element(name, text, kind) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

function say(text, isWrong) {
  byId("status").textContent = text;
  byId("status").classList.toggle("wrong", Boolean(isWrong));
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer.");
  }
  let body;
  try {
    body = await answer.json();
  } catch {
    throw new Error(`The server answered with code ${answer.status}, and not as expected.`);
  }
  if (!answer.ok) throw new Error(`The server refuses this: ${body.error}.`);
  return {body, generation: Number(answer.headers.get("Fingerpost-Generation"))};
}

const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

async function learn() {
  known = (await ask("tables")).body;
  const routes = count(known.routes.ipv4, "IPv4 route", "IPv4 routes") + " and " + count(known.routes.ipv6, "IPv6 route", "IPv6 routes");
  byId("facts").textContent = `${routes}, read ${known.loaded.replace("T", " ").replace("Z", " UTC")}`;
  const select = byId("table");
  const chosen = select.value;
  select.replaceChildren(element("option", "all"));
  select.firstChild.value = "";
  for (const table of known.tables) {
    const option = element("option", table.name);
    option.value = table.name;
    select.append(option);
  }
  select.value = known.tables.some(table => table.name === chosen) ? chosen : "";
  const isOffered = known.tables.length > 1;
  byId("choice").hidden = !isOffered;
  select.disabled = !isOffered;
}

// The member names for the chosen table, from the table that answered.
async function membersFor(table, generation) {
  if (known === null || known.generation !== generation) await learn();
  const match = known.tables.find(each => each.name === table);
  return match ? match.members : known.members;
}

function query(table) {
  return table ? "?" + new URLSearchParams({table}) : "";
}

function cell(kind, text) {
  const isThere = text !== null && text !== undefined;
  return element(kind, isThere ? text : "\u2013", isThere ? "" : "none");
}

function fill(title, caption, heads, rows) {
  byId("answer-title").textContent = title;
  byId("rows-title").textContent = caption;
  byId("rows").querySelector("thead tr").replaceChildren(...heads.map(head => {
    const cell = element("th", head);
    cell.scope = "col";
    return cell;
  }));
  byId("rows").querySelector("tbody").replaceChildren(...rows);
  byId("rows").classList.toggle("many", heads.length > 4);
  byId("answer").hidden = false;
}

function showOne(row, members) {
  const address = row[members.address];
  const covers = [...row.covers].reverse();
  const match = covers[0];
  const list = byId("match");
  list.hidden = match === undefined;
  list.replaceChildren();
  if (match !== undefined)
    for (const name of [members.prefix, ...members.columns])
      list.append(element("dt", name === members.prefix ? "longest match" : name), cell("dd", match[name]));
  byId("how").hidden = match === undefined;
  byId("explain").href = "explain/" + encodeURIComponent(address);
  fill(address, "Prefixes that contain this address, longest first", [members.prefix, ...members.columns], covers.map((cover, at) => {
    const line = element("tr", undefined, at === 0 ? "match" : "");
    const head = cell("th", cover[members.prefix]);
    head.scope = "row";
    line.append(head, ...members.columns.map(name => cell("td", cover[name])));
    return line;
  }));
  const error = row[members.error];
  if (error !== undefined && error !== null) {
    byId("answer").hidden = true;
    say(`${address} is not an address: ${error}.`, true);
  } else if (match === undefined) {
    byId("answer").hidden = true;
    say(`No route contains ${address}.`);
  } else {
    const values = members.columns.filter(name => match[name] !== null).map(name => `${name} ${match[name]}`);
    say(`${address} matches ${match[members.prefix]}${values.length ? ": " + values.join(", ") : ""}`);
  }
}

function showList(rows, members) {
  const wrong = rows.filter(row => row[members.error] !== undefined).length;
  const matched = rows.filter(row => row[members.prefix] !== null).length;
  byId("match").hidden = true;
  byId("how").hidden = true;
  const heads = [members.address, members.prefix, ...members.columns];
  fill("The list", "Longest matches, in the order of the list", heads, rows.map(row => {
    const line = element("tr");
    const head = element("th");
    head.scope = "row";
    const error = row[members.error];
    if (row[members.prefix] === null) {
      head.textContent = row[members.address];
    } else {
      const button = element("button", row[members.address]);
      button.type = "button";
      button.title = "Show all prefixes that contain this address";
      head.append(button);
    }
    if (error === undefined) {
      line.append(head, cell("td", row[members.prefix]), ...members.columns.map(name => cell("td", row[name])));
    } else {
      const why = element("td", error, "wrong");
      why.colSpan = heads.length - 1;
      line.append(head, why);
    }
    return line;
  }));
  say(`${count(rows.length, "address", "addresses")}: ${matched.toLocaleString("en")} with a match, ` +
    `${(rows.length - matched - wrong).toLocaleString("en")} without, ${wrong.toLocaleString("en")} that ${wrong === 1 ? "is" : "are"} none.`);
}

// Runs one query. Only the latest one shows its answer.
async function run(question) {
  const number = ++latest;
  document.body.setAttribute("aria-busy", "true");
  try {
    const show = await question();
    if (number === latest) show();
  } catch (fault) {
    if (number !== latest) return;
    byId("answer").hidden = true;
    say(fault.message, true);
  } finally {
    if (number === latest) document.body.removeAttribute("aria-busy");
  }
}

function askOne(address) {
  const table = byId("table").value;
  const parameters = new URLSearchParams({address, ...(table ? {table} : {})});
  history.replaceState(null, "", "?" + parameters);
  return run(async () => {
    const {body, generation} = await ask("covers?" + parameters);
    const members = await membersFor(table, generation);
    return () => showOne(body[0], members);
  });
}

byId("one").addEventListener("submit", event => {
  event.preventDefault();
  askOne(byId("address").value.trim());
});

byId("list").addEventListener("submit", event => {
  event.preventDefault();
  const addresses = byId("addresses").value.split(/[\s,;]+/).filter(text => text !== "");
  if (addresses.length === 0) return say("The list has no address.", true);
  const table = byId("table").value;
  run(async () => {
    const options = {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(addresses)};
    const {body, generation} = await ask("lookup" + query(table), options);
    const members = await membersFor(table, generation);
    return () => showList(body, members);
  });
});

byId("rows").addEventListener("click", event => {
  if (!(event.target instanceof HTMLButtonElement)) return;
  byId("address").value = event.target.textContent;
  byId("address").focus();
  askOne(event.target.textContent);
});

byId("many").hidden = false;
const initial = new URLSearchParams(location.search);
run(async () => {
  await learn();
  const table = initial.get("table");
  if (known.tables.some(each => each.name === table)) byId("table").value = table;
  return () => {
    if (!initial.get("address")) return;
    byId("address").value = initial.get("address");
    askOne(initial.get("address"));
  };
});
