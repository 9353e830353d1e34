// The page's only socket: strips, news of the catalog, and the events of the run
// that the page shows. Other scripts hear of frames by the event "peg:frame".
// Where sockets are blocked, the same is read by HTTP every two seconds.

const body = document.body;
const note = document.querySelector("[data-connection]");
const SILENCE = 10_000;
const LONGEST = 10_000;

const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

// -- the line

let socket = null;
let attempts = 0;
let everOpen = false;
let stopped = false;
let retry = 0;
let heard = 0;

const address = () => {
  const url = new URL(body.dataset.live, location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  if (body.dataset.run) {
    url.searchParams.set("run", body.dataset.run);
    url.searchParams.set("after", body.dataset.after);
  }
  if (body.dataset.wall) url.searchParams.set("wall", "1");
  return url;
};

function open() {
  clearTimeout(retry);
  if (stopped || (socket && socket.readyState <= WebSocket.OPEN)) return;
  const mine = new WebSocket(address());
  socket = mine;
  mine.onopen = () => {
    heard = performance.now();
  };
  mine.onmessage = ({ data }) => {
    heard = performance.now();
    live();
    take(JSON.parse(data));
  };
  mine.onclose = ({ code }) => mine === socket && closed(code);
}

function live() {
  if (everOpen && attempts === 0 && !body.classList.contains("stale")) return;
  everOpen = true;
  attempts = 0;
  poll(false);
  body.classList.remove("stale");
  note.replaceChildren();
}

function closed(code) {
  socket = null;
  if (code === 1000 || code >= 4400 && code < 4500) return end(code);
  attempts += 1;
  body.classList.add("stale");
  const wait = Math.min(LONGEST, 500 * 2 ** (attempts - 1)) * (0.75 + Math.random() / 2);
  say(attempts > 2 ? "Not live: looking every two seconds." : "Not live: connecting again…");
  if (attempts > 2) poll(true);
  retry = setTimeout(open, Math.min(wait, LONGEST));
}

function end(code) {
  stopped = true;
  if (code === 1000) return;
  body.classList.add("stale");
  if (code === 4401) {
    const link = document.createElement("a");
    link.href = `/login/?next=${encodeURIComponent(location.pathname + location.search)}`;
    link.textContent = "sign in again";
    return say("You are signed out: ", link);
  }
  say("Not live: this is not yours to see any more.");
}

function say(...parts) {
  const text = parts.map((part) => part.textContent ?? part).join("");
  if (note.textContent !== text) note.replaceChildren(...parts);
}

// A cut that nobody tells of: no beat for ten seconds.
setInterval(() => {
  if (socket?.readyState === WebSocket.OPEN && performance.now() - heard > SILENCE) {
    const old = socket;
    socket = null;
    old.close();
    closed(1006);
  }
}, 1000);

const wake = () => {
  if (stopped || document.hidden) return;
  if (!socket) open();
};
addEventListener("online", wake);
document.addEventListener("visibilitychange", wake);
addEventListener("pagehide", () => {
  stopped = true;
  clearTimeout(retry);
  socket?.close(1000);
  socket = null;
});
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  stopped = false;
  refreshDock();
  open();
});

// -- the same by HTTP

let polling = 0;

function poll(on) {
  if (on && !polling) polling = setInterval(look, 2000);
  if (!on) {
    clearInterval(polling);
    polling = 0;
  }
}

async function look() {
  refreshDock();
  tell("peg:look", null);
}

// -- frames

function take(frame) {
  if (frame.kind === "strip") takeStrip(frame);
  if (frame.kind !== "beat") tell("peg:frame", frame);
}

const ENDED = new Set(["succeeded", "failed", "timed_out", "cancelled", "crashed", "lost", "refused"]);
const known = new Map();
let skew = 0;

function takeStrip({ run, data }) {
  skew = Date.parse(data.now) - Date.now();
  const before = known.get(run) ?? document.querySelector(`[data-strip="${run}"]`)?.dataset.state;
  known.set(run, data.state);
  for (const strip of document.querySelectorAll(`[data-strip="${run}"]`)) update(strip, data);
  if (before === data.state) return;
  if (ENDED.has(data.state) && before && !ENDED.has(before)) announce(run, data);
  if (String(run) !== body.dataset.run) refreshDock();
}

function update(strip, data) {
  put(strip, "label", data.label);
  put(strip, "message", data.message ?? "");
  put(strip, "counts", counts(data));
  const bar = strip.querySelector("[data-strip-bar]");
  if (bar && data.fraction == null) bar.removeAttribute("value");
  else if (bar) bar.value = Math.min(Math.max(data.fraction, 0), 1);
  if (data.started_at && !ENDED.has(data.state)) strip.dataset.since = data.started_at;
  else delete strip.dataset.since;
}

function put(strip, name, text) {
  const place = strip.querySelector(`[data-strip-${name}]`);
  if (place && place.textContent !== text) place.textContent = text;
}

const number = (value) => Number(value).toLocaleString("en", { maximumSignificantDigits: 12, useGrouping: false });

function counts({ current, total, fraction, started_at: started }) {
  if (current == null) return fraction == null ? "" : `${Math.round(fraction * 100)} %`;
  if (total == null) return number(current);
  const left = timeLeft(current, total, started);
  return `${number(current)} of ${number(total)}${left}`;
}

function timeLeft(current, total, started) {
  const spent = (Date.now() + skew - Date.parse(started)) / 1000;
  const left = ((total - current) * spent) / current;
  if (!(spent > 3 && current > 0 && left > 1 && Number.isFinite(left))) return "";
  return left < 90 ? `, ${Math.round(left)} s left` : `, ${Math.round(left / 60)} min left`;
}

// -- dock and wall: the server renders, we put it in place

let due = 0;
let busy = false;

function refreshDock() {
  clearTimeout(due);
  due = setTimeout(fetchDock, 60);
}

async function fetchDock() {
  if (busy) return refreshDock();
  busy = true;
  try {
    const wall = document.querySelector("[data-wall-strips]");
    if (wall) await swap(body.dataset.wall, wall, "[data-wall-strips]");
    const but = body.dataset.run ? `?but=${body.dataset.run}` : "";
    await swap(body.dataset.dock + but, document.querySelector("[data-dock-box]"), "[data-dock-box]");
    tick();
  } catch {
    // The connection's note says it already.
  } finally {
    busy = false;
  }
}

async function swap(url, old, selector) {
  const answer = await fetch(url, { headers: { "HX-Request": "true" }, redirect: "error" });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector(selector);
  if (!fresh || !old) return;
  const focused = old.contains(document.activeElement) ? document.activeElement.closest("[data-strip]")?.dataset.strip : null;
  fold(fresh);
  old.replaceWith(fresh);
  offerWatch(fresh);
  if (focused) fresh.querySelector(`[data-strip="${focused}"] a`)?.focus();
}

function fold(dock) {
  const details = dock.querySelector(":scope > details");
  const kept = localStorage.getItem("dock");
  if (details) details.open = kept ? kept === "open" : innerWidth >= 960;
}

document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target.parentElement?.matches("[data-dock-box]")) localStorage.setItem("dock", target.open ? "open" : "closed");
  },
  true,
);

// Once an ended strip has lingered, it goes.
setInterval(() => document.querySelector("[data-dock-box] .strip-ended") && !document.hidden && refreshDock(), 10_000);

// -- clocks

function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

function tick() {
  if (document.hidden) return;
  for (const strip of document.querySelectorAll("[data-strip][data-since]")) {
    put(strip, "clock", clock((Date.now() + skew - Date.parse(strip.dataset.since)) / 1000));
  }
}

setInterval(tick, 250);

// -- told when a run ends, on request

const watched = () => new Set(JSON.parse(localStorage.getItem("watched") ?? "[]"));
const keepWatched = (set) => localStorage.setItem("watched", JSON.stringify([...set].slice(-100)));
const title = document.title;

function announce(run, data) {
  const set = watched();
  if (!set.delete(String(run))) return;
  keepWatched(set);
  const words = `${data.label}: ${data.state.replace("_", " ")}`;
  if (document.hidden) document.title = `● ${words}`;
  if (window.Notification?.permission !== "granted") return;
  const notification = new Notification(words, { body: data.reason || data.tool, tag: `run-${run}` });
  notification.onclick = () => {
    window.focus();
    location.href = data.url;
  };
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) document.title = title;
});

function offerWatch(root) {
  const set = watched();
  for (const button of root.querySelectorAll("[data-watch]")) {
    button.hidden = false;
    button.setAttribute("aria-pressed", String(set.has(button.dataset.watch)));
  }
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-watch]");
  if (!button) return;
  const set = watched();
  const on = !set.delete(button.dataset.watch);
  if (on) set.add(button.dataset.watch);
  keepWatched(set);
  offerWatch(document);
  if (on && window.Notification?.permission === "default") Notification.requestPermission();
});

document.addEventListener("peg:parts", () => {
  offerWatch(document);
  tick();
});

// -- begin

const first = document.querySelector("[data-now]");
if (first) skew = Date.parse(first.dataset.now) - Date.now();
fold(document.querySelector("[data-dock-box]"));
offerWatch(document);
tick();
open();

// "/" leads to the search, as people expect.
document.addEventListener("keydown", (event) => {
  const search = document.querySelector("[data-shortcut='/']");
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || !search || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  search.focus();
  search.select();
});
