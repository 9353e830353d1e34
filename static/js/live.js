// The page's only socket: strips, news of the catalog, and the events of the run
// that the page shows. The other scripts hear of each frame by "peg:frame". Where
// sockets are blocked, "peg:look" asks them every two seconds to look by HTTP.

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
    tell("peg:frame", JSON.parse(data));
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
  tell("peg:look", null);
  open();
});

// -- the same by HTTP

let polling = 0;

function poll(on) {
  if (on && !polling) polling = setInterval(() => tell("peg:look", null), 2000);
  if (!on) {
    clearInterval(polling);
    polling = 0;
  }
}

open();
