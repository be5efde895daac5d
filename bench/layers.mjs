import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endpoint, greetingJob } from './conversations.mjs';
import { judgedEnv, judgedJob, withModel } from './judged.mjs';
import { median, program, runNode, withFolder } from './measure.mjs';
import { cheapJob } from './throughput.mjs';

const bareScript = fileURLToPath(new URL('./bare-script.mjs', import.meta.url));

/** Another checkout, built, that is measured in the same turns. */
const otherCheckout = process.env.ASSAY_BENCH_BASE;
const builds = {
  now: program,
  ...(otherCheckout && { base: join(resolve(otherCheckout), 'bin', 'assay.js') }),
};

/** Times of Assay as multiples of a script that does the same by hand, and its memory as it grows with the cases. */
export async function* layers() {
  yield* await beside({ what: 'one case', files: cheapJob(1), bare: ['cheap'], rounds: 9, target: 2 });
  yield* await beside({ what: '10,000 cheap cases', files: cheapJob(10_000), bare: ['cheap'], rounds: 5, target: 4 });
  yield* http();
  yield* await withFolder(judgedJob, (cwd) => withModel('script.json', cwd, judged));
  yield* await memory();
}

async function* http() {
  const agent = spawn(process.execPath, [endpoint, '20'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(createInterface(agent.stdout), 'line');
  const job = (concurrency, target) =>
    beside({
      what: `1,000 HTTP answers, ${concurrency} at a time`,
      files: greetingJob(url, 1_000),
      bare: ['http', String(concurrency), url],
      flags: ['--concurrency', String(concurrency)],
      rounds: 5,
      target,
    });
  try {
    yield* await job(32, 1.8);
    yield* await job(128, 2.5);
  } finally {
    agent.kill();
  }
}

function judged(url) {
  return beside({
    what: '1,000 judged answers, 32 at a time',
    files: judgedJob,
    bare: ['judged', '32', url],
    flags: ['--no-cache', '--concurrency', '32'],
    env: judgedEnv(url),
    rounds: 5,
    target: 1.6,
  });
}

/** Runs the script and every build in turns, each in a new folder. */
async function beside({ what, files, bare, flags = [], env = {}, rounds, target }) {
  const commands = { bare: [bareScript, ...bare] };
  for (const [name, path] of Object.entries(builds)) commands[name] = [path, 'run', 's.yaml', '--quiet', ...flags];
  const runs = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of Object.entries(commands)) {
      runs[name].push(await withFolder(files, (cwd) => runNode(command, { cwd, env })));
    }
  }
  const figure = (name, key) => median(runs[name].map((run) => run[key]));
  return Object.keys(builds).map((name) => {
    const ratio = figure(name, 'seconds') / figure('bare', 'seconds');
    const times = `${figure(name, 'seconds').toFixed(2)} s, CPU ${figure(name, 'cpuSeconds').toFixed(2)} s`;
    const measured = `${ratio.toFixed(2)} x the script (${times})`;
    return rowOf(name, what, { measured, target: `at most ${target} x`, isMet: ratio <= target });
  });
}

async function memory() {
  const peaks = Object.fromEntries(Object.keys(builds).map((name) => [name, {}]));
  for (const [name, path] of Object.entries(builds)) {
    for (const cases of [10_000, 100_000]) {
      const run = (cwd) => runNode([path, 'run', 's.yaml', '--quiet'], { cwd, withPeak: true });
      peaks[name][cases] = (await withFolder(cheapJob(cases), run)).peakMb;
    }
  }
  return Object.entries(peaks).map(([name, { 10000: few, 100000: many }]) => {
    const measured = `${(many / few).toFixed(2)} x (${few.toFixed(0)} and ${many.toFixed(0)} MB)`;
    return rowOf(name, 'peak memory, 100,000 cases over 10,000', {
      measured,
      target: 'at most 1.2 x',
      isMet: many <= few * 1.2,
    });
  });
}

/** Another build has no targets here. */
function rowOf(name, what, row) {
  if (name === 'now') return { what, ...row, goal: what };
  return { what: `  ${name}`, measured: row.measured };
}
