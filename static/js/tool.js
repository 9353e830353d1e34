// Small conveniences of pages: copy buttons, "Starting…" at once, and news of the
// tool that the page shows.

for (const button of document.querySelectorAll("[data-copy]")) offerCopy(button);
document.addEventListener("peg:parts", () => document.querySelectorAll("[data-copy][hidden]").forEach(offerCopy));

function offerCopy(button) {
  button.hidden = !navigator.clipboard;
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  const words = button.querySelector("[data-copy-text]");
  words.textContent = "Copied";
  setTimeout(() => (words.textContent = "Copy"), 1500);
});

// The button answers at once, and a second press does nothing.
document.addEventListener("submit", (event) => {
  const button = event.submitter?.closest("[data-busy]");
  if (!button) return;
  if (button.getAttribute("aria-disabled") === "true") return event.preventDefault();
  button.setAttribute("aria-disabled", "true");
  const words = button.querySelector("[data-busy-text]");
  button.dataset.rest = words.textContent;
  words.textContent = button.dataset.busy;
});

addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  for (const button of document.querySelectorAll("[data-busy][aria-disabled]")) {
    button.removeAttribute("aria-disabled");
    button.querySelector("[data-busy-text]").textContent = button.dataset.rest;
  }
});

// The tool was switched or changed while its form is open: say it before it is posted.
document.addEventListener("peg:frame", ({ detail }) => {
  const page = document.querySelector("[data-tool-page]");
  if (!page || detail.kind !== "catalog" || detail.data.tool !== page.dataset.toolPage) return;
  const { enabled, state, reason, version } = detail.data;
  const news = document.querySelector("[data-tool-news]");
  const changed = version != null && String(version) !== page.dataset.version;
  let words = "";
  if (!enabled) words = `It was switched off just now: ${reason || "no reason was given"}.`;
  else if (state !== "present") words = `It is ${state} now: ${reason || "no reason is known"}.`;
  else if (changed) words = "Its contract has changed. Load the page again before you start it.";
  else if (document.querySelector("[data-why-not]")) words = "It can be started again: load the page again.";
  news.textContent = words;
  news.hidden = !words;
  const start = document.querySelector("[name=start]");
  if (start) start.disabled = !enabled || state !== "present";
});
