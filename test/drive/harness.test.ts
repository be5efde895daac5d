import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../src/domain/record.ts';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { storeElsewhere } from '../../src/testing/support/project-store.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const example = fileURLToPath(new URL('../../examples/harness', import.meta.url));

interface Change {
  readonly harness: object;
  /** Replaced in the program of the agent, which otherwise does what Claude Code does. */
  readonly agent?: readonly [string, string];
  readonly config?: object;
  readonly more?: object;
  readonly files?: Readonly<Record<string, string>>;
}

/** The project of the example under other harnesses. */
async function project({ harness, agent, config, more, files = {} }: Change): Promise<string> {
  const cwd = await temporaryFolder({});
  await cp(example, cwd, { recursive: true });
  if (agent) {
    const text = await readFile(join(cwd, 'agent.mjs'), 'utf8');
    expect(text).toContain(agent[0]);
    await writeFile(join(cwd, 'agent.mjs'), text.replace(...agent));
  }
  const evaluators = [{ type: 'contains', config: { text: 'Done' } }];
  const scenario = { name: 'Notes', task: 'Write.', agents: ['claude'], harness, evaluators, ...more };
  await writeFiles(cwd, {
    'notes.yaml': JSON.stringify(scenario),
    ...(config && { 'assay.config.yaml': JSON.stringify(config) }),
    ...files,
  });
  return cwd;
}

interface Tried {
  readonly outcomes: readonly (readonly [harness: string | undefined, outcome: string, code: string | undefined])[];
  readonly messages: readonly string[];
  /** Of all trials. */
  readonly parts: readonly (readonly [string, string | null])[];
}

async function under(change: Change): Promise<Tried> {
  const cwd = await project(change);
  const { stdout, stderr } = await assay(['run', 'notes.yaml', '--json', '--no-cache'], { cwd, env: { HERE: cwd } });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  const { trials } = JSON.parse(stdout) as { trials: TrialRecord[] };
  const parts: [string, string | null][] = [];
  for (const { trialId } of trials) {
    const shown = await assay(['show', trialId, '--json'], { cwd });
    const events = eventsOf(JSON.parse(shown.stdout).trace as Trace, 'harness');
    parts.push(...events.flatMap((event) => Object.entries(event.parts)));
  }
  const outcomes = trials.map(({ variant, outcome, fault }) => [variant.harness, outcome, fault?.code] as const);
  return { outcomes, messages: trials.flatMap(({ fault }) => fault?.message ?? []), parts };
}

const guard = { PreCompact: [{ hooks: [{ type: 'command', command: 'true' }] }] };
const subagents = 'agents/reviewer.md';

describe('the harnesses of the example', () => {
  it('are variants, each with what it hands over', async () => {
    const store = await storeElsewhere();
    const { stdout } = await assay(['run', '--json', '--no-cache', ...store], { cwd: example });
    const { trials } = JSON.parse(stdout) as { trials: TrialRecord[] };
    expect(trials.map(({ variant, outcome }) => [variant.harness, outcome])).toEqual([
      ['plain', 'fail'],
      ['reviewed', 'pass'],
      ['stamped', 'pass'],
      ['planning', 'fail'],
    ]);
  });

  it('are chosen, compared, and in the transcript with where each part was seen', async () => {
    const cwd = await project({
      harness: { plain: null, other: null, reviewed: { subagents, plugins: 'plugins/notes' } },
    });
    const chosen = ['--arm', 'harness=plain', '--arm', 'harness=reviewed'];
    const { stdout } = await assay(['run', 'notes.yaml', '--no-cache', '--json', ...chosen], { cwd });
    const { trials } = JSON.parse(stdout) as { trials: TrialRecord[] };
    expect(trials.map(({ variant }) => variant.harness)).toEqual(['plain', 'reviewed']);
    const transcript = join(cwd, '.assay/artifacts', trials[1]?.artifacts ?? '', 'transcript.human.txt');
    const seen =
      'Harness reviewed: plug-in notes (`plugins` of its first line), sub-agent reviewer (`agents` of its first line)';
    expect(await readFile(transcript, 'utf8')).toContain(seen);
    const compared = await assay(['compare', 'latest', '--by', 'harness', '--a', 'plain', '--b', 'reviewed'], { cwd });
    expect(compared.stdout).toContain('Compared: harness: plain in A, reviewed in B');
  });
});

describe('a part that the agent does not show makes the trial an error that names it:', () => {
  const errors = (names: readonly string[]) => names.map((name) => [name, 'error', 'HARNESS_UNPROVEN']);

  it('a sub-agent, a plug-in, a permission mode', async () => {
    const agent = ["{ type: 'system', subtype: 'init',", "{ type: 'system', subtype: 'other',"] as const;
    const harness = { a: { subagents }, b: { plugins: 'plugins/notes' }, c: { permission_mode: 'plan' } };
    const { outcomes, messages, parts } = await under({ harness, agent });
    expect(outcomes).toEqual(errors(['a', 'b', 'c']));
    expect(parts).toEqual([
      ['sub-agent reviewer', null],
      ['plug-in notes', null],
      ['permission mode plan', null],
    ]);
    expect(messages[0]).toBe('The agent "claude" does not show the sub-agent reviewer of the harness "a".');
  });

  it('settings and hooks of a file that it ignores, an output style, and hooks of an event that it may not have', async () => {
    const settings = { cleanupPeriodDays: 'x' };
    const harness = {
      a: { settings },
      b: { hooks: guard, settings },
      c: { settings: { outputStyle: 'Loud' } },
      d: { hooks: { PreToolUsee: guard.PreCompact } },
    };
    const { outcomes, parts } = await under({ harness, agent: ['settings.outputStyle', 'null'] });
    expect(outcomes).toEqual(errors(['a', 'b', 'c', 'd']));
    const named = ['settings', 'hooks of PreCompact', 'settings', 'settings', 'hooks of PreToolUsee'];
    expect(parts).toEqual(named.map((part) => [part, null]));
  });

  it('one of another harness, which the agent has nevertheless', async () => {
    const agent = ["namesIn(join(process.env.HOME, '.claude/agents'))", "['reviewer']"] as const;
    const { outcomes, messages } = await under({ harness: { reviewed: { subagents }, plain: null }, agent });
    expect(outcomes).toEqual([['reviewed', 'pass', undefined], ...errors(['plain'])]);
    expect(messages[0]).toContain('has the sub-agent reviewer');
  });
});

it('hooks whose event did not come are loaded where a hook of their file ran', async () => {
  const harness = { a: { hooks: guard, settings: { outputStyle: 'Loud' } } };
  const { outcomes, parts } = await under({ harness });
  expect(outcomes).toEqual([['a', 'pass', undefined]]);
  expect(parts).toEqual([
    ['hooks of PreCompact', 'its file was loaded; the hook did not run'],
    ['settings', 'a hook in its file ran'],
  ]);
});

it('a part is seen in a request to the model, through the gateway alone', async () => {
  await using model = await startScriptedModel({ rules: [{ reply: 'Done.' }] });
  const program = `
if (process.argv.includes('--version')) { console.log('1.18.18'); process.exit(); }
const url = JSON.parse(require('fs').readFileSync(process.env.HOME + '/.config/opencode/opencode.json')).provider.assay.options.baseURL;
const tool = { type: 'function', function: { name: 'task', description: 'Agents:\\n- reviewer: Reviews texts before they are published.' } };
const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Write.' }], tools: [tool] });
fetch(url + '/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY }, body }).then(() => {
  const line = (type, part) => console.log(JSON.stringify({ type, sessionID: 's', part: { id: type, messageID: 'm', ...part } }));
  line('step_start', {});
  line('text', { text: 'Done.' });
  line('step_finish', { reason: 'stop', tokens: { input: 1, output: 1 } });
});`;
  const agents = (gateway: boolean) => ({
    agents: {
      open: { kind: 'opencode', command: 'node ${HERE}/open.cjs', gateway, baseUrl: `${model.url}/v1`, apiKey: 'k' },
    },
  });
  const change = {
    harness: { a: { subagents: 'agents' } },
    files: { 'open.cjs': program },
    more: { agents: ['open'], models: ['m'] },
  };
  const seen = await under({ ...change, config: agents(true) });
  expect(seen.outcomes).toEqual([['a', 'pass', undefined]]);
  expect(seen.parts).toEqual([['sub-agent reviewer', 'its description, in a request to the model']]);
  const unseen = await under({ ...change, config: agents(false) });
  expect(unseen.outcomes).toEqual([['a', 'error', 'HARNESS_UNPROVEN']]);
  expect(unseen.messages[0]).toContain('None of its requests to its model were seen by the gateway');
});

describe('a scenario with a harness', () => {
  const validate = async (change: Change): Promise<string> => {
    const { stdout, stderr } = await assay(['validate', 'notes.yaml'], { cwd: await project(change) });
    return `${stdout}${stderr}`;
  };

  it('is refused for parts that its agent cannot be handed, and for files that no agent could use', async () => {
    const harness = {
      manifest: { plugins: 'agents' },
      description: { subagents: 'x.md' },
      twice: { subagents: ['agents', 'agents/reviewer.md'] },
      lists: { hooks: { PreToolUse: 'x' } },
      scripts: { hooks: { Stop: [{ hooks: [{ type: 'command', command: '${HOOKS_FOLDER}/x' }] }] } },
      none: { hooks: 'agents' },
      misplaced: { settings: { hooks: {} } },
      mode: { settings: { permissions: { defaultMode: 'plan' } } },
      missing: { settings: 'none.json' },
    };
    const text = await validate({ harness, more: { agents: ['pi'] }, files: { 'x.md': 'x' } });
    for (const message of [
      '`agents` has no manifest with a `name`',
      '`x.md` has no `description`',
      'duplicate name `reviewer`',
      'hooks must be lists by event',
      '`${HOOKS_FOLDER}` needs `hooks` that are a folder',
      '`hooks.json` is not a file with an object',
      'belong under `hooks`',
      'is `permission_mode` of the harness',
      'there is no file `none.json`',
      'the agent "pi" cannot be handed `settings`, or could not be seen to have it',
    ])
      expect(text).toContain(message);
  });

  it('is refused for unknown parts, and for a harness of nothing', async () => {
    const text = await validate({ harness: { a: { sub_agents: 'agents' }, b: {} } });
    expect(text).toContain('sub_agents');
    expect(text).toContain('needs at least one part');
  });

  it('limits a harness to the agents that it names', async () => {
    const more = { agents: ['claude', 'scripted'] };
    const cwd = await project({ harness: { a: { permission_mode: 'plan', agents: 'claude' }, b: null }, more });
    const { stdout } = await assay(['run', 'notes.yaml', '--dry-run'], { cwd });
    expect(stdout).toContain('3 trials');
  });
});
