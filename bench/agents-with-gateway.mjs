import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median, program, runNode, startServer, streamingModel, withFolder } from './measure.mjs';

const repeats = 20;
const rounds = 3;
const crowdSize = 50;
const streamSeconds = 4;
const eventsPerSecond = 25;

const scenario = `name: One
description: measured
target: { binary: /bin/true }
task: Do nothing
evaluation: { gates: [{ type: file_exists, path: reply.txt }] }
cost: { cache: false }
`;
const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x'.repeat(2_000) }] });
const call = (query = '') =>
  `curl -sfN -o reply.txt -d @body.json "$OPENAI_BASE_URL/chat/completions${query}" -H "authorization: Bearer $OPENAI_API_KEY"`;

/** Cost of a trial whose agent calls its model once, in namespaces and through the gateway, and memory of a crowd. */
export async function agentsWithGateway() {
  const missing = ['bwrap', 'curl'].filter((name) => spawnSync(name, ['--version']).status !== 0);
  if (missing.length > 0) return [{ what: 'trials with gateway and namespaces', measured: `no ${missing.join(', ')}` }];
  return withFolder({}, async (cwd) => {
    const model = await startServer([streamingModel], cwd);
    try {
      await writeProject(cwd, `${model.url}/v1`);
      return measure(cwd, `${model.url}/v1`);
    } finally {
      await model.end();
    }
  });
}

async function writeProject(cwd, url) {
  const crowdQuery = `?events=${streamSeconds * eventsPerSecond}&everyMs=${1_000 / eventsPerSecond}`;
  const env = { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'a-key-for-the-bench' };
  const scripts = { caller: call(), streamer: call(crowdQuery) };
  const agents = {};
  for (const [name, script] of Object.entries(scripts)) {
    const file = join(cwd, `${name}.sh`);
    await writeFile(file, `#!/bin/sh\n${script}\necho done\n`, { mode: 0o755 });
    agents[name] = { kind: 'command', format: 'text', command: file, env };
  }
  for (const folder of ['s', 'template', 'bare']) await mkdir(join(cwd, folder));
  for (const folder of ['template', 'bare']) await writeFile(join(cwd, folder, 'body.json'), body);
  await writeFile(join(cwd, 's', 'one.yaml'), `${scenario}template_folder: ../template\n`);
  await writeFile(join(cwd, 'assay.config.yaml'), JSON.stringify({ isolation: 'bubblewrap', agents }));
}

function measure(cwd, url) {
  const run = (agent, repeat, concurrency, options = {}) => {
    const flags = ['--agent', agent, '--repeat', String(repeat), '--concurrency', String(concurrency), '--quiet'];
    return runNode([program, 'run', 's/one.yaml', ...flags], { cwd, ...options });
  };
  run('caller', 1, 1);
  const bareMs = [];
  const trialMs = [];
  const trialCpuMs = [];
  for (let round = 0; round < rounds; round++) {
    bareMs.push(bareCallMs(cwd, url));
    const [one, many] = [run('caller', 1, 1), run('caller', repeats + 1, 1)];
    trialMs.push(((many.seconds - one.seconds) / repeats) * 1_000);
    trialCpuMs.push(((many.cpuSeconds - one.cpuSeconds) / repeats) * 1_000);
  }
  const [bare, trial, cpu] = [bareMs, trialMs, trialCpuMs].map(median);
  const crowd = run('streamer', crowdSize, crowdSize, { withPeak: true });
  return [
    {
      what: 'a trial with gateway and namespaces, one model call',
      measured: `${(trial - bare).toFixed(0)} ms added (bare call ${bare.toFixed(0)} ms)`,
      target: 'at most 150 ms',
      isMet: trial - bare <= 150,
    },
    {
      what: '  CPU of Assay and all that it started',
      measured: `${cpu.toFixed(0)} ms (${(cpu / trial).toFixed(2)} cores)`,
    },
    {
      what: `  ${crowdSize} such agents at once, peak memory of Assay`,
      measured: `${crowd.peakMb.toFixed(0)} MB in ${crowd.seconds.toFixed(0)} s`,
      target: 'at most 300 MB',
      isMet: crowd.peakMb <= 300,
    },
  ];
}

/** The agent's own command, without Assay. */
function bareCallMs(cwd, url) {
  const env = { ...process.env, OPENAI_BASE_URL: url, OPENAI_API_KEY: 'a-key-for-the-bench' };
  const began = performance.now();
  for (let index = 0; index < repeats; index++) {
    const { status } = spawnSync('/bin/sh', ['-c', call()], { cwd: join(cwd, 'bare'), env });
    if (status !== 0) throw new Error(`the bare call ended with ${status}`);
  }
  return (performance.now() - began) / repeats;
}
