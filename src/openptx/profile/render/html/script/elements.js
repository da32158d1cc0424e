// Makes elements. Text only ever becomes text nodes and attributes, so nothing in a kernel can become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "share") node.style.setProperty("--share", value);
    else if (name === "width" && node instanceof HTMLElement) node.style.width = value;
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** A text with what stands between backticks as code. */
const withCode = (text) => text.split("`").map((part, number) => (number % 2 ? html("code", {}, part) : part));

/** `1 024`; numbers that are not whole have one decimal. */
function grouped(number) {
  const text = Number.isInteger(number) ? String(number) : number.toFixed(1);
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

const percent = (share) => `${Math.round(100 * share)} %`;
const plural = (number, what) => `${grouped(number)} ${what}${number === 1 ? "" : "s"}`;
const sum = (list, of) => list.reduce((total, each) => total + of(each), 0);

/** A bar that is full at 1. */
const meter = (share, kind = "") =>
  html("div", { class: `meter ${kind}` }, html("i", { width: `${100 * Math.min(Math.max(share, 0), 1)}%` }));

/** How good a share of the ideal is. */
const grade = (share) => (share >= 0.9 ? "good" : share >= 0.5 ? "fair" : "bad");

const section = (title, ...children) => html("section", {}, html("h2", {}, title), ...children);
