// Makes a tool's form quicker; without it every button posts the form and works.
// The server renders each change: a press of the form's own buttons is the same post,
// and only the form is put anew into the page.

let pending = null;
const typedAt = new WeakMap();

document.addEventListener("click", (event) => {
  const fill = event.target.closest?.("[data-fill]");
  if (fill) return take(fill);
  const link = event.target.closest?.("[data-summary] a");
  if (link && reveal(link.hash.slice(1))) return event.preventDefault();
  const button = event.target.closest?.("[data-form] button[name=do]");
  if (!button || !button.value) return;
  event.preventDefault();
  press(button.form, button.value);
});

document.addEventListener("change", (event) => {
  const chooser = event.target.closest?.("[data-pick]");
  if (chooser) return press(chooser.form, chooser.dataset.pick);
  if (event.target.matches?.("[data-how]")) return showHow(event.target);
  said(event.target);
});

document.addEventListener("input", (event) => {
  said(event.target);
  if (event.target.matches?.("[data-json]")) later(event.target);
});

document.addEventListener("keydown", (event) => {
  const area = event.target.closest?.("[data-form] textarea");
  if (!area || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  area.form.requestSubmit(area.form.querySelector("[name=start]"));
});

offer(document);

// Typing says that the field has a value; clearing it says that it is left out.
function said(control) {
  if (!control.matches?.("[data-value]")) return;
  for (let at = control.closest("[data-field], .arg-fold"); at; at = outer(at)) {
    const how = at.querySelector(":scope > .arg-head > [data-how]");
    if (!how) continue;
    const blank = control.value === "" && at.contains(control) && at === control.closest("[data-field]");
    if (!blank) how.value = "value";
    else if (how.value === "value") leave(how);
  }
}

function outer(element) {
  return element.parentElement.closest("[data-field], .arg-fold");
}

// "default" gives way to text that is there, "leave" does not.
function leave(how) {
  const option = [...how.options].find(({ value }) => value === "default" || value === "leave");
  if (!option) return;
  option.value = "leave";
  option.selected = true;
}

function showHow(how) {
  if (how.value === "default") leave(how);
  const field = how.closest("[data-field], .arg-fold");
  if (field.matches(".arg-fold")) field.open = how.value === "value";
  field.dataset.given = how.value;
}

async function press(form, button) {
  const body = new FormData(form);
  body.set("do", button);
  const mine = (pending = {});
  const box = form.querySelector("[data-form]");
  box.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-form]");
    if (mine !== pending) return;
    if (!answer.ok || !fresh) return plainly(form, button);
    put(box, fresh, button);
  } catch {
    plainly(form, button);
  }
}

// The long way, as a browser without scripts goes it.
function plainly(form, button) {
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: "do", value: button });
  form.append(field);
  form.submit();
}

function put(old, fresh, button) {
  const secrets = [...old.querySelectorAll("[data-secret]")].map(({ name, value }) => [name, value]);
  const open = new Set([...old.querySelectorAll("details[open] > summary")].map(({ id }) => id));
  old.replaceWith(fresh);
  for (const [name, value] of secrets) {
    const control = [...fresh.querySelectorAll("[data-secret]")].find((each) => each.name === name);
    if (control) control.value = value;
  }
  for (const summary of fresh.querySelectorAll("details > summary")) {
    if (open.has(summary.id)) summary.parentElement.open = true;
  }
  offer(fresh);
  focus(fresh, button);
}

function focus(box, button) {
  const again = [...box.querySelectorAll("button[name=do]")].find(({ value }) => value === button);
  const target = box.querySelector("[autofocus]") ?? again ?? box.querySelector("input:not([type=hidden]), textarea, select");
  if (!target) return;
  reveal(target.id) || target.focus();
}

// Go to a field, opening what it is folded into.
function reveal(id) {
  const target = id && document.getElementById(decodeURIComponent(id));
  if (!target) return false;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const focusable = "input:not([type=hidden]), textarea, select, summary, [tabindex]";
  (target.matches(focusable) ? target : (target.querySelector(focusable) ?? target)).focus();
  target.scrollIntoView({ block: "center" });
  return true;
}

function take(button) {
  const control = document.getElementById(button.dataset.fill);
  control.value = button.textContent;
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.focus();
}

function offer(root) {
  for (const each of root.querySelectorAll("[data-suggestions]")) each.hidden = false;
  for (const each of root.querySelectorAll("[data-switch]")) each.hidden = true;
}

// JSON is looked at as it is typed; the server has the last word.
function later(area) {
  clearTimeout(typedAt.get(area));
  typedAt.set(area, setTimeout(() => check(area), 300));
}

function check(area) {
  const words = problem(area.value);
  let note = area.parentElement.querySelector(":scope > [data-live]");
  if (!note) {
    note = document.createElement("p");
    note.className = "arg-fault";
    note.dataset.live = "";
    note.setAttribute("role", "status");
    area.after(note);
  }
  note.textContent = words;
  note.hidden = !words;
}

function problem(text) {
  if (!text.trim()) return "";
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    const place = /position (\d+)/.exec(error.message);
    if (!place) return "is not JSON yet";
    const before = text.slice(0, Number(place[1])).split("\n");
    return `is not JSON yet: line ${before.length}, column ${before.at(-1).length + 1}`;
  }
}
