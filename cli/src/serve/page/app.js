// The page of `svmllm serve`. Everything it shows comes from the machine behind /api.

import { figure } from "/draw.js";

const at = (id) => document.getElementById(id);
const OWN = "own";
const OWN_TEXT = `# Your own program. r1 points at the input.

entrypoint:
    mov64 r0, 9
    mov64 r2, 8
    add64 r0, r2
    stxdw [r10-8], r0
    exit
`;

/// An element with text.
function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(`/api/${path}`, options);
  } catch {
    throw new Error("The machine cannot be reached. Is svmllm serve still running?");
  }
  const content = await answer.json().catch(() => ({ error: `no answer (${answer.status})` }));
  if (!answer.ok) throw new Error(content.error ?? `error ${answer.status}`);
  return content;
}

function tell(place, kind, title, lines = []) {
  place.className = `outcome ${kind}`;
  place.replaceChildren(make("strong", title), ...lines.map((line) => make("p", line)));
}

const grouped = (number) => Number(number).toLocaleString("en");
/// JSON numbers lose digits beyond 2^53: numbers travel as text.
const digitsOnly = (text) => text.trim().replaceAll(/[_,\s]/g, "");

// ---- the program

let demos = [], written = OWN_TEXT, file = null, limits = null;
const chosen = () => demos.find((demo) => demo.name === at("demo").value);

function choose() {
  const demo = chosen();
  at("own").hidden = demo !== undefined;
  at("about").textContent = demo?.about ?? "Paste or write assembly, or upload a file.";
  at("source").readOnly = demo !== undefined;
  at("source").value = demo === undefined ? written : (demo.source ?? "# compiled from C: there is no assembly to show");
  at("source-hint").textContent = demo === undefined && limits !== null
    ? `At most ${grouped(limits.input_bytes)} bytes of input, ${grouped(limits.compute_units)} compute units and ${limits.milliseconds / 1000} seconds.`
    : "To change it, choose “your own”.";
  at("presets").replaceChildren(...(demo?.presets ?? []).map((preset) => {
    const button = make("button", preset.label, { type: "button" });
    button.addEventListener("click", () => fill(demo, preset.arguments));
    return button;
  }));
  fill(demo, demo?.presets[0].arguments ?? []);
  at("outcome").replaceChildren();
}

function fill(demo, values) {
  const names = { numbers: demo?.takes.names, list: ["numbers"], text: ["text"] }[demo?.takes.kind] ?? [];
  const texts = demo?.takes.kind === "list" ? [values.join(" ")] : values;
  at("arguments").replaceChildren(...names.map((name, index) => {
    const part = make("p"), id = `argument-${index}`;
    const input = make("input", undefined, { id, spellcheck: "false", autocomplete: "off" });
    input.value = texts[index] ?? "";
    part.append(make("label", name.toLowerCase(), { for: id }), input);
    return part;
  }));
}

function start() {
  const demo = chosen(), compute_units = digitsOnly(at("units").value);
  if (demo !== undefined) {
    const values = [...at("arguments").querySelectorAll("input")].map((input) => input.value);
    const split = { numbers: () => values.map(digitsOnly), list: () => values[0].split(/[\s,]+/).filter(Boolean), text: () => values };
    return { demo: demo.name, arguments: split[demo.takes.kind](), compute_units };
  }
  const program = file?.elf ? { elf: file.elf } : { asm: at("source").value };
  return { ...program, input: at("input").value.replaceAll(/\s/g, ""), compute_units };
}

async function load() {
  file = null;
  const [given] = at("file").files;
  if (given === undefined) return;
  if (given.size > limits.body_bytes * 0.7) {
    at("file").value = "";
    tell(at("outcome"), "bad", "The file is too long", [`${grouped(given.size)} bytes`]);
    return;
  }
  const bytes = new Uint8Array(await given.arrayBuffer());
  if (given.name.endsWith(".s")) {
    written = at("source").value = new TextDecoder().decode(bytes);
    return;
  }
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  file = { elf: btoa(text) };
  at("outcome").replaceChildren();
}

async function run(event) {
  event.preventDefault();
  const place = at("outcome");
  at("run").disabled = true;
  tell(place, "", "Running …");
  try {
    const ran = await ask("run", start());
    const each = (ran.nanoseconds / Math.max(ran.instructions, 1)).toFixed(0);
    const cost = `${grouped(ran.instructions)} instructions in ${(ran.nanoseconds / 1e6).toFixed(2)} ms, ${each} ns each; ${grouped(ran.remaining)} units left`;
    if (ran.status === "ok") {
      const shown = ran.answer ?? `${ran.r0} (${BigInt(ran.r0)})`;
      tell(place, "good", shown, [`r0 = ${ran.r0}`, cost, ...ran.logs]);
    } else {
      tell(place, "bad", ran.error, [ran.detail, cost, ...ran.logs]);
    }
  } catch (error) {
    tell(place, "bad", "Not run", [error.message]);
  }
  at("run").disabled = false;
}

// ---- the steps

const stepping = { start: null, number: 0, wanted: null, request: 0 };
const STAGES = {
  meter: "a unit is paid", fetch: "attention over the program", decode: "opcode to gates", observe: "the host reads",
  counter: "the next slot", registers: "delta-rule head", alu: "tables and sums", translate: "address to place", ram: "delta-rule heads", calls: "frames and targets",
};

function stepThrough() {
  stepping.start = start();
  return show(0);
}

async function show(number) {
  const request = stepping.request += 1;
  at("position").textContent = "…";
  try {
    const answer = await ask("steps", { start: stepping.start, from: number, count: 1, layers: true });
    if (request !== stepping.request) return;
    if (answer.steps.length === 0) {
      const end = answer.ended?.status === "ok" ? "ends" : `fails (${answer.ended?.error})`;
      at("position").textContent = `The program ${end} after ${grouped(answer.instructions)} steps.`;
      if (answer.instructions > 0 && number > answer.instructions) await show(answer.instructions - 1);
      return;
    }
    stepping.number = number;
    describe(answer.steps[0], answer.ended);
  } catch (error) {
    if (request === stepping.request) at("position").textContent = error.message;
  }
}

function describe(step, ended) {
  at("view").hidden = false;
  at("number").value = step.step;
  at("back").disabled = at("first").disabled = step.step === 0;
  at("forward").disabled = ended !== null;
  const end = ended === null ? "" : ended.status === "ok" ? "the program ends here" : ended.detail;
  at("position").textContent = `slot ${step.pc}, ${grouped(step.units)} units left${end && `; ${end}`}`;
  at("instruction").replaceChildren(step.instruction);
  at("gates").replaceChildren(...step.gates.map(([group, gate]) => make("li", gate === "1" ? group : `${group} ${gate}`)));
  at("reads").replaceChildren(...pairs(step.reads.map(([place, value]) => `${place} = ${value}`)));
  const { register, memory, frame } = step.writes;
  const writes = [];
  if (register) writes.push(`${register[0]} = ${register[1]}`);
  if (memory) writes.push(`${memory[1]} bytes at ${memory[0]} = ${memory[2]}`);
  if (frame) writes.push(frame === "push" ? "a call frame is pushed" : "a call frame is popped");
  writes.push(...(step.logs ?? []));
  at("writes").replaceChildren(...pairs(writes));
  at("registers").replaceChildren(...step.registers.map((value, index) => {
    const row = make("tr", undefined, register?.[0] === `r${index}` ? { class: "changed" } : {});
    row.append(make("th", `r${index}`, { scope: "row" }), make("td", `0x${BigInt(value).toString(16).padStart(16, "0")}`));
    return row;
  }));
  flow(step);
}

const pairs = (texts) => (texts.length === 0 ? ["nothing"] : texts).map((text) => make("li", text));

function flow(step) {
  const stages = [...new Set(step.layers.map((layer) => layer.stage))];
  // The part that was asked for, else the one that does the work.
  const shown = [stepping.wanted, "ram", "alu", "calls"].find((stage) => stages.includes(stage)) ?? stages[0];
  at("flow").replaceChildren(...stages.map((stage) => {
    const count = step.layers.filter((layer) => layer.stage === stage).length;
    const button = make("button", stage, { type: "button", "aria-pressed": String(stage === shown) });
    button.append(make("small", STAGES[stage] ?? ""), make("small", `${count} of ${step.layers.length}`));
    button.addEventListener("click", () => {
      stepping.wanted = stage;
      flow(step);
      at("flow").querySelector("[aria-pressed=true]").focus();
    });
    const item = make("li");
    item.append(button);
    return item;
  }));
  const layers = step.layers.filter((layer) => layer.stage === shown);
  at("layers-title").textContent = `Layers: ${shown}`;
  at("layers").replaceChildren(...layers.map(drawn));
  if (step.left_out) at("layers").append(make("p", `and ${grouped(step.left_out)} more`));
}

function drawn(layer) {
  const element = make("div", undefined, { class: "layer" });
  const title = make("h4", `${layer.name} `);
  title.append(make("small", layer.within ? `${layer.kind}, of ${layer.within}` : layer.kind));
  const wires = make("div", undefined, { class: "wires" });
  wires.append(...layer.inputs.map((digits) => figure(digits, "in")));
  if (layer.outputs.length > 0) wires.append(make("span", "→", { class: "arrow", "aria-hidden": "true" }));
  wires.append(...layer.outputs.map((digits) => figure(digits, "out")));
  element.append(title, wires);
  return element;
}

// ---- the judge

const EXAMPLES = [
  ["ordinary", { amount: 120, destination: "alice" }],
  ["large, new destination", { amount: 400, destination: "mallory" }],
  ["huge", { amount: 1500, destination: "alice" }],
  ["huge, new destination", { amount: 6000, destination: "mallory" }],
  ["more than there is", { amount: 20000, destination: "alice" }],
];

function past() {
  return at("history").value.split("\n").filter((line) => line.trim()).map((line, index) => {
    const [time, amount, ...rest] = line.trim().split(/\s+/);
    if (!/^\d+$/.test(time) || !/^\d+$/.test(amount ?? "") || rest.length === 0) {
      throw new Error(`line ${index + 1} of the history is not a time, an amount and a destination`);
    }
    return { time: Number(time), amount: Number(amount), destination: rest.join(" ") };
  });
}

function figureOf(id) {
  const text = digitsOnly(at(id).value);
  if (!/^\d+$/.test(text) || Number(text) > Number.MAX_SAFE_INTEGER) throw new Error(`${at(id).labels[0].textContent}: a number up to 2^53, please`);
  return Number(text);
}

async function judge(event) {
  event?.preventDefault();
  const place = at("verdict");
  try {
    const withdrawal = { time: figureOf("time"), amount: figureOf("amount"), destination: at("destination").value };
    const input = ["balance", "amount", figureOf("limit"), figureOf("spent"), "time", 0];
    const transaction = { program: "guard", input, balance: figureOf("balance"), withdrawal };
    const judged = await ask("judge", { transaction, history: { withdrawals: past() } });
    const kind = { allow: "good", hold: "warn", block: "bad" }[judged.verdict];
    const code = judged.program.status === "ok" ? `The code returns ${judged.r0} after ${judged.instructions} instructions.` : `The code fails: ${judged.program.detail}`;
    tell(place, kind, judged.verdict, [judged.reason, code, `Rule: ${judged.rule.replaceAll("_", " ")}`]);
  } catch (error) {
    tell(place, "bad", "Not judged", [error.message]);
  }
}

// ---- the results

function table(place, heads, rows) {
  const row = (cells, tag) => {
    const element = make("tr");
    element.append(...cells.map((cell, index) => {
      const { text, kind } = typeof cell === "object" ? cell : { text: cell, kind: "" };
      const attributes = { class: `${heads[index].number ? "number" : ""} ${kind}`.trim() };
      return make(tag, text, tag === "th" ? { ...attributes, scope: "col" } : attributes);
    }));
    return element;
  };
  const head = make("thead"), body = make("tbody");
  head.append(row(heads.map(({ name }) => name), "th"));
  body.append(...rows.map((cells) => row(cells, "td")));
  place.replaceChildren(head, body);
}

async function results() {
  try {
    const suites = await ask("results");
    table(at("suites"),
      [{ name: "suite" }, { name: "cases", number: true }, { name: "equal", number: true }, { name: "reference" }, { name: "evaluator" }, { name: "seconds", number: true }],
      suites.map((suite) => [
        suite.suite, grouped(suite.cases),
        suite.matched === suite.cases ? { text: "all", kind: "good" } : { text: grouped(suite.matched), kind: "bad" },
        `${suite.oracle.name} ${suite.oracle.version}`, suite.evaluator, suite.seconds.toFixed(1),
      ]));
    const rows = suites.flatMap((suite) => suite.rows ?? []);
    table(at("speed"),
      [{ name: "what" }, { name: "here, ns", number: true }, { name: "reference, ns", number: true }, { name: "times", number: true }],
      rows.map((row) => [row.name, grouped(row.svmllm_ns), grouped(row.reference_ns), row.ratio.toFixed(1)]));
  } catch (error) {
    at("suites").replaceChildren(make("caption", error.message));
  }
}

// ---- all of it

async function open() {
  const [info, list] = await Promise.all([ask("info"), ask("demos")]);
  limits = info.limits;
  demos = list;
  at("facts").textContent = `${grouped(info.parameters)} parameters in ${info.tensors} tensors, ${grouped(info.non_zeros)} not zero · version ${info.version} · SHA-256 ${info.digest}`;
  at("demo").replaceChildren(...demos.map((demo) => make("option", demo.name, { value: demo.name })), make("option", "your own", { value: OWN }));
  at("examples").replaceChildren(...EXAMPLES.map(([label, values]) => {
    const button = make("button", label, { type: "button" });
    button.addEventListener("click", () => {
      for (const [id, value] of Object.entries(values)) at(id).value = value;
      judge();
    });
    return button;
  }));
  choose();
  await Promise.all([stepThrough(), judge(), results()]);
}

at("demo").addEventListener("change", choose);
at("source").addEventListener("input", () => { if (chosen() === undefined) written = at("source").value; });
at("file").addEventListener("change", load);
at("start").addEventListener("submit", run);
at("step").addEventListener("click", () => {
  at("steps").scrollIntoView();
  stepThrough();
});
at("first").addEventListener("click", () => show(0));
at("back").addEventListener("click", () => show(Math.max(stepping.number - 1, 0)));
at("forward").addEventListener("click", () => show(stepping.number + 1));
at("goto").addEventListener("submit", (event) => {
  event.preventDefault();
  const number = Number(digitsOnly(at("number").value));
  if (Number.isSafeInteger(number) && number >= 0) show(number);
  else at("position").textContent = "A step is a whole number.";
});
at("steps").addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT" || at("view").hidden) return;
  if (event.key === "ArrowLeft" && !at("back").disabled) show(stepping.number - 1);
  else if (event.key === "ArrowRight" && !at("forward").disabled) show(stepping.number + 1);
});
at("case").addEventListener("submit", judge);
// The colours of the drawings are those of the scheme.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (!at("view").hidden) show(stepping.number); });

open().catch((error) => { at("facts").textContent = error.message; });
