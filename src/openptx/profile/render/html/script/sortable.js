// Tables that sort by the column whose header is activated.

/** `columns`: { title, value(row), show?(row), kind? }; numbers are aligned right and sort downward first. */
function sortable(columns, rows, sorted = null) {
  const body = html("tbody");
  const isNumber = (column) => rows.length > 0 && typeof column.value(rows[0]) === "number";
  const heads = columns.map((column) =>
    html("th", { class: isNumber(column) ? "number" : null, scope: "col" },
      html("button", { onclick: () => sort(column) }, column.title)));

  function draw(order) {
    body.replaceChildren(...order.map((row) => html("tr", {}, columns.map((column) => {
      const shown = column.show ? column.show(row) : column.value(row);
      const kind = column.kind ?? (isNumber(column) ? "number" : null);
      return html("td", { class: kind }, typeof shown === "number" ? grouped(shown) : shown);
    }))));
  }

  function sort(column) {
    const head = heads[columns.indexOf(column)];
    const known = head.getAttribute("aria-sort");
    const down = known ? known === "ascending" : isNumber(column);
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const compare = (a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
    draw(rows.toSorted((a, b) => compare(column.value(a), column.value(b)) * (down ? -1 : 1)));
  }

  const first = columns.find((column) => column.title === sorted);
  if (first) sort(first);
  else draw(rows);
  return html("div", { class: "scroll" }, html("table", {}, html("thead", {}, html("tr", {}, heads)), body));
}
