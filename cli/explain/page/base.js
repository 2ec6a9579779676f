// Short names, numbers of addresses, and the data of the page. Texts come into the page by textContent alone.
const $ = (id) => document.getElementById(id);
const SVG = new Set(["svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "title", "desc", "defs", "pattern"]);

function el(tag, attributes = {}, ...inside) {
  const made = SVG.has(tag) && tag !== "title" ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  made.append(...inside.flat().filter((one) => one !== null));
  return made;
}
const toggle = (node, name, on) => node.classList.toggle(name, !!on);
const counted = (n, one, several = one + "s") => `${n} ${n === 1 ? one : several}`;
// A style by script; the policy of the page refuses attributes.
function styled(node, values) {
  for (const [name, value] of Object.entries(values)) node.style.setProperty(name, value);
  return node;
}

// --- colours: blue to magenta over the steps; green and amber are for the answer and for what is in hand
const hueOf = (i, n) => (240 + (n > 1 ? i / (n - 1) : 0) * 105).toFixed(1);
function colored(node, i, n) {
  node.classList.add("step-color");
  return styled(node, { "--h": hueOf(i, n) });
}

// --- addresses
const WIDTH = { 4: 32, 6: 128 };

// The address as a number, or null.
function addressOf(text, family) {
  if (family === 4) {
    const parts = text.split(".");
    if (parts.length !== 4 || !parts.every((p) => /^(0|[1-9]\d{0,2})$/.test(p) && +p < 256)) return null;
    return parts.reduce((sum, p) => (sum << 8n) + BigInt(p), 0n);
  }
  let tail = [], rest = text;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (dotted) {
    const last = addressOf(dotted[2], 4);
    if (last === null) return null;
    tail = [last >> 16n, last & 0xffffn];
    rest = dotted[1].endsWith("::") ? dotted[1] : dotted[1].slice(0, -1);
    if (rest === "") return null;
  }
  const halves = rest.split("::");
  if (halves.length > 2) return null;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  if (!groups.flat().every((g) => /^[0-9a-fA-F]{1,4}$/.test(g))) return null;
  const [front, back] = [groups[0], groups[1] ?? []].map((half) => half.map((g) => BigInt("0x" + g)));
  const given = front.length + back.length + tail.length;
  if (halves.length === 1 ? given !== 8 : given > 7) return null;
  return [...front, ...Array(8 - given).fill(0n), ...back, ...tail].reduce((sum, g) => (sum << 16n) + g, 0n);
}

// As the program writes it: the longest run of zero groups, the first of equal ones, is `::`, and an address of 32
// bits is dotted, also behind ::ffff:.
function textOf(number, family) {
  if (family === 4) return [24n, 16n, 8n, 0n].map((s) => (number >> s) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => (number >> BigInt(112 - 16 * i)) & 0xffffn);
  let best = { at: -1, size: 1 };
  for (let at = 0; at < 8; ++at) {
    let size = 0;
    while (at + size < 8 && groups[at + size] === 0n) ++size;
    if (size > best.size) best = { at, size };
  }
  const isShort = best.at === 0 && (best.size === 6 || (best.size === 5 && groups[5] === 0xffffn));
  if (isShort) return (best.size === 6 ? "::" : "::ffff:") + textOf(number & 0xffffffffn, 4);
  const hex = groups.map((g) => g.toString(16));
  return best.at < 0 ? hex.join(":") : `${hex.slice(0, best.at).join(":")}::${hex.slice(best.at + best.size).join(":")}`;
}
const bitsOf = (number, family) => number.toString(2).padStart(WIDTH[family], "0");

// --- the data: JSON that is deflated and in base64
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

// --- drawings: text made by the program, of which only shapes are taken
const ALLOWED = /^(class|data-[a-z-]+|d|x|y|x1|y1|x2|y2|cx|cy|r|rx|ry|width|height|points|viewBox|transform|fill|stroke|text-anchor|dominant-baseline|font-size|role|aria-label|aria-hidden|preserveAspectRatio|dx|dy)$/;
function drawingOf(text) {
  const copy = (from) => {
    if (from.nodeType === Node.TEXT_NODE) return document.createTextNode(from.data);
    if (from.nodeType !== Node.ELEMENT_NODE || !SVG.has(from.localName)) return null;
    const made = document.createElementNS("http://www.w3.org/2000/svg", from.localName);
    for (const { name, value } of from.attributes) if (ALLOWED.test(name)) made.setAttribute(name, value);
    for (const one of from.childNodes) {
      const inside = copy(one);
      if (inside) made.append(inside);
    }
    return made;
  };
  return copy(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
}
