// Strips wherever they stand: moved by frames, ticking by themselves; the dock and
// the wall are rendered by the server and put in place here.

const body = document.body;
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

// Cancelled from the dock or the wall, the page around it stays as it is.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-dock-box] [data-cancel], [data-wall-strips] [data-cancel]")) return;
  event.preventDefault();
  form.querySelector("button").disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" });
    if (answer.type !== "opaqueredirect") return form.submit();
    refreshDock();
  } catch {
    form.submit();
  }
});

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

document.addEventListener("peg:frame", ({ detail }) => detail.kind === "strip" && takeStrip(detail));
document.addEventListener("peg:look", refreshDock);
const first = document.querySelector("[data-now]");
if (first) skew = Date.parse(first.dataset.now) - Date.now();
fold(document.querySelector("[data-dock-box]"));
offerWatch(document);
tick();
