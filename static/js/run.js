// One run, live: its events in order, each once; at the end the parts of the page
// that the server rendered anew.

const body = document.body;
const run = Number(body.dataset.run);
const log = document.querySelector("[data-output]");
const follow = document.querySelector("[data-follow]");
const ENDED = new Set(["succeeded", "failed", "timed_out", "cancelled", "crashed", "lost", "refused"]);

let after = Number(body.dataset.after);
let state = body.dataset.runState;

// -- the output: text and classes only, never HTML

const HEAD = 48_000;
const TAIL = 120_000;
const ESCAPE = /\x1b\[([0-9;]*)m|\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\r+\n|\r|\n/g;

let style = log.dataset.style ?? "";
let rewind = log.dataset.rewind === "true";
let pending = "";
let leftOut = log.querySelector("[data-left-out]");
let headSize = 0;
let tailSize = 0;
let headEnd = null;

function measure() {
  let inTail = false;
  for (const node of log.children) {
    if (node === leftOut) inTail = true;
    else if (!inTail && (leftOut || headSize < HEAD)) {
      headSize += node.textContent.length;
      headEnd = node;
    } else tailSize += node.textContent.length;
  }
}

function write(stream, text) {
  text = pending + text;
  pending = "";
  const cut = text.lastIndexOf("\x1b");
  if (cut >= 0 && text.length - cut < 40 && !/^\x1b(?:\[[0-9;?]*[A-Za-z]|\][^]*(?:\x07|\x1b\\))/.test(text.slice(cut))) {
    pending = text.slice(cut);
    text = text.slice(0, cut);
  }
  let at = 0;
  let line = "";
  const put = (end) => {
    if (line) append(stream, line + end);
    else if (end) append(stream, end);
    line = "";
  };
  for (const match of text.matchAll(ESCAPE)) {
    add(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[0].endsWith("\n")) {
      line += "\n";
      rewind = false;
    } else if (match[0] === "\r") rewind = true;
    else {
      put("");
      if (match[1] !== undefined) style = sgr(style, match[1]);
    }
  }
  add(text.slice(at));
  put("");

  function add(piece) {
    if (!piece) return;
    if (rewind) {
      line = line.slice(0, line.lastIndexOf("\n") + 1);
      put("");
      eraseLine();
      rewind = false;
    }
    line += piece;
  }
}

function append(stream, text) {
  for (; text.length > 8000; text = text.slice(8000)) addSpan(stream, text.slice(0, 8000));
  addSpan(stream, text);
}

function addSpan(stream, text) {
  const classes = [stream === "stderr" ? "stderr" : "", style].filter(Boolean).join(" ");
  const last = log.lastElementChild;
  if (last && last !== leftOut && last !== headEnd && last.className === classes && last.textContent.length < 8000) {
    last.append(text);
  } else {
    const span = document.createElement("span");
    if (classes) span.className = classes;
    span.append(text);
    log.append(span);
    if (!leftOut && headSize < HEAD) headEnd = span;
  }
  if (!leftOut && log.lastElementChild === headEnd) headSize += text.length;
  else tailSize += text.length;
}

// A carriage return: what stands on the last line is written over.
function eraseLine() {
  for (let node = log.lastElementChild; node && node !== leftOut; node = log.lastElementChild) {
    const text = node.textContent;
    const at = text.lastIndexOf("\n") + 1;
    const gone = text.length - at;
    if (node === headEnd) headSize -= gone;
    else tailSize -= gone;
    if (at > 0) {
      node.textContent = text.slice(0, at);
      return;
    }
    if (node === headEnd) headEnd = node.previousElementSibling;
    node.remove();
  }
}

function trim() {
  if (tailSize < TAIL * 1.25 || !headEnd) return;
  let lines = Number(leftOut?.dataset.lines ?? 0);
  let size = Number(leftOut?.dataset.size ?? 0);
  while (tailSize > TAIL) {
    const node = (leftOut ?? headEnd).nextElementSibling;
    if (!node || node === log.lastElementChild) break;
    const text = node.textContent;
    tailSize -= text.length;
    size += text.length;
    lines += text.split("\n").length - 1;
    node.remove();
  }
  if (!size) return;
  if (!leftOut) {
    leftOut = document.createElement("span");
    leftOut.className = "left-out";
    headEnd.after(leftOut);
  }
  Object.assign(leftOut.dataset, { lines, size });
  leftOut.textContent = `${lines} lines, ${size} characters left out here; the complete text has them.`;
}

const NAMES = { 1: "ansi-bold", 2: "ansi-dim", 3: "ansi-italic", 4: "ansi-underline" };

function sgr(now, codes) {
  let set = new Set(now.split(" ").filter(Boolean));
  const numbers = (codes || "0").split(";").map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at];
    const colour = code >= 30 && code < 38 ? code - 30 : code >= 90 && code < 98 ? code - 82 : null;
    if (code === 0) set = new Set();
    else if (NAMES[code]) set.add(NAMES[code]);
    else if (code === 22) ["ansi-bold", "ansi-dim"].forEach((name) => set.delete(name));
    else if (code === 23 || code === 24) set.delete(NAMES[code - 20]);
    else if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
    if (colour !== null || code === 39) {
      set = new Set([...set].filter((name) => !/^ansi-\d/.test(name)));
      if (colour !== null) set.add(`ansi-${colour}`);
    }
  }
  return [...set].sort().join(" ");
}

// -- events, in order

const waiting = [];
let timer = 0;
let asking = false;

function arrive(frame) {
  waiting.push(frame);
  timer ||= setTimeout(work, 16);
}

function work() {
  timer = 0;
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  waiting.sort((one, other) => one.seq - other.seq);
  while (waiting.length) {
    const frame = waiting[0];
    const begins = frame.kind === "gap" ? frame.data.from : frame.seq;
    if (frame.seq > after && begins > after + 1) break;
    waiting.shift();
    if (frame.seq <= after) continue;
    after = frame.seq;
    apply(frame);
  }
  body.dataset.after = after;
  trim();
  if (follow?.checked && atEnd) log.scrollTop = log.scrollHeight;
  if (waiting.length) ask();
}

async function ask() {
  if (asking) return;
  asking = true;
  try {
    const answer = await fetch(`${body.dataset.events}?after=${after}`, { headers: { Accept: "application/json" } });
    if (answer.ok) (await answer.json()).forEach(arrive);
  } catch {
    // live.js says when we are not live; the next frame asks again.
  } finally {
    asking = false;
  }
}

function apply({ kind, data }) {
  if (kind === "output") {
    write(data.stream, data.text);
    document.querySelector("[data-no-output]").hidden = true;
  }
  if (kind === "gap") write("stderr", "\n[events that were removed after their time]\n");
  if (kind === "status") moved(data);
}

function moved(data) {
  if (state === data.state) return;
  state = data.state;
  body.dataset.runState = state;
  if (ENDED.has(state)) rest();
  refresh();
}

// Nothing more comes: nothing to follow, and silence was silence.
function rest() {
  document.querySelector("[data-follow-box]").hidden = true;
  const silence = document.querySelector("[data-no-output]");
  silence.textContent = silence.dataset.ended;
}

// -- parts of the page, rendered by the server

let refreshing = false;

async function refresh() {
  if (refreshing) return;
  refreshing = true;
  const wanted = state;
  try {
    const answer = await fetch(location.href, { headers: { "HX-Request": "true" } });
    if (answer.ok) replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    setTimeout(refresh, 2000);
  } finally {
    refreshing = false;
    if (wanted !== state) refresh();
  }
}

function replace(page) {
  for (const fresh of page.querySelectorAll("[data-part]")) {
    const old = document.querySelector(`[data-part="${fresh.dataset.part}"]`);
    if (!old) continue;
    const open = [...old.querySelectorAll("details")].map((one) => one.open);
    if (fresh.dataset.part !== "result") fresh.querySelectorAll("details").forEach((one, at) => (one.open = open[at] ?? one.open));
    old.replaceWith(fresh);
  }
  document.dispatchEvent(new CustomEvent("peg:parts"));
}

// -- begin

measure();
document.addEventListener("peg:frame", ({ detail }) => {
  if (detail.run === run && detail.seq !== null) arrive(detail);
});
document.addEventListener("peg:look", ask);
if (!ENDED.has(state)) {
  document.querySelector("[data-follow-box]").hidden = false;
  log.scrollTop = log.scrollHeight;
}
// While it waits, its place in line and the workers there are may change.
setInterval(() => state === "queued" && !document.hidden && refresh(), 5000);
