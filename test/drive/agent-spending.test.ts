import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import type { ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Of each request: $0.05 at a dollar for a million tokens. */
const tokens = 50_000;
const limitUsd = 0.2;

/** What each kind of agent prints or writes down with each of its requests; `$n` is the number of the request. */
const requests: Readonly<Record<string, string>> = {
  'claude-code': `printf '{"type":"assistant","message":{"id":"m%s","model":"test-model","content":[],"usage":{"input_tokens":${tokens},"output_tokens":0}}}\\n' $n`,
  qwen: `printf '{"type":"assistant","message":{"id":"m%s","model":"test-model","content":[],"usage":{"input_tokens":${tokens},"output_tokens":0}}}\\n' $n`,
  opencode: `printf '{"type":"step_finish","part":{"reason":"stop","tokens":{"input":${tokens},"output":0}}}\\n'`,
  pi: `printf '{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"stop","usage":{"input":${tokens},"output":0}}}\\n'`,
  cline: `printf '{"type":"agent_event","event":{"type":"usage","inputTokens":${tokens},"outputTokens":0}}\\n'`,
  codex: `mkdir -p "$HOME/.codex/sessions/a"; printf '{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%s,"output_tokens":0}}}}\\n' $((n * ${tokens})) >> "$HOME/.codex/sessions/a/rollout-1.jsonl"`,
  gemini: `mkdir -p "$HOME/.gemini/tmp/p/chats"; printf '{"id":"m%s","type":"gemini","tokens":{"input":${tokens},"output":0,"total":${tokens}},"model":"test-model"}\\n' $n >> "$HOME/.gemini/tmp/p/chats/session-1.jsonl"`,
  kimi: `mkdir -p "$HOME/.kimi-code/sessions/s"; printf '{"type":"usage.record","usage":{"inputOther":${tokens},"output":0},"time":%s}\\n' $n >> "$HOME/.kimi-code/sessions/s/wire.jsonl"`,
  copilot: `mkdir -p "$HOME/.copilot/session-state/s"; printf '{"type":"session.usage_record","data":{"usage":{"model":"test-model","inputTokens":${tokens},"outputTokens":0,"apiCallId":"c%s"}}}\\n' $n >> "$HOME/.copilot/session-state/s/events.jsonl"`,
};

/** Makes requests without end, unless it is stopped; each takes its time, as a model does. */
const endless = (request: string): string =>
  `#!/bin/sh\n[ "$1" = --version ] && { echo 99.0.0; exit 0; }\nn=0\nwhile [ $n -lt 200 ]; do n=$((n + 1)); ${request}; sleep 0.3; done\n`;

async function spend(scripts: Readonly<Record<string, string>>, agents: object) {
  const folder = await temporaryFolder({
    ...scripts,
    'assay.config.yaml': JSON.stringify({
      isolation: 'none',
      agents,
      models: { prices: { 'test-model': { inputPer1M: 1, outputPer1M: 1 } } },
    }),
    'scenario.yaml': JSON.stringify({
      name: 'Notes',
      target: { binary: 'true' },
      task: { prompt: 'Write a note.' },
      evaluation: { gates: [{ type: 'file_exists', path: 'note.txt' }] },
      cost: { max_usd: limitUsd },
    }),
  });
  for (const name of Object.keys(scripts)) await chmod(join(folder, name), 0o755);
  const flags = ['--json', '--no-cache', '--concurrency', '12', '--model', 'test-model'];
  const names = Object.keys(agents).join(',');
  const run = await assay(['run', 'scenario.yaml', ...flags, '--agent', names], { cwd: folder });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const trials = JSON.parse(run.stdout).trials as ToolTrial[];
  return { trials: new Map(trials.map((trial) => [trial.variant.agent ?? '', trial])), stderr: run.stderr };
}

const inFolder = (name: string) => `./${name}.sh`;

it('stops every agent whose cost is known while it works', { timeout: 60_000 }, async () => {
  const kinds = Object.keys(requests);
  const scripts = Object.fromEntries(kinds.map((kind) => [`${kind}.sh`, endless(requests[kind] ?? '')]));
  const agents = Object.fromEntries(kinds.map((kind) => [kind, { command: inFolder(kind), apiKey: 'any' }]));
  const { trials, stderr } = await spend(scripts, agents);
  expect(stderr).not.toContain('max_usd');
  const seen = kinds.map((kind) => {
    const { outcome, fault, costUsd } = trials.get(kind) ?? {};
    return [kind, outcome, fault?.code, fault?.message.match(/stopped after \$\d/)?.[0], (costUsd ?? 0) > limitUsd];
  });
  expect(seen).toEqual(kinds.map((kind) => [kind, 'error', 'MODEL_BUDGET_REACHED', 'stopped after $0', true]));
  // One request more than the limit allows, and what is under way until it is noticed.
  for (const kind of kinds) expect(trials.get(kind)?.costUsd).toBeLessThan(limitUsd * 8);
});

it('says what an agent has spent that reports its cost at its end, and warns of it before', async () => {
  const atEnd = `#!/bin/sh\necho '{"type":"turn.completed","usage":{"input_tokens":1130000,"output_tokens":0}}'\n`;
  const silent =
    '#!/bin/sh\n[ "$1" = --version ] && { echo 99.0.0; exit 0; }\necho \'{"status":"success","response":"Done."}\'\n';
  const { trials, stderr } = await spend(
    { 'at-end.sh': atEnd, 'silent.sh': silent },
    {
      'at-end': { kind: 'command', format: 'codex', command: './at-end.sh' },
      silent: { kind: 'continue', command: './silent.sh', apiKey: 'any', gateway: false },
    },
  );
  expect(trials.get('at-end')).toMatchObject({
    outcome: 'error',
    costUsd: 1.13,
    fault: { code: 'MODEL_BUDGET_REACHED' },
  });
  expect(trials.get('at-end')?.fault?.message).toContain('had spent $1.13 when it ended');
  expect(trials.get('at-end')?.fault?.message).not.toContain('was stopped');
  expect(trials.get('silent')).toMatchObject({ outcome: 'fail', costUsd: null });
  expect(stderr).toContain('the agent "silent" reports neither tokens nor cost, so the limit is not enforced');
  expect(stderr).toContain('the agent "at-end" may not report its cost while it works');
});
