"use strict";
// Filters all elements with data-text by words and by verdict. If data-text is empty, the text of the element
// is used.
const words = document.getElementById("words");
const verdict = document.getElementById("verdict");
const shown = document.getElementById("shown");
const rows = [...document.querySelectorAll("[data-text]")].map((element) => ({
  element,
  text: (element.dataset.text || element.textContent).toLowerCase(),
  verdict: element.dataset.verdict,
}));
function filter() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const fits = wanted.every((word) => row.text.includes(word))
      && (verdict.value === "" || row.verdict === verdict.value);
    row.element.hidden = !fits;
    if (fits) count += 1;
  }
  shown.textContent = count === rows.length ? "" : count + " of " + rows.length + " rows";
}
function reveal() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
  }
  if (target) target.scrollIntoView();
}
// The address can set the filter: ?words=…&verdict=fail
const query = new URLSearchParams(location.search);
words.value = query.get("words") || "";
verdict.value = query.get("verdict") || "";
if (verdict.selectedIndex < 0) verdict.value = "";
filter();
words.addEventListener("input", filter);
verdict.addEventListener("change", filter);
addEventListener("hashchange", reveal);
reveal();
