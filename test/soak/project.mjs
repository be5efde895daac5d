import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a case ends is decided by the first letter of its name, and by nothing that happens during the soak. */
const outcomeOf = { p: 'pass', f: 'fail', t: 'fail', x: 'error' };

export const outcomeOfCase = (caseId) => outcomeOf[caseId[0]];

/** Finished trials wait up to 100 ms for others to share their commit. */
const longerThanACommitWaitsMs = 150;

/** Scenario files by name: the letters of their cases, and how long each call takes. */
const suites = {
  tiny: { letters: 'pf', ms: 0 },
  mixed: { letters: 'ppftppftx', ms: 4 },
  wide: { letters: 'pppf'.repeat(15), ms: 3 },
  slow: { letters: 'ppftpp'.repeat(2), ms: longerThanACommitWaitsMs },
};

/** Trials at the same time. */
export const concurrency = 8;

export const suiteNames = Object.keys(suites);

export const casesOf = (suite) => [...suites[suite].letters].map((letter, index) => `${letter}${index}`);

const tool = `import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
export async function answer({ suite, id, ms }) {
  appendFileSync(process.env.SOAK_CALLS, suite + '\\n');
  await wait(ms);
  if (id.startsWith('x')) process.exit(3);
  if (id.startsWith('t')) throw new Error('this case throws');
  return { ok: id.startsWith('p') };
}
`;

function scenario(suite) {
  const { ms } = suites[suite];
  const cases = casesOf(suite).map(
    (id) => `  - { name: ${id}, input: { suite: ${suite}, id: ${id}, ms: ${ms} }, passCriteria: [result.ok === true] }`,
  );
  return `name: ${suite}\ncall: { module: ./tool.mjs, export: answer }\ncases:\n${cases.join('\n')}\n`;
}

/** A project whose outcomes are known before anything runs, with a log of every call of its tool outside of it. */
export class Project {
  #root = realpathSync(mkdtempSync(join(tmpdir(), 'assay-soak-')));
  folder = join(this.#root, 'project');
  #calls = join(this.#root, 'calls');
  /** Where copies of the store and imported files go. */
  scratch = join(this.#root, 'scratch');
  #counted = {};
  #readBytes = 0;
  #rest = '';

  constructor() {
    for (const folder of [this.folder, this.scratch]) mkdirSync(folder);
    writeFileSync(join(this.folder, 'tool.mjs'), tool);
    for (const suite of suiteNames) writeFileSync(join(this.folder, `${suite}.yaml`), scenario(suite));
    writeFileSync(this.#calls, '');
  }

  get env() {
    return { SOAK_CALLS: this.#calls };
  }

  /** How often the tool was called, in whatever process. */
  get calls() {
    this.#readOn();
    return Object.values(this.#counted).reduce((sum, count) => sum + count, 0);
  }

  callsOf(suite) {
    this.#readOn();
    return this.#counted[suite] ?? 0;
  }

  /** The log grows all the time, and is looked at all the time. */
  #readOn() {
    const log = openSync(this.#calls, 'r');
    const buffer = Buffer.alloc(65_536);
    const read = () => readSync(log, buffer, 0, buffer.length, this.#readBytes);
    for (let bytes = read(); bytes > 0; bytes = read()) {
      this.#readBytes += bytes;
      const lines = (this.#rest + buffer.toString('latin1', 0, bytes)).split('\n');
      this.#rest = lines.pop();
      for (const suite of lines) this.#counted[suite] = (this.#counted[suite] ?? 0) + 1;
    }
    closeSync(log);
  }

  remove() {
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 3 });
  }
}
