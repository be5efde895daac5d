import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The built program. */
export const program = fileURLToPath(new URL('../bin/assay.js', import.meta.url));

/** A model server that streams events of chat completions. */
export const streamingModel = fileURLToPath(new URL('./streaming-model.mjs', import.meta.url));

/** A model server that counts the tokens of prompts, and those that begin as the prompt before. */
export const countingModel = fileURLToPath(new URL('./counting-model.mjs', import.meta.url));

const reportPeak = new URL('./report-peak.mjs', import.meta.url).href;

/** A folder with files that is removed after the measurement. */
export async function withFolder(files, work) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs Node to its end; gives wall time and CPU time in seconds and, when asked for, the largest memory in MB. */
export function runNode(args, { cwd, env: extra = {}, withPeak = false } = {}) {
  const peakFile = join(tmpdir(), `assay-bench-peak-${process.pid}`);
  const env = { ...process.env, ...extra, ASSAY_BENCH_PEAK: peakFile };
  const began = performance.now();
  const cpuBegan = childrenCpuSeconds();
  const result = spawnSync(process.execPath, [...(withPeak ? ['--import', reportPeak] : []), ...args], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const seconds = (performance.now() - began) / 1_000;
  if (result.status !== 0)
    throw new Error(`${args.join(' ')} ended with ${result.status}\n${result.stdout}${result.stderr}`);
  const peakMb = withPeak ? Number(readFileSync(peakFile, 'utf8')) / 1_024 : undefined;
  if (withPeak) rmSync(peakFile);
  return { seconds, cpuSeconds: childrenCpuSeconds() - cpuBegan, peakMb, stdout: result.stdout };
}

/** CPU time of ended children with all that they waited for; not a number where there is no `/proc`. */
function childrenCpuSeconds() {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Starts a process that prints an address when it is ready. */
export async function startServer(args, cwd) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  const [printed] = await once(child.stdout.setEncoding('utf8'), 'data');
  const url = /http:\S+/.exec(printed)?.[0];
  return {
    url,
    pid: child.pid,
    async end() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** `assay serve`, when it answers. */
export async function serveForBench(cwd, args = []) {
  const child = spawn(process.execPath, [program, 'serve', ...args, '--json', '--port', '0'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url, token } = JSON.parse(line);
  return {
    url,
    token,
    async end() {
      child.kill();
      await once(child, 'close');
    },
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Median times of several programs, run in turns so that a busy moment of the machine hits all of them. */
export function inTurns(rounds, programs) {
  const times = programs.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, run] of programs.entries()) times[index].push(run().seconds);
  }
  return times.map(median);
}
