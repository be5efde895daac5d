import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { countingModel, median, program, runNode, startServer, withFolder } from './measure.mjs';
import { besidePeers } from './peers/index.mjs';

const cases = 1_000;
const concurrency = 32;
const delayMs = 20;
const rounds = 3;

const scenario = `name: Judged answers
call: { module: ./tool.mjs, export: answer }
dataset: ./rows.jsonl
judge:
  model: openai/gpt-4o-mini
  successCriteria: The answer is the word blue
`;
const verdict = {
  criteria: [
    {
      id: 'success-1',
      reasoning: 'It says so.',
      evidence: [{ event: 'e2', quote: 'the answer is blue' }],
      answer: 'met',
    },
  ],
};
/** The reply that peers read. */
const verdictForPeers = { pass: true, score: 1, reason: 'It says so.' };
const scriptOf = (json) => JSON.stringify({ delayMs, rules: [{ reply: { json } }] });
/** Verdicts whose tokens are counted: the same for each, so a few say it. */
const countedCases = 50;
const tool = `import { setTimeout as wait } from 'node:timers/promises';
export async function answer({ question }) {
  await wait(Number(process.env.ANSWER_DELAY_MS));
  return { question, text: 'the answer is blue' };
}
`;
const rows = Array.from({ length: cases }, (_, index) => JSON.stringify({ question: index })).join('\n');

/** The files of this job; the model is served from `script.json`. */
export const judgedJob = {
  's.yaml': scenario,
  'tool.mjs': tool,
  'rows.jsonl': rows,
  'script.json': scriptOf(verdict),
};

/** The environment in which this job finds the model. */
export function judgedEnv(url) {
  return { ANSWER_DELAY_MS: String(delayMs), OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'scripted-key' };
}

/** One answer and one judge call for each case, against a scripted model, and the same again from recordings. */
export function judged() {
  return withFolder(judgedJob, async (cwd) => {
    const asked = await withModel('script.json', cwd, (url) => measure(cwd, url));
    const ideal = (2 * delayMs * cases) / concurrency / 1_000;
    const percent = (seconds) => `${Math.round((100 * ideal) / seconds)} %`;
    const peers = await withFolder({ 'script.json': scriptOf(verdictForPeers) }, (folder) =>
      withModel('script.json', folder, (url) =>
        besidePeers({ kind: 'judged', cases, concurrency, url, delayMs }, percent),
      ),
    );
    return [...rowsOf(asked, ideal / asked.seconds, peers), await tokensRow(cwd)];
  });
}

function rowsOf({ seconds, peakMb, replayed }, share, peers) {
  const rate = cases / replayed;
  return [
    {
      what: `${cases.toLocaleString('en-US')} judged cases, ${concurrency} at a time`,
      measured: `${(share * 100).toFixed(0)} % of ideal (${seconds.toFixed(2)} s)`,
      target: 'at least 65 %',
      isMet: share >= 0.65,
      goal: '1,000 judged cases, 32 at a time',
      peers,
    },
    { what: '  peak memory', measured: `${peakMb.toFixed(0)} MB`, target: 'at most 150 MB', isMet: peakMb <= 150 },
    {
      what: '  strict replay of the same',
      measured: `${Math.round(rate).toLocaleString('en-US')} cases/s`,
      target: 'at least 2,000',
      isMet: rate >= 2_000,
      goal: 'strict replay of 1,000 judged cases',
    },
  ];
}

/** Tokens of a verdict, and the share that a provider could read from its cache, beside those of the peers. */
async function tokensRow(cwd) {
  writeFileSync(join(cwd, 'few.jsonl'), rows.split('\n').slice(0, countedCases).join('\n'));
  writeFileSync(join(cwd, 'few.yaml'), scenario.replace('rows.jsonl', 'few.jsonl'));
  const { perVerdict, cachedShare } = await withCounting(verdict, (url) => {
    const env = { ANSWER_DELAY_MS: '0', OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'scripted-key' };
    runNode([program, 'run', 'few.yaml', '--quiet', '--no-cache', '--concurrency', '1'], { cwd, env });
    return countedTokens(url);
  });
  const peers = await withCounting(verdictForPeers, (url) =>
    besidePeers({ kind: 'judged', cases: countedCases, concurrency: 1, url, delayMs: 0 }, async () =>
      tokensText(await countedTokens(url)),
    ),
  );
  return {
    what: '  tokens per verdict, material included',
    measured: tokensText({ perVerdict, cachedShare }),
    target: 'at most 500, 75 %',
    isMet: perVerdict <= 500 && cachedShare >= 0.75,
    goal: 'tokens per verdict, and their share from the cache',
    peers,
  };
}

function tokensText({ perVerdict, cachedShare }) {
  return `${Math.round(perVerdict)}, ${Math.round(cachedShare * 100)} % from the cache`;
}

/** Of the requests since they were last counted. */
async function countedTokens(url) {
  const { requests, tokens, cachedTokens } = await (await fetch(`${url}/figures`)).json();
  return { perVerdict: tokens / requests, cachedShare: cachedTokens / tokens };
}

async function withCounting(reply, work) {
  const server = await startServer([countingModel, JSON.stringify(reply)]);
  try {
    return await work(server.url);
  } finally {
    await server.end();
  }
}

function measure(cwd, url) {
  const env = judgedEnv(url);
  const run = (flags, changes = {}) =>
    runNode([program, 'run', 's.yaml', '--quiet', '--no-cache', '--concurrency', String(concurrency), ...flags], {
      cwd,
      env: { ...env, ...changes },
      withPeak: true,
    });
  run(['--record', 'tapes']);
  const asked = [];
  const replayed = [];
  for (let round = 0; round < rounds; round++) {
    asked.push(run([]));
    replayed.push(run(['--replay', 'tapes'], { ANSWER_DELAY_MS: '0' }));
  }
  return {
    seconds: median(asked.map(({ seconds }) => seconds)),
    peakMb: Math.max(...asked.map(({ peakMb }) => peakMb)),
    replayed: median(replayed.map(({ seconds }) => seconds)),
  };
}

export async function withModel(scriptFile, cwd, work) {
  const server = spawn(process.execPath, [program, 'fake-model', scriptFile], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [url] = await once(createInterface(server.stdout), 'line');
    return await work(url);
  } finally {
    server.kill('SIGKILL');
  }
}
