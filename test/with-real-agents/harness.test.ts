import { describe, expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay } from '../../src/testing/support/assay.ts';
import type { ToolTrial } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';
import { settingsOf } from './agent-task.ts';
import { environmentWith, type InstalledAgent, installedAgents, testModel } from './installed-agents.ts';

const probe = { hooks: [{ type: 'command', command: 'echo pre >&2' }] };

/** A harness of everything that each agent can be handed. */
const wholeHarnesses: Readonly<Record<string, object>> = {
  'claude-code': {
    plugins: 'plug',
    subagents: 'reviewer.md',
    permission_mode: 'acceptEdits',
    hooks: { PreToolUse: [{ matcher: 'Bash', ...probe }], PreCompact: [probe] },
    settings: { outputStyle: 'Explanatory' },
  },
  codex: { permission_mode: 'workspace-write' },
  opencode: { subagents: 'reviewer.md' },
  gemini: { subagents: 'reviewer.md', plugins: 'extension' },
  qwen: { subagents: 'reviewer.md', permission_mode: 'auto-edit' },
};

/** What a real agent does not take, and says nothing about. */
const ignoredHarnesses: Readonly<Record<string, object>> = {
  'claude-code': { settings: { cleanupPeriodDays: 'many' } },
  opencode: { subagents: 'primary.md' },
};

interface Handed {
  readonly trial: ToolTrial & { readonly variant: { readonly harness: string }; readonly fault?: { code: string } };
  readonly trace: Trace;
}

/** Runs a task without tools under each harness. */
async function handed(agent: InstalledAgent, harness: object): Promise<readonly Handed[]> {
  await using model = await startScriptedModel({ rules: [{ reply: 'Done.' }] });
  const folder = await temporaryFolder();
  const config = { agents: { [agent.name]: settingsOf(agent, { by: 'config' }, model.url) } };
  const evaluators = [{ type: 'contains', config: { text: 'Done' } }];
  await writeFiles(folder, {
    'assay.config.yaml': JSON.stringify(config),
    'scenario.yaml': JSON.stringify({ name: 'H', task: 'Say hello.', harness, evaluators, run: { timeout_secs: 120 } }),
    'reviewer.md':
      '---\nname: reviewer\ndescription: Reviews texts before they are published.\nkind: local\n---\nReview it.\n',
    'primary.md': '---\nname: x\ndescription: Writes poems only at night.\nmode: primary\n---\nReview it.\n',
    'plug/.claude-plugin/plugin.json': '{ "name": "notes", "version": "1.0.0", "description": "Notes" }',
    'plug/agents/editor.md': '---\nname: editor\ndescription: Edits notes.\n---\nEdit it.\n',
    'extension/gemini-extension.json': '{ "name": "zebras", "version": "1.0.0", "contextFileName": "ZEBRAS.md" }',
    'extension/ZEBRAS.md': 'Greet every zebra before anything else.\n',
  });
  const flags = ['--json', '--no-cache', '--agent', agent.name, '--model', testModel];
  const run = await assay(['run', 'scenario.yaml', ...flags], { cwd: folder, env: environmentWith(agent) });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const trials: Handed[] = [];
  for (const trial of JSON.parse(run.stdout).trials as Handed['trial'][]) {
    const shown = await assay(['show', trial.trialId, '--json'], { cwd: folder });
    trials.push({ trial, trace: JSON.parse(shown.stdout).trace ?? [] });
  }
  return trials;
}

const partsIn = ({ trace }: Handed) => eventsOf(trace, 'harness').flatMap(({ parts }) => Object.entries(parts));

describe.each(installedAgents().filter(({ name }) => name in wholeHarnesses))('$name $version', (agent) => {
  it('shows every part of a harness that it was handed, and none of it without', async () => {
    const [plain, whole] = await handed(agent, { plain: null, whole: wholeHarnesses[agent.name] });
    if (!plain || !whole) throw new Error('There are fewer than two trials.');
    expect(partsIn(plain)).toEqual([]);
    expect(plain.trial.fault ?? undefined).toBeUndefined();
    const parts = partsIn(whole);
    expect(parts.length).toBeGreaterThan(0);
    expect(parts.filter(([, evidence]) => evidence === null)).toEqual([]);
    expect(whole.trial.fault ?? undefined).toBeUndefined();
  });

  it.runIf(agent.name in ignoredHarnesses)('makes the trial an error where it ignores a part', async () => {
    const [ignored] = await handed(agent, { ignored: ignoredHarnesses[agent.name] });
    expect(ignored?.trial).toMatchObject({ outcome: 'error', fault: { code: 'HARNESS_UNPROVEN' } });
  });
});
