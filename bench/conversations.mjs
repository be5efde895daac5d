import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { median, program, runNode, withFolder } from './measure.mjs';
import { besidePeers } from './peers/index.mjs';

export const endpoint = fileURLToPath(new URL('./slow-endpoint.mjs', import.meta.url));
const delayMs = 20;

/** The files of this job. */
export function greetingJob(url, cases) {
  return { 's.yaml': scenario(url), 'rows.jsonl': rows(cases) };
}

/** Conversations of one turn with an agent that takes 20 ms, beside the time that they would take if nothing else did. */
export async function conversations() {
  const agent = spawn(process.execPath, [endpoint, String(delayMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(createInterface(agent.stdout), 'line');
  try {
    return [
      await measured(url, { cases: 1_000, concurrency: 4, rounds: 3, target: 0.88 }),
      await measured(url, { cases: 1_000, concurrency: 32, rounds: 5, target: 0.62 }),
      await measured(url, { cases: 1_000, concurrency: 128, rounds: 5, target: 0.4 }),
      ...(await measuredWithMemory(url, { cases: 10_000, concurrency: 128, rounds: 3, target: 0.4 })),
    ];
  } finally {
    agent.kill();
  }
}

async function measured(url, { cases, concurrency, rounds, target }) {
  const { seconds } = await run(url, cases, concurrency, rounds);
  const ideal = idealSeconds(cases, concurrency);
  const peers = await besidePeers({ kind: 'http', cases, concurrency, url }, (taken) => `${percent(ideal / taken)} %`);
  const goal = `${cases.toLocaleString('en-US')} HTTP answers of ${delayMs} ms, ${concurrency} at a time`;
  return { ...row(cases, concurrency, seconds, target), goal, peers };
}

async function measuredWithMemory(url, { cases, concurrency, rounds, target }) {
  const { seconds, peakMb } = await run(url, cases, concurrency, rounds);
  const memory = { what: '  peak memory', measured: `${peakMb.toFixed(0)} MB`, target: 'at most 180 MB' };
  return [row(cases, concurrency, seconds, target), { ...memory, isMet: peakMb <= 180 }];
}

async function run(url, cases, concurrency, rounds) {
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    const flags = ['run', 's.yaml', '--quiet', '--concurrency', String(concurrency)];
    runs.push(
      await withFolder(greetingJob(url, cases), (cwd) => runNode([program, ...flags], { cwd, withPeak: true })),
    );
  }
  return {
    seconds: median(runs.map(({ seconds }) => seconds)),
    peakMb: Math.max(...runs.map(({ peakMb }) => peakMb)),
  };
}

function row(cases, concurrency, seconds, target) {
  const share = idealSeconds(cases, concurrency) / seconds;
  return {
    what: `${cases.toLocaleString('en-US')} conversations, ${concurrency} at a time`,
    measured: `${percent(share)} % of ideal (${seconds.toFixed(2)} s)`,
    target: `at least ${percent(target)} %`,
    isMet: share >= target,
  };
}

function idealSeconds(cases, concurrency) {
  return (Math.ceil(cases / concurrency) * delayMs) / 1_000;
}

function percent(share) {
  return Math.round(100 * share);
}

function scenario(url) {
  return `name: Greet
connector: { type: http, baseUrl: "${url}" }
dataset: ./rows.jsonl
userMessages: ["Hello {{name}}"]
evaluators:
  - { type: contains, config: { text: Hello } }
  - { type: latency-budget, config: { maxMs: 60000 } }
  - { type: not-contains, config: { text: sorry } }
`;
}

function rows(cases) {
  return Array.from({ length: cases }, (_, index) => JSON.stringify({ name: `guest ${index}` })).join('\n');
}
