// Looks at the page from within. Each question's answer is a list of faults, a line each.
(() => {
  const root = document.documentElement;
  for (const details of document.querySelectorAll("details")) details.open = true;
  document.activeElement.blur();
  const is_shown = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    [...element.getClientRects()].some((box) => box.width > 1 && box.height > 1);
  const all = (selector) => [...document.querySelectorAll(selector)].filter(is_shown);
  const shown = all("body *");
  // What is asked of many elements' ancestors is found once.
  const once = (find) => {
    const found = new Map();
    return (key) => {
      if (!found.has(key)) found.set(key, find(key));
      return found.get(key);
    };
  };
  const name = (element) => {
    const id = element.id && `#${element.id}`;
    const classes = [...element.classList].map((name) => `.${name}`).join("");
    const text = (element.textContent.trim() || element.getAttribute("aria-label") || "").replace(/\s+/g, " ");
    return `<${element.localName}${id}${classes}> "${text.slice(0, 40)}"`;
  };
  const above = function* (element) {
    for (let at = element; at; at = at.parentElement) yield at;
  };
  const texts = (element) => [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());

  // Whether what is wider than an element scrolls in it.
  const scrolls = once((element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX));
  // Where the nearest box ends that cuts off what is wider.
  const cut = once((element) => {
    if (!element || scrolls(element)) return Infinity;
    const cuts = ["hidden", "clip"].includes(getComputedStyle(element).overflowX);
    return Math.min(cuts ? element.getBoundingClientRect().right : Infinity, cut(element.parentElement));
  });
  const is_free = once((element) => element === document.body || (!scrolls(element) && is_free(element.parentElement)));

  // What is wider than the window, or ends where a box that does not scroll cuts it off.
  function width() {
    const faults = [];
    const ends = (element) => element.getBoundingClientRect().right;
    const page = document.scrollingElement;
    if (page.scrollWidth > root.clientWidth) {
      const wide = shown.filter((element) => ends(element) > root.clientWidth && is_free(element.parentElement));
      const widest = wide.sort((one, other) => ends(other) - ends(one)).shift();
      faults.push(`is ${page.scrollWidth} pixels wide: ${widest ? name(widest) : "all of it"}`);
    }
    const seen = shown.filter((element) => texts(element).length || element.matches("img, svg"));
    return faults.concat(seen.filter((element) => ends(element) > cut(element) + 1).map((element) => `cuts off ${name(element)}`));
  }

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  // Red, green, blue and opacity of whatever CSS calls a colour.
  const colour = once((text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, opacity / 255];
  });
  const over = (paint, opacity, ground) => ground.map((part, index) => paint[index] * opacity + part * (1 - opacity));
  const luminance = (paint) => {
    const [red, green, blue] = paint.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const hex = (paint) => `#${paint.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

  const opacity = once((element) => (element ? getComputedStyle(element).opacity * opacity(element.parentElement) : 1));
  // The colour behind an element's text.
  const ground = once((element) => {
    if (!element) return [255, 255, 255];
    const paint = colour(getComputedStyle(element).backgroundColor);
    return over(paint, paint[3] * opacity(element), ground(element.parentElement));
  });

  // Text with less contrast than WCAG's AA asks for: 4.5, of large text 3. Pictures have tests of their own.
  function contrast() {
    const found = new Map();
    const see = (element, style, own, what) => {
      const behind = ground(element);
      const paint = colour(style.color);
      const text = over(paint, paint[3] * opacity(element) * own, behind);
      const [dark, light] = [luminance(text), luminance(behind)].sort((one, other) => one - other);
      const ratio = (light + 0.05) / (dark + 0.05);
      const size = parseFloat(style.fontSize);
      const needed = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
      if (ratio >= needed) return;
      const pair = `${hex(text)} on ${hex(behind)}`;
      found.set(pair, found.get(pair) ?? `has a contrast of ${ratio.toFixed(2)}, ${pair}: ${what}`);
    };
    for (const element of shown) {
      if (element.closest("svg") || element.matches(":disabled")) continue;
      if (texts(element).length) see(element, getComputedStyle(element), 1, name(element));
      for (const pseudo of ["::before", "::after"]) {
        const style = getComputedStyle(element, pseudo);
        if (!["none", "normal", '""'].includes(style.content)) see(element, style, style.opacity, `${pseudo} of ${name(element)}`);
      }
    }
    return [...found.values()];
  }

  const controls = "a[href], button, input, select, textarea, summary";
  // What a mouse can use and Tab never comes to, and where a page's text begins.
  function keyboard() {
    const is_stop = (element) => element.tabIndex >= 0 && !element.disabled && is_shown(element);
    const faults = all(`${controls}, [onclick], [role=button], [role=link]`)
      .filter((element) => element.tabIndex < 0 && !element.disabled)
      .map((element) => `has no way by keyboard to ${name(element)}`);
    const points = (element) => element && getComputedStyle(element).cursor === "pointer";
    for (const element of shown) {
      if (!points(element) || points(element.parentElement) || element.matches(controls)) continue;
      const others = [...element.querySelectorAll("*"), ...above(element), element.control];
      if (!others.some((other) => other && is_stop(other))) faults.push(`has a mouse's way alone to ${name(element)}`);
    }
    const mains = document.querySelectorAll("main, [role=main]").length;
    if (mains !== 1) faults.push(`has ${mains} elements <main>, to which a reader may skip`);
    return [...new Set(faults)];
  }

  // How an element looks, as far as focus may change it.
  const look = (element) => {
    const style = getComputedStyle(element);
    const line = (kind) => (style[`${kind}Style`] === "none" || style[`${kind}Width`] === "0px" ? "none" : style[kind]);
    return [line("outline"), line("borderTop"), line("borderBottom"), style.boxShadow, style.backgroundColor, style.color, style.textDecorationLine].join("; ");
  };
  let stops = [];
  // Where Tab should come to, from the top, in order: so many of them.
  function start(most) {
    stops = all(`${controls}, [tabindex]`).filter((element) => element.tabIndex >= 0 && !element.disabled);
    stops = stops.slice(0, most).map((element) => ({ element, before: look(element), reached: false, faults: [] }));
    return stops.length;
  }
  // Looks at where Tab has come to. Whether it has come everywhere.
  function step() {
    const at = document.activeElement;
    const stop = stops.find(({ element, reached }) => element === at && !reached);
    if (stop) {
      stop.reached = true;
      const box = at.getBoundingClientRect();
      const is_there = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
      if (!is_there) stop.faults.push(`has focus out of sight on ${name(at)}`);
      if (look(at) === stop.before) stop.faults.push(`does not show the focus on ${name(at)}`);
    }
    return stops.every(({ reached }) => reached);
  }
  function end() {
    const main = document.querySelector("main");
    const is_before = (element) => main.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING;
    const before = stops.map(({ element }) => element).filter((element) => main && is_before(element));
    // To the text, or to a part that it begins.
    const leads_there = ({ hash }) => hash && document.getElementById(hash.slice(1))?.contains(main);
    const is_far = before.length > 10 && !before.slice(0, 3).some(leads_there);
    const faults = is_far ? [`has ${before.length} stops before its text, and no link past them`] : [];
    return faults.concat(stops.flatMap(({ element, reached, faults }) => (reached ? faults : [`does not come to ${name(element)} by Tab`])));
  }

  globalThis.interlock = { width, contrast, keyboard, start, step, end };
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  return document.fonts.ready.then(frame).then(frame);
})()
