// A small table in the page: reads its text, finds longest matches and elementary intervals. Tests compare all
// three with the program's.

function routeOf(prefix, hop, family) {
  const [address, length] = prefix.split("/");
  const size = 1n << BigInt(WIDTH[family] - +length), first = addressOf(address, family);
  return { prefix, next_hop: hop, length: +length, first, last: first + size - 1n };
}
const inPrefixOrder = (a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : a.length - b.length);
const isSameTable = (a, b) => a.length === b.length && a.every((r, i) => r.prefix === b[i].prefix && r.next_hop === b[i].next_hop);

// Returns {prefix, next_hop}, null for a line without a route, or throws the reason as text.
function routeOfLine(line, family) {
  if (/\r|\0/.test(line)) throw "the line has a carriage return or a NUL byte";
  if (line.startsWith(";")) return null;
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return null;
  const [, where, rest] = /^([^\s,;|]*)(.*)$/.exec(text);
  if (where === "") throw "no prefix before the separator";
  const prefix = prefixOf(where, family);
  if (family === 4 && !where.includes("/") && isMask(/^[\s,;|]*(\S*)/.exec(rest)[1])) throw "masks are not read here; write a length, as in 10.0.0.0/8";
  return { prefix, next_hop: hopOf(rest) };
}

function isMask(text) {
  const mask = addressOf(text, 4);
  return mask !== null && /^1*0*$/.test(bitsOf(mask, 4));
}

function prefixOf(text, family) {
  if (text === "default") return family === 4 ? "0.0.0.0/0" : "::/0";
  const [address, length, more] = text.split("/"), width = WIDTH[family];
  const number = addressOf(address, family);
  if (number === null) {
    if (addressOf(address, family === 4 ? 6 : 4) !== null) throw `${text} belongs to the other family; this table has IPv${family} routes`;
    throw `${text} is not a prefix`;
  }
  if (length === undefined) return `${textOf(number, family)}/${width}`;
  if (more !== undefined || !/^(0|[1-9]\d{0,2})$/.test(length) || +length > width) throw `${text}: the length must be 0 to ${width}`;
  const host = BigInt(width - +length);
  return `${textOf((number >> host) << host, family)}/${length}`;
}

// The text after the prefix. The program reads more forms; these are the ones with one column.
function hopOf(rest) {
  let text = rest.replace(/(^|\s)#.*$/, "").trim();
  const separator = /^[,;|]/.exec(text)?.[0];
  if (separator) text = text.slice(1).trim();
  if (text.startsWith('"')) {
    const quoted = /^"((?:[^"]|"")*)"\s*[,;|]?$/.exec(text);
    if (!quoted) throw "a quote is not closed, or text follows it";
    text = quoted[1].replaceAll('""', '"');
  } else if (separator === ";" || separator === "|") {
    text = text.replace(/\s*[;|]$/, "");
    if (text.includes(separator)) throw "a line must have a prefix and one next hop";
  } else if (/[\s,;|]/.test(text)) throw "a line must have a prefix and one next hop";
  if (/[\u0000-\u001f\u007f]/.test(text)) throw "the next hop has a control character";
  return text;
}

// If a prefix occurs twice, the last line counts.
function readTable(text, family) {
  const routes = new Map(), faults = [];
  text.split("\n").forEach((line, i) => {
    try {
      const one = routeOfLine(line, family);
      if (one) routes.set(one.prefix, routeOf(one.prefix, one.next_hop, family));
    } catch (reason) {
      if (typeof reason !== "string") throw reason;
      faults.push({ line: i + 1, reason });
    }
  });
  return { routes: [...routes.values()].sort(inPrefixOrder), faults };
}
// Lines that readTable() and the program read back.
const lineOf = (r) => (r.next_hop === "" ? r.prefix : /[\s,;|#"]/.test(r.next_hop) ? `${r.prefix} "${r.next_hop.replaceAll('"', '""')}"` : `${r.prefix} ${r.next_hop}`);

const coversOf = (routes, number) => routes.filter((r) => r.first <= number && number <= r.last).sort((a, b) => a.length - b.length);

// Ascending, without gaps. Neighbours with one next hop are one interval.
function intervalsOf(routes, family) {
  const end = (1n << BigInt(WIDTH[family])) - 1n;
  const starts = new Set([0n]);
  for (const r of routes) {
    starts.add(r.first);
    if (r.last < end) starts.add(r.last + 1n);
  }
  const found = [];
  for (const first of [...starts].sort((a, b) => (a < b ? -1 : 1))) {
    const match = coversOf(routes, first).pop(), before = found[found.length - 1];
    const hop = match ? match.next_hop : null;
    if (before && before.next_hop === hop) continue;
    if (before) before.last = first - 1n;
    found.push({ first, last: end, prefix: match ? match.prefix : null, next_hop: hop });
  }
  return found;
}

// The table of a question, with numbers: {routes, whole, listed, intervals}.
function shownTable(given, family) {
  return {
    routes: given.routes, whole: given.whole,
    listed: given.listed.map((r) => ({ ...routeOf(r.prefix, r.next_hop ?? "", family), depth: r.depth, first_interval: r.first_interval, last_interval: r.last_interval })),
    intervals: given.intervals.map((i) => ({ ...i, first: addressOf(i.first, family), last: addressOf(i.last, family) })),
  };
}
// A table that was changed in the page.
function tableOf(routes, family) {
  const intervals = intervalsOf(routes, family), at = (n) => intervals.findIndex((i) => n <= i.last);
  return {
    routes: routes.length, whole: true, intervals,
    listed: routes.map((r) => ({ ...r, depth: routes.filter((o) => o !== r && o.first <= r.first && r.last <= o.last).length, first_interval: at(r.first), last_interval: at(r.last) })),
  };
}
