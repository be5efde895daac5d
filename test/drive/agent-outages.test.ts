import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import type { ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import {
  type RecordedOutage,
  recordedOutages,
  replayName,
  replayProject,
} from '../../src/testing/support/replayed-agents.ts';

const fixtures = new URL('../fixtures/agent-outages/', import.meta.url);
const agents = readdirSync(fixtures).map((file) => file.replace('.jsonl', ''));
const outages = agents.flatMap(recordedOutages);
const broken = outages.filter(({ when }) => when !== 'once');
const recovered = outages.filter(({ when }) => when === 'once');

const classes = ['429', '500', '529', 'reset', 'stall'];
const codes: Readonly<Record<string, readonly string[]>> = {
  429: ['MODEL_RATE_LIMITED', 'MODEL_TIMEOUT'],
  500: ['MODEL_UNAVAILABLE', 'MODEL_TIMEOUT'],
  529: ['MODEL_UNAVAILABLE', 'MODEL_TIMEOUT'],
  reset: ['MODEL_UNAVAILABLE', 'MODEL_TIMEOUT'],
  stall: ['MODEL_TIMEOUT', 'MODEL_UNAVAILABLE'],
};

const scenario = {
  name: 'Notes',
  description: 'One task',
  target: { binary: 'true' },
  task: { prompt: 'Write a note.' },
  evaluation: { gates: [{ type: 'file_exists', path: 'note.txt' }] },
  run: { timeout_secs: 30 },
};

/** All of them in one run and at once: most wait for the time limit, which has to be much longer than they take to print. */
async function replay(played: readonly RecordedOutage[]): Promise<ReadonlyMap<string, ToolTrial>> {
  const folder = await replayProject(played, scenario);
  const names = played.map(replayName).join(',');
  const flags = ['--json', '--no-cache', '--concurrency', '96', '--agent', names, '--model', 'test-model'];
  const run = await assay(['run', 'scenario.yaml', ...flags], { cwd: folder });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const trials = JSON.parse(run.stdout).trials as ToolTrial[];
  return new Map(trials.map((trial) => [trial.variant.agent ?? '', trial]));
}

it('covers every agent, every way to fail, at the first call and at a later one', () => {
  expect(agents.length).toBeGreaterThanOrEqual(9);
  const cells = agents.flatMap((agent) => classes.map((name) => `${agent}-${name}`));
  expect(broken.map(replayName).sort()).toEqual(cells.flatMap((cell) => [`${cell}-first`, `${cell}-later`]).sort());
});

it('judges no agent whose model could not be reached', { timeout: 120_000 }, async () => {
  const trials = await replay(broken);
  const table = broken.map((outage) => {
    const { outcome, fault } = trials.get(replayName(outage)) ?? {};
    const [ownCode, waitCode] = codes[outage.class] ?? [];
    // An agent that retries without a word shows only that its model did not answer.
    const isRight = fault?.code === ownCode || (outage.exitCode === null && fault?.code === waitCode);
    return [replayName(outage), outcome, fault?.blame, isRight ? 'right code' : fault?.code];
  });
  expect(table).toEqual(broken.map((outage) => [replayName(outage), 'error', 'model', 'right code']));
});

it('judges an agent that recovered by itself', { timeout: 120_000 }, async () => {
  expect(recovered.length).toBeGreaterThanOrEqual(5);
  const trials = await replay(recovered);
  const table = recovered.map((outage) => {
    const { outcome, interaction } = trials.get(replayName(outage)) ?? {};
    return [replayName(outage), outcome, interaction?.completed];
  });
  expect(table).toEqual(recovered.map((outage) => [replayName(outage), 'fail', true]));
});
