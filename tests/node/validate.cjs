// Reads lines of {"schema": NAME, "value": ...}; says for each whether Roo's published schema takes it.
const types = require("@roo-code/types");
const readline = require("readline");

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { schema, value } = JSON.parse(line);
  const checked = types[schema].safeParse(value);
  const problems = checked.success ? [] : checked.error.issues.map((i) => `${i.path.join(".")}: ${i.message}`);
  process.stdout.write(JSON.stringify(problems) + "\n");
});
