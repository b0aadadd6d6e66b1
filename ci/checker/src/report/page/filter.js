// Shows the rows that the form asks for, and of designs and areas those that have one.
const form = document.querySelector("form");
const rows = [...document.querySelectorAll("section tr[data-model]")];
const shown = document.querySelector("#shown");
function filter() {
  const asked = new FormData(form);
  const word = asked.get("word").trim().toLowerCase();
  let count = 0;
  for (const row of rows) {
    const has = (name) => !asked.get(name) || row.dataset[name] === asked.get(name);
    const fits = ["area", "status", "verdict", "engine"].every(has);
    row.hidden = !(fits && row.dataset.model.toLowerCase().includes(word));
    count += row.hidden ? 0 : 1;
  }
  for (const part of [...document.querySelectorAll("article"), ...document.querySelectorAll("section")]) {
    part.hidden = !part.querySelector("tr[data-model]:not([hidden])");
  }
  shown.textContent = `${count} of ${rows.length} claims`;
}
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
filter();
