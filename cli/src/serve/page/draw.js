// One-hot vectors as columns of cells.

const CELL = 7, GAP = 1;

/// The value of digits, as text.
export function letters(digits) {
  if (digits.hot.length === 0) return "not one-hot";
  if (digits.letter !== undefined) return digits.letter;
  return [...digits.hot].reverse().map((hot) => hot.toString(16)).join(digits.radix > 16 ? " " : "");
}

/// A figure of some digits: one column each, the least significant on the right, entry 0 at the top.
export function figure(digits, what) {
  const element = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const text = letters(digits);
  caption.textContent = `${what} ${digits.alphabet} ${text}`;
  const canvas = document.createElement("canvas");
  const pitch = CELL + GAP, columns = Math.max(digits.hot.length, 1), scale = 2;
  const width = columns * pitch, height = digits.radix * pitch;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${digits.hot.length} one-hot vectors of ${digits.radix} entries: ${text}`);
  element.append(caption, canvas);
  paint(canvas, digits, pitch * scale, CELL * scale);
  return element;
}

function paint(canvas, digits, pitch, cell) {
  const style = getComputedStyle(document.documentElement);
  const hot = style.getPropertyValue("--hot"), cold = style.getPropertyValue("--cold");
  const context = canvas.getContext("2d");
  [...digits.hot].reverse().forEach((entry, column) => {
    for (let row = 0; row < digits.radix; row += 1) {
      context.fillStyle = row === entry ? hot : cold;
      context.fillRect(column * pitch, row * pitch, cell, cell);
    }
  });
}
